"""Codex's transcripts, the rollouts of every era: where they lie, what they count, what was said in them."""

from __future__ import annotations

import datetime as dt
import os
import re
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from dreamd.transcripts import fingerprint
from dreamd.transcripts.codex_events import events
from dreamd.transcripts.codex_person import CodexPerson
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
                return self._scan(file.path, plain, now, cursor, settled=settled or plain != fd, packed=plain != fd)
        finally:
            os.close(fd)

    def _scan(self, path: str, fd: int, now: FileStamp, cursor: Cursor, *, settled: bool, packed: bool) -> Reading:
        size = os.fstat(fd).st_size
        growth = _growth(fd, size, cursor) if packed else fingerprint.growth(fd, now, cursor)
        if growth is Growth.UNCHANGED:
            return Reading(growth, replace(cursor, stamp=now))
        start = Cursor() if growth is Growth.REWRITTEN else cursor
        person, read_before = self._recall(path, fd, start)
        taken_back = len(person.undone)
        tally, lines = _tally(fd, start, size, person, settled=settled)
        if any(begin < start.consumed for begin, _ in person.undone[taken_back:]):
            read_before += lines.bytes_read
            growth, start = Growth.REWRITTEN, Cursor()
            tally, lines = _tally(fd, start, size, CodexPerson(), settled=settled)
        if (
            growth is Growth.APPENDED
            and cursor.stamp is not None
            and cursor.stamp.size == now.size
            and not tally.records
        ):
            growth = Growth.UNCHANGED  # a rest that was there before, still not whole
        self._keep(path, lines, tally.person)
        reached = fingerprint.moved(fd, now, start, consumed=lines.consumed, crc=lines.crc)
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
                for event in events(Lines(plain, 0, size, last_line=True), os.fspath(path), _undone(plain, size)):
                    if end is not None and event.raw.offset >= end:
                        return
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


def _tally(fd: int, start: Cursor, size: int, person: CodexPerson, *, settled: bool) -> tuple[CodexTally, Lines]:
    lines = Lines(fd, start.consumed, size, crc=start.crc, last_line=settled)
    tally = CodexTally(person).run(lines)
    if settled:
        tally.turns += person.close()
    return tally, lines


def _growth(fd: int, size: int, cursor: Cursor) -> Growth:
    """What became of a compressed file; its stamp says nothing about the length of what is in it."""
    if cursor.stamp is None and cursor.consumed == 0:
        return Growth.NEW
    same = size >= cursor.consumed and fingerprint.ends(fd, cursor.consumed) == (cursor.head, cursor.tail)
    if not same or fingerprint.checksum(fd, cursor.consumed) != cursor.crc:
        return Growth.REWRITTEN
    return Growth.UNCHANGED if size == cursor.consumed else Growth.APPENDED


def _undone(fd: int, size: int) -> CodexPerson:
    """Who heard the whole file, where something in it was taken back; else somebody who heard nothing."""
    position = 0
    while block := os.pread(fd, _BLOCK, position):
        if _ROLLBACK in block:
            return CodexTally(CodexPerson()).run(Lines(fd, 0, size, last_line=True)).person
        if len(block) < _BLOCK:
            break
        position += len(block) - len(_ROLLBACK)
    return CodexPerson()


@contextmanager
def _plain(fd: int) -> Iterator[int]:
    """A descriptor of the file's text: its own, or that of a nameless temporary file with what is packed in it.

    Compression is told by the first bytes, not by the name. What a damaged file still gives is taken.
    """
    if os.pread(fd, len(_ZSTD), 0) != _ZSTD:
        yield fd
        return
    import zstandard  # noqa: PLC0415 - a heavy library, and compressed rollouts are rare

    with tempfile.TemporaryFile() as unpacked, open(os.dup(fd), "rb") as source:  # noqa: PTH123 - a descriptor
        source.seek(0)
        with suppress(zstandard.ZstdError):
            zstandard.ZstdDecompressor().copy_stream(source, unpacked)
        unpacked.flush()
        yield unpacked.fileno()


def _rollouts(directory: str, visited: set[tuple[int, int]], depth: int) -> Iterator[SessionFile]:
    try:
        with os.scandir(directory) as listing:
            entries = list(listing)
    except OSError:
        return
    for entry in entries:
        try:
            found = _ROLLOUT.fullmatch(entry.name)
            if found is None and not entry.is_dir():
                continue
            status = entry.stat()
        except OSError:
            continue
        if found is not None and S_ISREG(status.st_mode):
            yield SessionFile(AGENT, found[1].lower(), entry.path, "main", fingerprint.stamp(status))
        elif S_ISDIR(status.st_mode) and depth and (place := (status.st_dev, status.st_ino)) not in visited:
            visited.add(place)
            yield from _rollouts(entry.path, visited, depth - 1)
