"""`dreamd pause`: no dreams for a while; watching and counting go on."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

import typer

from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.reading import at_books
from dreamd.cli.wording import when
from dreamd.clock import rfc3339
from dreamd.errors import UsageError
from dreamd.settings import parse_duration
from dreamd.state.marks import Mark

_EPILOG = "Examples: dreamd pause 3h · dreamd pause (until dreamd resume) · dreamd resume"
_FOREVER = dt.datetime(9999, 1, 1, tzinfo=dt.UTC)


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("pause", epilog=_EPILOG)(pause)


def pause(
    span: Annotated[
        str | None, typer.Argument(metavar="[FOR]", help="How long: 90m, 3h, 7d; until `dreamd resume` if left out.")
    ] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Let no dream begin by itself until then; `dreamd kick` still dreams."""
    with at_books(config, verbose, as_json=as_json) as (_, books, console):
        try:
            until = books.clock.now() + parse_duration(span) if span else _FOREVER
        except ValueError as fault:
            raise UsageError(f"{span}: {fault}") from None
        books.marks.set(Mark.PAUSED_UNTIL, until)
        console.document({"paused_until": rfc3339(until)})
        console.say(f"paused until {when(until) if span else '`dreamd resume`'}")
    return 0
