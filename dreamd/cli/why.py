"""`dreamd why`: where a remembered line comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dreamd.briefing.circle import circle_at
from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, HereOption, JsonOption, VerboseOption
from dreamd.cli.wording import short, when

_ROWS = frozenset({"opencode"})  # whose sessions are rows: what stands there has no place in a file
_EPILOG = 'Examples: dreamd why "use pnpm" · dreamd why pnpm --turns · dreamd why "port 8282" --json'


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("why", epilog=_EPILOG)(why)


def why(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A remembered line or words of it.")],
    turns: Annotated[bool, typer.Option("--turns", help="Print the whole turn that each quote is from.")] = False,
    told_here: HereOption = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Show the session, the day and the words that a remembered line rests on."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        told = app.why(text, circle_at(app.loaded, Path.cwd()) if told_here else None)
        console.document(told.to_json())
        console.say(console.style(told.text, "bold"))
        console.say(f"{told.file}:{told.line}, {'learned by dreamd' if told.whose == 'dreamd' else 'written by you'}")
        for one in told.evidence:
            agent = told.agents.get(one.id, "")
            console.say(f"  {when(one.at)} {agent} session {short(one.session_id)}: “{one.quote}”")
            place = told.places.get(one.id, one.path)
            spot = "" if agent in _ROWS else f" at byte {one.offset}"
            console.say(console.style(f"    {place}{spot}", "dim"))
            for line in told.turns.get(one.id, "its transcript is gone").split("\n") if turns else ():
                console.say(f"    | {line}".rstrip())
        for step in told.history:
            console.say(f"  {when(step.at)} {step.change} ({step.reason}) by run {step.run_id}")
    return 0
