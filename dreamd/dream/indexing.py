"""The search index follows what is remembered and what was said: after each dream, and between dreams where none is due."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dreamd.context.headline import asked
from dreamd.context.outcome import came_to
from dreamd.dream.kept import copy_of, reader
from dreamd.dream.progress import Progress, Step, nobody
from dreamd.dream.workshop import Workshop
from dreamd.errors import DreamdError
from dreamd.log import logger
from dreamd.memory.tree import Tree
from dreamd.search.index import SessionDoc, TurnDoc
from dreamd.search.notes import memory_files
from dreamd.search.past import ProjectDoc
from dreamd.state.records import SessionRecord
from dreamd.transcripts.event import Origin, Role

_LONGEST_TEXT = 8_000  # characters of one turn that can be found again


def index_memory(shop: Workshop) -> None:
    """The memory files as they are now."""
    try:
        tree = Tree.read(shop.places.memory_root, shop.config.guards.protect)
        shop.index.update_memory(memory_files(tree))
    except (DreamdError, OSError) as fault:
        logger().warning("index.failed", fault=type(fault).__name__)


def index_sessions(shop: Workshop, watch: Progress = nobody) -> None:
    """Finished sessions as they are now; what cannot be read is logged and tried again the next time."""
    try:
        shop.index.update_projects(ProjectDoc(p.key, p.name, p.root, p.stem) for p in shop.projects.list())
        sessions = shop.sessions.list()
        _follow_sessions(shop, sessions)
        wanted = _wanted(shop, sessions)
        for done, session in enumerate(wanted):
            watch(Step("index", done, len(wanted)))
            _index_session(shop, session)
        gone = shop.index.trim()
        if gone:
            logger().info("index.trimmed", turns=gone)
    except (DreamdError, OSError) as fault:
        logger().warning("index.failed", fault=type(fault).__name__)


def _wanted(shop: Workshop, sessions: Sequence[SessionRecord]) -> list[SessionRecord]:
    now, idle = shop.clock.now(), shop.config.gates.idle
    known = shop.index.indexed_sessions()
    return [
        one
        for one in sessions
        if one.excluded_because is None
        and one.finished(now, idle)
        and known.get(one.name) != _stamp(one)
        and _place(shop, one)
    ]


def _follow_sessions(shop: Workshop, sessions: Sequence[SessionRecord]) -> None:
    """What was indexed leads to where it can be read: the transcript, or its copy; what can be read nowhere any more goes."""
    places = shop.index.places()
    wanted = {one.name: _place(shop, one) for one in sessions if one.name in places and one.excluded_because is None}
    for name, place in places.items():
        now = wanted.get(name)
        if now is None:
            shop.index.remove_session(name)
        elif now != place:
            shop.index.move_session(name, now)


def _place(shop: Workshop, session: SessionRecord) -> str | None:
    """Where a session's words are: its main file, or the copy of it; None where there is neither."""
    if Path(session.path).exists():
        return session.path
    copy = copy_of(session)
    kept = shop.archive.file(copy) if copy else None
    return str(kept) if kept and kept.exists() else None


def _stamp(session: SessionRecord) -> str:
    return f"{session.bytes}:{session.human_turns}"


def _index_session(shop: Workshop, session: SessionRecord) -> None:
    place = _place(shop, session)
    if place is None:
        return
    turns = list(_turns(shop, session, Path(session.path)))
    doc = SessionDoc(
        id=session.name,
        agent=session.agent,
        project=session.project.name if session.project else "",
        project_key=session.project.key if session.project else "",
        path=place,
        cwd=session.cwd or "",
        last_at=session.last_at,
        about=asked(turn.text for turn in turns if turn.role == Role.HUMAN),
        outcome=next(filter(None, (came_to(turn.text) for turn in reversed(turns) if turn.role == Role.ASSISTANT)), ""),
    )
    shop.index.update_session(doc, turns, _stamp(session))


def turn_mark(turn_id: str) -> str:
    """What a turn is called among the tombstones: a line that was forgotten rests on it."""
    return f"turn:{turn_id}"


def _turns(shop: Workshop, session: SessionRecord, path: Path) -> Iterator[TurnDoc]:
    """What can be found; not the turns that something forgotten rests on, nor what was answered to them."""
    hidden = shop.withheld.among(turn_mark(turn.id) for turn in shop.sessions.turns(session.row))
    forgotten = False
    for event in reader(shop, session).read(path):
        if event.role not in (Role.HUMAN, Role.ASSISTANT) or event.origin in (Origin.SIDECHAIN, Origin.SYNTHETIC):
            continue
        forgotten = turn_mark(event.id) in hidden if event.role is Role.HUMAN else forgotten
        if forgotten:
            continue
        text = shop.redactor.redact(event.text).text[:_LONGEST_TEXT]
        if text.strip():
            yield TurnDoc(at=event.at, role=event.role.value, text=text, offset=event.raw.offset)
