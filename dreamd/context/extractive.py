"""A summary without a model: decisions, values, names, paths, errors that still matter, final answers, in the words they came in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.context.message import Message


@dataclass(frozen=True, slots=True)
class Extract:
    """What a conversation leaves behind, each list in the order it was said and free of repetition."""

    earlier: tuple[str, ...] = ()  # lines of a summary that was there before
    about: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()  # the ones nothing later answered
    answers: tuple[str, ...] = ()  # what each turn came to


def extract(messages: Sequence[Message]) -> Extract:
    """What is worth keeping of these messages; an old summary at their head is folded in."""
    raise NotImplementedError


def summary(messages: Sequence[Message], *, lines: int = 200, size: int | None = None) -> str:
    """A Markdown summary of at most `lines` lines and `size` characters; what matters most is cut last."""
    raise NotImplementedError
