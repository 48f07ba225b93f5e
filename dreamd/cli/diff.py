"""`dreamd diff`: what a dream changed, with the reason of each change."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption

_EPILOG = "Examples: dreamd diff · dreamd diff last · dreamd diff 01JD | less"
_COLOURS = {"+": "green", "-": "red", "@": "cyan", "#": "dim"}


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("diff", epilog=_EPILOG)(diff)


def diff(
    run: Annotated[
        str | None, typer.Argument(metavar="[RUN]", help="A run id, its unique beginning, or `last`.")
    ] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Show what a dream changed as a unified diff; without RUN the newest that changed anything."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        record, text = app.diff(run)
        console.document({"run": record.id, "commit": record.commit, "diff": text})
        for line in text.splitlines():
            colour = _COLOURS.get(line[:1])
            console.say(console.style(line, colour) if colour else line)
        if not text:
            console.say(f"run {record.id} changed nothing")
    return 0
