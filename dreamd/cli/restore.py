"""`dreamd restore`: an archived transcript put back where its agent finds it."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption

_EPILOG = "Examples: dreamd restore 4d56, then claude --resume 4d56…"

#: How each agent goes on with a session.
_RESUME = {"claude-code": "claude --resume", "codex": "codex resume"}


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("restore", epilog=_EPILOG)(restore)


def restore(
    session: Annotated[str, typer.Argument(metavar="ID", help="A session id or its unique beginning.")],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files there that are newer or longer.")
    ] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Put a transcript back byte for byte, with its sub-agents and tool results; its age starts anew."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        record, paths = app.restore(session, overwrite=overwrite)
        console.document(
            {"session": record.id, "agent": record.agent, "cwd": record.cwd, "files": [str(path) for path in paths]}
        )
        for path in paths:
            console.say(str(path))
        if record.cwd and record.agent in _RESUME:
            console.say(f"go on with: cd {record.cwd} && {_RESUME[record.agent]} {record.id}")
    return 0
