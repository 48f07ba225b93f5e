"""What a person typed with what stands around it: the agent's words before, its answer, and what the person said next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dreamd.engines.offline.cues import rx
from dreamd.engines.protocol import Digest, Turn
from dreamd.transcripts.event import PERSON_ORIGINS, Origin, Role

#: The person's next words where they do not let stand what was done.
OBJECTS = rx(
    r"^(?:no\b|nope|wrong|stop|wait|but\b|hmm?\b|not (?:quite|really|what)|that'?s (?:not|wrong)|it(?:'s| is| does|'s still) (?:still|not|n'?t)|still\b|you (?:didn|forgot|missed)|why\b|revert|undo|actually|i (?:didn|don)'?t\b|instead)"
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn of a person and its neighbours."""

    turn: Turn
    proposal: str  # the agent's last text before it; "" for none
    replies: tuple[Turn, ...]  # what the agent said after it, up to the person's next turn
    following: str  # the person's next turn; "" where the session ends

    @property
    def typed(self) -> bool:
        """Whether a person sat there: a headless prompt has nobody who could agree."""
        return self.turn.origin is not Origin.HEADLESS


def exchanges(digest: Digest) -> Iterator[Exchange]:
    """The person's turns in order, fresh or not."""
    turn: Turn | None = None
    before: list[Turn] = []
    after: list[Turn] = []
    for one in digest.turns:
        if one.role is Role.HUMAN and one.origin in PERSON_ORIGINS | {Origin.HEADLESS}:
            if turn:
                yield Exchange(turn, _last(before), tuple(after), one.text)
            turn, before, after = one, after, []
        elif one.role is Role.ASSISTANT and one.origin is Origin.MODEL:
            after.append(one)
    if turn:
        yield Exchange(turn, _last(before), tuple(after), "")


def _last(turns: list[Turn]) -> str:
    return turns[-1].text if turns else ""
