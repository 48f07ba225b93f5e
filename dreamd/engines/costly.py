"""What an engine adds to the protocol when its answers cost something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from dreamd.engines.purse import Purse
from dreamd.usage import Usage


@runtime_checkable
class Costly(Protocol):
    """An engine that asks somebody who wants to be paid."""

    @property
    def model(self) -> str:
        """Who is asked, for a person to read."""
        ...

    def begin(self, purse: Purse) -> None:
        """A run begins and may spend so much. Raises ConfigError or EngineUnusable where no call could be made."""
        ...

    def end(self) -> None:
        """The run is over: connections are given back."""
        ...

    def estimate(self, turns: Sequence[int], topics: int) -> Usage:
        """About what a dream over sessions with so many unread turns each, touching so many topics, would cost."""
        ...
