"""What dreamd asks of an agent's transcripts; one implementation an agent, each in its own file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from dreamd.transcripts.event import Cursor, Event, Reading, SessionFile


class Reader(Protocol):
    """What can tell the events of a transcript file."""

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events whose physical lines begin in [start, end), in file order, streaming duplicates merged. Flat memory."""
        ...


class Adapter(Reader, Protocol):
    """One agent's transcripts: found, counted, read. Files are opened read-only and never touched."""

    @property
    def agent(self) -> str:
        """The agent's name as in the configuration: "claude-code"."""
        ...

    @property
    def verified_with(self) -> tuple[str, ...]:
        """The client versions whose files this reader was checked against."""
        ...

    def discover(self, root: Path) -> Iterator[SessionFile]:
        """Every transcript file below `root`, without opening any; unreadable directories are passed over."""
        ...

    def scan(self, file: SessionFile, cursor: Cursor, *, settled: bool = False) -> Reading:
        """Counts what came since `cursor`, reading only the new bytes. Never raises for bad content.

        `settled`: the file is idle, so a whole JSON record at its end counts although no newline follows.
        Raises OSError only where the file itself cannot be opened (gone: growth GONE, no exception).
        """
        ...

    def live_sessions(self, root: Path, now: dt.datetime) -> frozenset[str]:
        """The native ids of the sessions below `root` that a running client says it has open; empty where the agent tells nothing.

        They are not archived and not deleted. Whether they are learned from is decided by the idle time alone.
        """
        ...

    def retention(self, root: Path) -> dt.timedelta | None:
        """How long after its last change (mtime) the agent deletes a transcript below `root`; None: it never does."""
        ...


@runtime_checkable
class ManySessions(Protocol):
    """An adapter whose files hold the sessions of many: to read one of them its id is needed."""

    def reader(self, session_id: str) -> Reader:
        """What reads one session."""
        ...


def reader_of(adapter: Adapter, session_id: str) -> Reader:
    """What reads a session's files, and nothing of another session that lies in them."""
    return adapter.reader(session_id) if isinstance(adapter, ManySessions) else adapter
