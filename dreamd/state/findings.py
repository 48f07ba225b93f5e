"""Findings: stored as soon as they are paid for, used, dropped or withheld later."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update
from ulid import ULID

from dreamd.errors import UsageError
from dreamd.state import ledger, tally
from dreamd.state.chunks import chunks
from dreamd.state.dialect import insert
from dreamd.state.records import FindingRecord, FindingStatus
from dreamd.state.schema import findings, gathered, letters, places, sessions
from dreamd.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from dreamd.state.columns import AnyRow
    from dreamd.state.database import Database

_SAME = (
    *("id", "key", "session", "engine", "version", "kind", "scope", "text", "at", "quote", "subject", "slot", "value"),
    *("weight", "happened", "project_key", "path", "offset", "created_at", "drop_reason", "used_run"),
)


class Findings:
    """What engines found in sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def store(
        self,
        session: int,
        found: Sequence[FindingRecord],
        *,
        engine: str,
        version: str,
        run_id: str,
        turns_read: Iterable[int],
        cost: Usage,
        now: dt.datetime,
        letter: str = "",
    ) -> tuple[FindingRecord, ...]:
        """One session's extraction in one transaction: findings, the turns (rows) they cover, and what it cost.

        Each finding needs its `key`; one that exists already stays as it is. `letter`: the request of a batch that this answers,
        which is settled with it. Returns what was new, with ids.
        """
        with self._database.write() as connection:
            native = connection.execute(select(sessions.c.native_id).where(sessions.c.id == session)).scalar_one()
            known: set[str] = set()
            for piece in chunks(one.key for one in found):
                known.update(connection.scalars(select(findings.c.key).where(findings.c.key.in_(piece))))
            fresh = [
                replace(
                    one,
                    id=str(ULID.from_datetime(now)),
                    session=session,
                    session_id=native,
                    run_id=run_id,
                    engine=engine,
                    version=version,
                    created_at=now,
                    status=FindingStatus.OPEN,
                )
                for key, one in {one.key: one for one in found}.items()
                if key not in known
            ]
            if fresh:
                connection.execute(insert(connection, findings).on_conflict_do_nothing(), [_row(one) for one in fresh])
            read = sorted(set(turns_read))
            paid = {"engine": engine, "version": version, "session": session, "run": run_id, "at": now}
            for rows in chunks(read):
                connection.execute(
                    insert(connection, gathered).on_conflict_do_nothing(), [{"turn": row, **paid} for row in rows]
                )
            ledger.charge(connection, run_id, cost, now, "gather")
            if letter:
                connection.execute(delete(letters).where(letters.c.id == letter))
            tally.judge(connection, {session} | tally.sharing(connection, read))
        return tuple(fresh)

    def covered(self, session: int, *, engine: str, version: str) -> frozenset[int]:
        """The rows of this session's turns that were paid for with this engine and version, in whichever copy."""
        query = (
            select(gathered.c.turn)
            .join(places, places.c.turn == gathered.c.turn)
            .where(places.c.session == session, gathered.c.engine == engine, gathered.c.version == version)
        )
        with self._database.read() as connection:
            return frozenset(connection.scalars(query))

    def open(
        self,
        session_rows: Collection[int] | None = None,
        *,
        turn_ids: Collection[str] | None = None,
        engine: str | None = None,
        version: str | None = None,
    ) -> tuple[FindingRecord, ...]:
        """Open findings, oldest evidence first: of these sessions, of these turns (agents' ids), of one engine; or all."""
        conditions = [findings.c.status == FindingStatus.OPEN.value]
        if engine is not None:
            conditions.append(findings.c.engine == engine)
        if version is not None:
            conditions.append(findings.c.version == version)
        with self._database.read() as connection:
            found = self._in(connection, conditions, findings.c.session, session_rows)
        return found if turn_ids is None else tuple(one for one in found if one.turn_id in turn_ids)

    def get(self, ids: Collection[str]) -> tuple[FindingRecord, ...]:
        """The findings with these ids, as far as they exist."""
        with self._database.read() as connection:
            return self._in(connection, [], findings.c.id, ids)

    def find(self, prefix: str) -> FindingRecord:
        """The finding whose id begins so. Raises UsageError for none or several."""
        with self._database.read() as connection:
            rows = connection.execute(
                _QUERY.where(findings.c.id.startswith(prefix.upper(), autoescape=True)).limit(2)
            ).all()
        if len(rows) != 1:
            raise UsageError(f"{'several findings begin' if rows else 'no finding begins'} with {prefix}")
        return _finding(rows[0])

    def of_run(self, run_id: str) -> tuple[FindingRecord, ...]:
        """What a run paid for, used, dropped or withheld."""
        with self._database.read() as connection:
            rows = connection.execute(
                _QUERY.where((findings.c.run == run_id) | (findings.c.used_run == run_id)).order_by(findings.c.id)
            )
            return tuple(_finding(row) for row in rows)

    def settle(self, ids: Collection[str], status: FindingStatus, *, run_id: str, reason: str = "") -> int:
        """Says what became of these findings. Returns how many there were."""
        with self._database.write() as connection:
            return settle(connection, dict.fromkeys(ids, reason), status, run_id)

    def about(self, session_rows: Collection[int], turn_ids: Collection[str]) -> tuple[FindingRecord, ...]:
        """Every finding of these sessions, and of these turns in whichever copy, whatever became of it."""
        with self._database.read() as connection:
            found = [
                *self._in(connection, [], findings.c.session, session_rows),
                *self._in(connection, [], findings.c.turn_uid, turn_ids),
            ]
        return tuple({one.id: one for one in found}.values())

    def erase(self, ids: Collection[str]) -> None:
        """Deletes findings with their words."""
        with self._database.write() as connection:
            for piece in chunks(sorted(ids)):
                connection.execute(delete(findings).where(findings.c.id.in_(piece)))

    def reopen(self, keys: Collection[str]) -> None:
        """Findings with these keys count again, whatever became of them: their words were read anew on purpose."""
        with self._database.write() as connection:
            for piece in chunks(sorted(keys)):
                connection.execute(
                    update(findings)
                    .where(findings.c.key.in_(piece))
                    .values(status=FindingStatus.OPEN.value, drop_reason="", used_run=None)
                )

    @staticmethod
    def _in(
        connection: Connection,
        conditions: Sequence[ColumnElement[bool]],
        column: ColumnElement[int] | ColumnElement[str],
        values: Collection[int] | Collection[str] | None,
    ) -> tuple[FindingRecord, ...]:
        pieces = [None] if values is None else list(chunks(values))
        rows = [
            row
            for piece in pieces
            for row in connection.execute(_QUERY.where(*conditions, *([] if piece is None else [column.in_(piece)])))
        ]
        # In Python, because databases do not agree on where NULL stands.
        return tuple(
            sorted(map(_finding, rows), key=lambda one: (one.at is not None, one.at or one.created_at, one.id))
        )


def settle(connection: Connection, reasons: dict[str, str], status: FindingStatus, run_id: str) -> int:
    """Sets status and reason (id → reason) of findings inside the caller's transaction. Returns how many there were."""
    by_reason: dict[str, list[str]] = {}
    for finding, reason in reasons.items():
        by_reason.setdefault(reason, []).append(finding)
    return sum(
        connection.execute(
            update(findings)
            .where(findings.c.id.in_(piece))
            .values(status=status.value, drop_reason=reason, used_run=run_id)
        ).rowcount
        for reason, ids in by_reason.items()
        for piece in chunks(ids)
    )


_QUERY = select(findings, sessions.c.native_id).join(sessions, sessions.c.id == findings.c.session)


def _finding(row: AnyRow) -> FindingRecord:
    return FindingRecord(
        turn_id=row.turn_uid,
        session_id=row.native_id,
        run_id=row.run,
        status=FindingStatus(row.status),
        **{name: getattr(row, name) for name in _SAME},
    )


def _row(one: FindingRecord) -> dict[str, object]:
    return {
        "turn_uid": one.turn_id,
        "run": one.run_id,
        "status": one.status.value,
        **{name: getattr(one, name) for name in _SAME},
    }
