"""Whether a newer sentence says an older one anew with another value in the same place: "CI runs on Travis", "CI runs on Buildkite now"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel, Opcode

from dreamd.engines.offline.clauses import BEFORE, FORMS, Clause, clauses
from dreamd.engines.offline.cues import rx, words
from dreamd.engines.offline.labels import labelled, leads
from dreamd.engines.offline.languages.english_words import ATTRIBUTE, LANGUAGES
from dreamd.engines.offline.similar import negative
from dreamd.engines.offline.slots import families

#: So many words, or Chinese characters, a value has at most.
_LONGEST = 4
_LONGEST_CJK = 6
#: So many characters of a Chinese sentence stay the same at least.
_SHARED_CJK = 3
#: So many words where their order differs.
_SHARED = 2

#: Said of what has not held before.
TURNED = rx(
    r"\b(?:now|from now on|these days|nowadays|henceforth|any ?more|any longer|no longer|instead|new|since|as of|meanwhile|"
    r"jetzt|ab sofort|inzwischen|neuerdings|künftig|désormais|maintenant|dorénavant|ahora|a partir de ahora|desde ahora|ya no|теперь|отныне|больше не)\b|"
    r"现在|以后|从今|改[用为成到]|换[成用到]|不再|今後|これから|もう|이제|앞으로"
)
#: Said of one thing among several.
_BESIDE = rx(
    r"\b(?:also|as well|additionally|besides|another|second|includ(?:es?|ing)|supports?|matrix|auch|zusätzlich|aussi|également|también|además|тоже|также)\b|\btoo(?=$|[,.;])|[也还]|또한|도 (?:사용|지원)"
)
_NO_VALUE = words("and or und oder et ou y o и или not never nicht no")
_NUMBERS = words(
    "one two three four five six seven eight nine ten twelve half zero zwei drei vier deux trois dos tres два три"
)
_DAYS = rx(
    r"^(?:(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?s?|(?:montag|dienstag|mittwoch|donnerstag|freitag)s?)$"
)
_TONGUES = rx(
    rf"^(?:{LANGUAGES}|englisch|deutsch|französisch|spanisch|anglais|français|allemand|inglés|español|alemán|английск\w+|русск\w+|немецк\w+|영어\w*|한국어\w*|[中英日韩德法]文?|英語|日本語)$"
)
_ZONES = re.compile(r"^(?:utc|gmt|cet|cest|est|pst|local)$")
_NUMBER = re.compile(r"^v?\d[\d.,:]*\w{0,3}%?$")
_HEAD_NOUN = rx(rf"^(?:{ATTRIBUTE})$")
_NAME = re.compile(r"\d|[_/@.]|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class Renewal:
    """Two values that stood in the same place."""

    old: str
    new: str


def renewal(newer: str, said: str, older: str) -> Renewal | None:
    """The value that a newer sentence puts in the place of the one in an older line; None unless everything around it is the same.

    Args:
        newer: the sentence as it would stand.
        said: the person's own words, where "now" and "from now on" still stand.
        older: a line of one clause.
    """
    before = clauses(older)
    if len(before) != 1:
        return None
    for place, clause in enumerate(clauses(newer)):
        rest = " ".join(" ".join(c.words) for n, c in enumerate(clauses(newer)) if n != place)
        found = _aligned(before[0], clause)
        if found and _takes_the_place(before[0], clause, found, rest, said):
            (a, b), (c, d) = found
            gap = "" if clause.cjk else " "
            return Renewal(gap.join(before[0].spelt[a:b]), gap.join(clause.spelt[c:d]))
        swapped = _swapped(before[0], clause, said)
        if swapped:
            return swapped
    return None


def reversed_by(newer: str, older: str) -> bool:
    """Whether the first clause of a newer sentence forbids what an older line asks for, or the other way about, in the same words."""
    new, old = clauses(newer), clauses(older)
    if len(old) != 1 or not new or new[0].negative == old[0].negative:
        return False
    mine, theirs = ([w for w in c.words if w not in _NO_VALUE] for c in (new[0], old[0]))
    return len(mine) > 1 and mine == theirs


def in_one_place(text: str, other: str) -> bool:
    """Whether two lines have clauses that differ in one place only, and so say two things of one sort."""
    return any(_aligned(mine, theirs) for mine in clauses(text) for theirs in clauses(other))


def became(sentence: str) -> bool:
    """Whether a clause says that something has another value now: "… was raised to …"."""
    return any(clause.became for clause in clauses(sentence))


def _aligned(old: Clause, new: Clause) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The one place where two clauses differ, as ranges of their words; None where they differ in more, or in nothing."""
    if old.cjk != new.cjk or old.negative != new.negative:
        return None
    steps = list(Indel.opcodes(old.words, new.words))
    changed = [op for op in steps if op.tag != "equal"]
    if not changed or _two_places(old, new, steps):
        return None
    a, b = min(op.src_start for op in changed), max(op.src_end for op in changed)
    c, d = min(op.dest_start for op in changed), max(op.dest_end for op in changed)
    longest = _LONGEST_CJK if old.cjk else _LONGEST
    if not (0 < b - a <= longest and 0 < d - c <= longest):
        return None
    shared = old.words[:a] + old.words[b:]
    telling = len(shared) >= _SHARED_CJK if old.cjk else any(len(w) > 1 and w not in BEFORE for w in shared)
    return ((a, b), (c, d)) if telling else None


def _two_places(old: Clause, new: Clause, steps: Sequence[Opcode]) -> bool:
    """Whether the clauses differ in two places; another verb before the value ("listens on", "is on") or a noun for it ("host") is not one of its own."""
    seen: list[str] = []
    parted = False
    for step in steps:
        if step.tag == "equal":
            parted = parted or bool(seen)
        elif parted and "be" not in seen and not all(_HEAD_NOUN.match(word) for word in seen):
            return True
        else:
            seen += [*old.words[step.src_start : step.src_end], *new.words[step.dest_start : step.dest_end]]
    return False


def adds(said: str) -> bool:
    """Whether a sentence says that something holds beside what held before."""
    return bool(_BESIDE.search(said))


def _swapped(old: Clause, new: Clause, said: str) -> Renewal | None:
    """The same in another order of words: "write messages in German", "messages are written in English"."""
    if old.cjk or new.cjk or old.negative or new.negative or adds(said):
        return None
    gone, come = (
        [w for w in one.words if w not in other.words and w not in BEFORE] for one, other in ((old, new), (new, old))
    )
    shared = {w for w in old.words if w in new.words and w not in BEFORE}
    if len(gone) != 1 or len(come) != 1 or len(shared) < _SHARED:
        return None
    a, c = old.words.index(gone[0]), new.words.index(come[0])
    if a == 0 or c == 0:
        return None
    was, now = old.spelt[a], new.spelt[c]
    alike = _kind((was,)) & _kind((now,))
    if _names(old, a, a + 1, alike) or _names(new, c, c + 1, alike):
        return None
    return Renewal(was, now) if alike and (TURNED.search(said) or alike - {"name", "proper"}) else None


def _takes_the_place(
    old: Clause, new: Clause, found: tuple[tuple[int, int], tuple[int, int]], rest: str, said: str
) -> bool:
    """Whether there is room for one of the two values only."""
    (a, b), (c, d) = found
    was, now = old.words[a:b], new.words[c:d]
    if a == 0 or _NO_VALUE.intersection(was + now):
        return False
    alike = _kind(old.spelt[a:b]) & _kind(new.spelt[c:d])
    names = _names(old, a, b, alike) or _names(new, c, d, alike)
    if rest and set(was) <= set(rest.split()) and not _NO_VALUE.intersection(now) and (not names or negative(said)):
        return True  # the newer sentence speaks of the older value too: "…, not into tools/", "black is gone"
    if names or old.negative or adds(said):
        return False
    placed = a > 0 and (old.cjk or old.words[a - 1] in BEFORE)
    if (new.became or TURNED.search(said)) and (placed or alike):
        return True
    return bool(alike) and (a > 1 or placed) and (placed or bool(alike - {"name", "proper"}))


def _names(clause: Clause, start: int, end: int, alike: frozenset[str]) -> bool:
    """Whether words say what a clause is about; another such name is another thing, and what is said of the first holds on."""
    return labelled(clause, start, end) or (not alike - {"name", "proper", "number"} and leads(clause, start, end))


def _kind(value: tuple[str, ...]) -> frozenset[str]:
    """What a value is, as far as its words tell: two of a kind exclude each other."""
    start = max(
        (n + 1 for n, word in enumerate(value[:-1]) if word.lower() in BEFORE or word.lower() in FORMS), default=0
    )
    value = value[start:]
    bare = [word.lower() for word in value]
    kinds = {
        name
        for name, every in (
            ("number", all(_NUMBER.match(w) or w in _NUMBERS for w in bare)),
            ("day", all(_DAYS.match(w) for w in bare)),
            ("tongue", all(_TONGUES.match(w) for w in bare)),
            ("zone", any(_ZONES.match(w) for w in bare)),
            ("name", any(_NAME.search(w) for w in value)),
            ("proper", all(w[:1].isupper() for w in value)),
        )
        if every
    }
    return frozenset(kinds.union(*(families(w) for w in bare)))
