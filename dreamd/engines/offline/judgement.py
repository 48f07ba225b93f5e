"""What sentences like this one turned out to be: a linear judgement whose weights were learned from written examples.

Rules (`verdict`) know set ways of saying. This adds up what each word and turn of phrase, each mark and each rule says for or
against lasting, so that a way of saying that no rule knows can still be told. The weights are data, one file a language
(`languages/*.weights.json`), made by `benchmarks/judge/fit.py` of the sentences beside it; nothing is learned of anybody's transcripts.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources

import msgspec

from dreamd.engines.offline.cues import Cues
from dreamd.engines.offline.features import features
from dreamd.engines.offline.languages.chinese_marks import MARKS as CHINESE_MARKS
from dreamd.engines.offline.languages.english_marks import MARKS as ENGLISH_MARKS
from dreamd.engines.offline.languages.marks import found
from dreamd.engines.offline.verdict import Left, Verdict
from dreamd.engines.protocol import Kind

#: What lasts, as the examples name it; everything else ends with the task.
KINDS = {
    "pref": Kind.PREFERENCE,
    "rule": Kind.CONVENTION,
    "ban": Kind.PROHIBITION,
    "decision": Kind.DECISION,
    "fact": Kind.FACT,
    "cause": Kind.LEARNING,
    "outcome": Kind.OUTCOME,
    "person": Kind.PERSON,
}
MARKS = {"en": ENGLISH_MARKS, "zh": CHINESE_MARKS}
#: Weights are stored as whole numbers of this size.
UNIT = 100.0
_STRONGEST = 4


class Table(msgspec.Struct, frozen=True):
    """One question that the examples answer: its answers, what each starts from, and what each feature adds to them.

    A question of yes or no has one column: the log odds of the last answer.
    """

    labels: tuple[str, ...]
    bias: tuple[int, ...]
    weights: dict[str, tuple[int, ...]]


class Weights(msgspec.Struct, frozen=True):
    """A language's file."""

    made_of: str  # SHA-256 of the examples
    lasts: Table  # a person's sentence: ends, lasts
    kinds: Table  # a person's sentence that lasts: which of `KINDS`
    told: Table  # an agent's sentence: progress, how something is from now on
    answered: Table  # a short answer: no, other, pick, yes


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a sentence of a person is worth."""

    lasts: float  # log odds: 0 is even, 2 is 88 %
    kind: Kind  # what it would be if it lasted


def judged(text: str, cues: Cues, outcome: Verdict | Left) -> Judgement | None:
    """The judgement of a person's sentence; None in a language without weights.

    Args:
        text: one sentence, as it was typed.
        cues: the language's rules.
        outcome: what the rules made of it.
    """
    weights = weights_of(cues.code)
    if weights is None:
        return None
    seen = list(evidence(text, cues, outcome))
    kinds = _totals(weights.kinds, seen)
    return Judgement(_totals(weights.lasts, seen)[0], KINDS[max(zip(kinds, weights.kinds.labels, strict=True))[1]])


def evidence(text: str, cues: Cues, outcome: Verdict | Left) -> Iterator[str]:
    """All that speaks for or against: the words, the marks, and what the rules say."""
    yield from features(text, cues.code)
    for name in found(text, MARKS.get(cues.code, ())):
        yield f"m:{name}"
    if isinstance(outcome, str):
        yield f"f:{outcome}"
    else:
        yield f"f:{min(int(outcome.strength * 2), _STRONGEST)}"
        yield f"f:{outcome.frame.kind}"


def told(text: str, code: str) -> float | None:
    """The log odds that an agent's sentence says how something is from now on; None in a language without weights."""
    weights = weights_of(code)
    return _totals(weights.told, features(text, code))[0] if weights else None


def answered(text: str, code: str) -> str | None:
    """Whether a short answer accepts ("yes"), refuses ("no"), chooses ("pick") or is none ("other"); None in a language without weights."""
    weights = weights_of(code)
    if weights is None:
        return None
    return max(zip(_totals(weights.answered, features(text, code)), weights.answered.labels, strict=True))[1]


@functools.cache
def weights_of(code: str) -> Weights | None:
    """A language's weights; None where there are none."""
    place = resources.files("dreamd.engines.offline.languages") / f"{code}.weights.json"
    return msgspec.json.decode(place.read_bytes(), type=Weights) if place.is_file() else None


def _totals(table: Table, seen: Iterable[str]) -> list[float]:
    totals = list(table.bias)
    for feature in seen:
        for i, weight in enumerate(table.weights.get(feature, ())):
            totals[i] += weight
    return [total / UNIT for total in totals]
