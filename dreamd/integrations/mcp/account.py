"""The tools that account for memory: where a line comes from, and what recent dreams did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from dreamd.errors import DreamdError
from dreamd.integrations.mcp.answer import Answer
from dreamd.integrations.mcp.ask import RecentDreams, Why
from dreamd.integrations.mcp.desk import Desk
from dreamd.memory.plan import Change, ChangeKind, Reason
from dreamd.state.run_record import RunRecord

_SIGNS = {ChangeKind.ADD: "+", ChangeKind.REMOVE: "-", ChangeKind.MOVE: ">"}


def why(desk: Desk, ask: Why) -> Answer:
    """Where a remembered line comes from: days, sessions, the words it rests on. Raises UsageError where nothing reads like it."""
    told = desk.known().why(ask.text, desk.circle)
    whose = "learned by dreamd" if told.whose == "dreamd" else "written by the person"
    pieces = [f"{told.file}:{told.line}  {told.text} ({whose})"]
    pieces += [
        f"{one.at.astimezone():%Y-%m-%d %H:%M} session {one.session_id}: “{one.quote}”"
        if one.at
        else f"session {one.session_id}: “{one.quote}”"
        for one in told.evidence
    ]
    pieces += [
        f"{step.at.astimezone():%Y-%m-%d} {step.change} ({step.reason}) by run {step.run_id}" for step in told.history
    ]
    return Answer(tuple(pieces))


def recent_dreams(desk: Desk, ask: RecentDreams) -> Answer:
    """What the newest runs did to memory."""
    runs = desk.known().runs(ask.limit)
    return Answer(
        tuple(line for run in runs for line in _run(desk, run)),
        "nothing was dreamt yet" if not runs else "ask for fewer",
    )


def _run(desk: Desk, run: RunRecord) -> Iterator[str]:
    counts = ", ".join(f"{number} {name}" for name, number in asdict(run.changes).items() if number)
    outcome = run.outcome.value if run.outcome else "running"
    reason = f" ({run.reason})" if run.reason not in ("", outcome) else ""
    undone = ", taken back since" if run.undone_at else ""
    yield (
        f"{run.started_at.astimezone():%Y-%m-%d %H:%M} {run.trigger.value} {run.id}: {outcome}{reason}, "
        f"{counts or 'nothing changed'} from {run.sessions.gathered} sessions{undone}"
    )
    for change in _changes(desk, run):
        yield f"  {_SIGNS.get(change.kind, '~')} {change.file}: {change.new if change.new is not None else change.old}"


def _changes(desk: Desk, run: RunRecord) -> list[Change]:
    try:
        _, snapshot = desk.known().run(run.id)
    except DreamdError:  # history began anew since then
        return []
    plan = snapshot.plan if snapshot else None
    return [
        change
        for change in (plan.changes if plan else ())
        if change.reason is not Reason.POINTER and desk.circle.tells_line(change.file, f"{change.old} {change.new}")
    ]
