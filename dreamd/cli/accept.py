"""`dreamd accept`: what a person says to a waiting plan."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import exit_status, run_line

_EPILOG = "Examples: dreamd kick --dry-run · dreamd runs show last · dreamd accept last"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("accept", epilog=_EPILOG)(accept)


def accept(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The waiting run: its id, unique beginning, or `last`.")],
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Apply a waiting plan exactly as it was shown; edits made by hand since then stay."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        record = app.accept(run)
        console.document(record.to_json())
        console.say(f"run {record.id} {run_line(record)}")
        return exit_status(record)
