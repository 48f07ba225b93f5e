"""Ctrl-C held back while memory is being written: a commit takes milliseconds and is better ended than recovered."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def patience() -> Iterator[None]:
    """SIGINT is noted inside and raised as KeyboardInterrupt behind; in other threads than the main one nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        noted.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if noted:
        raise KeyboardInterrupt
