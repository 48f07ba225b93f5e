"""The file behind the search index: its tables, how it is opened for reading and writing, how it heals."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from enum import Enum, auto
from pathlib import Path
from urllib.parse import quote

from dreamd.errors import DreamdError
from dreamd.search.words import VERSION

_LAYOUT = 3
#: Stored as PRAGMA user_version: another layout or other words make another index.
SCHEMA_VERSION = _LAYOUT * 1000 + VERSION
_BUSY_MS = 10_000

# Contentless: FTS5 keeps the words, the tables beside it the text as it is shown. Rows leave it by being given their words again.
_TABLES = """
CREATE TABLE memory_file (file TEXT PRIMARY KEY, digest TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE memory (id INTEGER PRIMARY KEY, file TEXT NOT NULL, line INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX memory_by_file ON memory (file);
CREATE TABLE session (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, project TEXT NOT NULL, project_key TEXT NOT NULL,
    lineage TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL,
    cwd TEXT NOT NULL, last_at INTEGER, about TEXT NOT NULL, outcome TEXT NOT NULL
);
CREATE INDEX session_by_project ON session (project_key, last_at);
CREATE INDEX session_by_cwd ON session (cwd);
CREATE TABLE project (key TEXT PRIMARY KEY, name TEXT NOT NULL, root TEXT NOT NULL, stem TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE turn (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, at INTEGER, role TEXT NOT NULL, speaker TEXT NOT NULL, path TEXT, line INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE speaker (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX turn_by_session ON turn (session);
CREATE VIRTUAL TABLE memory_words USING fts5 (words, content='', tokenize="porter unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE turn_words USING fts5 (words, content='', tokenize="porter unicode61 remove_diacritics 2");
"""


class IndexFailed(DreamdError):  # noqa: N818 - what happened to the index
    """The search index could not be read or written. It is throw-away: callers may go on without it."""

    code = "index"


class Condition(Enum):
    """What state the file is in."""

    READY = auto()
    MISSING = auto()
    OUTDATED = auto()  # another version's
    DAMAGED = auto()


class IndexFile:
    """One SQLite file that may be deleted at any time. Every use opens it anew, so nothing outlives a deletion."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def condition(self) -> Condition:
        """Whether it can be searched; never creates it."""
        if not self.path.is_file():
            return Condition.MISSING
        try:
            with contextlib.closing(self._connect_to_read()) as db:
                version = db.execute("PRAGMA user_version").fetchone()[0]
                db.execute("SELECT 1 FROM session LIMIT 1").fetchone()
        except sqlite3.OperationalError as error:
            return Condition.OUTDATED if "no such table" in str(error) else Condition.DAMAGED
        except sqlite3.DatabaseError:
            return Condition.DAMAGED
        return Condition.READY if version == SCHEMA_VERSION else Condition.OUTDATED

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection to a file in READY condition. Raises IndexFailed; a file found damaged is deleted first."""
        with _explained("read"):
            try:
                with contextlib.closing(self._connect_to_read()) as db:
                    yield db
            except sqlite3.DatabaseError as error:
                if _is_damage(error):
                    with contextlib.suppress(IndexFailed):
                        self.discard()
                raise

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one `BEGIN IMMEDIATE` transaction; what is missing, outdated or damaged is made anew first.

        Damage that only shows while writing is healed by starting over with an empty file; that one call still raises IndexFailed,
        and what was in it has to be given again.
        """
        with _explained("written"):
            if self.condition() is not Condition.READY:
                self._start_over()
            try:
                with contextlib.closing(self._connect_to_write()) as db, _transaction(db):
                    yield db
            except sqlite3.DatabaseError as error:
                if _is_damage(error):
                    self._start_over()
                raise

    def compact(self) -> None:
        """Merges the index and gives its space back, so that nothing that was removed is in the file any more."""
        if self.condition() is not Condition.READY:
            return
        with _explained("written"), contextlib.closing(self._connect_to_write()) as db:
            for table in ("memory_words", "turn_words"):
                db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608 - two fixed names
            db.execute("DELETE FROM speaker WHERE name NOT IN (SELECT speaker FROM turn)")
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def discard(self) -> None:
        """Deletes the file with its companions."""
        with _explained("deleted"):
            for suffix in ("", "-wal", "-shm", "-journal"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def _start_over(self) -> None:
        """An empty index in the place of whatever is there; two writers agree through the transaction."""
        if self.condition() is Condition.DAMAGED:
            self.discard()
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.closing(self._connect_to_write()) as db, _transaction(db):
            if db.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION:
                return
            rows = db.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND (sql LIKE 'CREATE VIRTUAL%' OR name IN"
                " ('memory', 'memory_file', 'session', 'turn', 'project', 'speaker'))"
            )
            for (name,) in rows.fetchall():
                db.execute(f'DROP TABLE "{name}"')
            for statement in _TABLES.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _connect_to_read(self) -> sqlite3.Connection:
        location = f"file:{quote(str(self.path.absolute()))}"
        db = sqlite3.connect(f"{location}?mode=ro", uri=True, isolation_level=None)
        try:
            db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            db.execute("PRAGMA user_version").fetchone()
        except sqlite3.OperationalError:
            db.close()
            # A directory in which not even the write-ahead log's companion can be made: nobody writes here.
            db = sqlite3.connect(f"{location}?mode=ro&immutable=1", uri=True, isolation_level=None)
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db

    def _connect_to_write(self) -> sqlite3.Connection:
        with contextlib.suppress(FileExistsError):  # an existing one is not opened: its close would drop SQLite's locks
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        db = sqlite3.connect(self.path, isolation_level=None)
        try:
            db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA secure_delete = ON")
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return (
        error.sqlite_errorname.split("_")[1] in {"CORRUPT", "NOTADB"} if hasattr(error, "sqlite_errorname") else False
    )


@contextlib.contextmanager
def _explained(done: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        raise IndexFailed(
            f"the search index could not be {done} ({name})",
            hint="it can be deleted at any time: it is made again from memory and transcripts",
        ) from error
    except OSError as error:
        raise IndexFailed(
            f"the search index could not be {done}: {error.strerror}",
            hint="check rights and free space of the state directory",
        ) from error
