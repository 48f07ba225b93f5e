"""Where the words of a query stand in a text: what is marked, and what is counted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from dreamd.search.words import UNSPACED, Term

_ACCENTED_END = 0x2000  # behind it, decomposing takes syllables apart
_MIN_STEM = 3
_INFLECTED = 3  # letters of a word that has endings
_INSIDE = 4  # letters of one that counts inside another
#: Endings that are taken off, the longest first, and those that a stem may have.
_SUFFIXES = (
    *(
        "ations",
        "ation",
        "ingly",
        "ments",
        "ment",
        "ions",
        "edly",
        "ing",
        "ied",
        "ies",
        "ion",
        "ers",
        "ors",
        "ed",
        "er",
        "es",
        "or",
    ),
    *("ly", "s", "e", "y"),
)
_TAIL = r"(?:'s|ations?|ingly|ings?|edly|ments?|ions?|ied|ies|ier|iest|ers?|ors?|ed|est?|ly|s|e|y|i)?"


class _Folding(dict[int, str]):
    """Each character as one character without case and accent; fills itself."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        plain = (unicodedata.normalize("NFD", character)[0] if code < _ACCENTED_END else character).lower()
        folded = plain if len(plain) == 1 else character
        self[code] = folded
        return folded


_FOLDING = _Folding()


def folded(text: str) -> str:
    """The text in lower case without accents, of the same length, so that positions hold."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


def stem(word: str) -> str:
    """A rough stem: enough to mark "expiring" for "expires"; the index itself has Porter's."""
    if not word.isascii() or not word.isalpha() or word.endswith("ss"):
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM:
            left = word[: -len(suffix)]
            return word if suffix == "y" and left[-1] in "aeiou" else left  # "deploy" keeps it
    return word


def counter(term: Term) -> Callable[[str], float]:
    """A function that says how often a `folded` text holds a term: inside other words (of four letters and more) it counts half."""
    word, inside = re.compile(_as_word(term)), folded(term.shown)
    within = 0.0 if term.prefix or len(inside) < _INSIDE else 0.5
    first = inside[: max(1, len(stem(inside)) - 1)]  # what every form begins with

    def count(text: str) -> float:
        if first not in text:
            return 0.0
        times = sum(1 for _ in word.finditer(text))
        return times or (within if within and inside in text else 0.0)

    return count


Finder = Callable[[str], list[tuple[int, int]]]


def finder(term: Term) -> Finder:
    """A function that gives the (start, end) of every place in a `folded` text that a term means, in order.

    As a word; where it is none, inside words ("user" in getUserName).
    """
    word, inside = re.compile(_as_word(term)), folded(term.shown)

    def find(text: str) -> list[tuple[int, int]]:
        spans = [match.span() for match in word.finditer(text) if match.end() > match.start()]
        if spans or len(inside) < _MIN_STEM:
            return spans
        return [match.span() for match in re.finditer(re.escape(inside), text)]

    return find


def marked(finders: Sequence[Finder], text: str) -> list[tuple[int, int]]:
    """What several finders find in a `folded` text, in order; of overlapping places the first and longest."""
    found: list[tuple[int, int]] = []
    for start, end in sorted({span for find in finders for span in find(text)}, key=lambda span: (span[0], -span[1])):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def _as_word(term: Term) -> str:
    shown = folded(term.shown)
    if UNSPACED.match(shown):
        return re.escape(shown)
    edge = r"(?<![^\W_])" if shown[:1].isalnum() else ""
    if term.prefix:
        return f"{edge}{re.escape(shown)}\\w{{0,40}}"
    root = stem(shown)
    stop = r"(?![^\W_])" if shown[-1:].isalnum() else ""
    if not (root.isascii() and root.isalpha() and len(shown) >= _INFLECTED):
        return f"{edge}{re.escape(root)}{stop}"
    doubled = root[-1] == root[-2]  # "runn" of "running" is "run", and "run" may become "runn"
    return f"{edge}{root[:-1] if doubled else root}{root[-1]}?{_TAIL}{stop}"
