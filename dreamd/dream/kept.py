"""A session wherever it is kept: its files, or the archived copy of what its agent has deleted."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from dreamd.archive import Archive, Stored
from dreamd.dream.workshop import Workshop
from dreamd.state.records import SessionRecord
from dreamd.transcripts.adapter import Reader, reader_of
from dreamd.transcripts.event import Event, RawPosition


@dataclass(frozen=True, slots=True)
class KeptReader:
    """Reads one session's files where they are, else out of its copy; events name the place that the file had."""

    adapter: Reader
    archive: Archive
    copy: Stored | None
    root: Path
    main: Path  # the session's main transcript

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events of a file of the session. Raises OSError or TranscriptError where neither it nor a copy can be read."""
        if self.copy is None or path.exists():
            yield from self.adapter.read(path, start=start, end=end)
            return
        # The agent may have moved the main transcript since the copy was made; in the copy it is the first.
        name = "" if path == self.main else path.relative_to(self.root).as_posix()
        with self.archive.unpacked(self.copy, name) as unpacked:
            for event in self.adapter.read(unpacked, start=start, end=end):
                yield replace(event, raw=RawPosition(str(path), event.raw.offset))


def reader(shop: Workshop, session: SessionRecord) -> KeptReader:
    """What reads this session."""
    theirs = reader_of(shop.adapters[session.agent], session.id)
    return KeptReader(theirs, shop.archive, copy_of(session), Path(session.root), Path(session.path))


def readable(shop: Workshop, session: SessionRecord) -> bool:
    """Whether there is something to read: its main file, or a copy of it."""
    copy = copy_of(session)
    return Path(session.path).exists() or (copy is not None and shop.archive.file(copy).exists())


def copy_of(session: SessionRecord) -> Stored | None:
    """The session's archived copy as the archive names it; None where it has none."""
    if session.archive_path is None or session.archive_digest is None:
        return None
    return Stored(session.archive_path, session.archive_digest, bytes=0, compressed=0)


def files_of(shop: Workshop, session: SessionRecord) -> list[Path]:
    """What belongs to a session: main transcripts, then the directories that bear their names (sub-agents, tool results), then other files."""
    known = [Path(one.path) for one in shop.sessions.files(session.row) if one.lost_at is None]
    main = [Path(session.path), *(path for path in known if path.stem == session.id and path != Path(session.path))]
    below = Path(session.root)
    return [
        path
        for path in dict.fromkeys([main[0], *(path.with_suffix("") for path in main), *main[1:], *known])
        if path.is_relative_to(below)
    ]


def in_use(shop: Workshop, now: dt.datetime) -> Callable[[SessionRecord], bool]:
    """Whether a running client has a session open; each source is asked once."""

    @cache
    def live(agent: str, root: str) -> frozenset[str]:
        adapter = shop.adapters.get(agent)
        return adapter.live_sessions(Path(root), now) if adapter else frozenset()

    return lambda session: session.id in live(session.agent, session.root)
