"""Which sessions an OpenCode database holds, and what changed in it since the last look."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from dreamd.transcripts import fingerprint
from dreamd.transcripts.event import FileStamp
from dreamd.transcripts.opencode_store import log_of, milliseconds, opened

_TABLES = ("message", "part")
_IS_PROMPT = "json_extract(CASE WHEN json_valid(message.data) THEN message.data END, '$.role') = 'user'"
#: The sessions in which a prompt, or a piece of one, is among the new rows.
_PROMPTS = {
    "message": f"SELECT DISTINCT session_id FROM message WHERE rowid > ? AND {_IS_PROMPT}",  # noqa: S608 - words of ours
    "part": "SELECT DISTINCT part.session_id FROM part JOIN message ON message.id = part.message_id"  # noqa: S608 - as above
    f" WHERE part.rowid > ? AND {_IS_PROMPT}",
}
_Stamps = tuple[FileStamp | None, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A session as a listing shows it. `rows` and `updated` (ms) change when anything in it does."""

    id: str
    parent: str | None
    rows: int
    updated: int


@dataclass(frozen=True, slots=True)
class _Picture:
    """A database at one moment: `tops` are the last rows of its tables, `whole`: every row was looked at."""

    stamps: _Stamps
    sessions: dict[str, Listed]
    touched: dict[str, int]  # when the row of each session itself was last changed, in ms
    tops: dict[str, int]
    whole: bool


class Listings:
    """The sessions of databases, looked at again only where their files changed (the database's own, or its write-ahead log)."""

    def __init__(self) -> None:
        self._known: dict[str, _Picture] = {}
        self._told: dict[str, dict[str, Listed]] = {}

    def news(self, path: Path) -> list[Listed]:
        """The sessions that are not as they were told here, or at a whole look, last; at the first time all. Raises sqlite3.Error."""
        now = self.of(path, whole=False)
        told, self._told[str(path)] = self._told.get(str(path), {}), now
        return [one for name, one in now.items() if told.get(name) != one]

    def of(self, path: Path, *, whole: bool) -> dict[str, Listed]:
        """The sessions of a database. Raises sqlite3.Error.

        A `whole` look reads the times of all rows; else the newest rows and the sessions' own tell what changed: a prompt is a new row,
        while an answer that grows stays unseen until the next whole look. So the cost does not grow with the database.
        """
        now = tuple(_stamp(one) for one in (path, log_of(path)))
        known = self._known.get(str(path))
        if known is None or known.stamps != now or (whole and not known.whole):
            with opened(path) as connection:
                known = _looked_again(connection, known, now) if known is not None and not whole else None
                known = known or _looked(connection, now)
            self._known[str(path)] = known
        if whole:
            self._told[str(path)] = known.sessions
        return known.sessions


def _looked(connection: sqlite3.Connection, now: _Stamps) -> _Picture:
    """Every row of every session."""
    tops = {table: _top(connection, table) for table in _TABLES}
    rows: dict[str, tuple[int, int]] = {}
    for table in _TABLES:
        query = f"SELECT session_id, count(*), {_newest(connection, table)} FROM {table} GROUP BY session_id"  # noqa: S608 - names of ours
        for session, count, newest in connection.execute(query):
            before = rows.get(session, (0, 0))
            rows[session] = before[0] + count, max(before[1], milliseconds(newest))
    heads = _heads(connection)
    sessions = {name: _listed(name, head, rows.get(name, (0, 0))) for name, head in heads.items()}
    return _Picture(now, sessions, {name: head[1] for name, head in heads.items()}, tops, whole=True)


def _looked_again(connection: sqlite3.Connection, known: _Picture, now: _Stamps) -> _Picture | None:
    """Only what the newest rows and the sessions' own rows show; None where rows went away and all must be looked at."""
    tops = {table: _top(connection, table) for table in _TABLES}
    if any(tops[table] < known.tops[table] for table in _TABLES):
        return None
    heads = _heads(connection)
    changed = {name for name, head in heads.items() if known.touched.get(name) != head[1]}
    for table, query in _PROMPTS.items():
        changed.update(session for (session,) in connection.execute(query, (known.tops[table],)))
    sessions = {name: one for name, one in known.sessions.items() if name in heads}
    for name in changed & heads.keys():
        sessions[name] = _listed(name, heads[name], _rows_of(connection, name))
    return _Picture(now, sessions, {name: head[1] for name, head in heads.items()}, tops, whole=False)


def _heads(connection: sqlite3.Connection) -> dict[str, tuple[str | None, int]]:
    """By session, oldest first: its parent, and when its own row was last changed."""
    query = "SELECT id, parent_id, time_updated FROM session ORDER BY time_created, id"
    return {name: (parent, milliseconds(updated)) for name, parent, updated in connection.execute(query)}


def _rows_of(connection: sqlite3.Connection, session: str) -> tuple[int, int]:
    count, newest = 0, 0
    for table in _TABLES:
        query = f"SELECT count(*), {_newest(connection, table)} FROM {table} WHERE session_id = ?"  # noqa: S608 - names of ours
        [(number, updated)] = connection.execute(query, (session,))
        count, newest = count + number, max(newest, milliseconds(updated))
    return count, newest


def _listed(name: str, head: tuple[str | None, int], rows: tuple[int, int]) -> Listed:
    return Listed(name, head[0], rows[0], max(rows[1], head[1]))


def _top(connection: sqlite3.Connection, table: str) -> int:
    [(top,)] = connection.execute(f"SELECT max(rowid) FROM {table}")  # noqa: S608 - names of ours
    return int(top or 0)


def _newest(connection: sqlite3.Connection, table: str) -> str:
    """What tells the time of the newest change; early databases have no column for it."""
    columns = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    return "max(time_updated)" if "time_updated" in columns else "0"


def _stamp(path: Path) -> FileStamp | None:
    try:
        return fingerprint.stamp(path.stat())
    except OSError:
        return None
