"""What an engine adds to the protocol when its answers cost something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from dreamd.engines.purse import Purse
from dreamd.state.model_record import ModelRecord
from dreamd.usage import Usage


class Book(Protocol):
    """What servers said of their models, kept from run to run."""

    def get(self, place: str, model: str) -> ModelRecord | None:
        """None: nobody asked, or too long ago."""
        ...

    def put(self, place: str, model: str, said: ModelRecord) -> None:
        """Keeps it, also that nothing was said."""
        ...


@dataclass(frozen=True, slots=True)
class Ahead:
    """What a dream would work on, by sizes alone."""

    sessions: Sequence[Sequence[int]]  # bytes of each unread turn; 0: unknown
    topics: int  # that findings will go to
    known: int = 0  # bytes of what they will meet there: memory, and what was found before


@runtime_checkable
class Costly(Protocol):
    """An engine that asks somebody who wants to be paid."""

    @property
    def model(self) -> str:
        """Who is asked, for a person to read."""
        ...

    def begin(self, purse: Purse, book: Book | None = None) -> None:
        """A run begins and may spend so much. Raises ConfigError or EngineUnusable where no call could be made.

        `book`: what servers said of their models before; without one they are not asked.
        """
        ...

    def end(self) -> None:
        """The run is over: connections are given back."""
        ...

    def estimate(self, ahead: Ahead, book: Book | None = None) -> Usage:
        """About what a dream over it would cost. Nobody is asked; `book`: what servers said of their models before."""
        ...
