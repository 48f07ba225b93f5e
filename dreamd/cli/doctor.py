"""`dreamd doctor`: everything a service needs, looked at, with what to do about it."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd import log
from dreamd.cli.console import Console
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.clock import SystemClock
from dreamd.config import load
from dreamd.doctor.check import Check, Level
from dreamd.doctor.examine import Visit, examine

_EPILOG = "Examples: dreamd doctor · dreamd doctor --fix · dreamd doctor --json"
_PROBLEM = 6
_COLOURS = {Level.OK: "green", Level.WARNING: "yellow", Level.ERROR: "red"}


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("doctor", epilog=_EPILOG)(doctor)


def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend rights, and set a damaged database aside and rebuild it.")
    ] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Check paths, rights, key, watch limits, service, clock, disk and database; exit status 6 where an error stands."""
    loaded = load(config)
    told = ("warning", "info", "debug")[min(verbose, 2)]
    log.configure(loaded.places.log, level=loaded.config.log.level, console_level=told, form=loaded.config.log.format)
    console = Console(as_json=as_json)
    visit = examine(loaded, SystemClock(), fix=fix)
    bad = any(check.level is Level.ERROR for check in visit.checks)
    console.document(
        {"ok": not bad, "checks": [check.to_json() for check in visit.checks], "mended": list(visit.mended)}
    )
    _tell(console, visit)
    return _PROBLEM if bad else 0


def _tell(console: Console, visit: Visit) -> None:
    for done in visit.mended:
        console.say(f"{console.style('mended', 'cyan')}   {done}")
    for check in visit.checks:
        console.say(_line(console, check))
        if check.hint:
            console.say(f"{'':24}{check.hint}")


def _line(console: Console, check: Check) -> str:
    return f"{console.style(check.level.value.ljust(8), _COLOURS[check.level])} {check.name.ljust(14)} {check.message}"
