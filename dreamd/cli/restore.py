"""`dreamd restore`: an archived transcript put back where its agent finds it."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption

_EPILOG = "Examples: dreamd restore 4d56, then claude --resume 4d56…"

#: How each agent goes on with a session.
_RESUME = {
    "claude-code": "claude --resume {id}",
    "codex": "codex resume {id}",
    "gemini": "gemini --list-sessions, then gemini --resume NUMBER",
    "opencode": "opencode --session {id}",
}
_UNARCHIVE = "codex unarchive {id} && "  # what it has archived it does not resume


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
            way = _RESUME[record.agent]
            if record.agent == "codex" and record.root.endswith("archived_sessions"):
                way = _UNARCHIVE + way
            console.say(f"go on with: cd {record.cwd} && {way.format(id=record.id)}")
    return 0
