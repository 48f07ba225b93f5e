"""What a person said in one go, as every agent's reader hears it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from dreamd.transcripts.event import HumanTurn, Origin


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
        return HumanTurn(self.id, self.offset, self.at, self.origin)
