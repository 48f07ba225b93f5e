"""What an engine adds that can send its readings off as one batch and hear the answers hours later, for less money."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from dreamd.context.conversation import Reply
from dreamd.engines.faults import EngineFault
from dreamd.engines.protocol import Digest, Extraction
from dreamd.usage import Usage

Body = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Part:
    """A session, or a piece of one, as one request of a batch."""

    shown: tuple[str, ...]  # ids of the turns it shows, in their order
    body: Body
    expected: Usage  # what it may cost at most


@dataclass(frozen=True, slots=True)
class Ticket:
    """A batch that a server has taken."""

    id: str
    expires_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of one request; no reply: it was not worked on (expired, failed, cancelled), which costs nothing."""

    id: str
    reply: Reply | None = None
    fault: str = ""  # errored | expired | canceled


class Unsure(EngineFault):
    """The connection broke while a batch was being sent: nobody knows whether it arrived."""

    code: ClassVar[str] = "batch_unsure"


class BatchGone(EngineFault):
    """The server does not know this batch, or its answers are not there any more."""

    code: ClassVar[str] = "batch_gone"


class Post(Protocol):
    """Where batches go. Calls are single and not tried again here: whoever waits for hours looks again later."""

    @property
    def place(self) -> str:
        """Fingerprint of the server: what was sent to one cannot be collected from another."""
        ...

    def parts(self, digest: Digest) -> tuple[Part, ...]:
        """The requests that read a session; none where nothing new was typed. Raises EngineUnusable."""
        ...

    def lay_aside(self, expected: Sequence[Usage]) -> None:
        """Takes money out of the run's purse for as long as the run lasts. Raises BudgetSpent."""
        ...

    def submit(self, bodies: Mapping[str, Body]) -> Ticket:
        """Sends all requests by their ids. Raises EngineUnusable and EngineBusy where nothing was taken, else Unsure."""
        ...

    def collect(self, batch_id: str) -> tuple[Heard, ...] | None:
        """The answers; None while the server works. Raises BatchGone, EngineBusy, EngineUnusable."""
        ...

    def search(self, ids: Collection[str], since: dt.datetime) -> tuple[Heard, ...] | None:
        """The same for a batch whose name nobody knows: by its requests. Raises BatchGone where no batch can be it."""
        ...

    def cancel(self, batch_id: str) -> None:
        """Asks the server not to go on. Raises as `collect` does."""
        ...

    def priced(self, reply: Reply) -> Usage:
        """What a reply out of a batch cost."""
        ...

    def understood(self, reply: Reply, shown: Sequence[str], digest: Digest) -> Extraction:
        """A reply as findings; the usage is that of `priced`. Raises UnusableAnswer with it."""
        ...


@runtime_checkable
class Batching(Protocol):
    """An engine that may know a post."""

    @property
    def post(self) -> Post | None:
        """None: whoever it asks takes no batches."""
        ...
