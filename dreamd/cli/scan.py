"""`dreamd scan`: the session table brought up to date."""

from __future__ import annotations

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import count, size, strangers

_EPILOG = "Examples: dreamd scan · dreamd scan --json"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("scan", epilog=_EPILOG)(scan)


def scan(config: ConfigOption = None, as_json: JsonOption = False, verbose: VerboseOption = 0) -> int:
    """Look at every transcript and count what is new; only new bytes are read."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        report = app.scan()
        console.document(report.to_json())
        console.say(
            f"{report.new} new, {report.changed} changed, {report.unchanged} unchanged, {report.lost} lost; "
            f"{size(report.bytes_read)} read in {report.seconds:.2f} s"
        )
        if report.damaged:
            console.say(f"damaged lines in {count(report.damaged, 'session')}; every whole record in them was read")
        if report.unknown_types:
            named = ", ".join(f"{name} ({count})" for name, count in sorted(report.unknown_types.items()))
            console.say(f"record types not known, skipped: {named}")
        if report.unsupported:
            console.say(f"not supported yet: {strangers(report.unsupported)}")
        for problem in report.problems:
            console.note(f"cannot read {problem.path}: {problem.code}")
    return 0
