"""What a watcher told, and waiting for it with a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dreamd.service.watch import Watcher

DEADLINE = 5.0


def until(met: Callable[[], bool], what: str = "") -> None:
    """Waits for a condition; fails after five seconds."""
    end = time.monotonic() + DEADLINE
    while not met():
        assert time.monotonic() < end, f"not within {DEADLINE} s: {what}"
        time.sleep(0.01)


class Told:
    """Everything the watcher said, in order: a path, or None for `lost`."""

    def __init__(self) -> None:
        self.said: list[str | None] = []

    def hint(self, path: str) -> None:
        self.said.append(path)

    def lost(self) -> None:
        self.said.append(None)

    @property
    def hints(self) -> set[str]:
        return {path for path in self.said if path is not None}

    @property
    def losses(self) -> int:
        return self.said.count(None)

    def hinted(self, path: Path) -> None:
        """Waits until this path was hinted at."""
        until(lambda: str(path) in self.hints, f"a hint at {path}")

    def lost_since(self, before: int) -> None:
        """Waits for one more `lost`."""
        until(lambda: self.losses > before, "lost")


@contextmanager
def watching(told: Told, *roots: Path, own: tuple[Path, ...] = ()) -> Iterator[Watcher]:
    """A watcher at work; afterwards no thread of it is left."""
    before = set(threading.enumerate())
    watcher = Watcher([("claude-code", root) for root in roots], told.hint, told.lost, own=own)
    watcher.start()
    try:
        yield watcher
    finally:
        watcher.stop()
        until(lambda: not set(threading.enumerate()) - before, "all threads ended")


def settle(told: Told, root: Path) -> None:
    """Until all that happened so far has been told, then forgets it.

    Events come in order, and a file that is moved in gives exactly one, so nothing comes after its hint.
    """
    outside, last = root.parent / ".last", root / f"last-{time.monotonic_ns()}.jsonl"
    outside.write_text("{}\n", encoding="utf-8")
    outside.replace(last)
    told.hinted(last)
    told.said.clear()
