"""The tool that tells what a session should know: the same briefing as at a session's start, for when that was long ago."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dreamd.briefing.brief import Asked, PartName, brief
from dreamd.integrations.mcp.answer import Answer, lines_of
from dreamd.integrations.mcp.ask import ProjectContext
from dreamd.integrations.mcp.desk import Desk

#: What only says how to read the rest: the answer has its own frame.
_FRAME = frozenset({PartName.STATIC})


def project_context(desk: Desk, ask: ProjectContext) -> Answer:
    """Memory, this project's topic file, the last sessions here."""
    pieces = tuple(_pieces(desk, ask))
    return Answer(
        pieces, "nothing is remembered yet; `dreamd kick` dreams" if not pieces else "ask for more max_tokens"
    )


def _pieces(desk: Desk, ask: ProjectContext) -> Iterator[str]:
    for part in brief(desk.loaded, Asked(Path(desk.here), ask.max_tokens)).parts:
        if part.name not in _FRAME:
            yield from lines_of(part.text.strip("\n"))
