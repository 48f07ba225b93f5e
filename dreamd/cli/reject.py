"""`dreamd reject`: what a person says to a waiting plan."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import exit_status, run_line

_EPILOG = "Examples: dreamd kick --dry-run · dreamd runs show last · dreamd reject last"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("reject", epilog=_EPILOG)(reject)


def reject(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The waiting run: its id, unique beginning, or `last`.")],
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Drop a waiting plan; what it had found is not learned again from the same words."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        record = app.reject(run)
        console.document(record.to_json())
        console.say(f"run {record.id} {run_line(record)}")
        return exit_status(record)
