"""Claude Code's transcripts: where they lie, what they count, what was said in them."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from stat import S_ISREG

from dreamd.transcripts import claude_home, fingerprint
from dreamd.transcripts.claude_events import events
from dreamd.transcripts.claude_record import records_in
from dreamd.transcripts.claude_scan import Tally, waited_out
from dreamd.transcripts.event import Cursor, Event, FileStamp, Growth, Reading, SessionFile
from dreamd.transcripts.jsonl import Lines
from dreamd.transcripts.waiting import PATIENCE

AGENT = "claude-code"
_SESSION = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_DEEPEST = 8  # directories below a session's `subagents`
_HEAD = 64 * 1024  # bytes in which an old sub-agent file names its parent
_OPEN = os.O_RDONLY | os.O_CLOEXEC


class ClaudeCode:
    """Reads `<root>/<slug>/<session>.jsonl` and the sub-agents' files beside and below it; never writes, never touches a time."""

    agent = AGENT
    verified_with = ("1.0.119", "2.0.76", "2.1.20", "2.1.62", "2.1.197", "2.1.332")
    nested = True

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}  # old flat sub-agent file → its parent's session id

    def discover(self, root: Path) -> Iterator[SessionFile]:
        """Every transcript below `root`. Symbolic links are followed, each directory once; memory and tool results are no transcripts.

        Only the oldest layout's sub-agent files are opened, once each, because nothing but their first line names the session.
        """
        visited: set[tuple[int, int]] = set()
        links: list[os.DirEntry[str]] = []
        for entry in _entries(os.fspath(root.absolute())):
            if entry.is_symlink():
                links.append(entry)
            elif _is_directory(entry):
                visited.add(_place(entry))
                yield from self._project(entry.path, visited)
        for entry in links:  # after the real ones: a link to one of them adds nothing
            if _is_directory(entry) and (place := _place(entry)) not in visited:
                visited.add(place)
                yield from self._project(entry.path, visited)

    def _project(self, directory: str, visited: set[tuple[int, int]]) -> list[SessionFile]:
        found: list[SessionFile] = []
        for entry in _entries(directory):
            name = entry.name
            if name.endswith(".jsonl"):
                stem = name[:-6]
                if _SESSION.fullmatch(stem):
                    kind, session = "main", stem
                elif stem.startswith("agent-"):
                    kind, session = "subagent", self._parent(entry.path, stem)
                else:
                    continue
                if (stamp := _stamp(entry)) is not None:
                    found.append(SessionFile(AGENT, session, entry.path, kind, stamp))
            elif _SESSION.fullmatch(name) and _is_directory(entry):
                found += _subagents(f"{entry.path}/subagents", name, visited, _DEEPEST)
        return found

    def _parent(self, path: str, stem: str) -> str:
        known = self._parents.get(path)
        if known is None:
            known = _named_session(path) or stem
            if known != stem:
                self._parents[path] = known
        return known

    def scan(self, file: SessionFile, cursor: Cursor, *, settled: bool = False) -> Reading:
        """Counts what came since `cursor`; see the protocol.

        Words waiting in the client's queue hold the cursor back until it is known whether they come again (`waiting`), so `consumed`
        may stand before a whole line; `settled` ends that too.
        """
        if fingerprint.unchanged(file.stamp, cursor, settled=settled):
            return Reading(Growth.UNCHANGED, cursor)
        try:
            fd = os.open(file.path, _OPEN)
        except (FileNotFoundError, NotADirectoryError):
            return Reading(Growth.GONE, cursor)
        try:
            return _scan(fd, cursor, settled=settled)
        finally:
            os.close(fd)

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events of [start, end); see the protocol. Raises OSError where the file cannot be opened."""
        fd = os.open(path, _OPEN)
        try:
            size = os.fstat(fd).st_size
            yield from events(Lines(fd, start, size, stop=end, last_line=True), os.fspath(path))
        finally:
            os.close(fd)

    def transcript_at(self, path: str) -> str | None:
        """The file itself, where it is a log; see the protocol."""
        return path if path.endswith(".jsonl") else None

    def belongings(self, path: Path, session_id: str) -> tuple[Path, ...]:
        """The directory named after the session, with its sub-agents and tool results; see the protocol."""
        del session_id
        return (path.with_suffix(""),)

    def live_sessions(self, root: Path, now: dt.datetime) -> frozenset[str]:
        """The sessions that a running client has open; its registry lies beside the projects folder. See the protocol."""
        return claude_home.open_sessions(root.parent, now)


def _scan(fd: int, cursor: Cursor, *, settled: bool) -> Reading:
    now = fingerprint.stamp(os.fstat(fd))
    growth = fingerprint.growth(fd, now, cursor)
    if growth is Growth.UNCHANGED:
        return Reading(growth, replace(cursor, stamp=now))
    start = Cursor() if growth is Growth.REWRITTEN else cursor
    tally = Tally(Lines(fd, start.consumed, now.size, crc=start.crc, last_line=settled)).run()
    read_before = 0
    if not settled and not waited_out(now.mtime_ns, tally.person.held_since(), PATIENCE):
        while (held := tally.person.held_from()) is not None:  # up to there earlier words may wait that were sent later
            read_before += tally.lines.bytes_read
            tally = Tally(Lines(fd, start.consumed, held, crc=start.crc)).run()
    tally.turns += tally.person.close()
    if growth is Growth.APPENDED and cursor.stamp is not None and cursor.stamp.size == now.size and not tally.records:
        growth = Growth.UNCHANGED  # a rest that was there before, still not whole
    reached = fingerprint.moved(fd, now, start, consumed=tally.lines.consumed, crc=tally.lines.crc)
    return tally.reading(growth, reached, read_before=read_before)


def _subagents(directory: str, session: str, visited: set[tuple[int, int]], depth: int) -> Iterator[SessionFile]:
    for entry in _entries(directory):
        name = entry.name
        if name.endswith(".jsonl"):
            if name.startswith("agent-") and (stamp := _stamp(entry)) is not None:
                yield SessionFile(AGENT, session, entry.path, "subagent", stamp)
        elif depth and _is_directory(entry) and (place := _place(entry)) not in visited:
            visited.add(place)
            yield from _subagents(entry.path, session, visited, depth - 1)


def _entries(directory: str) -> list[os.DirEntry[str]]:
    """A directory's entries; none where it is missing or unreadable."""
    try:
        with os.scandir(directory) as listing:
            return list(listing)
    except OSError:
        return []


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _place(entry: os.DirEntry[str]) -> tuple[int, int]:
    status = entry.stat()
    return status.st_dev, status.st_ino


def _stamp(entry: os.DirEntry[str]) -> FileStamp | None:
    """The file's stamp; None for what is no regular file or vanished meanwhile."""
    try:
        status = entry.stat()
    except OSError:
        return None
    return fingerprint.stamp(status) if S_ISREG(status.st_mode) else None


def _named_session(path: str) -> str | None:
    """The session that the first line of an old sub-agent file names: its parent's."""
    try:
        fd = os.open(path, _OPEN)
    except OSError:
        return None
    try:
        head = os.pread(fd, _HEAD, 0)
    finally:
        os.close(fd)
    for record in records_in(head.split(b"\n", 1)[0]):
        if record.session_id and _SESSION.fullmatch(record.session_id):
            return record.session_id
    found = re.search(rb'"sessionId":"([0-9a-fA-F-]{36})"', head)
    return found[1].decode() if found else None
