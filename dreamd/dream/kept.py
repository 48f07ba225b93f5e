"""A session wherever it is kept: its files, or the archived copy of what its agent has deleted."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from dreamd.archive.store import Archive, Stored
from dreamd.dream.workshop import Workshop
from dreamd.state.records import SessionRecord
from dreamd.transcripts.adapter import Adapter, ManySessions, reader_of
from dreamd.transcripts.claude_home import folder_of
from dreamd.transcripts.event import Event, RawPosition

MOVES = "moves"  # the mark's name: a list of [old place, new place], since an import


@dataclass(frozen=True, slots=True)
class KeptReader:
    """Reads one session's files where they are, else out of its copy; events name the place that the file had."""

    adapter: Adapter
    session_id: str
    archive: Archive
    copy: Stored | None
    root: Path
    main: Path  # the session's main transcript

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events of a file of the session. Raises OSError or TranscriptError where neither it nor a copy can be read."""
        reader = reader_of(self.adapter, self.session_id)
        if self.copy is None or _is_there(self.adapter, path, self.session_id):
            yield from reader.read(path, start=start, end=end)
            return
        # The agent may have moved the main transcript since the copy was made; in the copy it is the first.
        name = "" if path == self.main else path.relative_to(self.root).as_posix()
        beside = isinstance(self.adapter, ManySessions)  # what lies beside the main transcript may be needed to read it
        with self.archive.unpacked(self.copy, name, beside=beside) as unpacked:
            for event in reader.read(unpacked, start=start, end=end):
                yield replace(event, raw=RawPosition(str(path), event.raw.offset))


def reader(shop: Workshop, session: SessionRecord) -> KeptReader:
    """What reads this session."""
    adapter = shop.adapters[session.agent]
    return KeptReader(adapter, session.id, shop.archive, copy_of(session), Path(session.root), Path(session.path))


def readable(shop: Workshop, session: SessionRecord) -> bool:
    """Whether there is something to read: its main file, or a copy of it."""
    copy = copy_of(session)
    there = _is_there(shop.adapters[session.agent], Path(session.path), session.id)
    return there or (copy is not None and shop.archive.file(copy).exists())


def is_there(shop: Workshop, session: SessionRecord, path: Path) -> bool:
    """Whether a file of a session is where it was, and the session still in it."""
    return _is_there(shop.adapters[session.agent], path, session.id)


def is_shared(shop: Workshop, session: SessionRecord) -> bool:
    """Whether a session is rows of a database that others share."""
    adapter = shop.adapters.get(session.agent)
    return isinstance(adapter, ManySessions) and adapter.is_shared(Path(session.path))


def _is_there(adapter: Adapter, path: Path, session_id: str) -> bool:
    if not path.exists():
        return False
    if not isinstance(adapter, ManySessions) or not adapter.is_shared(path):
        return True
    return any(one.session_id == session_id for one in adapter.files_in(path))


def copy_of(session: SessionRecord) -> Stored | None:
    """The session's archived copy as the archive names it; None where it has none."""
    if session.archive_path is None or session.archive_digest is None:
        return None
    return Stored(session.archive_path, session.archive_digest, bytes=0, compressed=0)


def folders_now(shop: Workshop, session: SessionRecord) -> dict[str, str]:
    """The directory that a session stood in on another machine → where its agent looks for it on this one.

    Only where the machine's places are known to have moved, and the client's own naming says so beyond doubt.
    """
    if session.agent != "claude-code" or not session.cwd:
        return {}
    now = folder_of(session.cwd)
    moves = json.loads(shop.marks.text(MOVES) or "[]")
    old_names = {folder_of(old) + now[len(folder_of(new)) :] for old, new in moves if now.startswith(folder_of(new))}
    return {name: now for name in old_names if name != now}


def files_of(shop: Workshop, session: SessionRecord) -> list[Path]:
    """What belongs to a session: main transcripts, then what lies beside them and is theirs alone, then other files."""
    known = [one for one in shop.sessions.files(session.row) if one.lost_at is None]
    mains = dict.fromkeys([Path(session.path), *(Path(one.path) for one in known if one.kind == "main")])
    adapter = shop.adapters[session.agent]
    beside = [path for main in mains for path in adapter.belongings(main, session.id)]
    first, *others = mains
    below = Path(session.root)
    return [
        path
        for path in dict.fromkeys([first, *beside, *others, *(Path(one.path) for one in known)])
        if path.is_relative_to(below)
    ]


def in_use(shop: Workshop, now: dt.datetime) -> Callable[[SessionRecord], bool]:
    """Whether a running client has a session open; each source is asked once."""

    @cache
    def live(agent: str, root: str) -> frozenset[str]:
        adapter = shop.adapters.get(agent)
        return adapter.live_sessions(Path(root), now) if adapter else frozenset()

    return lambda session: session.id in live(session.agent, session.root)
