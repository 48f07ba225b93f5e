"""Which turns of a session a model is shown, how much of each, and in how many pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dreamd.context.tokens import estimate
from dreamd.engines.offline.sentences import own_words
from dreamd.engines.protocol import Digest, Turn
from dreamd.transcripts.event import PERSON_ORIGINS, Origin, Role

#: Typed words are shown in full up to here; longer turns hold pastes (DESIGN, system 4).
_TYPED = 2_000
_BEFORE = 500  # characters of an agent's text to which a person answered
_AFTER = 400  # characters of an agent's last word
_KNOWN = 300  # characters of a person's turn that was read before
_FRAME = 24  # tokens of a turn's heading

_PEOPLE = PERSON_ORIGINS | {Origin.HEADLESS}


@dataclass(frozen=True, slots=True)
class Piece:
    """Turns that go into one request, as they are shown, oldest first."""

    turns: tuple[Turn, ...]
    tokens: int  # estimated

    def new(self, fresh: frozenset[str]) -> tuple[str, ...]:
        """Ids of the turns that this piece reads."""
        return tuple(turn.id for turn in self.turns if is_new(turn, fresh))

    def halves(self, fresh: frozenset[str]) -> tuple[Piece, ...]:
        """Two smaller pieces of about the same size; none where a half would hold nothing new."""
        new = [number for number, turn in enumerate(self.turns) if is_new(turn, fresh)]
        if len(new) < 2:  # noqa: PLR2004 - two halves
            return ()
        cut = new[len(new) // 2]
        if cut and not _typed(self.turns[cut - 1]):
            cut -= 1  # the answer that the turn is about goes with it
        return tuple(_piece(part) for part in (self.turns[:cut], self.turns[cut:]) if part)


def is_new(turn: Turn, fresh: frozenset[str]) -> bool:
    """Whether findings may rest on this turn."""
    return turn.id in fresh and _typed(turn)


def pieces(digest: Digest, size: int, most: int) -> tuple[tuple[Piece, ...], tuple[Turn, ...]]:
    """A session in pieces of at most `size` tokens, `most` in all; (pieces, the new turns there was no room for).

    No piece where nothing new was typed. The newest turns are kept: what was said later holds.
    """
    shown = _shown(digest)
    kept: list[Turn] = []
    left: list[Turn] = []
    total = 0
    for turn in reversed(shown):
        total += _tokens(turn)
        if total <= most:
            kept.append(turn)
        elif is_new(turn, digest.fresh):
            left.append(turn)
    made: list[Piece] = []
    part: list[Turn] = []
    for turn in reversed(kept):
        if part and sum(map(_tokens, part)) + _tokens(turn) > size:
            made.append(_piece(part))
            part = []
        part.append(turn)
    made.append(_piece(part))
    new = [piece for piece in made if any(is_new(turn, digest.fresh) for turn in piece.turns)]
    return tuple(new), tuple(reversed(left))


def _shown(digest: Digest) -> list[Turn]:
    """The new turns and what they are about: the answers around them, and the known turn before."""
    turns = digest.turns
    new = {number for number, turn in enumerate(turns) if is_new(turn, digest.fresh)}
    shown: list[Turn] = []
    for number, turn in enumerate(turns):
        if number in new:
            shown.append(replace(turn, text=_excerpt(turn.text)))
        elif _typed(turn):
            if number + 1 in new or number + 2 in new:
                shown.append(replace(turn, text=shorten(turn.text, _KNOWN)))
        elif number + 1 in new:
            shown.append(replace(turn, text=shorten(turn.text, _BEFORE)))
        elif number - 1 in new:
            shown.append(replace(turn, text=shorten(turn.text, _AFTER)))
    return shown


def _typed(turn: Turn) -> bool:
    return turn.role is Role.HUMAN and turn.origin in _PEOPLE


def _excerpt(text: str) -> str:
    """A person's turn: its own words in full as far as they can be told from what was pasted."""
    if len(text) <= _TYPED:
        return text
    words = own_words(text).strip()
    if 0 < len(words) <= _TYPED:
        return f"{words}\n[{len(text) - len(words)} characters of pasted text left out]"
    return shorten(words or text, _TYPED)


def shorten(text: str, most: int) -> str:
    """Beginning and end of a text; the end is where people ask and agents conclude."""
    if len(text) <= most:
        return text
    head = most // 3
    return f"{text[:head]}\n[… {len(text) - most} characters left out …]\n{text[head - most :]}"


def _tokens(turn: Turn) -> int:
    return estimate(turn.text) + _FRAME


def _piece(turns: Sequence[Turn]) -> Piece:
    return Piece(tuple(turns), sum(map(_tokens, turns)))
