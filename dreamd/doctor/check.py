"""What a check says: its level, a reason from a closed set, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is. An error keeps dreamd from its work; a warning will, or costs something."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


class Why(StrEnum):
    """Every reason that a check can give."""

    FINE = "fine"
    NOT_YET = "not_yet"  # nothing to look at before the first dream
    TOO_OLD = "too_old"
    OPEN_TO_OTHERS = "open_to_others"
    NOT_WRITABLE = "not_writable"
    OVER_CAP = "over_cap"
    NOT_FOUND = "not_found"
    NOT_READABLE = "not_readable"
    TOO_MANY = "too_many"
    NOT_INSTALLED = "not_installed"
    NOT_RUNNING = "not_running"
    NOT_ENABLED = "not_enabled"
    OUTDATED = "outdated"
    STOPS_AT_LOGOUT = "stops_at_logout"
    UNKNOWN = "unknown"
    SCHEDULE_OFF = "schedule_off"
    IN_THE_FUTURE = "in_the_future"
    NEARLY_FULL = "nearly_full"
    DAMAGED = "damaged"
    LOST = "lost"
    BUSY = "busy"
    REBUILT = "rebuilt"
    DIFFERS = "differs"
    MISSING = "missing"
    SOON_DELETED = "soon_deleted"
    FAILING = "failing"
    NEVER = "never"
    OVERDUE = "overdue"
    LEFT_BEHIND = "left_behind"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    level: Level
    why: Why
    message: str
    hint: str = ""

    @property
    def ok(self) -> bool:
        """Nothing to do."""
        return self.level is Level.OK

    def to_json(self) -> dict[str, object]:
        """An item of `dreamd doctor --json`."""
        return {
            "name": self.name,
            "ok": self.ok,
            "level": self.level.value,
            "reason": self.why.value,
            "message": self.message,
            "hint": self.hint,
        }


def fine(name: str, message: str, why: Why = Why.FINE) -> Check:
    """All is well."""
    return Check(name, Level.OK, why, message)


def warning(name: str, why: Why, message: str, hint: str) -> Check:
    """Works, and should be looked at."""
    return Check(name, Level.WARNING, why, message, hint)


def error(name: str, why: Why, message: str, hint: str) -> Check:
    """Does not work."""
    return Check(name, Level.ERROR, why, message, hint)
