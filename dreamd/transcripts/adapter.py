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
        """Every transcript file below `root`, without opening any; unreadable directories are passed over.

        Raises OSError at the end, when all others were told, for a file that holds many sessions and could not be opened.
        """
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

    @property
    def nested(self) -> bool:
        """Whether what grows lies in directories below a root; else in the root itself, and only that is watched."""
        ...

    def transcript_at(self, path: str) -> str | None:
        """Which transcript a file below a root is, or belongs to, by its name; None where a change in it is of no concern."""
        ...

    def belongings(self, path: Path, session_id: str) -> tuple[Path, ...]:
        """What lies beside a session's main transcript and is its alone: files, and directories with all that is in them.

        They are copied with it, put back with it and, where originals may go, deleted with it. What is named need not exist.
        """
        ...


@runtime_checkable
class ManySessions(Adapter, Protocol):
    """An adapter whose files may hold the sessions of many, rows of a database: to read one of them its id is needed.

    Such a session is archived as a file of its own, which `reader` reads like the database.
    """

    def reader(self, session_id: str) -> Reader:
        """What reads one session."""
        ...

    def files_in(self, path: Path, *, news: bool = False) -> Iterator[SessionFile]:
        """The sessions in one file as they are now; none where there is nothing or it cannot be opened.

        `news`: only those that somebody spoke in since this adapter looked last. For a watcher: it costs the same in the largest file.
        """
        ...

    def is_shared(self, path: Path) -> bool:
        """Whether a file, by its content, holds the sessions of many."""
        ...

    def carry_out(self, path: Path, session_id: str, target: Path) -> None:
        """Writes all rows of a session into `target`, a new file. Raises TranscriptError where they cannot be had."""
        ...

    def carry_in(self, copy: Path, session_id: str, path: Path, *, overwrite: bool) -> None:
        """Puts the rows of a copy back into the agent's file at `path`, which is made where it is missing.

        Raises TranscriptError, with nothing changed, while a client has it open, and where it holds other rows of this session
        than the copy, unless `overwrite`: the copy's rows then take their place.
        """
        ...


def reader_of(adapter: Adapter, session_id: str) -> Reader:
    """What reads a session's files, and nothing of another session that lies in them."""
    return adapter.reader(session_id) if isinstance(adapter, ManySessions) else adapter
