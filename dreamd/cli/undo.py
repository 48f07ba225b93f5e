"""`dreamd undo`: a dream taken back."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import exit_status, run_line

_EPILOG = "Examples: dreamd undo · dreamd undo 01JD · dreamd undo --relearn"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("undo", epilog=_EPILOG)(undo)


def undo(
    run: Annotated[
        str | None,
        typer.Argument(metavar="[RUN]", help="A run id or its unique beginning; the newest dream if left out."),
    ] = None,
    relearn: Annotated[bool, typer.Option("--relearn", help="Let the next dream read the same words again.")] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Take a dream back, entry by entry; edits made by hand since then stay."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        record = app.undo(run, relearn=relearn)
        console.document(record.to_json())
        console.say(f"run {record.id} {run_line(record)}")
        if record.about:
            console.say(f"taken back: run {record.about} · bring it back: dreamd undo {record.id}")
        return exit_status(record)
