"""Append-only JSON lines, read as bytes: whole lines only, nothing buffered that is too long, and whatever can be saved of a broken line."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import msgspec

from dreamd.transcripts.clip import AMPLE, Clipper

#: Lines longer than this are given with their long strings cut (`clip`), so that none is ever held as a whole.
MAX_WHOLE = 4 * 1024 * 1024
#: Lines longer than this are counted too; and one that is still long when its strings are cut is passed over from here on.
MAX_LINE = 32 * 1024 * 1024
#: Of a broken line longer than this only the head is searched for whole records: decoding takes several times a line's size.
MAX_SALVAGE = 8 * 1024 * 1024
_SALVAGED_HEAD = 1024 * 1024
_BLOCK = 128 * 1024
_MAX_STARTS = 64
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONE_ESCAPE = re.compile(
    rb"(?<!\\)((?:\\\\)*)(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_RECORD_START = re.compile(r'\{"(?:parentUuid|type|uuid|sessionId|isSidechain|timestamp|logicalParentUuid)":')
_DECODER = json.JSONDecoder(strict=False)


class _AnyObject(msgspec.Struct):
    """Any JSON object: decoding into it checks the syntax and keeps nothing."""


_ANY_OBJECT = msgspec.json.Decoder(_AnyObject)


def clean_text(text: str) -> str:
    """The text without NUL and with every lone surrogate as U+FFFD, so that it can be encoded anywhere."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def mend(line: bytes) -> bytes:
    """The line without what strict decoders refuse: runs of NUL, lone surrogate escapes, invalid UTF-8 (both become U+FFFD)."""
    line = _LONE_ESCAPE.sub(lambda m: m[1] + (m[2] or b"\\ufffd"), line.replace(b"\x00", b""))
    try:
        line.decode()
    except UnicodeDecodeError:
        return line.decode("utf-8", "replace").encode()
    return line


@dataclass(frozen=True, slots=True)
class Salvage:
    """What a line gave when it was read tolerantly; `whole`: it was exactly one JSON object after all."""

    records: tuple[dict[str, object], ...]
    whole: bool


def salvage(line: bytes) -> Salvage:
    """Every whole JSON object in a physical line that a strict decoder refused.

    Handles lone surrogates, invalid UTF-8 (replaced), runs of NUL, records glued together, and a record cut in the middle with
    whole ones behind it. Inner objects of a cut record are never taken for records. Never raises.
    """
    if len(line) > MAX_SALVAGE:
        return Salvage(salvage(line[:_SALVAGED_HEAD]).records, whole=False)
    nul = b"\x00" in line
    text = mend(line).decode().strip()
    records: list[dict[str, object]] = []
    cut = False
    position = 0
    while position < len(text):
        value, end = _decode_at(text, position)
        if isinstance(value, dict):
            records.append(value)
            position = _skip_space(text, end)
            continue
        cut = True
        found = _next_whole_record(text, position + 1)
        if found is None:
            break
        value, position = found
        records.append(value)
        position = _skip_space(text, position)
    return Salvage(tuple(records), whole=len(records) == 1 and not cut and not nul)


def _decode_at(text: str, position: int) -> tuple[object, int]:
    try:
        value: object
        value, end = _DECODER.raw_decode(text, position)
    except (ValueError, RecursionError):
        return None, position
    return value, end


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _next_whole_record(text: str, start: int) -> tuple[dict[str, object], int] | None:
    """The first record behind a cut one: it must be followed by the line's end or by another object, else it is an inner one."""
    for tries, match in enumerate(_RECORD_START.finditer(text, start)):
        if tries >= _MAX_STARTS:
            break
        value, end = _decode_at(text, match.start())
        behind = _skip_space(text, end)
        if isinstance(value, dict) and (behind == len(text) or text[behind] == "{"):
            return value, end
    return None


def is_whole_record(data: bytes) -> bool:
    """Whether the bytes are one JSON object and nothing else; what decides about a last line without newline."""
    try:
        _ANY_OBJECT.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return salvage(data).whole
    return True


class Lines:
    r"""The whole lines of a file from `start` on, as (offset, bytes without newline); only \n ends a line.

    Iterate once, then look at `consumed` (just behind the last line taken), `crc` (running zlib.crc32 up to there), `oversized`
    (lines longer than `MAX_LINE`) and `bytes_read`. `stop`: lines that begin there or later are not read.
    `size` bounds what is read, so that a file growing meanwhile gives a consistent picture. `last_line`: whether a whole record at
    the very end counts although no newline follows.

    A line longer than `MAX_WHOLE` comes with its long strings cut: who speaks, when, and how the words begin is all there. Only
    one over `MAX_LINE` that is long for another reason (hundreds of thousands of small values) does not come at all.
    """

    def __init__(
        self, fd: int, start: int, size: int, *, stop: int | None = None, crc: int = 0, last_line: bool = False
    ) -> None:
        self._fd = fd
        self._size = size
        self._stop = size if stop is None else min(stop, size)
        self._last_line = last_line
        self.consumed = start
        self.crc = crc
        self.oversized = 0
        self.bytes_read = 0

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        position = self.consumed  # where the next block is read
        running = self.crc  # of everything read, the unfinished line included
        stop = self._stop
        held = _Unfinished()
        while position < self._size and self.consumed < self._stop:
            block = os.pread(self._fd, min(_BLOCK, self._size - position), position)
            if not block:
                break
            position += len(block)
            self.bytes_read += len(block)
            newline = block.rfind(b"\n")
            if newline < 0:
                running = zlib.crc32(block, running)
                held.add(block)
                continue
            whole = zlib.crc32(memoryview(block)[: newline + 1], running)
            running = zlib.crc32(memoryview(block)[newline + 1 :], whole)
            rest = block.split(b"\n")
            tail = rest.pop()
            first = rest[0]
            offset = self.consumed
            if held.size:
                held.add(first)
                self.consumed += held.size + 1
                if (joined := self._taken(held)) is not None:
                    yield offset, joined
            else:
                self.consumed += len(first) + 1
                yield offset, first
            offset = self.consumed
            for line in islice(rest, 1, None):
                if offset >= stop:
                    self.consumed = offset
                    return
                start, offset = offset, offset + len(line) + 1
                yield start, line
            self.consumed = offset
            self.crc = whole
            held.add(tail)
        if self._last_line and held.size and self.consumed < self._stop:
            offset, size = self.consumed, held.size
            last = held.take()
            if last is not None and is_whole_record(last):
                self.consumed += size
                self.oversized += size > MAX_LINE
                self.crc = running
                yield offset, last

    def _taken(self, held: _Unfinished) -> bytes | None:
        self.oversized += held.size > MAX_LINE
        return held.take()


class _Unfinished:
    """A line as far as it was read; from `MAX_WHOLE` bytes on only what its clipping leaves is kept."""

    def __init__(self) -> None:
        self.size = 0  # bytes of the line so far
        self._blocks: list[bytes] = []
        self._clipper: Clipper | None = None

    def add(self, block: bytes) -> None:
        self.size += len(block)
        if self._clipper is not None:
            self._clipper.feed(block)
            if self.size > MAX_LINE and self._clipper.size > AMPLE:
                self._clipper.give_up()
            return
        if block:
            self._blocks.append(block)
        if self.size > MAX_WHOLE:
            self._clipper = Clipper()
            for held in self._blocks:
                self._clipper.feed(held)
            self._blocks.clear()

    def take(self) -> bytes | None:
        """The line, and a new one begins; None where too much is left of it even when its strings are cut."""
        line = b"".join(self._blocks) if self._clipper is None else self._clipper.line()
        self.size = 0
        self._blocks.clear()
        self._clipper = None
        return line
