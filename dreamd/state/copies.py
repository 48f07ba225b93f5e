"""Archived copies and the files they are copies of: which session needs one, whose file may go, whose copy."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, exists, func, or_, select, update

from dreamd.state.chunks import chunks
from dreamd.state.records import Excluded, SessionRecord
from dreamd.state.schema import files, sessions
from dreamd.state.session_rows import read_sessions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import ColumnElement

    from dreamd.state.database import Database

#: Sessions that must not be kept, and dreamd's own.
_NOT_KEPT: Final = frozenset({Excluded.FORGOTTEN, Excluded.PROJECT, Excluded.GLOB, Excluded.OWN})
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class Copies:
    """What the archive holds of the sessions, as far as the database knows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def wanting(self, quiet_since: dt.datetime) -> tuple[SessionRecord, ...]:
        """Sessions quiet since then whose present bytes have no copy, longest quiet first; never those that must not be kept.

        A copy that was given up for space is wanted again only when its session grows.
        """
        return self._sessions(_WANTING, sessions.c.quiet_at <= quiet_since)

    def consolidated(self, quiet_since: dt.datetime) -> tuple[SessionRecord, ...]:
        """Sessions quiet since then, dreamt of to the last turn, with a copy and a main file that is still there and theirs alone."""
        other = files.alias("other")
        shared = exists().where(
            files.c.session == sessions.c.id, other.c.path == files.c.path, other.c.native_id != files.c.native_id
        )
        return self._sessions(_DREAMT_OF, _COPIED_AS_IT_IS, _there(), ~shared, sessions.c.quiet_at <= quiet_since)

    def expendable(self) -> tuple[SessionRecord, ...]:
        """Sessions with a copy and nothing unread in them, longest quiet first."""
        return self._sessions(_COPIED, sessions.c.unread == 0, sessions.c.quarantined_at.is_(None))

    def touched(self, rows: Collection[int]) -> Mapping[int, dt.datetime]:
        """When the main file of each session was last changed by its mtime, the oldest of several; without those that are gone."""
        oldest = func.min(files.c.mtime_ns)
        found: dict[int, dt.datetime] = {}
        with self._database.read() as connection:
            for piece in chunks(sorted(rows)):
                query = (
                    select(files.c.session, oldest).where(files.c.session.in_(piece), _MAIN).group_by(files.c.session)
                )
                found.update((row, _moment(mtime_ns)) for row, mtime_ns in connection.execute(query))
        return found

    def expiring(self, agent: str, root: str, touched_before: dt.datetime) -> int:
        """How many sessions of a source have unread turns, no copy of them, and a file not changed since then."""
        limit = int(touched_before.timestamp()) * 1_000_000_000
        query = select(func.count()).where(
            sessions.c.agent == agent,
            sessions.c.root == root,
            sessions.c.unread > 0,
            _WANTING,
            exists().where(files.c.session == sessions.c.id, _MAIN, files.c.mtime_ns <= limit),
        )
        with self._database.read() as connection:
            return int(connection.scalar(query.select_from(sessions)) or 0)

    def sources(self) -> frozenset[tuple[str, str]]:
        """Agent and root of every session known."""
        with self._database.read() as connection:
            rows = connection.execute(select(sessions.c.agent, sessions.c.root).distinct())
            return frozenset((agent, root) for agent, root in rows)

    def gave_up(self, row: int, now: dt.datetime) -> None:
        """Notes that a copy was deleted for space; a session without any file left is lost from then on."""
        with self._database.write() as connection:
            connection.execute(
                update(sessions)
                .where(sessions.c.id == row)
                .values(archive_path=None, archive_digest=None, archived_at=None, trimmed_at=now)
            )
            connection.execute(
                update(sessions)
                .where(sessions.c.id == row, sessions.c.lost_at.is_(None), ~_there())
                .values(lost_at=now)
            )

    def _sessions(self, *conditions: ColumnElement[bool]) -> tuple[SessionRecord, ...]:
        with self._database.read() as connection:
            return read_sessions(connection, *conditions)


def _moment(mtime_ns: int) -> dt.datetime:
    return _EPOCH + dt.timedelta(microseconds=mtime_ns // 1000)


def _there() -> ColumnElement[bool]:
    return exists().where(files.c.session == sessions.c.id, _MAIN)


_MAIN = and_(files.c.kind == "main", files.c.lost_at.is_(None), files.c.mtime_ns.is_not(None))
_COPIED = sessions.c.archived_at.is_not(None)
_COPIED_AS_IT_IS = and_(_COPIED, or_(sessions.c.grown_at.is_(None), sessions.c.grown_at < sessions.c.archived_at))
_DREAMT_OF = and_(
    sessions.c.unread == 0,
    sessions.c.excluded.is_(None),
    sessions.c.quarantined_at.is_(None),
    sessions.c.lost_at.is_(None),
)
_WANTING = and_(
    or_(sessions.c.archived_at.is_(None), sessions.c.grown_at >= sessions.c.archived_at),
    or_(sessions.c.trimmed_at.is_(None), sessions.c.grown_at > sessions.c.trimmed_at),
    or_(sessions.c.excluded.is_(None), sessions.c.excluded.not_in(sorted(_NOT_KEPT))),
    sessions.c.lost_at.is_(None),
    sessions.c.bytes > 0,
)
