"""Finished transcripts kept: a verified copy of each before its agent deletes it, and what of originals and copies may go."""

from __future__ import annotations

import contextlib
import datetime as dt
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from dreamd.archive.originals import Seen, delete
from dreamd.archive.packed import TranscriptChanged
from dreamd.dream.deadlines import LAST_CALL, deadlines
from dreamd.dream.kept import copy_of, files_of, in_use, is_shared
from dreamd.dream.lock import dream_lock
from dreamd.dream.progress import Progress, Step, nobody
from dreamd.dream.workshop import Workshop
from dreamd.errors import DreamdError, LockHeld
from dreamd.log import logger
from dreamd.state.records import SessionRecord
from dreamd.transcripts.adapter import ManySessions
from dreamd.transcripts.event import FileStamp


def archive(shop: Workshop, watch: Progress) -> None:
    """Copies what is due, then deletes what the configuration lets go: by default nothing. Only under the dream lock."""
    settings = shop.config.transcripts
    if settings.archive_after is not None:
        _copy(shop, _due(shop), watch)
        if settings.originals == "delete":
            _delete_originals(shop)
    if settings.archive_max is not None:
        _trim(shop, settings.archive_max)


def rescue(shop: Workshop, watch: Progress = nobody) -> int:
    """Copies what its agent deletes within `LAST_CALL`, without a dream, whatever the gates say; returns how many sessions.

    Nothing happens while another process dreams: that one does it.
    """
    due = last_call(shop)
    if due:
        with contextlib.suppress(LockHeld), _dream_lock(shop):
            _copy(shop, due, watch)
    return len(due)


def copy_finished(shop: Workshop, watch: Progress) -> None:
    """Copies every finished session that has no copy of what it holds now. Only under the dream lock."""
    _copy(shop, _finished(shop)[1], watch)


def last_call(shop: Workshop) -> list[SessionRecord]:
    """Finished sessions without a copy that their agent deletes within `LAST_CALL`; the soonest first."""
    until, finished = _finished(shop)
    return [one for one in finished if until[one.row] <= shop.clock.now() + LAST_CALL]


def _due(shop: Workshop) -> list[SessionRecord]:
    """Sessions without a copy that are quiet for `archive_after`, and those of the last call; the soonest deleted first."""
    now, after = shop.clock.now(), shop.config.transcripts.archive_after
    until, finished = _finished(shop)
    return [one for one in finished if after and (one.quiet_at <= now - after or until[one.row] <= now + LAST_CALL)]


def _finished(shop: Workshop) -> tuple[Mapping[int, dt.datetime], list[SessionRecord]]:
    """Finished sessions without a copy that no client has open, the soonest deleted first, and when each is deleted."""
    if shop.config.transcripts.archive_after is None:
        return {}, []
    now = shop.clock.now()
    finished = shop.copies.wanting(now - shop.config.gates.idle)
    until = deadlines(shop, finished)
    opened = in_use(shop, now)
    return until, sorted((one for one in finished if not opened(one)), key=lambda one: until[one.row])


def _dream_lock(shop: Workshop) -> AbstractContextManager[object]:
    return dream_lock(shop.places.default_state_dir, shop.places.memory_root, now=shop.clock.now())


def _copy(shop: Workshop, due: list[SessionRecord], watch: Progress) -> None:
    for done, session in enumerate(due):
        watch(Step("archive", done, len(due)))
        try:
            with _to_copy(shop, session) as (files, root):
                stored = shop.archive.store(session.agent, session.id, files, root, earlier=copy_of(session))
        except (DreamdError, OSError) as fault:
            logger().warning("session.unarchived", session=session.id, fault=type(fault).__name__)
            continue
        shop.sessions.archived(session.row, path=stored.path, digest=stored.digest, now=shop.clock.now())
        logger().debug("session.archived", session=session.id, bytes=stored.bytes, compressed=stored.compressed)


@contextlib.contextmanager
def _to_copy(shop: Workshop, session: SessionRecord) -> Iterator[tuple[list[Path], Path]]:
    """The files that a copy is made of, and what their names are relative to; of a session that is rows, these as a file."""
    if not is_shared(shop, session):
        yield files_of(shop, session), Path(session.root)
        return
    adapter = shop.adapters[session.agent]
    assert isinstance(adapter, ManySessions)  # else it shares nothing
    with tempfile.TemporaryDirectory(dir=shop.places.state_dir, prefix=".dreamd-") as scratch:
        path = Path(scratch, f"{session.id}.db")
        adapter.carry_out(Path(session.path), session.id, path)
        yield [path], Path(scratch)


def _delete_originals(shop: Workshop) -> None:
    """The agent's own files of sessions that were dreamt of to the last turn and quiet for `archive_after`; rows stay.

    Each copy is read back and compared with the files right before; a file that is open, or that changed since, stays.
    """
    now, after = shop.clock.now(), shop.config.transcripts.archive_after
    if after is None:
        return
    opened = in_use(shop, now)
    quiet = shop.copies.consolidated(now - max(after, shop.config.gates.idle))
    touched = shop.copies.touched({one.row for one in quiet})  # one that was restored is about to be gone on with
    for session in quiet:
        copy = copy_of(session)
        if copy is None or is_shared(shop, session) or opened(session) or touched[session.row] > now - after:
            continue
        try:
            files = files_of(shop, session)
            seen = shop.archive.proven(copy, files, Path(session.root))
            if not seen or not _as_counted(shop, session, seen):
                raise TranscriptChanged("the copy is not all of the session", hint="it is copied again")
            delete(seen, [path for path in files if path.is_dir()])
        except (DreamdError, OSError) as fault:
            logger().warning("original.kept", session=session.id, fault=type(fault).__name__)
            continue
        logger().info("original.deleted", session=session.id, files=len(seen), bytes=sum(one.size for one in seen))


def _as_counted(shop: Workshop, session: SessionRecord, seen: Sequence[Seen]) -> bool:
    """Whether every transcript is what the scan has read to its end: what came after it was not dreamt of."""
    found = {str(one.path): FileStamp(one.size, one.mtime_ns, one.inode) for one in seen}
    adapter = shop.adapters[session.agent]
    if isinstance(adapter, ManySessions):
        found |= {one.path: one.stamp for one in adapter.files_in(Path(session.path))}
    known = {one.path: one for one in shop.sessions.files(session.row) if one.lost_at is None}
    return all(
        path in found and one.cursor.stamp == found[path] and (one.settled or one.cursor.consumed >= found[path].size)
        for path, one in known.items()
    )


def _trim(shop: Workshop, limit: int) -> None:
    """Copies of sessions with nothing unread, longest quiet first, until the archive fits; an unread one never goes."""
    before = total = shop.archive.total_bytes()
    gone = 0
    for session in shop.copies.expendable() if total > limit else ():
        if total <= limit:
            break
        copy = copy_of(session)
        if copy is None:
            continue
        try:
            size = shop.archive.size(copy)
            shop.archive.remove(copy)
        except DreamdError as fault:
            logger().warning("copy.kept", session=session.id, fault=type(fault).__name__)
            continue
        shop.copies.gave_up(session.row, shop.clock.now())
        gone += 1
        total -= size
    if gone:
        logger().info("archive.trimmed", copies=gone, bytes=before - total, left=total, limit=limit)
    if total > limit:
        logger().warning("archive.held", bytes=total, limit=limit)
