"""What was spent, written as it is paid: a run that dies has still spent it."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from sqlalchemy import func, select, update

from dreamd.state.schema import charges, runs
from dreamd.usage import Usage

if TYPE_CHECKING:
    from sqlalchemy import Connection

_TOKENS = ("input", "output", "cache_read", "cache_write")


def charge(connection: Connection, run_id: str, cost: Usage, now: dt.datetime, purpose: str) -> None:
    """Books a cost on a run, in the ledger and in the run's own sum; a call that cost nothing leaves no line."""
    if cost == Usage():
        return
    tokens = {f"tokens_{name}": getattr(cost, name) for name in _TOKENS}
    connection.execute(charges.insert().values(run=run_id, at=now, purpose=purpose, usd=cost.usd, **tokens))
    sums = {name: runs.c[name] + value for name, value in tokens.items()}
    connection.execute(update(runs).where(runs.c.id == run_id).values(usd=runs.c.usd + cost.usd, **sums))


def spent(connection: Connection, since: dt.datetime) -> Usage:
    """What all runs together spent since then."""
    sums = [func.coalesce(func.sum(charges.c[f"tokens_{name}"]), 0) for name in _TOKENS]
    row = connection.execute(
        select(*sums, func.coalesce(func.sum(charges.c.usd), 0.0)).where(charges.c.at >= since)
    ).one()
    return Usage(int(row[0]), int(row[1]), int(row[2]), int(row[3]), float(row[4]))
