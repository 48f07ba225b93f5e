"""What speaks for or against a remark: a pattern, what it weighs, and the sentence it was made for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dreamd.engines.offline.cues import Cue, rx

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, init=False)
class Mark:
    """A pattern searched in a sentence. Marks add up; none decides alone."""

    name: str
    weight: float
    cue: Cue
    example: str

    def __init__(self, name: str, weight: float, source: str, example: str) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "weight", weight)
        object.__setattr__(self, "cue", rx(source))
        object.__setattr__(self, "example", example)


def found(text: str, marks: Iterable[Mark]) -> dict[str, float]:
    """The marks that a sentence bears, by name, with their weights."""
    return {mark.name: mark.weight for mark in marks if mark.cue.search(text)}
