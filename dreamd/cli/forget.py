"""`dreamd forget`: out of memory, findings, plans, index and archive, and not learned again."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption, YesOption
from dreamd.cli.wording import count, exit_status
from dreamd.errors import UsageError

_EPILOG = 'Examples: dreamd forget --line "port 8181" · dreamd forget --session 4d56 · dreamd forget --project ~/work/client --purge-history'


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("forget", epilog=_EPILOG)(forget)


def forget(
    line: Annotated[
        str | None, typer.Option("--line", metavar="TEXT", help="A remembered line or words of it.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Everything that rests on this session alone.")
    ] = None,
    project: Annotated[
        str | None,
        typer.Option("--project", metavar="PATH", help="Everything that rests on this project's sessions alone."),
    ] = None,
    purge_history: Annotated[
        bool,
        typer.Option("--purge-history", help="Let history begin anew, so that nothing of it is left there either."),
    ] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
    yes: YesOption = False,
) -> int:
    """Forget a line, a session or a project for good; it is not learned again. The agent's own transcripts stay as they are."""
    if sum(given is not None for given in (line, session, project)) != 1:
        raise UsageError(
            "say what to forget, and one thing at a time", hint="--line TEXT, --session ID or --project PATH"
        )
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        question = "Earlier dreams can then be neither shown nor undone. Purge history?"
        if purge_history and not console.confirm(question, yes=yes):
            raise UsageError("history was not purged, nothing was forgotten", hint="answer y, or give --yes")
        if line is not None:
            done = app.forget_line(line, purge_history=purge_history)
        elif session is not None:
            done = app.forget_session(session, purge_history=purge_history)
        else:
            done = app.forget_project(str(project), purge_history=purge_history)
        console.document(
            done.run.to_json()
            | {
                "forgotten": {"entries": done.entries, "findings": done.findings, "sessions": done.sessions},
                "history_holds": done.history_holds,
            }
        )
        console.say(
            f"forgotten: {count(done.entries, 'remembered line')}, {count(done.findings, 'finding')}, "
            f"{count(done.sessions, 'session')}"
        )
        if done.history_holds:
            console.say("history still holds the words; --purge-history takes them out of there too")
        return exit_status(done.run)
