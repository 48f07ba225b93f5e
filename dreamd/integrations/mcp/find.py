"""The tools that search: lines of memory, and turns of past sessions."""

from __future__ import annotations

import contextlib
import datetime as dt

from dreamd.briefing.circle import LOOKED_AT
from dreamd.clock import SystemClock
from dreamd.errors import DreamdError
from dreamd.integrations.mcp.answer import Answer
from dreamd.integrations.mcp.ask import SearchMemory, SearchSessions
from dreamd.integrations.mcp.desk import Desk
from dreamd.memory.tree import Tree
from dreamd.search.notes import memory_files
from dreamd.search.past import Past
from dreamd.search.query import Hit

_SPEAKER = {"human": "the person", "assistant": "the agent"}


def search_memory(desk: Desk, ask: SearchMemory) -> Answer:
    """Lines of MEMORY.md and its topic files, with file and line."""
    _follow(desk)
    hits, hint = _hits(desk, ask.query, "memory", ask.limit)
    root = desk.loaded.places.memory_root
    return Answer(
        tuple(f"{root / hit.path}:{hit.line}  {hit.text}" for hit in hits),
        hint if not hits else "ask with rarer words, or read the file",
    )


def search_sessions(desk: Desk, ask: SearchSessions) -> Answer:
    """Turns of past sessions, with day, project and session."""
    since = SystemClock().now() - dt.timedelta(days=ask.days) if ask.days else None
    hits, hint = _hits(desk, ask.query, "sessions", ask.limit, project=ask.project or None, since=since)
    return Answer(tuple(map(_turn, hits)), hint if not hits else "ask with rarer words, a project or days")


def _hits(
    desk: Desk, query: str, where: str, limit: int, *, project: str | None = None, since: dt.datetime | None = None
) -> tuple[list[Hit], str]:
    result = desk.index.query(query, where=where, project=project, since=since, limit=limit * LOOKED_AT)
    past = Past(desk.loaded.places.search)
    hits = [hit for hit in result.hits if desk.circle.tells_hit(hit, past)][:limit]
    return hits, result.hint or "nothing found; try other words"


def _turn(hit: Hit) -> str:
    day = hit.at.astimezone().strftime("%Y-%m-%d %H:%M") if hit.at else "undated"
    session = (hit.session or "").rsplit(":", 1)[-1]
    often = f", {hit.times} times" if hit.times > 1 else ""
    speaker = _SPEAKER.get(hit.role or "", hit.role)
    return f"{day} {hit.project or 'no project'}, {speaker} (session {session}{often}): {hit.text}"


def _follow(desk: Desk) -> None:
    """Takes in what a person edited since the last dream; nothing is written where nothing changed, and no index is made."""
    if desk.index.needs_rebuild:
        return
    with contextlib.suppress(DreamdError):
        desk.index.update_memory(
            memory_files(Tree.read(desk.loaded.places.memory_root, desk.loaded.config.guards.protect))
        )
