"""What an engine adds to the protocol when its answers cost something."""

from __future__ import annotations

from collections.abc import Sequence
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

    def estimate(self, turns: Sequence[int], topics: int) -> Usage:
        """About what a dream over sessions with so many unread turns each, touching so many topics, would cost."""
        ...
