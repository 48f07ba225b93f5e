"""What other processes ask of the service, as rows that survive a missed signal."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update
from ulid import ULID

from dreamd.state.records import Request
from dreamd.state.schema import requests

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dreamd.state.columns import AnyRow
    from dreamd.state.database import Database


class Requests:
    """A queue of a few rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, kind: str, options: Mapping[str, object], now: dt.datetime) -> Request:
        """Asks for something; `options` must be plain JSON."""
        request = Request(id=str(ULID.from_datetime(now)), kind=kind, options=dict(options), created_at=now)
        with self._database.write() as connection:
            connection.execute(
                requests.insert().values(
                    id=request.id, kind=kind, options=request.options, created_at=now, answer=request.answer
                )
            )
        return request

    def take(self, now: dt.datetime) -> Request | None:
        """The oldest request that nobody took yet, taken now."""
        with self._database.write() as connection:
            row = connection.execute(
                select(requests)
                .where(requests.c.taken_at.is_(None))
                .order_by(requests.c.created_at, requests.c.id)
                .limit(1)
                .with_for_update(skip_locked=True)
            ).first()
            if row is None:
                return None
            connection.execute(update(requests).where(requests.c.id == row.id).values(taken_at=now))
            return _request(row, taken_at=now)

    def answer(self, request_id: str, *, answer: str, now: dt.datetime, run_id: str | None = None) -> None:
        """Says what came of it: a closed code of the service's, and the run if one came about."""
        with self._database.write() as connection:
            connection.execute(
                update(requests).where(requests.c.id == request_id).values(done_at=now, answer=answer, run=run_id)
            )

    def get(self, request_id: str) -> Request | None:
        """The request as it stands now."""
        with self._database.read() as connection:
            row = connection.execute(select(requests).where(requests.c.id == request_id)).first()
            return None if row is None else _request(row, taken_at=row.taken_at)

    def waiting(self) -> int:
        """How many nobody took yet."""
        with self._database.read() as connection:
            return len(connection.scalars(select(requests.c.id).where(requests.c.taken_at.is_(None))).all())

    def prune(self, before: dt.datetime) -> int:
        """Deletes requests made before then. Returns how many."""
        with self._database.write() as connection:
            return connection.execute(delete(requests).where(requests.c.created_at < before)).rowcount


def _request(row: AnyRow, *, taken_at: dt.datetime | None) -> Request:
    return Request(
        id=row.id,
        kind=row.kind,
        options=row.options,
        created_at=row.created_at,
        taken_at=taken_at,
        done_at=row.done_at,
        run_id=row.run,
        answer=row.answer,
    )
