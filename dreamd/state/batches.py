"""Batches of requests under way at a server: written down before they are sent, settled one by one as they are answered."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select, update

from dreamd.state import ledger
from dreamd.state.batch_record import Batch, Letter
from dreamd.state.chunks import chunks
from dreamd.state.schema import batches, letters
from dreamd.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from dreamd.state.columns import AnyRow
    from dreamd.state.database import Database


class Batches:
    """At most one batch is under way at a time, because a dream waits for it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def write_down(self, batch: Batch) -> None:
        """Stores a batch that is about to be sent: from here on its requests are never sent again unseen."""
        with self._database.write() as connection:
            connection.execute(
                batches.insert().values(
                    run=batch.run_id,
                    engine=batch.engine,
                    version=batch.version,
                    place=batch.place,
                    native_id=batch.native_id,
                    written_at=batch.written_at,
                    expires_at=batch.expires_at,
                    look_at=batch.look_at,
                )
            )
            for piece in chunks(batch.letters):
                connection.execute(letters.insert(), [_row(batch.run_id, one) for one in piece])

    def arrived(self, run_id: str, native_id: str, expires_at: dt.datetime | None) -> None:
        """Notes the server's name for a batch."""
        with self._database.write() as connection:
            connection.execute(
                update(batches).where(batches.c.run == run_id).values(native_id=native_id, expires_at=expires_at)
            )

    def look_again(self, run_id: str, at: dt.datetime) -> None:
        """Notes when the service looks next."""
        with self._database.write() as connection:
            connection.execute(update(batches).where(batches.c.run == run_id).values(look_at=at))

    def open(self) -> Batch | None:
        """The batch that is under way; None where there is none."""
        with self._database.read() as connection:
            row = connection.execute(select(batches).order_by(batches.c.written_at).limit(1)).first()
            if row is None:
                return None
            theirs = select(letters).where(letters.c.run == row.run).order_by(letters.c.id)
            return Batch(
                run_id=row.run,
                engine=row.engine,
                version=row.version,
                place=row.place,
                written_at=row.written_at,
                look_at=row.look_at,
                letters=tuple(_letter(one) for one in connection.execute(theirs)),
                native_id=row.native_id,
                expires_at=row.expires_at,
            )

    def under_way(self) -> frozenset[int]:
        """The rows of all turns that are being read by a batch."""
        with self._database.read() as connection:
            return frozenset(row for rows in connection.scalars(select(letters.c.turns)) for row in rows)

    def held(self) -> Usage:
        """What the open requests may cost: money that is laid aside."""
        columns = (letters.c.tokens_input, letters.c.tokens_output, letters.c.usd)
        query = select(*(func.coalesce(func.sum(column), 0) for column in columns))
        with self._database.read() as connection:
            row = connection.execute(query).one()
        return Usage(input=int(row[0]), output=int(row[1]), usd=float(row[2]))

    def settle(self, letter: Letter, run_id: str, cost: Usage, now: dt.datetime) -> None:
        """One request came to nothing that can be stored; what it cost is booked in the same transaction."""
        with self._database.write() as connection:
            gone = connection.execute(delete(letters).where(letters.c.id == letter.id)).rowcount
            if gone:
                ledger.charge(connection, run_id, cost, now, "gather")

    def close(self, run_id: str) -> None:
        """The batch is over; requests that are still open are given up."""
        with self._database.write() as connection:
            _close(connection, run_id)

    def give_up(self, run_id: str, now: dt.datetime) -> None:
        """The batch is not waited for any more; nobody tells what it cost, so what was expected is booked."""
        with self._database.write() as connection:
            for row in connection.execute(select(letters).where(letters.c.run == run_id)).all():
                ledger.charge(connection, run_id, _letter(row).expected, now, "gather")
            _close(connection, run_id)

    def forget(self, sessions: Collection[int]) -> None:
        """Requests about these sessions (rows) are given up: their answers will be thrown away."""
        with self._database.write() as connection:
            for piece in chunks(sorted(sessions)):
                connection.execute(delete(letters).where(letters.c.session.in_(piece)))


def _close(connection: Connection, run_id: str) -> None:
    connection.execute(delete(letters).where(letters.c.run == run_id))
    connection.execute(delete(batches).where(batches.c.run == run_id))


def _row(run_id: str, letter: Letter) -> dict[str, object]:
    return {
        "id": letter.id,
        "run": run_id,
        "session": letter.session,
        "turns": list(letter.turns),
        "shown": list(letter.shown),
        "tokens_input": letter.expected.input,
        "tokens_output": letter.expected.output,
        "usd": letter.expected.usd,
    }


def _letter(row: AnyRow) -> Letter:
    return Letter(
        id=row.id,
        session=row.session,
        turns=tuple(row.turns),
        shown=tuple(row.shown),
        expected=Usage(input=row.tokens_input, output=row.tokens_output, usd=row.usd),
    )
