"""How dreams went and what was said last, read from the state database without what writing it needs: for commands that must be quick."""

from __future__ import annotations

import contextlib
import datetime as dt
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from dreamd.clock import parse_time
from dreamd.state.run_record import DREAMS, FAILURES, SUCCESSES, Outcome

_BUSY = 0.2  # seconds
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DREAMS = ",".join(f"'{one.value}'" for one in sorted(DREAMS))


@dataclass(frozen=True, slots=True)
class Glance:
    """What the newest runs came to; all at rest where nothing is known."""

    failures: int = 0  # dreams in a row that failed, up to now
    refused: str = ""  # why the newest run was refused; "": it was not
    waiting: str = ""  # the id of a run that waits for review
    last_success_at: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class LastSeen:
    """A session that was lately seen, and where its first typed turn stands."""

    agent: str
    id: str  # the agent's own
    at: dt.datetime | None  # UTC, of its last line
    file: str
    offset: int
    cwd: str  # where it began; "" unknown


def glance(database: Path) -> Glance:
    """How dreams went. Never raises, never writes, never waits long; a database that is not there, damaged or another's gives an empty answer."""
    return _answer(database, _look, Glance())


def last_seen(database: Path, keys: Sequence[str], directory: str, limit: int) -> tuple[LastSeen, ...]:
    """The newest sessions of a project in which a person typed and which may be learned from, newest first; as quiet as `glance`.

    `keys` are those that the project may have; sessions that began in `directory` belong to it too.
    """
    return _answer(database, lambda db: _newest(db, keys, directory, limit), ())


def project_roots(database: Path) -> dict[str, str] | None:
    """The root of each project that was ever seen, by the stem of its file; None where nobody can say. As quiet as `glance`."""
    return _answer(database, lambda db: dict(db.execute("SELECT stem, root FROM projects").fetchall()), None)


T = TypeVar("T")


def _answer(database: Path, ask: Callable[[sqlite3.Connection], T], nothing: T) -> T:
    if not database.is_file():
        return nothing
    try:
        uri = f"file:{quote(str(database.absolute()))}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=_BUSY, isolation_level=None)) as db:
            return ask(db)
    except sqlite3.Error:
        return nothing


def _newest(db: sqlite3.Connection, keys: Sequence[str], directory: str, limit: int) -> tuple[LastSeen, ...]:
    marks = ",".join("?" * len(keys))
    sessions = db.execute(
        "SELECT id, agent, native_id, last_at, cwd FROM sessions WHERE excluded IS NULL AND human_turns > 0 AND forgotten_at IS NULL AND lost_at IS NULL"  # noqa: S608 - question marks
        f" AND (cwd = ? OR project IN (SELECT id FROM projects WHERE key IN ({marks}))) ORDER BY last_at DESC LIMIT ?",
        (directory, *keys, limit),
    ).fetchall()
    found = []
    for row, agent, native_id, last_at, cwd in sessions:
        place = db.execute(
            "SELECT f.path, p.offset FROM places p JOIN files f ON f.id = p.file WHERE p.session = ? AND NOT p.headless ORDER BY p.offset LIMIT 1",
            (row,),
        ).fetchone()
        if place is not None:
            at = None if last_at is None else _EPOCH + dt.timedelta(microseconds=last_at)
            file, offset = place
            found.append(LastSeen(agent, native_id, at, file, offset, cwd or ""))
    return tuple(found)


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
