"""What differs between databases: how SQLite is opened and tuned, and whose `INSERT` knows `ON CONFLICT`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL

if TYPE_CHECKING:
    from pathlib import Path
    from sqlite3 import Connection as SqliteConnection

    from sqlalchemy import Connection, Engine, Select, Table

BUSY_SECONDS: Final = 60.0


def insert(connection: Connection, table: Table) -> sqlite.Insert:
    """An `INSERT` that knows `on_conflict_do_nothing` and `on_conflict_do_update`, of this connection's database."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - 30 ms that SQLite need not pay

        return postgresql.insert(table)  # type: ignore[return-value] # the same methods, no common type
    return sqlite.insert(table)


def plain_rows(connection: Connection, query: Select[Any]) -> list[tuple[Any, ...]]:
    """A query's rows as the driver's own tuples, half the time of mapped ones; its values must need no conversion."""
    text = query.compile(dialect=connection.dialect, compile_kwargs={"literal_binds": True})
    cursor = connection.connection.cursor()
    try:
        cursor.execute(str(text))
        return list(cursor.fetchall())
    finally:
        cursor.close()


def sqlite_engine(path: Path, *, writes: bool, busy_seconds: float = BUSY_SECONDS) -> Engine:
    """An engine on a SQLite file. Writers take the lock when they begin and wait for each other in turn.

    A deferred transaction that reads first and then writes fails at once with "database is locked" whatever the
    timeout, because its snapshot is stale; hence BEGIN IMMEDIATE. One writing connection a process: threads queue
    for it in the pool, which is fair, rather than in SQLite's busy handler, which is not.
    """
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"isolation_level": None, "timeout": busy_seconds, "check_same_thread": False},
        pool_size=1 if writes else 4,
        max_overflow=0 if writes else 8,
        pool_timeout=busy_seconds,
        hide_parameters=True,  # an error message must not carry anybody's words
    )
    pragmas = _WRITER_PRAGMAS if writes else _READER_PRAGMAS
    begin = "BEGIN IMMEDIATE" if writes else "BEGIN"

    @event.listens_for(engine, "connect")
    def tune(driver: SqliteConnection, _record: Any) -> None:
        for pragma in pragmas:
            driver.execute(pragma)

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def compact(engine: Engine) -> None:
    """Rewrites the file so that nothing deleted is left in its free pages or its write-ahead log."""
    driver = engine.raw_connection()
    try:
        cursor = driver.cursor()
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.close()
    finally:
        driver.close()


def snapshot(engine: Engine, target: Path) -> None:
    """A copy of the database at one moment, in one file without companions."""
    driver = engine.raw_connection()
    try:
        cursor = driver.cursor()
        cursor.execute("VACUUM INTO ?", (str(target),))
        cursor.close()
    finally:
        driver.close()


def flatten(engine: Engine) -> None:
    """Leaves the database one file without a write-ahead log; nobody else may have it open."""
    driver = engine.raw_connection()
    try:
        cursor = driver.cursor()
        cursor.execute("PRAGMA journal_mode = DELETE")
        cursor.close()
    finally:
        driver.close()


_WRITER_PRAGMAS: Final = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON")
# Not `mode=ro`: such a connection cannot read a WAL database whose side files are gone.
_READER_PRAGMAS: Final = ("PRAGMA query_only = ON",)
