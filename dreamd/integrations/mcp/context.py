"""The tool that tells what a session should know: the same briefing as at a session's start, for when that was long ago."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dreamd.briefing.brief import Asked, PartName, brief
from dreamd.integrations.mcp.answer import Answer, lines_of
from dreamd.integrations.mcp.ask import ProjectContext
from dreamd.integrations.mcp.desk import Desk
from dreamd.memory.tree import INDEX

#: What only says how to read the rest: the answer has its own frame.
_FRAME = frozenset({PartName.STATIC})
_OF_THE_PROJECT = frozenset({PartName.PROJECT, PartName.RECENT, PartName.WARNINGS})


def project_context(desk: Desk, ask: ProjectContext) -> Answer:
    """Memory, this project's topic file, the last sessions here."""
    pieces = tuple(_pieces(desk, ask))
    return Answer(
        pieces, "nothing is remembered yet; `dreamd kick` dreams" if not pieces else "ask for more max_tokens"
    )


def _pieces(desk: Desk, ask: ProjectContext) -> Iterator[str]:
    told = brief(desk.loaded, Asked(Path(desk.here), ask.max_tokens))
    own = desk.circle.tells(told.place.root, told.place.directory)
    for part in told.parts:
        if part.name not in _FRAME and (own or part.name not in _OF_THE_PROJECT):
            yield from (line for line in lines_of(part.text.strip("\n")) if desk.tells_line(INDEX, line))
