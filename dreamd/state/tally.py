"""A session's own numbers, summed up from its files and turns whenever one of them changes."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from sqlalchemy import and_, bindparam, case, exists, func, or_, select, update

from dreamd.state.chunks import chunks
from dreamd.state.exclusion import SessionFacts
from dreamd.state.records import Excluded
from dreamd.state.schema import files, gathered, places, projects, sessions, turns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from dreamd.state.columns import AnyRow
    from dreamd.state.exclusion import Rules

_HOLDER = sessions.alias("holder")
#: What was read of a file is more than its size where that is packed, or no size at all (rows of a database).
_BYTES = case((files.c.consumed > files.c.size, files.c.consumed), else_=files.c.size)


def sum_files(connection: Connection, rows: Iterable[int], now: dt.datetime) -> None:
    """Brings what sessions say of their files' bytes, lines, tokens and times up to date.

    A file that is gone counts no more where the session goes on in another one; where none is left, the last numbers stand.
    """
    other = files.alias("other")
    goes_on = exists().where(
        other.c.session == files.c.session,
        other.c.kind == "main",
        other.c.lost_at.is_(None),
    )
    there = or_(files.c.lost_at.is_(None), ~goes_on)
    for piece in chunks(sorted(set(rows))):
        sums = connection.execute(
            select(
                files.c.session.label("row"),
                func.coalesce(func.sum(_BYTES), 0).label("bytes"),
                func.sum(files.c.bad_lines).label("bad_lines"),
                func.sum(files.c.oversized_lines).label("oversized_lines"),
                func.sum(files.c.tokens_in).label("tokens_in"),
                func.sum(files.c.tokens_out).label("tokens_out"),
                func.min(files.c.first_at).label("first_at"),
                func.max(files.c.last_at).label("last_at"),
                func.max(files.c.grown_at).label("grown_at"),
                func.min(files.c.seen_at).label("seen_at"),
            )
            .where(files.c.session.in_(piece), there)
            .group_by(files.c.session)
        ).all()
        unknown = _unknown_types(connection, piece)
        values = [
            {
                "b_row": one.row,
                "bytes": int(one.bytes),
                "bad_lines": int(one.bad_lines),
                "oversized_lines": int(one.oversized_lines),
                "tokens_in": int(one.tokens_in),
                "tokens_out": int(one.tokens_out),
                "first_at": one.first_at,
                "last_at": one.last_at,
                "grown_at": one.grown_at,
                "quiet_at": _quiet_at(one, now),
                "unknown_types": unknown[one.row],
            }
            for one in sums
        ]
        if values:
            connection.execute(update(sessions).where(sessions.c.id == bindparam("b_row")), values)


def judge(connection: Connection, rows: Iterable[int], rules: Rules | None = None) -> None:
    """Counts sessions' turns anew and says which sessions are excluded; with rules, these are applied afresh too."""
    for piece in chunks(sorted(set(rows))):
        if rules is not None:
            _bar(connection, piece, rules)
        values = [_judged(one) for one in connection.execute(_counts(piece))]
        if values:
            connection.execute(update(sessions).where(sessions.c.id == bindparam("b_row")), values)


def sharing(connection: Connection, turn_rows: Iterable[int]) -> set[int]:
    """The sessions in which one of these turns stands."""
    found: set[int] = set()
    for piece in chunks(turn_rows):
        found.update(connection.scalars(select(places.c.session).where(places.c.turn.in_(piece)).distinct()))
    return found


def _quiet_at(one: AnyRow, now: dt.datetime) -> dt.datetime:
    first_seen: dt.datetime = one.seen_at
    # A line cannot have been written after it was read: a clock that ran ahead must not keep its session live for ever.
    known: list[dt.datetime] = [min(one.last_at, now)] if one.last_at is not None else []
    if one.grown_at is not None:
        known.append(one.grown_at)
    return max(known) if known else first_seen


def _unknown_types(connection: Connection, piece: list[int]) -> dict[int, Counter[str]]:
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for row, types in connection.execute(
        select(files.c.session, files.c.unknown_types).where(files.c.session.in_(piece))
    ):
        if types:
            found[row].update(types)
    return found


def _bar(connection: Connection, piece: list[int], rules: Rules) -> None:
    found = connection.execute(
        select(
            sessions.c.id,
            sessions.c.agent,
            sessions.c.native_id,
            sessions.c.path,
            sessions.c.root,
            sessions.c.cwd,
            sessions.c.own,
            sessions.c.forgotten_at,
            projects.c.root.label("project_root"),
        )
        .outerjoin(projects, projects.c.id == sessions.c.project)
        .where(sessions.c.id.in_(piece))
    ).all()
    values = []
    for one in found:
        barred = rules.bar(
            SessionFacts(
                agent=one.agent,
                native_id=one.native_id,
                path=one.path,
                root=one.root,
                places=tuple(place for place in (one.cwd, one.project_root) if place),
                own=one.own,
                forgotten=one.forgotten_at is not None,
            )
        )
        values.append({"b_row": one.id, "barred": barred, "with_headless": rules.headless})
    if values:
        connection.execute(update(sessions).where(sessions.c.id == bindparam("b_row")), values)


def _counts(piece: list[int]):  # type: ignore[no-untyped-def] # noqa: ANN202 - a Select of ten columns
    """For each session: its turns, those nobody typed, those that another healthy session holds, unread and gathered."""
    counts = or_(places.c.headless.is_(False), sessions.c.with_headless.is_(True))
    unread = and_(counts, turns.c.consolidated_run.is_(None))
    copied = and_(
        counts, turns.c.session != places.c.session, _HOLDER.c.lost_at.is_(None), _HOLDER.c.excluded.is_(None)
    )
    paid = and_(unread, exists().where(gathered.c.turn == turns.c.id))

    def number(condition: object):  # type: ignore[no-untyped-def] # noqa: ANN202
        return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)  # type: ignore[arg-type]

    return (
        select(
            sessions.c.id,
            sessions.c.barred,
            sessions.c.headless,
            sessions.c.with_headless,
            number(places.c.headless.is_(False)).label("typed"),
            number(and_(places.c.turn.is_not(None), counts)).label("counted"),
            number(copied).label("copied"),
            number(unread).label("unread"),
            number(paid).label("gathered"),
        )
        .select_from(sessions)
        .outerjoin(places, places.c.session == sessions.c.id)
        .outerjoin(turns, turns.c.id == places.c.turn)
        .outerjoin(_HOLDER, _HOLDER.c.id == turns.c.session)
        .where(sessions.c.id.in_(piece))
        .group_by(sessions.c.id, sessions.c.barred, sessions.c.headless, sessions.c.with_headless)
    )


def _judged(one: AnyRow) -> dict[str, object]:
    excluded: Excluded | None = None
    if one.barred is not None:
        excluded = Excluded(one.barred)
    elif one.headless and not one.with_headless and not one.typed:
        excluded = Excluded.HEADLESS
    elif not one.counted:
        excluded = Excluded.EMPTY
    elif one.copied == one.counted:
        excluded = Excluded.COPY
    learnt = excluded is None
    return {
        "b_row": one.id,
        "excluded": excluded,
        "human_turns": int(one.counted),
        "unread": int(one.unread) if learnt else 0,
        "gathered": int(one.gathered) if learnt else 0,
    }
