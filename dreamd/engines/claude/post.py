"""The readings of many sessions as one batch, and its answers as findings: the same prompts and checks, half the price."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence

from dreamd.context.conversation import Reply, Stop
from dreamd.context.message import told
from dreamd.context.tokens import estimate
from dreamd.engines.batching import Body, Heard, Part, Ticket
from dreamd.engines.claude import reading, structure
from dreamd.engines.claude.caller import Caller
from dreamd.engines.claude.client import body
from dreamd.engines.claude.mail import Mail
from dreamd.engines.claude.pieces import Piece, is_new
from dreamd.engines.claude.prompts import prompt
from dreamd.engines.faults import UnusableAnswer
from dreamd.engines.protocol import Digest, Dropped, Extraction
from dreamd.engines.purse import Purse
from dreamd.usage import Usage


class ClaudePost:
    """Implements `dreamd.engines.batching.Post`."""

    def __init__(
        self,
        mail: Mail,
        reader: Caller,
        place: str,
        cut: Callable[[Digest], Sequence[Piece]],
        answer: Callable[[int], int],
        purse: Callable[[], Purse],
    ) -> None:
        """`cut` makes the pieces of a session that single calls would have, `answer` the length of an answer to one."""
        self._mail = mail
        self._reader = reader
        self._place = place
        self._cut = cut
        self._answer = answer
        self._purse = purse

    @property
    def place(self) -> str:
        """See Post."""
        return self._place

    def parts(self, digest: Digest) -> tuple[Part, ...]:
        """See Post. Pieces of one session do not know of each other: what is found twice is merged later."""
        return tuple(self._part(piece, digest) for piece in self._cut(digest))

    def _part(self, piece: Piece, digest: Digest) -> Part:
        system, text = prompt("extract"), reading.sheet(piece, digest).text
        room = self._answer(piece.tokens)
        return Part(
            shown=tuple(turn.id for turn in piece.turns),
            body=body(self._reader.model, system, [told(text)], max_tokens=room, schema=structure.FINDINGS),
            expected=self._reader.expected(system, estimate(text), room, batched=True),
        )

    def lay_aside(self, expected: Sequence[Usage]) -> None:
        """See Post."""
        self._purse().hold(sum(one.tokens for one in expected), sum(one.usd for one in expected))

    def submit(self, bodies: Mapping[str, Body]) -> Ticket:
        """See Post."""
        return self._mail.submit(bodies)

    def collect(self, batch_id: str) -> tuple[Heard, ...] | None:
        """See Post."""
        return self._mail.collect(batch_id)

    def search(self, ids: Collection[str], since: dt.datetime) -> tuple[Heard, ...] | None:
        """See Post."""
        return self._mail.search(ids, since)

    def cancel(self, batch_id: str) -> None:
        """See Post."""
        self._mail.cancel(batch_id)

    def priced(self, reply: Reply) -> Usage:
        """See Post."""
        return self._reader.counted(reply, prompt("extract").static_tokens, batched=True)

    def understood(self, reply: Reply, shown: Sequence[str], digest: Digest) -> Extraction:
        """See Post."""
        usage = self.priced(reply)
        read = structure.read(reply.text, structure.Findings) if reply.stop in (Stop.END, Stop.OTHER) else None
        if read is None:
            raise UnusableAnswer("the model gave no usable answer in a batch", usage=usage)
        sheet = reading.shown_again(shown, digest)
        findings, dropped = reading.findings_of(read.findings, sheet)
        left = [
            Dropped(turn.id, "no_room")
            for turn in digest.turns
            if is_new(turn, digest.fresh) and turn.id not in set(shown)
        ]
        return Extraction(tuple(findings), (*left, *dropped), usage)
