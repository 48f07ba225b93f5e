"""`dreamd memory add` and `pin`: lines that stay because a person says so."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import exit_status, run_line

_EPILOG = 'Examples: dreamd memory add "Answer in British English." · dreamd memory pin "never push"'


def register(verb: typer.Typer) -> None:
    """Adds the two below `dreamd memory`."""
    verb.command("add", epilog=_EPILOG)(add)
    verb.command("pin", epilog=_EPILOG)(pin)


def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The line to be remembered.")],
    project: Annotated[str | None, typer.Option("--project", metavar="NAME", help="Into this project's file.")] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Add a line that stays: it never goes stale and is the last to leave MEMORY.md."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        record = app.remember(text, project=project)
        console.document(record.to_json())
        console.say(f"run {record.id} {run_line(record)}")
        return exit_status(record)


def pin(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A remembered line or words of it.")],
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Pin a remembered line, so that it stays however long nothing confirms it."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        record = app.pin(text)
        console.document(record.to_json())
        console.say(f"run {record.id} {run_line(record)}")
        return exit_status(record)
