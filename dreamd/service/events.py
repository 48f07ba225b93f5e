"""What a file system event means: a transcript that may have changed, a need to scan, or nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)

_Kind = type[FileSystemEvent]

#: All that is asked of the system below a root. Opening and closing are not in it: a scan's own reads would wake the next.
CHANGES: Final[tuple[_Kind, ...]] = (
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
)
#: What is asked of a directory in which a root is awaited.
ARRIVALS: Final[tuple[_Kind, ...]] = (FileCreatedEvent, FileMovedEvent, DirCreatedEvent, DirMovedEvent)

_MEMORY = "memory"  # `<root>/<project>/memory`: an agent's own notes, no transcripts; dreamd may write there


class TranscriptEvents(FileSystemEventHandler):
    """Below a root that exists. Called in watchdog's thread: it only passes on.

    `transcript_at` is the agent's word on which transcript a changed file is or belongs to, if any (a database's log to the database).
    `hint` gets a transcript's path below the root *as it was named*, whatever links lead there, since that is how a scan names it.
    `lost` is called for directories (their files may be older than their watch) and for transcripts that went away, which only a
    full scan can tell from moved ones.
    """

    def __init__(
        self,
        real: str,
        named: str,
        own: tuple[str, ...],
        transcript_at: Callable[[str], str | None],
        hint: Callable[[str], None],
        lost: Callable[[], None],
    ) -> None:
        self._transcript_at = transcript_at
        self._real = real.rstrip(os.sep)
        self._named = named.rstrip(os.sep)
        self._own = own
        self._hint = hint
        self._lost = lost

    def on_any_event(self, event: FileSystemEvent) -> None:
        """One event; moves count where they end, and as a loss where a transcript was."""
        source, target = os.fsdecode(event.src_path), os.fsdecode(event.dest_path)
        if event.is_directory:
            if self._matters(source) or (target and self._matters(target)):
                self._lost()
            return
        gone = isinstance(event, FileMovedEvent | FileDeletedEvent)
        arrived = target if isinstance(event, FileMovedEvent) else source
        if not isinstance(event, FileDeletedEvent) and (path := self._about(arrived)):
            self._hint(path)
        if gone and self._about(source):
            self._lost()

    def _about(self, path: str) -> str | None:
        """The transcript that a file concerns, by the name that a scan gives it."""
        return self._transcript_at(self._named + path[len(self._real) :]) if self._matters(path) else None

    def _matters(self, path: str) -> bool:
        if path != self._real and not path.startswith(self._real + os.sep):
            return False
        parts = path[len(self._real) :].split(os.sep, 3)  # "", project, what is in it, …
        if len(parts) > 2 and parts[2] == _MEMORY:  # noqa: PLR2004 - see above
            return False
        return not any(path == own or path.startswith(own + os.sep) for own in self._own)


class ArrivalEvents(FileSystemEventHandler):
    """In the nearest directory above a root that is missing: says so when the root, or a directory on the way to it, appears."""

    def __init__(self, awaited: str, lost: Callable[[], None]) -> None:
        self._awaited = awaited
        self._lost = lost

    def on_any_event(self, event: FileSystemEvent) -> None:
        """One event; what is made elsewhere is nobody's business."""
        path = os.fsdecode(event.dest_path or event.src_path)
        if path == self._awaited or self._awaited.startswith(path + os.sep):
            self._lost()
