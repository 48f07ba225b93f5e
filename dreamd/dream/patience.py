"""Signals held back while memory is being written: a commit takes milliseconds and is better ended than recovered."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_HELD = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def patience() -> Iterator[None]:
    """SIGINT and SIGTERM are noted inside and delivered behind; only the main thread can hold signals back."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        noted.append(number)

    before = {held: signal.signal(held, note) for held in _HELD}
    try:
        yield
    finally:
        for held, handler in before.items():
            signal.signal(held, handler)
    for number in dict.fromkeys(noted):
        signal.raise_signal(number)
