"""OpenCode's sessions: rows of its databases, and the JSON files from before; found, counted, read, never locked or changed."""

from __future__ import annotations

import datetime as dt
import errno
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dreamd.transcripts import opencode_legacy as legacy
from dreamd.transcripts.event import Cursor, Event, FileStamp, Growth, Reading, SessionFile
from dreamd.transcripts.opencode_copy import carry_in, carry_out
from dreamd.transcripts.opencode_events import events, reading
from dreamd.transcripts.opencode_listing import Listed, Listings
from dreamd.transcripts.opencode_store import StoredSession, is_database, session_of

AGENT = "opencode"
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_LOG = "-wal"
_NOT_ITS = "no such table"  # what SQLite says of a database that is another program's


class OpenCode:
    """Reads the databases in a root and, beside them, `<root>/storage`; a session in both is the database's.

    A database is `opencode.db`, of other channels `opencode-….db`, or what a person calls it. One database holds many sessions: they share a path, and `reader` tells which of them is meant. A session's stamp is the number of
    its rows and the time of the newest; whatever changed in it, it is read anew as a whole.
    """

    agent = AGENT
    verified_with = ("1.1.65", "1.18.33")
    nested = False  # beside the databases lie directories with thousands of files that are none of ours

    def __init__(self) -> None:
        self._listings = Listings()

    def discover(self, root: Path) -> Iterator[SessionFile]:
        """Every session below `root`; see the protocol.

        Databases are opened, for nothing else names their sessions; not again while they are as they were.
        """
        seen: set[str] = set()
        fault: OSError | None = None
        for path in sorted(root.absolute().glob("*.db")):
            try:
                rows = list(self._rows(path, whole=True)) if is_database(path) else []
            except FileNotFoundError:
                continue
            except OSError as error:
                fault = error
                continue
            for file in rows:
                if file.session_id not in seen:
                    seen.add(file.session_id)
                    yield file
        for path in legacy.session_files(root.absolute()):
            if path.stem not in seen and (own := _own(path)) is not None:
                seen.add(path.stem)
                yield own
        if fault is not None:
            raise fault

    def files_in(self, path: Path, *, news: bool = False) -> Iterator[SessionFile]:
        """The sessions of one database, or the one whose own file it is; see the protocol. Costs little however large a database is."""
        try:
            if is_database(path):
                yield from self._rows(path, news=news)
                return
        except OSError:
            return
        if (file := _own(path)) is not None:
            yield file

    def transcript_at(self, path: str) -> str | None:
        """The database whose file or write-ahead log changed, or the own file of a session from before; see the protocol."""
        name = os.path.basename(path).removesuffix(_LOG)  # noqa: PTH119 - thousands of times a minute while an answer streams
        if name.endswith(".db"):
            return path.removesuffix(_LOG)
        return legacy.session_at(path) if name.endswith(".json") else None

    def _rows(self, path: Path, *, whole: bool = False, news: bool = False) -> Iterator[SessionFile]:
        """Raises OSError."""
        inode = path.stat().st_ino
        try:
            sessions = self._listings.news(path) if news else list(self._listings.of(path, whole=whole).values())
        except sqlite3.Error as error:
            if _NOT_ITS in str(error):
                return
            raise _as_os_error(error, path) from error
        for one in sessions:
            yield SessionFile(AGENT, one.id, str(path), "subagent" if one.parent else "main", _stamp(one, inode))

    def scan(self, file: SessionFile, cursor: Cursor, *, settled: bool = False) -> Reading:
        """Counts a session anew where anything in it changed; see the protocol. Raises OSError while a writer keeps the database shut."""
        del settled  # rows are whole
        if cursor.stamp == file.stamp:
            return Reading(Growth.UNCHANGED, cursor)
        path = Path(file.path)
        try:
            stamp = self._now(path, file)
            if stamp is None:
                return Reading(Growth.GONE, cursor)
            if stamp == cursor.stamp:
                return Reading(Growth.UNCHANGED, cursor)
            session = _load(path, file.session_id)
        except (FileNotFoundError, NotADirectoryError):
            return Reading(Growth.GONE, cursor)
        except sqlite3.Error as fault:
            error = _as_os_error(fault, path)
            if error.errno == errno.EBUSY:
                raise error from fault
            stamp, session = file.stamp, None
        return _counted(session, file, Cursor(stamp=stamp), Growth.NEW if cursor.stamp is None else Growth.REWRITTEN)

    def _now(self, path: Path, file: SessionFile) -> FileStamp | None:
        """The session's stamp as it is; None where it is not there any more. Raises OSError, sqlite3.Error."""
        if not is_database(path):
            return legacy.stamp_of(path)
        found = self._listings.of(path, whole=False).get(file.session_id)
        return _stamp(found, path.stat().st_ino) if found else None

    def reader(self, session_id: str) -> OneSession:
        """What reads one session."""
        return OneSession(session_id)

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events of every session in a file; see `reader`. Raises OSError where it cannot be opened."""
        names = [path.stem]
        if is_database(path):
            try:
                names = list(Listings().of(path, whole=True))
            except sqlite3.Error as fault:
                raise _as_os_error(fault, path) from fault
        for name in names:
            yield from OneSession(name).read(path, start=start, end=end)

    def is_shared(self, path: Path) -> bool:
        """Whether it is a database; see the protocol."""
        try:
            return is_database(path)
        except OSError:
            return path.suffix == ".db"  # gone: by its name

    def carry_out(self, path: Path, session_id: str, target: Path) -> None:
        """A session's rows as a database of its own; see the protocol."""
        carry_out(path, session_id, target)

    def carry_in(self, copy: Path, session_id: str, path: Path, *, overwrite: bool) -> None:
        """A copy's rows back in the client's database; see the protocol."""
        carry_in(copy, session_id, path, overwrite=overwrite)

    def belongings(self, path: Path, session_id: str) -> tuple[Path, ...]:
        """Of a session from before the database the files of its messages; rows lie nowhere else."""
        del session_id
        return () if self.is_shared(path) else legacy.belongings(path)

    def live_sessions(self, root: Path, now: dt.datetime) -> frozenset[str]:
        """None: what is open stands nowhere."""
        del root, now
        return frozenset()


@dataclass(frozen=True, slots=True)
class OneSession:
    """Reads one session of a file."""

    session_id: str

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events whose message is from [start, end), in milliseconds. Raises OSError where the file cannot be read."""
        try:
            session = _load(path, self.session_id)
        except sqlite3.Error as fault:
            raise _as_os_error(fault, path) from fault
        for event in events(session, os.fspath(path)) if session else ():
            if event.raw.offset >= start and (end is None or event.raw.offset < end):
                yield event


def _counted(session: StoredSession | None, file: SessionFile, cursor: Cursor, growth: Growth) -> Reading:
    if session is None:
        return Reading(growth, cursor, bad_lines=1)
    found = reading(session, file.path, growth, replace(cursor, consumed=session.bytes))
    return found if file.kind == "main" else replace(found, turns=(), headless_turns=())


def _load(path: Path, session_id: str) -> StoredSession | None:
    """Raises OSError, sqlite3.Error."""
    return session_of(path, session_id) if is_database(path) else legacy.session_of(path)


def _as_os_error(fault: sqlite3.Error, path: Path) -> OSError:
    if getattr(fault, "sqlite_errorcode", None) in _BUSY:
        return OSError(errno.EBUSY, "the database is busy", str(path))
    return OSError(errno.EIO, "the database cannot be read", str(path))


def _own(path: Path) -> SessionFile | None:
    try:
        return SessionFile(AGENT, path.stem, str(path), "main", legacy.stamp_of(path))
    except OSError:
        return None


def _stamp(one: Listed, inode: int) -> FileStamp:
    return FileStamp(one.rows, one.updated * 1_000_000, inode)
