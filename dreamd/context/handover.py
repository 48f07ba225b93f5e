"""What the next session should know of a long one: what it was about, what it left behind, where it stopped, what the person said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dreamd.context import extractive
from dreamd.context.compaction import MAX_TYPED
from dreamd.context.excerpt import excerpt
from dreamd.context.extractive import Extract
from dreamd.context.message import Message, Text
from dreamd.context.sift import shortened


@dataclass(frozen=True, slots=True)
class Handover:
    """A session made short. `said` are the person's turns, verbatim up to 2,000 characters each."""

    about: str  # the first thing that was asked for, on one line
    summary: str  # Markdown with second-level headings
    said: tuple[str, ...]

    def markdown(self) -> Iterator[str]:
        """Line by line, the person's words last."""
        if self.about:
            yield "## What it was about"
            yield self.about
        if self.summary:
            yield from self.summary.split("\n")
        if self.said:
            yield "## What was typed, word for word"
            for number, words in enumerate(self.said, start=1):
                first, *rest = words.split("\n")
                yield f"{number}. {first}"
                yield from (f"   {line}".rstrip() for line in rest)


def handover(messages: Sequence[Message], *, lines: int = extractive.MAX_LINES) -> Handover:
    """A hand-over whose summary has at most `lines` lines; the person's own words do not count among them."""
    said = tuple(
        excerpt(block.text, MAX_TYPED)
        for message in messages
        for block in message.blocks
        if isinstance(block, Text) and block.typed
    )
    found: Extract = extractive.extract(messages)
    about = next((shortened(words) for words in said if words.strip()), "")
    return Handover(about, extractive.render(found, lines=max(0, lines - 2 * bool(about))), said)
