"""Which sessions have something to learn: the gate's count, and the choice of what to read."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select

from dreamd.state.records import Pending, SessionRecord, TurnRecord
from dreamd.state.schema import PENDING, sessions
from dreamd.state.session_rows import read_sessions, read_turns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Select, TextClause

#: The gate counts no further: what is asked is whether there are enough, within milliseconds.
COUNT_LIMIT: Final = 1_000


def ripe_lineages(finished: dt.datetime) -> Select[str]:
    """The lineages with unread turns of a person in a session that is quiet since `finished`."""
    return select(sessions.c.lineage).where(PENDING, sessions.c.quiet_at <= finished).distinct()


def count_lineages(connection: Connection, finished: dt.datetime) -> int:
    """How many lineages are ripe, counted to COUNT_LIMIT, from the index alone."""
    ripe = ripe_lineages(finished).limit(COUNT_LIMIT).subquery()
    return int(connection.scalar(select(func.count()).select_from(ripe)) or 0)


def ripening(connection: Connection, finished: dt.datetime, limit: int) -> tuple[dt.datetime, ...]:
    """When the next unripe lineages fell quiet, soonest first; add the idle time to know when each will be ripe."""
    quiet = func.min(sessions.c.quiet_at)
    ripe = ripe_lineages(finished)
    query = (
        select(quiet)
        .where(PENDING, sessions.c.quiet_at > finished, sessions.c.lineage.not_in(ripe))
        .group_by(sessions.c.lineage)
        .order_by(quiet)
        .limit(limit)
    )
    return tuple(connection.scalars(query))


def choose(connection: Connection, finished: dt.datetime, limit: int | None) -> tuple[Pending, ...]:
    """At most `limit` sessions to read, the longest quiet lineage first.

    Of each lineage the session that holds most of its unread turns, copies included, and further ones only for turns
    that stand in no session chosen before: no turn is read twice.
    """
    quiet = func.min(sessions.c.quiet_at)
    lineages = connection.scalars(
        select(sessions.c.lineage)
        .where(PENDING, sessions.c.quiet_at <= finished)
        .group_by(sessions.c.lineage)
        .order_by(quiet, sessions.c.lineage)
        .limit(limit)
    ).all()
    rank = {lineage: number for number, lineage in enumerate(lineages)}
    ripe: list[ColumnElement[bool] | TextClause] = [PENDING, sessions.c.quiet_at <= finished]
    if limit is not None:
        ripe.append(sessions.c.lineage.in_(lineages))
    found = list(read_sessions(connection, *ripe))
    unread = read_turns(connection, [one.row for one in found], unread=True)
    found.sort(key=lambda one: (rank[one.lineage], -len(unread.get(one.row, ())), one.quiet_at, one.row))
    return tuple(_cover(found, unread))[:limit]


def _cover(found: Sequence[SessionRecord], unread: Mapping[int, Sequence[TurnRecord]]) -> Iterator[Pending]:
    covered: set[int] = set()
    for session in found:
        fresh = tuple(turn for turn in unread.get(session.row, ()) if turn.row not in covered)
        covered.update(turn.row for turn in fresh)
        if fresh:
            yield Pending(session, fresh)
