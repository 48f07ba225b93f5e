"""How far a dream is: what the cycle tells whoever watches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One pass and how much of it is done; `total` 0: not known."""

    name: str  # scan | orient | gather | consolidate | prune | commit | index
    done: int = 0
    total: int = 0


#: Called from the dream's own thread; must return quickly and never raise.
Progress = Callable[[Step], None]


def nobody(_step: Step) -> None:
    """Nobody watches."""
