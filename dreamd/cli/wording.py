"""How times, sizes, runs and plans read for a person."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping

from dreamd.memory.plan import ChangeKind, Plan, Reason
from dreamd.state.batch_record import Batch
from dreamd.state.run_record import Outcome, RunRecord
from dreamd.usage import Usage

#: What an outcome means for the exit status (CONTRACT).
STATUS = {
    Outcome.COMMITTED: 0,
    Outcome.NO_CHANGE: 0,
    Outcome.REJECTED: 0,
    Outcome.WAITING: 5,
    Outcome.REFUSED: 5,
    Outcome.INCOMPLETE: 1,
    Outcome.FAILED: 1,
    Outcome.CANCELLED: 130,
    Outcome.INTERRUPTED: 1,
}
_SHORT = 8
_SHORT_BY_TIME = 16  # in a version 7 UUID or `ses_…`: the time to the millisecond, then what is random
_BY_TIME = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7|ses_")
_SIGNS = {
    ChangeKind.ADD: "+",
    ChangeKind.MERGE: "=",
    ChangeKind.UPDATE: "~",
    ChangeKind.SUPERSEDE: "~",
    ChangeKind.REMOVE: "−",
    ChangeKind.MOVE: "→",
}


def exit_status(run: RunRecord) -> int:
    """The exit status for a run's end; a dry run that stored its plan and a batch that was sent did what was asked."""
    if run.outcome is Outcome.WAITING and run.reason in ("dry_run", "batch"):
        return 0
    if run.outcome is Outcome.INCOMPLETE and run.reason == "budget_spent":
        return 5  # refused by the budget
    return STATUS[run.outcome] if run.outcome else 0


def when(moment: dt.datetime | None) -> str:
    """A time in the local zone, to the minute."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else "–"


def size(number: int) -> str:
    """Bytes as a person reads them."""
    for unit, length in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= length:
            return f"{number / length:.1f} {unit}"
    return f"{number} B"


def span(seconds: float) -> str:
    """A length of time, roughly."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length or (unit != "d" and seconds >= length):
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def short(session: str) -> str:
    """As much of a session's id as tells it from others: ids that begin with the time are alike at their beginning."""
    return session[:_SHORT] if not _BY_TIME.match(session) else session[:_SHORT_BY_TIME]


def count(number: int, word: str) -> str:
    """As in "1 session", "2 sessions"."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def strangers(counted: Mapping[str, int]) -> str:
    """Agents that are not supported yet, each with its sessions."""
    return ", ".join(f"{name} ({count(number, 'session')})" for name, number in sorted(counted.items()))


def run_line(run: RunRecord) -> str:
    """One run in a sentence."""
    changes = run.changes
    parts = [
        f"{number} {name}"
        for name, number in (
            ("added", changes.added),
            ("merged", changes.merged),
            ("superseded", changes.superseded),
            ("updated", changes.updated),
            ("removed", changes.removed),
            ("moved", changes.moved),
        )
        if number
    ]
    told = ", ".join(parts) or "nothing changed"
    sessions = f" from {count(run.sessions.gathered, 'session')}" if run.sessions.gathered else ""
    outcome = run.outcome.value if run.outcome else "running"
    reason = run.reason.replace("_", " ")
    if run.outcome is Outcome.COMMITTED and run.reason in ("dry_run", "review"):
        outcome = "accepted"
    return f"{outcome}{'' if reason in ('', outcome) else f' ({reason})'}: {told}{sessions}"


def cost_line(cost: Usage) -> str:
    """What calls to a model came to."""
    if not cost.tokens:
        return "nothing"
    cached = f", {cost.cache_read:,} of them from the prompt cache" if cost.cache_read else ""
    return f"${cost.usd:.4f} for {cost.tokens:,} tokens{cached}"


def batch_line(batch: Batch) -> str:
    """What a run waits for, in a sentence."""
    name = batch.native_id or "not confirmed by the server"
    told = f"a batch of {count(len(batch.letters), 'request')} sent {when(batch.written_at)} ({name})"
    return f"{told}, next look {when(batch.look_at)}"


def plan_lines(plan: Plan) -> Iterable[str]:
    """A plan's changes, one a line, as the diff of entries it is."""
    for change in plan.changes:
        if change.reason is Reason.POINTER:
            continue
        text = change.new if change.new is not None else change.old
        yield f"{_SIGNS[change.kind]} {change.file}: {text}  [{change.reason.value}]"
    for carry in plan.carries:
        yield f"→ {carry.to_file}: a line of yours that MEMORY.md has no room for  [{carry.reason.value}]"


def plan_json(plan: Plan) -> list[dict[str, object]]:
    """A plan's changes for `--json`."""
    return [
        {
            "change": change.kind.value,
            "file": change.file,
            "section": change.section,
            "old": change.old,
            "new": change.new,
            "reason": change.reason.value,
            "findings": list(change.findings),
        }
        for change in plan.changes
    ]
