"""OpenCode's sessions: rows of its databases, and the JSON files from before; found, counted, read, never locked or changed."""

from __future__ import annotations

import datetime as dt
import errno
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dreamd.transcripts import fingerprint
from dreamd.transcripts.event import Cursor, Event, FileStamp, Growth, Reading, SessionFile
from dreamd.transcripts.opencode_events import events, reading
from dreamd.transcripts.opencode_store import Listed, StoredSession, legacy_session, listed, session_of

AGENT = "opencode"
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class OpenCode:
    """Reads `<root>/opencode.db` (of every channel: `opencode-*.db`) and `<root>/storage`; a session in both is the database's.

    One database holds many sessions: they share a path, and `reader` tells which of them is meant. A session's stamp is the number of
    its rows and the time of the newest; whatever changed in it, it is read anew as a whole.
    """

    agent = AGENT
    verified_with = ("1.18.33",)

    def __init__(self) -> None:
        self._listings: dict[str, tuple[tuple[FileStamp | None, ...], list[Listed]]] = {}

    def discover(self, root: Path) -> Iterator[SessionFile]:
        """Every session below `root`. Databases are opened, for nothing else names their sessions; not again while they are as they were."""
        seen: set[str] = set()
        for path in sorted(root.absolute().glob("opencode*.db")):
            if path.name != "opencode.db" and not path.name.startswith("opencode-"):
                continue
            try:
                inode = path.stat().st_ino
                sessions = self._listing(path)
            except (sqlite3.Error, OSError):
                continue
            for one in sessions:
                if one.id not in seen:
                    seen.add(one.id)
                    kind = "subagent" if one.parent else "main"
                    yield SessionFile(AGENT, one.id, str(path), kind, _stamp(one, inode))
        for path in sorted(root.absolute().glob("storage/session/*/*.json")):
            if path.stem in seen:
                continue
            try:
                stamp = fingerprint.stamp(path.stat())
            except OSError:
                continue
            seen.add(path.stem)
            yield SessionFile(AGENT, path.stem, str(path), "main", stamp)

    def _listing(self, path: Path) -> list[Listed]:
        now = tuple(_file_stamp(path.with_name(path.name + ending)) for ending in ("", "-wal"))
        known = self._listings.get(str(path))
        if known is None or known[0] != now:
            known = self._listings[str(path)] = now, listed(path)
        return known[1]

    def scan(self, file: SessionFile, cursor: Cursor, *, settled: bool = False) -> Reading:
        """Counts a session anew where anything in it changed; see the protocol. Raises OSError while a writer keeps the database shut."""
        del settled  # rows are whole
        if cursor.stamp == file.stamp:
            return Reading(Growth.UNCHANGED, cursor)
        path = Path(file.path)
        if not path.exists():
            return Reading(Growth.GONE, cursor)
        try:
            stamp = self._now(path, file)
            if stamp is None:
                return Reading(Growth.GONE, cursor)
            if stamp == cursor.stamp:
                return Reading(Growth.UNCHANGED, cursor)
            session = _load(path, file.session_id)
        except sqlite3.Error as fault:
            if getattr(fault, "sqlite_errorcode", None) in _BUSY:
                raise OSError(errno.EBUSY, "the database is busy", file.path) from fault
            stamp, session = file.stamp, None
        return _counted(session, file, Cursor(stamp=stamp), Growth.NEW if cursor.stamp is None else Growth.REWRITTEN)

    def _now(self, path: Path, file: SessionFile) -> FileStamp | None:
        """The session's stamp as it is; None where it is not there any more."""
        if not _is_database(path):
            return fingerprint.stamp(path.stat())
        found = next((one for one in self._listing(path) if one.id == file.session_id), None)
        return _stamp(found, path.stat().st_ino) if found else None

    def reader(self, session_id: str) -> OneSession:
        """What reads one session."""
        return OneSession(session_id)

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events of every session in a file; see `reader`. Raises OSError where it cannot be opened."""
        names = [path.stem]
        if _is_database(path):
            try:
                names = [one.id for one in listed(path)]
            except sqlite3.Error as fault:
                raise OSError(errno.EIO, "the database cannot be read", str(path)) from fault
        for name in names:
            yield from OneSession(name).read(path, start=start, end=end)

    def live_sessions(self, root: Path, now: dt.datetime) -> frozenset[str]:
        """None: what is open stands nowhere."""
        del root, now
        return frozenset()

    def retention(self, root: Path) -> None:
        """OpenCode deletes nothing by itself."""
        del root


@dataclass(frozen=True, slots=True)
class OneSession:
    """Reads one session of a file."""

    session_id: str

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events whose message is from [start, end), in milliseconds. Raises OSError where the file cannot be read."""
        try:
            session = _load(path, self.session_id)
        except sqlite3.Error as fault:
            raise OSError(errno.EIO, "the database cannot be read", str(path)) from fault
        for event in events(session, os.fspath(path)) if session else ():
            if event.raw.offset >= start and (end is None or event.raw.offset < end):
                yield event


def _counted(session: StoredSession | None, file: SessionFile, cursor: Cursor, growth: Growth) -> Reading:
    if session is None:
        return Reading(growth, cursor, bad_lines=1)
    found = reading(session, file.path, growth, replace(cursor, consumed=session.updated))
    return found if file.kind == "main" else replace(found, turns=(), headless_turns=())


def _load(path: Path, session_id: str) -> StoredSession | None:
    return session_of(path, session_id) if _is_database(path) else legacy_session(path)


def _is_database(path: Path) -> bool:
    """Whether sessions are rows here; a session's own JSON file lies in `storage`."""
    return path.suffix != ".json"


def _stamp(one: Listed, inode: int) -> FileStamp:
    return FileStamp(one.rows, one.updated * 1_000_000, inode)


def _file_stamp(path: Path) -> FileStamp | None:
    try:
        return fingerprint.stamp(path.stat())
    except OSError:
        return None
