"""What a person said in one go, as every agent's reader hears it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from dreamd.transcripts.event import HumanTurn, Origin

_READ = 2_000  # characters of a turn that engines read; longer turns hold pastes


@dataclass(frozen=True, slots=True)
class PersonTurn:
    """One turn of a person and where it stands; `offset` is the line that holds the words."""

    id: str
    parent_id: str | None
    offset: int
    at: dt.datetime | None
    origin: Origin
    text: str
    cwd: str | None = None
    branch: str | None = None

    @property
    def counted(self) -> HumanTurn:
        """The turn without its words."""
        return HumanTurn(self.id, self.offset, self.at, self.origin, read_size(self.text))


def read_size(text: str) -> int:
    """Bytes of the words of a turn, at most of so many as are read of a long one."""
    return len(text[:_READ].encode("utf-8", "replace"))
