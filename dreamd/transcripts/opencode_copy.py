"""One OpenCode session as a database of its own: its rows taken out of the client's database, and put back into it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from dreamd.errors import TranscriptError
from dreamd.processes import held_open
from dreamd.transcripts.opencode_store import address, log_of

_TEMPORARY = ".dreamd-"
_PATIENCE = 1.0  # seconds until a lock is somebody's who stays
_LOOKS, _BETWEEN = 5, 0.1  # seconds between looks at who has the database open
#: The columns by which a row belongs to a session; `event` and its sequence name it as what they are about.
_OWNERS = ("session_id", "aggregate_id")
_SESSION, _PROJECT = "session", "project"
#: A session cannot be read without these.
_NEEDED = frozenset({_SESSION, "message", "part"})
_HERE, _THERE = "main", "other"  # schemas: the database that is written, and the one that is read
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
#: The session and those of its sub-agents, theirs included.
_KIN = """
CREATE TEMP TABLE kin AS WITH RECURSIVE found(id) AS (
    SELECT id FROM other.session WHERE id = ? UNION SELECT one.id FROM other.session one JOIN found ON one.parent_id = found.id
) SELECT id FROM found
"""


def carry_out(path: Path, session_id: str, target: Path) -> None:
    """Writes a session with its sub-agents' sessions and its project into a new database with the layout of the client's.

    It is complete: where the client's own is lost, the copy can stand in for it. Raises TranscriptError.
    """
    try:
        with closing(sqlite3.connect(target, uri=True, isolation_level=None)) as copy:
            copy.execute("PRAGMA journal_mode=OFF")
            copy.execute(f"ATTACH ? AS {_THERE}", (address(path),))
            copy.execute("BEGIN")  # one picture of all tables
            copy.execute(_KIN, (session_id,))
            if copy.execute("SELECT 1 FROM kin").fetchone() is None:
                raise TranscriptError(f"session {session_id} is not in the database any more")
            tables = _tables(copy, _THERE)
            for statement in _layout(copy, tables):
                copy.execute(statement)
            for table in tables:
                _fill(copy, table)
            [version] = copy.execute(f"PRAGMA {_THERE}.user_version").fetchone()
            copy.execute(f"PRAGMA user_version={int(version)}")
            copy.execute("COMMIT")
    except sqlite3.Error as fault:
        raise TranscriptError(f"session {session_id} could not be copied out of its database: {fault}") from fault


def carry_in(copy: Path, session_id: str, path: Path, *, overwrite: bool) -> None:
    """Puts a copy's rows back into the client's database; see the protocol. All of them or none."""
    if not path.exists():
        _stand_in(copy, path)
        return
    if _is_open(path):
        raise _in_use()
    try:
        with _alone(path, copy) as client:
            client.execute(_KIN, (session_id,))
            for table in _to_merge(client):
                _merge(client, table, overwrite=overwrite)
    except sqlite3.Error as fault:
        if getattr(fault, "sqlite_errorcode", None) in _BUSY:
            raise _in_use() from fault
        raise TranscriptError(
            f"session {session_id} does not fit into {path}: {fault}",
            hint="start the OpenCode version that wrote it, then restore again; nothing was changed",
        ) from fault


def _is_open(path: Path) -> bool:
    """Whether somebody keeps the database open, not only for a look as dreamd's own service does."""
    for _ in range(_LOOKS):
        if not held_open([str(path), str(log_of(path))]):
            return False
        time.sleep(_BETWEEN)
    return True


def _in_use() -> TranscriptError:
    return TranscriptError(
        "OpenCode has its database open", hint="close OpenCode, then restore again; nothing was changed"
    )


def _stand_in(copy: Path, path: Path) -> None:
    """Makes the client's database out of a copy."""
    if log_of(path).exists():
        raise TranscriptError(
            f"{path} is missing, but its write-ahead log is there",
            hint="move the -wal file away first: it belongs to another database",
        )
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f"{_TEMPORARY}{os.getpid()}-{path.name}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(descriptor, "wb") as made, copy.open("rb") as source:  # noqa: PTH123 - a descriptor, not a path
            shutil.copyfileobj(source, made)
            made.flush()
            os.fsync(descriptor)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _alone(path: Path, copy: Path) -> Iterator[sqlite3.Connection]:
    """The client's database for writing with the copy beside it, in one transaction, and nobody else in it.

    Raises sqlite3.Error (busy) while somebody is: in this locking mode a write-ahead log is shared with nobody.
    """
    with closing(
        sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=_PATIENCE, isolation_level=None)
    ) as it:
        it.execute(f"PRAGMA {_HERE}.locking_mode=EXCLUSIVE")
        it.execute(f"ATTACH ? AS {_THERE}", (address(copy),))
        it.execute("BEGIN EXCLUSIVE")
        try:
            yield it
        except BaseException:
            it.execute("ROLLBACK")
            raise
        it.execute("COMMIT")


def _merge(client: sqlite3.Connection, table: str, *, overwrite: bool) -> None:
    """Brings one table's rows of a session back. Those that stand there already and are the same are left as they are."""
    there = set(_columns(client, _HERE, table))
    columns = _listed([name for name in _columns(client, _THERE, table) if name in there])
    mine, theirs = (
        f"SELECT {columns} FROM {place}" for place in (_rows(client, _THERE, table), _rows(client, _HERE, table))
    )
    if table == _PROJECT:  # shared with other sessions: the client's own row stands
        client.execute(f"INSERT OR IGNORE INTO {_HERE}.{table} ({columns}) {mine}")
        return
    if client.execute(f"{theirs} EXCEPT {mine} LIMIT 1").fetchone():
        if not overwrite:
            raise TranscriptError(
                "the session is in OpenCode's database already, and not as the archived copy has it",
                hint="use --overwrite to replace it; nothing was changed",
            )
        client.execute(f"DELETE FROM {_rows(client, _HERE, table)}")
    client.execute(f"INSERT INTO {_HERE}.{_quoted(table)} ({columns}) {mine} EXCEPT {theirs}")


def _fill(copy: sqlite3.Connection, table: str) -> None:
    """A table's rows of the session; of the list of migrations all, for without them the client would make its tables again."""
    columns = _listed(_columns(copy, _THERE, table))
    whole = f"{_THERE}.{_quoted(table)}" if "migration" in table else ""
    if place := whole or (_owner(copy, _THERE, table) and _rows(copy, _THERE, table)):
        copy.execute(f"INSERT INTO {_HERE}.{_quoted(table)} ({columns}) SELECT {columns} FROM {place}")


def _rows(connection: sqlite3.Connection, schema: str, table: str) -> str:
    """A table and which of its rows are the session's, as FROM takes them."""
    owner = _quoted(_owner(connection, schema, table))
    kin = f"SELECT project_id FROM {_THERE}.session JOIN kin USING (id)" if table == _PROJECT else "SELECT id FROM kin"
    return f"{schema}.{_quoted(table)} WHERE {owner} IN ({kin})"


def _tables(connection: sqlite3.Connection, schema: str) -> list[str]:
    """The client's own tables; not SQLite's, no virtual ones."""
    query = (
        f"SELECT name FROM {schema}.sqlite_master"
        " WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql LIKE 'CREATE TABLE%' ORDER BY rowid"
    )
    return [name for (name,) in connection.execute(query)]


def _to_merge(client: sqlite3.Connection) -> list[str]:
    """The tables in which a session has rows, the project's first. Raises TranscriptError where the client has no such table."""
    theirs = set(_tables(client, _HERE))
    if missing := sorted(_NEEDED - theirs):
        raise TranscriptError(
            f"OpenCode's database has no table {missing[0]}", hint="start OpenCode once, then restore again"
        )
    mine = [name for name in _tables(client, _THERE) if name in theirs and _owner(client, _THERE, name)]
    return sorted(mine, key=lambda name: (name != _PROJECT, name != _SESSION))


def _layout(connection: sqlite3.Connection, tables: list[str]) -> list[str]:
    """The statements that make the tables, then their indexes."""
    query = (
        f"SELECT type, tbl_name, sql FROM {_THERE}.sqlite_master WHERE sql IS NOT NULL ORDER BY type != 'table', rowid"
    )
    found = connection.execute(query).fetchall()
    return [sql for kind, table, sql in found if kind in {"table", "index"} and table in tables]


def _owner(connection: sqlite3.Connection, schema: str, table: str) -> str:
    """The column that names the session; "" where a table's rows are no session's."""
    if table in {_SESSION, _PROJECT}:
        return "id"
    return next((name for name in _columns(connection, schema, table) if name in _OWNERS), "")


def _columns(connection: sqlite3.Connection, schema: str, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA {schema}.table_info({_quoted(table)})")]


def _listed(names: list[str]) -> str:
    return ",".join(_quoted(name) for name in names)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
