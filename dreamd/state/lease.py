"""The lease: which process dreams now, so that a crash is known for a crash."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select, update

from dreamd.errors import LockHeld
from dreamd.state.dialect import insert
from dreamd.state.process import Life, Owner
from dreamd.state.run_record import Outcome
from dreamd.state.schema import lease, runs

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from dreamd.state.database import Database

#: A holder on another machine is taken for dead when its heartbeat is older than this.
FOREIGN_SILENCE: Final = dt.timedelta(minutes=5)

_ONLY: Final = 1


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """Who holds the lease, for which run, and when it last said so."""

    owner: Owner
    run_id: str
    acquired_at: dt.datetime
    heartbeat_at: dt.datetime


class Lease:
    """One row. On one host the dream lock decides and this tells who it was; between hosts it decides itself."""

    def __init__(self, database: Database, owner: Owner | None = None) -> None:
        self._database = database
        self._owner = owner or Owner.current()

    def acquire(self, run_id: str, now: dt.datetime) -> LeaseRecord:
        """Takes the lease for a run; a dead holder's is void at once. Raises LockHeld while somebody lives who has it."""
        mine = LeaseRecord(self._owner, run_id, now, now)
        with self._database.write() as connection:
            held = _read(connection, lock=True)
            if held is not None and self._lives(held, now):
                raise LockHeld(
                    f"process {held.owner.pid} on {held.owner.host} is dreaming (run {held.run_id})",
                    hint="wait until it has ended, or look at `dreamd status`",
                )
            connection.execute(delete(lease))
            statement = insert(connection, lease).values(_row(mine)).on_conflict_do_nothing()
            if not connection.execute(statement).rowcount:
                raise LockHeld("another process has just begun to dream", hint="look at `dreamd status`")
        return mine

    def heartbeat(self, run_id: str, now: dt.datetime) -> bool:
        """Says that the holder lives. False: the lease is not this process's any more, and it must not commit."""
        with self._database.write() as connection:
            return bool(connection.execute(update(lease).where(self._mine(run_id)).values(heartbeat_at=now)).rowcount)

    def confirm(self, run_id: str) -> bool:
        """Whether this process still holds the lease for this run; asked right before the commit."""
        with self._database.read() as connection:
            return connection.scalar(select(lease.c.id).where(self._mine(run_id))) is not None

    def release(self, run_id: str) -> bool:
        """Gives the lease back. False: it was not this process's any more."""
        with self._database.write() as connection:
            return bool(connection.execute(delete(lease).where(self._mine(run_id))).rowcount)

    def holder(self, now: dt.datetime) -> LeaseRecord | None:
        """The living holder, or None."""
        with self._database.read() as connection:
            held = _read(connection)
        return held if held is not None and self._lives(held, now) else None

    def recover(self, now: dt.datetime) -> tuple[str, ...]:
        """Marks every unfinished run that no living process holds as interrupted. Returns their ids.

        A run must therefore hold the lease from before it is stored until its outcome is.
        """
        with self._database.write() as connection:
            held = _read(connection, lock=True)
            if held is not None and not self._lives(held, now):
                connection.execute(delete(lease))
                held = None
            query = select(runs.c.id).where(runs.c.outcome.is_(None)).order_by(runs.c.started_at)
            found = [one for one in connection.scalars(query) if held is None or one != held.run_id]
            if found:
                connection.execute(
                    update(runs)
                    .where(runs.c.id.in_(found))
                    .values(outcome=Outcome.INTERRUPTED.value, reason="owner_died", ended_at=now)
                )
        return tuple(found)

    def _lives(self, held: LeaseRecord, now: dt.datetime) -> bool:
        match held.owner.life(self._owner):
            case Life.ALIVE:
                return True
            case Life.DEAD:
                return False
            case Life.UNKNOWN:
                return now - held.heartbeat_at < FOREIGN_SILENCE

    def _mine(self, run_id: str):  # type: ignore[no-untyped-def] # noqa: ANN202 - a column expression
        owner = self._owner
        return (
            (lease.c.run == run_id)
            & (lease.c.pid == owner.pid)
            & (lease.c.started == owner.started)
            & (lease.c.boot == owner.boot)
            & (lease.c.host == owner.host)
            & (lease.c.namespace == owner.namespace)
        )


def _read(connection: Connection, *, lock: bool = False) -> LeaseRecord | None:
    query = select(lease)
    row = connection.execute(query.with_for_update() if lock else query).first()
    if row is None:
        return None
    owner = Owner(pid=row.pid, started=row.started, boot=row.boot, host=row.host, namespace=row.namespace)
    return LeaseRecord(owner, row.run, row.acquired_at, row.heartbeat_at)


def _row(record: LeaseRecord) -> dict[str, object]:
    owner = record.owner
    return {
        "id": _ONLY,
        "pid": owner.pid,
        "started": owner.started,
        "boot": owner.boot,
        "host": owner.host,
        "namespace": owner.namespace,
        "run": record.run_id,
        "acquired_at": record.acquired_at,
        "heartbeat_at": record.heartbeat_at,
    }
