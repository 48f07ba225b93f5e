"""A person's slips of the keyboard, mended by the words that the agent wrote in the same session.

No dictionary: what neither of them wrote otherwise stays as it was typed, names and terms above all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dreamd.engines.protocol import Digest
from dreamd.transcripts.event import Role

#: Shorter words have real neighbours ("exiting" and "existing", "complaint" and "compliant").
_SHORTEST = 10
#: What two countries spell differently is no slip.
_VARIANTS = (("ll", "l"), ("pp", "p"), ("gement", "gment"), ("our", "or"))
_WORD = re.compile(r"(?<![\w`'./@:#$-])[A-Za-z]?[a-z]{9,}(?![\w`'/@:#$-]|\.\w)")
_CODE = re.compile(r"`[^`]*`")


class Spelling:
    """The words of a session as its agent spells them."""

    def __init__(self, digest: Digest) -> None:
        self._digest = digest
        self._known: frozenset[str] | None = None
        self._by_letters: dict[tuple[str, int], list[str]] = {}

    def mended(self, text: str) -> str:
        """The text with each slip replaced: one letter lost, doubled, added or two exchanged inside a long word.

        >>> "the conversatins stay private"  # the agent wrote "conversations"
        'the conversations stay private'
        """
        spans = [m.span() for m in _CODE.finditer(text)]
        return _WORD.sub(lambda m: m[0] if _inside(m.start(), spans) or self._is_name(m) else self._mend(m[0]), text)

    def _is_name(self, word: re.Match[str]) -> bool:
        """Whether a word has a capital that the beginning of the line does not give it."""
        return word.start() > 0 and word[0][0].isupper()

    def _mend(self, typed: str) -> str:
        word = typed.lower()
        known = self._words()
        if word in known or len(word) < _SHORTEST or self._typed(word) > 1:
            return typed
        found = {other for other in self._near(word) if _slipped(word, other)}
        if len(found) != 1:
            return typed
        meant = next(iter(found))
        return typed[0] + meant[1:]

    def _typed(self, word: str) -> int:
        """How often the person wrote a word in this session; twice is no slip."""
        return sum(t.text.lower().count(word) for t in self._digest.turns if t.role is not Role.ASSISTANT)

    def _near(self, word: str) -> Iterator[str]:
        for length in (len(word) - 1, len(word), len(word) + 1):
            yield from self._by_letters.get((word[0] + word[-1], length), ())

    def _words(self) -> frozenset[str]:
        if self._known is None:
            spoken = (t.text for t in self._digest.turns if t.role is Role.ASSISTANT)
            self._known = frozenset(w.lower() for text in spoken for w in re.findall(r"[A-Za-z]{7,}", text))
            for word in sorted(self._known):
                if len(word) >= _SHORTEST:
                    self._by_letters.setdefault((word[0] + word[-1], len(word)), []).append(word)
        return self._known


def _inside(position: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= position < end for start, end in spans)


def _slipped(typed: str, meant: str) -> bool:
    """Whether one slip makes the one of the other: never another letter, which makes another word ("internal", "interval")."""
    if len(typed) == len(meant):
        differ = [i for i in range(len(typed)) if typed[i] != meant[i]]
        return (
            len(differ) == 2  # noqa: PLR2004 - two letters exchanged
            and differ[1] == differ[0] + 1
            and typed[differ[0]] == meant[differ[1]]
            and typed[differ[1]] == meant[differ[0]]
        )
    longer, shorter = (typed, meant) if len(typed) > len(meant) else (meant, typed)
    if any(a in longer and longer.replace(a, b) == shorter for a, b in _VARIANTS):
        return False
    i = next((i for i, letter in enumerate(shorter) if letter != longer[i]), len(shorter))
    return 0 < i < len(shorter) and longer[i + 1 :] == shorter[i:]
