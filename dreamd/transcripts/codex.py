"""Codex's transcripts, the rollouts of every era: where they lie, what they count, what was said in them."""

from __future__ import annotations

import datetime as dt
import os
import re
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from stat import S_ISREG

from dreamd.transcripts import fingerprint
from dreamd.transcripts.codex_events import events
from dreamd.transcripts.codex_person import CodexPerson
from dreamd.transcripts.codex_record import records_in
from dreamd.transcripts.codex_scan import CodexTally
from dreamd.transcripts.event import Cursor, Event, FileStamp, Growth, Reading, SessionFile
from dreamd.transcripts.jsonl import Lines

AGENT = "codex"
_ROLLOUT = re.compile(
    r"rollout-.*?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.jsonl(?:\.zst)?", re.ASCII | re.DOTALL
)
_DEEPEST = 6  # directories below a root; the client itself makes three
_OPEN = os.O_RDONLY | os.O_CLOEXEC
_ZSTD = b"\x28\xb5\x2f\xfd"
_BLOCK = 1 << 20
_MOST_KEPT = 2048  # files whose course is remembered between two readings
_ROLLBACK = b'"thread_rolled_back"'


class Codex:
    """Reads `rollout-<time>-<id>.jsonl`, also compressed, below `sessions` or `archived_sessions`; never writes, never touches a time.

    What a line means depends on earlier ones (its turn, who typed, whether words come twice): what was heard up to a cursor is kept
    between readings, and read again from the file's beginning where it is not.
    """

    agent = AGENT
    verified_with = ("0.140.0", "0.141.0", "0.142.0", "0.171.0")

    def __init__(self) -> None:
        self._heard: OrderedDict[tuple[str, int, int], CodexPerson] = OrderedDict()

    def discover(self, root: Path) -> Iterator[SessionFile]:
        """Every rollout below `root`, by its name alone. A session that was moved or compressed has the id it had."""
        yield from _rollouts(os.fspath(root.absolute()), set(), _DEEPEST)

    def scan(self, file: SessionFile, cursor: Cursor, *, settled: bool = False) -> Reading:
        """Counts what came since `cursor`; see the protocol. A turn taken back later makes the whole file count anew."""
        if fingerprint.unchanged(file.stamp, cursor, settled=settled):
            return Reading(Growth.UNCHANGED, cursor)
        try:
            fd = os.open(file.path, _OPEN)
        except (FileNotFoundError, NotADirectoryError):
            return Reading(Growth.GONE, cursor)
        try:
            now = fingerprint.stamp(os.fstat(fd))
            with _plain(fd) as plain:
                return self._scan(file.path, plain, now, cursor, settled=settled or plain != fd)
        finally:
            os.close(fd)

    def _scan(self, path: str, fd: int, now: FileStamp, cursor: Cursor, *, settled: bool) -> Reading:
        size = os.fstat(fd).st_size
        growth = fingerprint.growth(fd, replace_size(now, size), _of_contents(cursor, size, now))
        if growth is Growth.UNCHANGED:
            return Reading(growth, replace(cursor, stamp=now))
        start = Cursor() if growth is Growth.REWRITTEN else cursor
        person, read_before = self._recall(path, fd, start)
        tally, lines = _tally(fd, start, size, person, settled=settled)
        if start.consumed and any(begin < start.consumed for begin, _ in person.undone[-_new(person, start) :]):
            read_before += lines.bytes_read
            growth, start = Growth.REWRITTEN, Cursor()
            tally, lines = _tally(fd, start, size, CodexPerson(), settled=settled)
        if growth is Growth.APPENDED and cursor.stamp is not None and cursor.stamp.size == now.size and not tally.records:
            growth = Growth.UNCHANGED  # a rest that was there before, still not whole
        self._keep(path, lines, tally.person)
        reached = replace(fingerprint.moved(fd, now, start, consumed=lines.consumed, crc=lines.crc), stamp=now)
        return tally.reading(growth, reached, bytes_read=lines.bytes_read + read_before, oversized=lines.oversized)

    def _recall(self, path: str, fd: int, cursor: Cursor) -> tuple[CodexPerson, int]:
        """Who spoke up to a cursor, and how many bytes had to be read again to know it."""
        if not cursor.consumed:
            return CodexPerson(), 0
        known = self._heard.pop((path, cursor.consumed, cursor.crc), None)
        if known is not None:
            return known, 0
        lines = Lines(fd, 0, cursor.consumed, last_line=True)
        return CodexTally(CodexPerson()).run(lines).person, lines.bytes_read

    def _keep(self, path: str, lines: Lines, person: CodexPerson) -> None:
        self._heard[path, lines.consumed, lines.crc] = person
        while len(self._heard) > _MOST_KEPT:
            self._heard.popitem(last=False)

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events of [start, end); see the protocol. Raises OSError where the file cannot be opened."""
        fd = os.open(path, _OPEN)
        try:
            with _plain(fd) as plain:
                size = os.fstat(plain).st_size
                whole = Lines(plain, 0, size, last_line=True)
                undone = _undone(plain, size)
                for event in events(whole, os.fspath(path), undone):
                    if end is not None and event.raw.offset >= end:
                        continue
                    if event.raw.offset >= start:
                        yield event
        finally:
            os.close(fd)

    def live_sessions(self, root: Path, now: dt.datetime) -> frozenset[str]:
        """None: Codex keeps no register of what is open."""
        del root, now
        return frozenset()

    def retention(self, root: Path) -> None:
        """Codex deletes nothing by itself."""
        del root
