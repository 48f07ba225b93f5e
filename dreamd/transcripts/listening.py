"""Reading a log whose lines mean something only after those before them: what was heard is kept between two readings."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from dreamd.transcripts import fingerprint
from dreamd.transcripts.event import Cursor, FileStamp, Growth, Reading
from dreamd.transcripts.jsonl import Lines

_MOST_KEPT = 2048  # files whose course is remembered


class Hearer(Protocol):
    """Who has heard a log from its beginning."""

    @property
    def undone(self) -> list[tuple[int, int]]:
        """The stretches of the file, (from, to) in bytes, that were taken back later; the newest last."""
        ...


H = TypeVar("H", bound=Hearer)
H_co = TypeVar("H_co", bound=Hearer, covariant=True)


class Count(Protocol[H_co]):
    """One stretch of a log, counted."""

    @property
    def hearer(self) -> H_co:
        """Who heard it."""
        ...

    @property
    def records(self) -> int:
        """How many records it held."""
        ...

    def run(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Reads the lines to their end."""
        ...

    def close(self) -> None:
        """Nothing more comes."""
        ...

    def reading(self, growth: Growth, cursor: Cursor, *, bytes_read: int, oversized: int) -> Reading:
        """What the stretch comes to."""
        ...


class Listening(Generic[H]):
    """Scans logs of one kind from where they were left.

    Where nothing is kept of a file (another process read it last), its beginning is heard again, without being counted again.
    """

    def __init__(self, new: Callable[[], H], count: Callable[[H], Count[H]]) -> None:
        self._new = new
        self._count = count
        self._heard: OrderedDict[tuple[str, int, int], H] = OrderedDict()

    def scan(
        self, path: str, fd: int, now: FileStamp, cursor: Cursor, *, settled: bool, packed: bool = False
    ) -> Reading:
        """Counts what came since `cursor`; what was taken back before it makes the whole file count anew.

        `now` is the file's stamp; `packed`: it is compressed, and `fd` gives its text.
        """
        size = os.fstat(fd).st_size if packed else now.size
        growth = _growth(fd, size, cursor) if packed else fingerprint.growth(fd, now, cursor)
        if growth is Growth.UNCHANGED:
            return Reading(growth, replace(cursor, stamp=now))
        start = Cursor() if growth is Growth.REWRITTEN else cursor
        hearer, read_before = self._recall(path, fd, start)
        taken_back = len(hearer.undone)
        count, lines = self._run(fd, start, size, hearer, settled=settled)
        if any(begin < start.consumed for begin, _ in hearer.undone[taken_back:]):
            read_before += lines.bytes_read
            growth, start = Growth.REWRITTEN, Cursor()
            count, lines = self._run(fd, start, size, self._new(), settled=settled)
        if (
            growth is Growth.APPENDED
            and cursor.stamp is not None
            and cursor.stamp.size == now.size
            and not count.records
        ):
            growth = Growth.UNCHANGED  # a rest that was there before, still not whole
        self._keep(path, lines, count.hearer)
        reached = fingerprint.moved(fd, now, start, consumed=lines.consumed, crc=lines.crc)
        return count.reading(growth, reached, bytes_read=lines.bytes_read + read_before, oversized=lines.oversized)

    def _run(self, fd: int, start: Cursor, size: int, hearer: H, *, settled: bool) -> tuple[Count[H], Lines]:
        lines = Lines(fd, start.consumed, size, crc=start.crc, last_line=settled)
        count = self._count(hearer)
        count.run(lines)
        if settled:
            count.close()
        return count, lines

    def _recall(self, path: str, fd: int, cursor: Cursor) -> tuple[H, int]:
        """Who heard a file up to a cursor, and how many bytes had to be read again for it."""
        if not cursor.consumed:
            return self._new(), 0
        known = self._heard.pop((path, cursor.consumed, cursor.crc), None)
        if known is not None:
            return known, 0
        lines = Lines(fd, 0, cursor.consumed, last_line=True)
        count = self._count(self._new())
        count.run(lines)
        return count.hearer, lines.bytes_read

    def _keep(self, path: str, lines: Lines, hearer: H) -> None:
        self._heard[path, lines.consumed, lines.crc] = hearer
        while len(self._heard) > _MOST_KEPT:
            self._heard.popitem(last=False)


def _growth(fd: int, size: int, cursor: Cursor) -> Growth:
    """What became of a compressed file; its stamp says nothing about the length of what is in it."""
    if cursor.stamp is None and cursor.consumed == 0:
        return Growth.NEW
    same = size >= cursor.consumed and fingerprint.ends(fd, cursor.consumed) == (cursor.head, cursor.tail)
    if not same or fingerprint.checksum(fd, cursor.consumed) != cursor.crc:
        return Growth.REWRITTEN
    return Growth.UNCHANGED if size == cursor.consumed else Growth.APPENDED
