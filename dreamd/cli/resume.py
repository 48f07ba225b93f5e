"""`dreamd resume`: dreams may begin by themselves again."""

from __future__ import annotations

import typer

from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.reading import at_books
from dreamd.state.marks import Mark

_EPILOG = "Examples: dreamd resume"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("resume", epilog=_EPILOG)(resume)


def resume(config: ConfigOption = None, as_json: JsonOption = False, verbose: VerboseOption = 0) -> int:
    """End a pause."""
    with at_books(config, verbose, as_json=as_json) as (_, books, console):
        paused = books.marks.time(Mark.PAUSED_UNTIL) is not None
        books.marks.set(Mark.PAUSED_UNTIL, None)
        console.document({"paused_until": None})
        console.say("dreams may begin by themselves again" if paused else "nothing was paused")
    return 0
