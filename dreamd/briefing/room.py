"""How much may be told, in tokens and in characters at once, and what of a text fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from dreamd.context.tokens import estimate

#: UTF-16 units, as JavaScript counts characters: what lies beyond the first plane counts twice.
_WIDE = 0xFFFF


class Room(NamedTuple):
    """An amount of text."""

    tokens: float
    characters: float

    @classmethod
    def of(cls, text: str) -> Room:
        """What a text takes."""
        return cls(estimate(text), len(text) + sum(ord(char) > _WIDE for char in text) * (not text.isascii()))

    def less(self, other: Room) -> Room:
        """What is left of it."""
        return Room(self.tokens - other.tokens, self.characters - other.characters)

    def share(self, part: float) -> Room:
        """A part of it."""
        return Room(self.tokens * part, self.characters * part)

    def holds(self, other: Room) -> bool:
        """Whether that much fits."""
        return other.tokens <= self.tokens and other.characters <= self.characters


def fitting(pieces: Iterable[str], room: Room, rest: Callable[[int], str] = lambda _: "") -> str:
    """As many pieces from the top as fit, with a last line that says how many are left out.

    Args:
        pieces: lines with their line ends; the last one that stands must not be a heading without anything below it.
        room: what they may take together.
        rest: the line for a number of pieces that are left out; it takes room too.
    """
    every = list(pieces)
    kept = 0
    left = room
    for piece in every:
        left = left.less(Room.of(piece))
        if not left.holds(Room(0, 0)):
            break
        kept += 1
    while kept < len(every):
        text = "".join(_tidy(every[:kept])) + rest(len([one for one in every[kept:] if _says(one)]))
        if kept == 0 or room.holds(Room.of(text)):
            return text if room.holds(Room.of(text)) else ""
        kept -= 1
    return "".join(every)


def _tidy(pieces: list[str]) -> list[str]:
    """Without headings and blanks at the end."""
    while pieces and not _says(pieces[-1]):
        pieces = pieces[:-1]
    return pieces


def _says(piece: str) -> bool:
    return bool(piece.strip()) and not piece.lstrip().startswith("#")
