"""What time it is: the only module that asks the system."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import dataclass
from typing import Protocol

import tzlocal


class Clock(Protocol):
    """Where the time comes from; tests hand in a fixed one."""

    def now(self) -> dt.datetime:
        """The time now, in UTC, with its zone."""
        ...

    def monotonic(self) -> float:
        """Seconds that only ever grow: for durations."""
        ...


class SystemClock:
    """The computer's own clock."""

    def now(self) -> dt.datetime:
        """The time now, in UTC, with its zone."""
        return dt.datetime.now(dt.UTC)

    def monotonic(self) -> float:
        """Seconds since some moment, unmoved by a clock that is set."""
        return time.monotonic()


@dataclass(slots=True)
class FixedClock:
    """A clock that stands until it is moved; ships because demo and tests dream in somebody else's time."""

    at: dt.datetime

    def now(self) -> dt.datetime:
        """The time it was set to."""
        return self.at

    def monotonic(self) -> float:
        """Durations are real even where the day is not."""
        return time.monotonic()


def local_zone() -> dt.tzinfo:
    """The zone of this computer (TZ, /etc/localtime), with its rules for past and future days where they are known."""
    return tzlocal.get_localzone()


def rfc3339(moment: dt.datetime | None) -> str | None:
    """UTC with milliseconds and a final Z, as in every JSON that dreamd prints; None stays None."""
    if moment is None:
        return None
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_time(text: str | None) -> dt.datetime | None:
    """An RFC 3339 time as an aware UTC datetime; None for anything that is not one (never raises)."""
    if not text:
        return None
    try:
        moment = dt.datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    try:
        return moment.astimezone(dt.UTC)
    except (OverflowError, ValueError):
        return None
