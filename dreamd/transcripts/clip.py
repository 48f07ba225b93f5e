"""A JSON line too long to be held, made short while it is read: its long strings are cut, everything else stays as it is."""

from __future__ import annotations

import codecs
import re

#: A string keeps so many bytes, and fewer once so much was kept of the line as a whole.
STRING = 64 * 1024
SHORT_STRING = 1024
AMPLE = 4 * 1024 * 1024
MARK = rb"\n[...]"

_CONTENT = rb'[^"\\]*(?:\\.[^"\\]*)*'
_STRING = re.compile(rb'"(' + _CONTENT + rb')("?)', re.DOTALL)
_REST = re.compile(_CONTENT, re.DOTALL)
_OPEN_ESCAPE = re.compile(rb"(\\+)(?:u[0-9a-fA-F]{0,3})?\Z")
_HALF_PAIR = re.compile(rb"(\\+)u[dD][89abAB][0-9a-fA-F]{2}\Z")


class Clipper:
    """Takes a line block by block. What it gives depends on the line alone, never on where the blocks end.

    A line that breaks off inside a string stays broken, so it is never taken for whole.
    """

    def __init__(self) -> None:
        self.size = 0  # of what was kept
        self._kept: list[bytes] = []
        self._open: bytearray | None = None  # the beginning of a string that has not ended yet
        self._limit = STRING  # of that string
        self._last = b""  # byte of the block before, while a string is open
        self._carry = b""
        self._given_up = False

    def feed(self, block: bytes) -> None:
        """The next bytes of the line."""
        if self._given_up:
            return
        data = self._carry + block
        # An odd backslash at the end belongs to the byte that follows.
        self._carry = b"\\" if (len(data) - len(data.rstrip(b"\\"))) % 2 else b""
        data = data[: len(data) - len(self._carry)]
        position = 0 if self._open is None else self._go_on(self._open, data)
        if self._open is None:
            self._take(data, position)

    def give_up(self) -> None:
        """Nothing of this line will be asked for."""
        self._given_up = True
        self._kept.clear()
        self._open = None

    def line(self) -> bytes | None:
        """The line with its strings cut; None where it was given up."""
        if self._given_up:
            return None
        return b"".join((*self._kept, self._open or b"", self._carry))

    def _keep(self, piece: bytes) -> None:
        self._kept.append(piece)
        self.size += len(piece)

    def _take(self, data: bytes, position: int) -> None:
        for found in _STRING.finditer(data, position):
            inside = found.start() + 1
            limit = STRING if self.size + inside - position < AMPLE else SHORT_STRING
            if not found[2]:
                self._keep(data[position:inside])
                self._open, self._limit = bytearray(data[inside : inside + limit + 1]), limit
                self._last = data[-1:]
                return
            if found.end(1) - inside > limit:
                self._keep(data[position:inside])
                position = found.end(1)
                self._keep(_cut(data[inside : inside + limit], data[position - 1 : position]))
        self._keep(data[position:])

    def _go_on(self, opened: bytearray, data: bytes) -> int:
        """Goes on with a string that began in an earlier block; returns where what follows it begins."""
        found = _REST.match(data)
        end = found.end() if found else 0
        opened += data[: min(end, max(self._limit + 1 - len(opened), 0))]
        if end < len(data):  # at its closing quote
            content = bytes(opened)
            if len(content) > self._limit:
                content = _cut(content[: self._limit], data[end - 1 : end] if end else self._last)
            self._keep(content + b'"')
            self._open = None
            end += 1
        self._last = data[-1:]
        return end


def _cut(content: bytes, last: bytes) -> bytes:
    """A string's head without a broken escape or character at its end, marked as cut.

    A brace as its last byte stays: in a line that breaks off, the next record may be glued to it, and this is where that begins.
    """
    for pattern in (_OPEN_ESCAPE, _HALF_PAIR):
        found = pattern.search(content)
        if found and len(found[1]) % 2:
            content = content[: found.end(1) - 1]
    _, whole = codecs.utf_8_decode(content, "replace", False)
    return content[:whole] + MARK + (last if last == b"{" else b"")
