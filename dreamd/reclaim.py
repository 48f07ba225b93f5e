"""Archived sessions that the database does not know: read from their copies as if their transcripts were still there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from dreamd.app import App, scanner_over
from dreamd.archive.store import Stored
from dreamd.errors import DreamdError
from dreamd.log import logger
from dreamd.sources import Source, sources
from dreamd.state.records import SessionRecord
from dreamd.state.resettlement import lead

_BATCH = 200  # sessions unpacked at once


def reclaim(app: App) -> int:
    """Notes every copy in the archive with its session; sessions without a transcript are made known. How many those were.

    Under the dream lock, after a scan. A copy that cannot be read is passed over and stays.
    """
    by_agent: dict[str, list[Stored]] = defaultdict(list)
    known = {app.shop.archive.place(one.agent, one.id): one for one in app.sessions()}
    for stored in app.shop.archive.stored():
        if (session := known.get(stored.path)) is not None:
            _note(app, session, stored)
        else:
            by_agent[stored.path.partition("/")[0]].append(stored)
    homes = {source.agent: source.root for source in reversed(sources(app.loaded))}
    found = 0
    for agent, copies in by_agent.items():
        for at in range(0, len(copies), _BATCH) if agent in homes else ():
            found += _read(app, agent, homes[agent], copies[at : at + _BATCH])
    return found


def _read(app: App, agent: str, home: Path, copies: Sequence[Stored]) -> int:
    """One batch: unpacked, scanned under the very rules of a transcript, then led to where the transcripts were."""
    shop = app.shop
    before = {one.name for one in app.sessions()}
    with _unpacked(app, copies) as root:
        scanner_over(app.loaded, shop.database, [Source(agent, root)]).scan(shop.clock.now())
    lead(shop.database, [(str(root), str(home))])
    places = {one.path: one for one in copies}
    made = [one for one in app.sessions() if one.name not in before]
    for session in made:
        if (stored := places.get(shop.archive.place(session.agent, session.id))) is not None:
            _note(app, session, stored)
    return len(made)


@contextlib.contextmanager
def _unpacked(app: App, copies: Sequence[Stored]) -> Iterator[Path]:
    """The files of several copies below one directory, with the times they had."""
    archive = app.shop.archive
    with tempfile.TemporaryDirectory(prefix=".dreamd-", dir=app.shop.places.archive) as scratch:
        root = Path(os.path.realpath(scratch))
        for stored in copies:
            try:
                archive.restore(stored, root)
                for member in archive.members(stored):
                    os.utime(root / member.name, ns=(member.mtime_ns, member.mtime_ns))
            except (DreamdError, OSError) as fault:
                logger().warning("copy.unread", path=stored.path, fault=type(fault).__name__)
        yield root


def _note(app: App, session: SessionRecord, stored: Stored) -> None:
    if session.archive_path is None and session.excluded_because != "forgotten":
        app.shop.sessions.archived(session.row, path=stored.path, digest=stored.digest, now=app.shop.clock.now())
