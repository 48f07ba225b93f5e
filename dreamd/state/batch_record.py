"""A batch of requests as the state hands it out, in the shape that the command line prints."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from dreamd.clock import rfc3339
from dreamd.usage import Usage


@dataclass(frozen=True, slots=True)
class Letter:
    """One request of a batch."""

    id: str  # ULID, the request's name at the server
    session: int  # row
    turns: tuple[int, ...]  # rows of the turns it reads
    shown: tuple[str, ...]  # agents' ids of all turns that it shows, in their order
    expected: Usage  # what it may cost at most


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that is not collected yet, with what is still open of it."""

    run_id: str
    engine: str
    version: str
    place: str  # fingerprint of the server it went to
    written_at: dt.datetime
    look_at: dt.datetime  # when the service looks next
    letters: tuple[Letter, ...]
    native_id: str | None = None  # None: nobody knows whether it arrived
    expires_at: dt.datetime | None = None

    def to_json(self) -> dict[str, object]:
        """What a run waits for, as commands print it."""
        return {
            "run": self.run_id,
            "id": self.native_id,
            "requests": len(self.letters),
            "sent_at": rfc3339(self.written_at),
            "expires_at": rfc3339(self.expires_at),
            "next_look_at": rfc3339(self.look_at),
            "expected": {
                "tokens": sum(one.expected.tokens for one in self.letters),
                "usd": round(sum(one.expected.usd for one in self.letters), 4),
            },
        }
