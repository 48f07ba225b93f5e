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


def fitting(pieces: Iterable[str], room: Room, rest: Callable[[int], str] = lambda _: "") -> tuple[str, int]:
    """As many pieces from the top as fit, and how many entries are left out; a last line says so.

    Args:
        pieces: entries and headings with their line ends. One that would take more than a third of the room is passed over where
            it does not fit, so that a long one does not keep the others out.
        room: what they may take together.
        rest: the line for a number of entries that are left out; it takes room too.
    """
    every = list(pieces)
    whole = sum(map(_says, every))
    kept = _from_the_top(every, room)
    while True:
        text = "".join(_tidy(kept))
        missing = whole - sum(map(_says, kept))
        told = text + rest(missing) if missing and text else text
        if room.holds(Room.of(told)) or not kept:
            return told, missing
        kept = kept[:-1]


def _from_the_top(pieces: Iterable[str], room: Room) -> list[str]:
    kept, left = [], room
    for piece in pieces:
        size = Room.of(piece)
        if left.holds(size):
            kept.append(piece)
            left = left.less(size)
        elif room.share(1 / 3).holds(size):
            break
    return kept


def _tidy(pieces: list[str]) -> list[str]:
    """Without headings and blanks at the end."""
    while pieces and not _says(pieces[-1]):
        pieces = pieces[:-1]
    return pieces


def _says(piece: str) -> bool:
    return bool(piece.strip()) and not piece.lstrip().startswith("#")
