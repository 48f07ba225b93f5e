"""The history of one entry over the dreams."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from dreamd.memory.history import History


@dataclass(frozen=True, slots=True)
class Step:
    """What one dream did to the entry."""

    run_id: str
    at: dt.datetime
    change: str  # a ChangeKind's value
    reason: str  # a Reason's value
    commit: str


def entry_history(history: History, entry_id: str) -> tuple[Step, ...]:
    """What each dream did to an entry, oldest first; an entry that took another's place has the other's history too."""
    steps = []
    wanted = {entry_id}
    for logged in history.log():
        for change in reversed(logged.plan.changes if logged.plan else ()):
            known = {change.entry, *([change.record.id] if change.record else [])}
            if known & wanted:
                wanted |= known
                steps.append(Step(logged.run_id, logged.when, change.kind.value, change.reason.value, logged.commit))
    return tuple(reversed(steps))
