"""What the service's one thread is told: hints, ticks, signals, the end of a dream."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue

from dreamd.service.child import Ended


@dataclass(frozen=True, slots=True)
class Hint:
    """A transcript file may have changed."""

    path: str


@dataclass(frozen=True, slots=True)
class Lost:
    """Events may have been lost: scan everything soon."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time to look at the gates."""


@dataclass(frozen=True, slots=True)
class Signalled:
    """A signal came; its handler only put this."""

    number: int


Message = Hint | Lost | Tick | Signalled | Ended


@contextmanager
def signals_into(queue: SimpleQueue[Message]) -> Iterator[None]:
    """Handlers that only put: anything more can deadlock inside whatever they interrupt."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)

    def note(number: int, _frame: object) -> None:
        queue.put(Signalled(number))

    before = {number: signal.signal(number, note) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
