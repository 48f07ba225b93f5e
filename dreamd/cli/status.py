"""`dreamd status`: how dreamd stands and what it waits for."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dreamd.cli.console import Console
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.reading import at_books
from dreamd.cli.wording import batch_line, size, span, when
from dreamd.clock import parse_time
from dreamd.dream.books import Books
from dreamd.engines.protocol import Engine
from dreamd.engines.table import FREE, engine
from dreamd.integrations.claude_code.connection import Connection, connection
from dreamd.service.installing import outdated
from dreamd.service.spec import spec_of
from dreamd.standing.status import status as standing

_EPILOG = (
    "Examples: dreamd status · dreamd status --check (exit status 6 where a problem stands) · dreamd status --json"
)
_IN_SECONDS = ("too_soon", "long_enough", "failed", "waited")
#: Gate reasons whose numbers say something to a person.
_TELLING = (*_IN_SECONDS, "too_few", "enough", "too_many_tries", "usd_spent", "tokens_spent")


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("status", epilog=_EPILOG)(status)


def status(
    check: Annotated[bool, typer.Option("--check", help="Exit with 6 where a problem stands.")] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Show every gate with its numbers, the sessions, the last run, memory, budget and problems; never scans."""
    with at_books(config, verbose, as_json=as_json) as (loaded, books, console):
        batch = books.batches.open()
        told: dict[str, Any] = standing(books, _engine(books), configured=loaded.file_exists)
        known = connection(loaded)
        told["claude_code"] = known.to_json()
        if unit := outdated(spec_of(loaded)):
            told["problems"].append(
                {
                    "code": "unit_outdated",
                    "message": f"{unit} is not what this installation would write",
                    "hint": "`dreamd service install` brings it up to date",
                }
            )
        console.document(told)
        _tell(console, told, known, batch_line(batch) if batch else "")
        return 6 if check and told["problems"] else 0


def _engine(books: Books) -> Engine | None:
    name = books.config.engine.name
    return None if name == FREE else engine(name, books.config, books.clock.now().date())


def _tell(console: Console, told: dict[str, Any], known: Connection, waits_for: str) -> None:
    memory, last, sessions = told["memory"], told["last_run"], told["sessions"]
    for gate in told["gates"]:
        mark = console.style("open  ", "green") if gate["open"] else console.style("closed", "yellow")
        console.say(f"{gate['name']:9} {mark}  {_numbers(gate)}")
    console.say()
    dreaming = told["dreaming"]
    console.facts(
        {
            "service": _service(told["daemon"]),
            "now": f"dreaming (pid {dreaming['pid']})" if dreaming else "not dreaming",
            "sessions": ", ".join(f"{number} {name}" for name, number in sessions.items() if number or name == "seen"),
            "last run": f"{when(parse_time(last['started_at']))} {last['outcome'] or 'running'} ({last['reason']})"
            if last
            else "none yet",
            **({"waits for": waits_for} if waits_for else {}),
            "last success": when(parse_time(told["last_success_at"])),
            "memory": _memory(memory),
            "engine": told["engine"]["name"],
            **({"claude code": _reading(known)} if known.found else {}),
            **({"budget": _budget(told["budget"])} if told["engine"]["model"] else {}),
        }
    )
    for problem in told["problems"]:
        console.say(f"{console.style('problem', 'red')}  {problem['message']} ({problem['hint']})")


def _reading(known: Connection) -> str:
    """How Claude Code's sessions come to what is remembered."""
    if known.gone:
        return f"connected to what is not there ({known.gone}); `dreamd init --integrate claude-code` mends it"
    if not known.ways:
        return "not connected (`dreamd init --integrate claude-code`)" + (", but can search" if known.server else "")
    search = "can search" if known.server else "cannot search (`dreamd init --integrate claude-code` says how)"
    return f"told by {' and '.join(known.ways)}; {search}"


def _memory(memory: dict[str, Any]) -> str:
    if memory["lines"] is None:
        return f"cannot be read: {memory['root']}"
    lines = f"{memory['lines']} of {memory['max_lines']} lines"
    return f"{lines}, {size(memory['bytes'])} of {size(memory['max_bytes'])}, {memory['topics']} topics in {memory['root']}"


def _budget(budget: dict[str, Any]) -> str:
    """What was spent today, what a day may cost, and what the next dream will probably be."""
    next_dream = budget["next_dream_estimate"]
    return (
        f"${budget['usd_today']:.4f} and {budget['tokens_today']:,} tokens today (of ${budget['usd_per_day']:.2f} a day); "
        f"next dream about ${next_dream['usd']:.4f}, {next_dream['tokens']:,} tokens"
    )


def _service(daemon: dict[str, Any]) -> str:
    if not daemon["running"]:
        return "not running (`dreamd service install`, or `dreamd run` here)"
    watching = ", ".join(
        f"{one['root']} ({one['mode']}{': ' + one['problem'] if one['problem'] else ''})" for one in daemon["watching"]
    )
    return f"pid {daemon['pid']} since {when(parse_time(daemon['since']))}, watching {watching or 'nothing yet'}"


def _numbers(gate: dict[str, Any]) -> str:
    text = str(gate["reason"]).replace("_", " ")
    have, need = gate["have"], gate["need"]
    if gate["reason"] in _TELLING and have is not None and need is not None:
        in_time = gate["reason"] in _IN_SECONDS
        text += f" ({span(have)} of {span(need)})" if in_time else f" ({have:,g} of {need:,.0f})"
    return text + (f", opens {when(parse_time(gate['opens_at']))}" if gate["opens_at"] else "")
