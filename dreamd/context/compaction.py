"""Compaction in four steps: analyse, order, summarise, replace; what the person typed stays, and there is progress or an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dreamd.context.budget import Budget
from dreamd.context.message import Message
from dreamd.context.tokens import estimate as by_bytes
from dreamd.errors import EngineError

MAX_LINES = 200  # of a summary
MAX_TYPED = 2_000  # characters of a person's turn that stay verbatim; of a longer paste an excerpt does
TARGET = 0.50  # share of the working budget used at most afterwards

#: The one call of a compaction: messages (already shortened to fit) → at most 200 lines.
Summarise = Callable[[Sequence[Message]], str]
Estimate = Callable[[str], int]


class CompactionFailed(EngineError):  # noqa: N818 - as OutOfTokens
    """Compaction freed nothing, or not enough: what is left is a person's own words, or cannot be made shorter."""

    code: ClassVar[str] = "compaction_failed"


@dataclass(frozen=True, slots=True)
class Compacted:
    """A conversation made short. Tokens are without the system prompt, by the caller's estimate."""

    messages: tuple[Message, ...]
    before: int  # tokens
    after: int  # tokens
    summary_lines: int
    fell_back: bool  # the summary call failed and the extractive summary serves


def compact(
    messages: Sequence[Message],
    budget: Budget,
    summarise: Summarise | None = None,
    estimate: Estimate = by_bytes,
) -> Compacted:
    """The older half becomes one summary at the head with the person's own words under it; the recent half stays.

    `summarise` None, failing, or giving nothing of use: the extractive summary. Raises CompactionFailed where more than half
    of the working budget would still be used or nothing came free.
    """
    raise NotImplementedError
