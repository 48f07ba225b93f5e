"""Whether a file is still the one that was read before: a cheap stamp, digests of its ends, a running checksum."""

from __future__ import annotations

import hashlib
import os
import zlib
from dataclasses import replace

from dreamd.transcripts.event import Cursor, FileStamp, Growth

END_BYTES = 4096
_BLOCK = 256 * 1024


def stamp(status: os.stat_result) -> FileStamp:
    """The stamp of an open file."""
    return FileStamp(status.st_size, status.st_mtime_ns, status.st_ino)


def unchanged(now: FileStamp, cursor: Cursor, *, settled: bool) -> bool:
    """Whether nothing needs to be opened: the stamp is the same, and no rest waits that an idle file would settle."""
    return cursor.stamp == now and (not settled or cursor.consumed >= now.size)


def growth(fd: int, now: FileStamp, cursor: Cursor) -> Growth:
    """What became of an open file since its cursor was stored.

    A file that only grew is known by its two ends. The same size with another time, or another inode, may hide an edit anywhere, so
    there the checksum over everything consumed decides; once, because the new stamp is stored afterwards.
    """
    before = cursor.stamp
    if before is None and cursor.consumed == 0:
        return Growth.NEW
    if now.size < cursor.consumed:
        return Growth.REWRITTEN
    suspect = before is not None and (
        before.inode != now.inode or (before.size == now.size and before.mtime_ns != now.mtime_ns)
    )
    if ends(fd, cursor.consumed) != (cursor.head, cursor.tail) or (
        suspect and checksum(fd, cursor.consumed) != cursor.crc
    ):
        return Growth.REWRITTEN
    if before is not None and before.size == now.size and now.size == cursor.consumed:
        return Growth.UNCHANGED
    return Growth.APPENDED


def ends(fd: int, consumed: int) -> tuple[str, str]:
    """Digests of the first and the last 4 KiB of what was consumed; two empty strings for nothing."""
    if consumed <= 0:
        return "", ""
    size = min(END_BYTES, consumed)
    return _digest(os.pread(fd, size, 0)), _digest(os.pread(fd, size, consumed - size))


def checksum(fd: int, consumed: int) -> int:
    """zlib.crc32 over the first `consumed` bytes."""
    crc = 0
    position = 0
    while position < consumed:
        block = os.pread(fd, min(_BLOCK, consumed - position), position)
        if not block:
            break
        crc = zlib.crc32(block, crc)
        position += len(block)
    return crc


def moved(fd: int, now: FileStamp, cursor: Cursor, *, consumed: int, crc: int) -> Cursor:
    """The cursor after a reading up to `consumed`."""
    if consumed == cursor.consumed and crc == cursor.crc:
        return replace(cursor, stamp=now)
    head, tail = ends(fd, consumed)
    return Cursor(consumed, head, tail, crc, now)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
