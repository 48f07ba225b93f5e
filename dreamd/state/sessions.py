"""The sessions dreamd knows: found, listed, chosen, archived, put aside."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, case, delete, func, or_, select, update

from dreamd.errors import UsageError
from dreamd.state import pending, tally
from dreamd.state.chunks import chunks
from dreamd.state.records import Excluded, FileRecord, Pending, SessionCounts, SessionRecord, SessionState, TurnRecord
from dreamd.state.schema import findings, places, sessions, turns
from dreamd.state.session_rows import read_files, read_sessions, read_turns
from dreamd.state.turn_places import sharing_turns

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import ColumnElement

    from dreamd.state.database import Database

#: A session that failed so often by its own fault is put aside.
QUARANTINE_AFTER: Final = 3


class Sessions:
    """Sessions by row, id or state."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, *, agent: str | None = None) -> tuple[SessionRecord, ...]:
        """All sessions, those quiet for longest first."""
        conditions = [] if agent is None else [sessions.c.agent == agent]
        with self._database.read() as connection:
            return read_sessions(connection, *conditions)

    def get(self, name: str) -> SessionRecord:
        """The session with this id, "agent:id", or unique beginning of either. Raises UsageError for none or several."""
        agent, colon, native = name.partition(":")
        ids = sessions.c.native_id.startswith(name, autoescape=True)
        if colon:
            ids = or_(ids, and_(sessions.c.agent == agent, sessions.c.native_id.startswith(native, autoescape=True)))
        with self._database.read() as connection:
            found = read_sessions(connection, ids) if name else ()
        exact = [one for one in found if name in {one.id, one.name}]
        # SQLite's LIKE does not heed case, ids do.
        near = exact or [one for one in found if one.id.startswith(name) or one.name.startswith(name)]
        if len(near) == 1:
            return near[0]
        if near:
            raise UsageError(
                f"{len(near)} sessions begin with {name}", hint="give more of the id; `dreamd sessions` shows them"
            )
        raise UsageError(f"no session {name or 'without an id'} is known", hint="`dreamd sessions` shows them")

    def by_rows(self, rows: Collection[int]) -> tuple[SessionRecord, ...]:
        """The sessions with these rows."""
        with self._database.read() as connection:
            return tuple(
                one for piece in chunks(sorted(rows)) for one in read_sessions(connection, sessions.c.id.in_(piece))
            )

    def turns(self, row: int, *, unread: bool = False) -> tuple[TurnRecord, ...]:
        """A person's turns in a session, copies included, in file order; `unread`: those not consolidated only."""
        with self._database.read() as connection:
            return tuple(read_turns(connection, [row], unread=unread).get(row, ()))

    def files(self, row: int) -> tuple[FileRecord, ...]:
        """The session's files, main ones first."""
        with self._database.read() as connection:
            return read_files(connection, row)

    def pending_lineages(self, now: dt.datetime, idle: dt.timedelta) -> int:
        """How many lineages have finished sessions with unread turns (the sessions gate); at most 1,000."""
        with self._database.read() as connection:
            return pending.count_lineages(connection, now - idle)

    def unread_mark(self) -> str:
        """Something that changes whenever a turn comes that a dream has not read, or one is read."""
        unread = select(func.count(), func.max(turns.c.id)).where(turns.c.consolidated_run.is_(None))
        with self._database.read() as connection:
            count, newest = connection.execute(unread).one()
            return f"{count}:{newest}"

    def ripening(self, now: dt.datetime, idle: dt.timedelta, limit: int) -> tuple[dt.datetime, ...]:
        """When the next lineages that are still live will count for the gate if nothing comes to them, soonest first."""
        with self._database.read() as connection:
            return tuple(one + idle for one in pending.ripening(connection, now - idle, limit))

    def pending(self, now: dt.datetime, idle: dt.timedelta, limit: int | None = None) -> tuple[Pending, ...]:
        """What a dream should read, longest quiet first; no turn stands in two of them."""
        with self._database.read() as connection:
            return pending.choose(connection, now - idle, limit)

    def counts(self, now: dt.datetime, idle: dt.timedelta) -> SessionCounts:
        """How many sessions stand where."""
        state = _state(now - idle)
        with self._database.read() as connection:
            numbers = dict(connection.execute(select(state, func.count()).group_by(state)).all())
            archived = connection.scalar(select(func.count()).where(sessions.c.archived_at.is_not(None)))
        return SessionCounts(seen=sum(numbers.values()), archived=archived or 0, **numbers)

    def archivable(self, quiet_since: dt.datetime, limit: int | None = None) -> tuple[SessionRecord, ...]:
        """Sessions quiet since then whose present bytes have no archived copy; never those that must not be kept."""
        stale = or_(sessions.c.archived_at.is_(None), sessions.c.grown_at > sessions.c.archived_at)
        kept = or_(sessions.c.excluded.is_(None), sessions.c.excluded == Excluded.COPY)
        with self._database.read() as connection:
            return read_sessions(
                connection, stale, kept, sessions.c.quiet_at <= quiet_since, sessions.c.lost_at.is_(None), limit=limit
            )

    def archived(self, row: int, *, path: str, digest: str, now: dt.datetime) -> None:
        """Notes a verified copy; a session with a copy is not lost when its files go."""
        with self._database.write() as connection:
            connection.execute(
                update(sessions)
                .where(sessions.c.id == row)
                .values(archive_path=path, archive_digest=digest, archived_at=now, lost_at=None)
            )

    def unarchived(self, row: int) -> None:
        """Notes that the copy is gone."""
        with self._database.write() as connection:
            connection.execute(
                update(sessions)
                .where(sessions.c.id == row)
                .values(archive_path=None, archive_digest=None, archived_at=None)
            )

    def failed(self, row: int, *, reason: str, now: dt.datetime) -> bool:
        """Counts a failure that was the session's own fault. True: that was one too many, it is quarantined."""
        with self._database.write() as connection:
            connection.execute(update(sessions).where(sessions.c.id == row).values(failures=sessions.c.failures + 1))
            return bool(
                connection.execute(
                    update(sessions)
                    .where(
                        sessions.c.id == row,
                        sessions.c.failures >= QUARANTINE_AFTER,
                        sessions.c.quarantined_at.is_(None),
                    )
                    .values(quarantined_at=now, quarantine_reason=reason)
                ).rowcount
            )

    def release(self, row: int) -> None:
        """Takes a session out of quarantine."""
        with self._database.write() as connection:
            connection.execute(
                update(sessions)
                .where(sessions.c.id == row)
                .values(quarantined_at=None, quarantine_reason=None, failures=0)
            )

    def forget(self, rows: Collection[int], now: dt.datetime) -> None:
        """Deletes the findings of sessions and learns nothing of their turns again, in no copy of them either."""
        with self._database.write() as connection:
            for piece in chunks(sorted(rows)):
                theirs = select(places.c.turn).where(places.c.session.in_(piece))
                uids = select(turns.c.uid).where(turns.c.id.in_(theirs))
                connection.execute(
                    delete(findings).where(or_(findings.c.session.in_(piece), findings.c.turn_uid.in_(uids)))
                )
                connection.execute(
                    update(turns)
                    .where(turns.c.id.in_(theirs), turns.c.consolidated_run.is_(None))
                    .values(consolidated_run=Excluded.FORGOTTEN.value)
                )
                connection.execute(
                    update(sessions)
                    .where(sessions.c.id.in_(piece))
                    .values(
                        forgotten_at=now,
                        barred=Excluded.FORGOTTEN.value,
                        archive_path=None,
                        archive_digest=None,
                        archived_at=None,
                    )
                )
                tally.judge(connection, sharing_turns(connection, piece))


def _state(finished: dt.datetime) -> ColumnElement[str]:
    """SessionRecord.state in SQL; a test holds the two equal."""
    unread = sessions.c.unread > 0
    here = sessions.c.lost_at.is_(None)
    return case(
        (sessions.c.excluded.is_not(None), SessionState.EXCLUDED.value),
        (sessions.c.quarantined_at.is_not(None), SessionState.QUARANTINED.value),
        (and_(~here, unread), SessionState.LOST.value),
        (and_(here, sessions.c.quiet_at > finished), SessionState.LIVE.value),
        (~unread, SessionState.CONSOLIDATED.value),
        (sessions.c.gathered >= sessions.c.unread, SessionState.GATHERED.value),
        else_=SessionState.PENDING.value,
    )
