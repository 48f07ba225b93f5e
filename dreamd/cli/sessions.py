"""`dreamd sessions`: what has been seen, and how dreamd reads it."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.app import App
from dreamd.cli.console import Console
from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption, only_behind
from dreamd.cli.wording import count, short, size, when
from dreamd.clock import parse_time, rfc3339
from dreamd.errors import UsageError
from dreamd.state.records import SessionRecord, SessionState

_EPILOG = "Examples: dreamd sessions · dreamd sessions --state pending · dreamd sessions show 4d56"
NoScanOption = Annotated[bool, typer.Option("--no-scan", help="Show what is known without looking at the transcripts.")]


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    verb = typer.Typer(help="Show the sessions dreamd has seen.", rich_markup_mode=None, epilog=_EPILOG)
    verb.callback(invoke_without_command=True, epilog=_EPILOG)(listed)
    verb.command("show", epilog=_EPILOG)(show)
    app.add_typer(verb, name="sessions")


def listed(
    context: typer.Context,
    state: Annotated[str | None, typer.Option("--state", metavar="STATE", help="Only sessions in this state.")] = None,
    project: Annotated[str | None, typer.Option("--project", metavar="NAME", help="Only this project.")] = None,
    no_scan: NoScanOption = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """List sessions: state, project, agent, turns, size, why excluded."""
    if only_behind(context, config, as_json, verbose, state, project, no_scan):
        return 0
    if state is not None and state not in set(SessionState):
        raise UsageError(f"there is no state {state}", hint="states: " + ", ".join(SessionState))
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        if not no_scan:
            app.scan()
        now, idle = app.shop.clock.now(), app.loaded.config.gates.idle
        chosen = [
            one
            for one in app.sessions()
            if (state is None or one.state(now, idle) == state)
            and (
                project is None
                or (one.project is not None and project in (one.project.name, one.project.key, one.project.root))
            )
        ]
        console.document([one.to_json(now, idle) for one in chosen])
        if not chosen:
            console.say("no session to show; `dreamd config path` and `dreamd status` say where dreamd looks")
            return 0
        console.table(
            ("SESSION", "AGENT", "STATE", "PROJECT", "TURNS", "SIZE", "LAST", "NOTES"),
            [_row(one, one.state(now, idle)) for one in chosen],
        )
    return 0


def show(
    session: Annotated[str, typer.Argument(metavar="ID", help="A session id or its unique beginning.")],
    no_scan: NoScanOption = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Show one session with its turns as dreamd reads them, secrets hidden."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        if not no_scan:
            app.scan()
        _show(app, console, session)
    return 0


def _show(app: App, console: Console, name: str) -> None:
    record, events = app.session(name)
    now, idle = app.shop.clock.now(), app.loaded.config.gates.idle
    turns = [
        {
            "at": rfc3339(event.at),
            "role": event.role.value,
            "origin": event.origin.value,
            "text": app.shop.redactor.redact(event.text).text,
            "offset": event.raw.offset,
        }
        for event in events
    ]
    console.document(record.to_json(now, idle) | {"turns": turns})
    console.facts(
        {
            "session": record.id,
            "agent": record.agent,
            "state": record.state(now, idle).value,
            "project": record.project.name if record.project else "–",
            "directory": record.cwd or "–",
            "first, last": f"{when(record.first_at)}, {when(record.last_at)}",
            "your turns": f"{record.human_turns} ({record.unread} not dreamt of yet)",
            "transcript": f"{record.path} ({size(record.bytes)})",
            "notes": _notes(record) or "–",
        }
    )
    for turn in turns:
        speaker = "you" if turn["role"] == "human" else "agent"
        label = speaker if turn["origin"] in ("typed", "model") else f"{speaker}, {turn['origin']}"
        console.say()
        console.say(console.style(f"{when(parse_time(str(turn['at'])))} {label}", "dim"))
        console.say(str(turn["text"]))


def _row(one: SessionRecord, state: SessionState) -> tuple[str, ...]:
    project = one.project.name if one.project else "–"
    return (
        short(one.id),
        one.agent,
        state.value,
        project,
        str(one.human_turns),
        size(one.bytes),
        when(one.last_at),
        _notes(one),
    )


def _notes(one: SessionRecord) -> str:
    notes = [one.excluded_because.value] if one.excluded_because else []
    if one.bad_lines:
        notes.append(count(one.bad_lines, "damaged line"))
    if one.unknown_types:
        notes.append("unknown: " + ", ".join(f"{name} {count}" for name, count in sorted(one.unknown_types.items())))
    if one.archived_at:
        notes.append("archived")
    if one.quarantine_reason:
        notes.append(one.quarantine_reason)
    return "; ".join(notes)
