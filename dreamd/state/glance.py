"""How dreams went, read from the state database without what writing it needs: for commands that must be quick."""

from __future__ import annotations

import contextlib
import datetime as dt
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from dreamd.clock import parse_time
from dreamd.state.run_record import DREAMS, FAILURES, SUCCESSES, Outcome

_BUSY = 0.2  # seconds
_DREAMS = ",".join(f"'{one.value}'" for one in sorted(DREAMS))


@dataclass(frozen=True, slots=True)
class Glance:
    """What the newest runs came to; all at rest where nothing is known."""

    failures: int = 0  # dreams in a row that failed, up to now
    refused: str = ""  # why the newest run was refused; "": it was not
    waiting: str = ""  # the id of a run that waits for review
    last_success_at: dt.datetime | None = None


def glance(database: Path) -> Glance:
    """Never raises, never writes, never waits long; a database that is not there, damaged or another's gives an empty answer."""
    if not database.is_file():
        return Glance()
    try:
        uri = f"file:{quote(str(database.absolute()))}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=_BUSY, isolation_level=None)) as db:
            return _look(db)
    except sqlite3.Error:
        return Glance()


def _look(db: sqlite3.Connection) -> Glance:
    ended = db.execute(
        f"SELECT outcome FROM runs WHERE trigger IN ({_DREAMS}) AND outcome IS NOT NULL ORDER BY started_at DESC, id DESC LIMIT 100"  # noqa: S608 - fixed words
    )
    failures = 0
    for (outcome,) in ended:
        if outcome in SUCCESSES:
            break
        failures += outcome in FAILURES
    newest = db.execute("SELECT outcome, reason FROM runs ORDER BY started_at DESC, id DESC LIMIT 1").fetchone()
    waiting = db.execute(
        "SELECT id FROM runs WHERE outcome = ? AND reason = 'review' ORDER BY started_at DESC, id DESC LIMIT 1",
        (Outcome.WAITING.value,),
    ).fetchone()
    success = db.execute("SELECT value FROM marks WHERE name = 'last_success_at'").fetchone()
    return Glance(
        failures=failures,
        refused=newest[1] if newest and newest[0] == Outcome.REFUSED else "",
        waiting=waiting[0] if waiting else "",
        last_success_at=parse_time(success[0]) if success else None,
    )
