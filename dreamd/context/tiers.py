"""What is allowed follows from what is left: one decision for everybody who wants tokens."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from dreamd.context.budget import Budget, Level

PLENTY = 0.70  # of the working budget left: compaction never runs above
LARGE = 0.10  # of the working budget: a large input
CHEAP = 0.01  # of the working budget: a cheap operation


class OperationKind(StrEnum):
    """What somebody wants to do with tokens."""

    INPUT = "input"  # new text that may be excerpted: a chunk of a transcript, a tool's output
    WHOLE = "whole"  # new text that must not be cut: a person's own words, a structure
    ANSWER = "answer"  # a call; `tokens` is how long its answer may be
    COMPACTION = "compaction"  # making room; its tokens do not matter


class Answer(StrEnum):
    """The decision, most generous first."""

    ALLOW = "allow"
    EXCERPT = "excerpt"  # only so many tokens of it
    REFUSE = "refuse"


class Why(StrEnum):
    """The reasons of a decision."""

    FITS = "fits"
    TOO_LARGE_TO_FIT = "too_large_to_fit"  # larger than all that is left
    LARGE_WHEN_LOW = "large_when_low"  # at most 20 % left: nothing over 10 % of the working budget
    COSTLY_WHEN_SCARCE = "costly_when_scarce"  # at most 10 % left: nothing over 1 %
    OUT_OF_TOKENS = "out_of_tokens"  # at most 5 % left
    PLENTY_LEFT = "plenty_left"  # over 70 % left: nothing to compact


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that costs tokens."""

    kind: OperationKind
    tokens: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of an operation; `tokens` is how many of it may be used (0 when refused)."""

    answer: Answer
    reason: Why
    tokens: int


def decide(budget: Budget, used: int, operation: Operation) -> Verdict:
    """Allow, excerpt or refuse (DESIGN, Tiers). Total, and never more generous the more is used (compaction apart).

    Over 70 % left: everything, compaction never. To 20 %: everything. Then nothing new and large, then only what is cheap,
    then nothing. Whatever the tier, nothing is allowed that would not fit.
    """
    level, left = budget.level(used), budget.left(used)
    match operation.kind:
        case OperationKind.COMPACTION:
            return _compaction(budget, level, left)
        case OperationKind.INPUT | OperationKind.WHOLE | OperationKind.ANSWER:
            return _costly(budget, used, level, operation)
        case _:
            assert_never(operation.kind)


def _compaction(budget: Budget, level: Level, left: int) -> Verdict:
    if level is Level.STOP:
        return _refused(Why.OUT_OF_TOKENS)
    if left > budget.up_to(PLENTY):
        return _refused(Why.PLENTY_LEFT)
    return Verdict(Answer.ALLOW, Why.FITS, left)


def _costly(budget: Budget, used: int, level: Level, operation: Operation) -> Verdict:
    tokens = max(0, operation.tokens)
    cheap = budget.up_to(CHEAP)
    room = _room(budget, used, operation.kind, cheap)
    match level:
        case Level.STOP:
            return _refused(Why.OUT_OF_TOKENS)
        case Level.COMPACT:
            if tokens <= min(cheap, room):
                return Verdict(Answer.ALLOW, Why.FITS, tokens)
            return _refused(Why.COSTLY_WHEN_SCARCE)
        case Level.WARN:
            most = room if operation.kind is OperationKind.ANSWER else min(room, budget.up_to(LARGE))
            return _shortened(operation.kind, tokens, most, Why.LARGE_WHEN_LOW if most < room else Why.TOO_LARGE_TO_FIT)
        case Level.FREE:
            return _shortened(operation.kind, tokens, room, Why.TOO_LARGE_TO_FIT)
        case _:
            assert_never(level)


def _room(budget: Budget, used: int, kind: OperationKind, cheap: int) -> int:
    """What fits: input up to where the conversation would have to stop (what is cheap a little beyond), an answer to the window's end."""
    left = budget.left(used)
    if kind is OperationKind.ANSWER:
        return left + budget.kept_free
    return max(budget.share(budget.stop_at) - 1 - used, min(cheap, left))


def _shortened(kind: OperationKind, tokens: int, most: int, reason: Why) -> Verdict:
    if tokens <= most:
        return Verdict(Answer.ALLOW, Why.FITS, tokens)
    if kind is OperationKind.WHOLE or most <= 0:
        return _refused(reason)
    return Verdict(Answer.EXCERPT, reason, most)


def _refused(reason: Why) -> Verdict:
    return Verdict(Answer.REFUSE, reason, 0)
