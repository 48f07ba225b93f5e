"""A run as the state hands it out, in the shape that the command line prints."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from dreamd.clock import rfc3339
from dreamd.usage import Usage


class Trigger(StrEnum):
    """What started a run."""

    SCHEDULE = "schedule"
    KICK = "kick"
    CATCH_UP = "catch_up"
    UNDO = "undo"
    ACCEPT = "accept"
    REJECT = "reject"
    FORGET = "forget"


#: Triggers of dreams; the others change memory without reading sessions and move no gate.
DREAMS = frozenset({Trigger.SCHEDULE, Trigger.KICK, Trigger.CATCH_UP})


class Outcome(StrEnum):
    """How a run ended."""

    COMMITTED = "committed"
    NO_CHANGE = "no_change"
    WAITING = "waiting"
    REJECTED = "rejected"
    REFUSED = "refused"
    INCOMPLETE = "incomplete"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


#: Outcomes after which the next dream waits longer each time.
FAILURES = frozenset({Outcome.INCOMPLETE, Outcome.FAILED, Outcome.INTERRUPTED})
#: Outcomes that say memory is as it should be; an honest no-op is one.
SUCCESSES = frozenset({Outcome.COMMITTED, Outcome.NO_CHANGE})


@dataclass(frozen=True, slots=True)
class PassTime:
    """How long one pass took."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class SessionTally:
    """What became of the sessions a run looked at."""

    selected: int = 0
    gathered: int = 0
    deferred: int = 0
    quarantined: int = 0


@dataclass(frozen=True, slots=True)
class ChangeTally:
    """What a run did to memory, in entries."""

    added: int = 0
    merged: int = 0
    updated: int = 0
    superseded: int = 0
    removed: int = 0
    moved: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. `error`, `notes` and the tallies carry reason codes and numbers, never anybody's words."""

    id: str  # ULID
    trigger: Trigger
    engine: str
    started_at: dt.datetime
    ended_at: dt.datetime | None = None
    outcome: Outcome | None = None  # None while it runs
    undone_at: dt.datetime | None = None
    reason: str = ""
    passes: tuple[PassTime, ...] = ()
    sessions: SessionTally = field(default_factory=SessionTally)
    findings: int = 0
    changes: ChangeTally = field(default_factory=ChangeTally)
    cost: Usage = field(default_factory=Usage)
    commit: str | None = None
    diff_stat: str = ""
    dropped: Mapping[str, int] = field(default_factory=dict)  # reason → findings or turns left out
    kept: Mapping[str, int] = field(default_factory=dict)  # reason → findings or entries kept
    notes: tuple[str, ...] = ()
    about: str | None = None  # the run that an undo, accept or reject is about
    error: str = ""

    def to_json(self) -> dict[str, object]:
        """The Run object of the command line's JSON."""
        return {
            "id": self.id,
            "trigger": self.trigger.value,
            "engine": self.engine,
            "started_at": rfc3339(self.started_at),
            "ended_at": rfc3339(self.ended_at),
            "outcome": self.outcome.value if self.outcome else None,
            "undone_at": rfc3339(self.undone_at),
            "reason": self.reason,
            "passes": [{"name": one.name, "seconds": round(one.seconds, 3)} for one in self.passes],
            "sessions": asdict(self.sessions),
            "findings": self.findings,
            "changes": asdict(self.changes),
            "tokens": {
                "input": self.cost.input,
                "output": self.cost.output,
                "cache_read": self.cost.cache_read,
                "cache_write": self.cost.cache_write,
            },
            "usd": round(self.cost.usd, 6),
            "commit": self.commit,
            "diff_stat": self.diff_stat,
            "dropped": dict(self.dropped),
            "kept": dict(self.kept),
            "notes": list(self.notes),
            "about": self.about,
            "error": self.error,
        }
