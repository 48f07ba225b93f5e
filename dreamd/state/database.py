"""The state database: opened once, brought up to date, then lent out to readers and brief writers."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, exc, inspect, text

from dreamd.errors import StateError
from dreamd.state.dialect import BUSY_SECONDS, compact, flatten, snapshot, sqlite_engine
from dreamd.state.migrate import upgrade
from dreamd.state.schema import REVISION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Engine

#: Part of the driver's message → what to do about it. The messages are SQLite's own (result codes 5, 8, 10, 11, 13, 14, 26).
_HINTS: Final = (
    ("locked", "another process holds the database for very long; see who has it open, then try again"),
    ("malformed", "`dreamd doctor --fix` sets it aside and rebuilds it from transcripts and history"),
    ("not a database", "`dreamd doctor --fix` sets it aside and rebuilds it from transcripts and history"),
    ("full", "free some space, then try again; nothing that was stored is lost"),
    ("readonly", "make the state directory and the files in it writable for you"),
    ("unable to open", "check that the state directory exists and is yours"),
    ("disk i/o", "check the disk and that the state directory is on a local file system"),
)


class Database:
    """One state database. Threads may share it; a writer must not open another writer inside itself."""

    def __init__(self, path: Path, reader: Engine, writer: Engine) -> None:
        self.path = path
        self._reader = reader
        self._writer = writer

    @classmethod
    def open(cls, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> Database:
        """Opens the database at `path`, makes it (0600, in a directory 0700) if it is not there, migrates it if it is old.

        Raises StateError where it cannot be used: rights, disk, damage, or a newer dreamd made it.
        """
        _prepare(path)
        database = cls(
            path,
            sqlite_engine(path, writes=False, busy_seconds=busy_seconds),
            sqlite_engine(path, writes=True, busy_seconds=busy_seconds),
        )
        try:
            with database.read() as connection:
                current = _revision(connection) == REVISION
            if not current:
                with database.write() as connection:
                    upgrade(connection, path)
        except BaseException:
            database.close()
            raise
        return database

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the database and can change nothing."""
        with _explained(self.path), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction: committed at the end, rolled back by an exception. Waits for other writers; be brief."""
        with _explained(self.path), self._writer.begin() as connection:
            yield connection

    def compact(self) -> None:
        """Rewrites the file so that nothing deleted can be read from it any more; waits for other writers."""
        self._reader.dispose()
        with _explained(self.path):
            compact(self._writer)

    def snapshot(self, target: Path) -> None:
        """Writes a whole, compact copy of this moment to a new file; writers are not held up."""
        with _explained(self.path):
            snapshot(self._writer, target)

    def flatten(self) -> None:
        """Leaves one file, to be moved; nobody else may have it open, and nobody may use this any more."""
        self._reader.dispose()
        with _explained(self.path):
            flatten(self._writer)

    def close(self) -> None:
        """Gives all connections back to the system, and the pages they keep; a later use opens new ones in a millisecond."""
        self._reader.dispose()
        self._writer.dispose()


def _prepare(path: Path) -> None:
    """The directory and an empty file with the right modes, where they are not there yet.

    An existing database is never opened here: closing any descriptor of it would drop the locks that this process
    holds on it through SQLite (POSIX: a process's record locks go with its first close of the file).
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite gives its side files the mode of the main file, so the mode must be right from the start.
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            path.chmod(0o600)
        if mode & 0o600 == 0o600:  # noqa: PLR2004 - the owner's two rights
            _mend_sides(path)
    except OSError as error:
        raise StateError(
            f"cannot use the state database {path}: {error.strerror}",
            hint="check that the state directory exists, is yours and has room",
        ) from error


def _mend_sides(path: Path) -> None:
    """Side files that SQLite made while the main file could not be written have its mode of then; they follow it back."""
    for side in (path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with contextlib.suppress(OSError):
            if stat.S_IMODE(side.stat().st_mode) != 0o600:  # noqa: PLR2004 - as above
                side.chmod(0o600)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turns what the database itself complains about into a StateError; faults in our own SQL stay what they are."""
    try:
        yield
    except (exc.IntegrityError, exc.ProgrammingError, exc.InterfaceError, exc.DataError):
        raise
    except exc.DBAPIError as error:
        told = str(error.orig)
        raise StateError(f"the state database {path} cannot be used: {told}", hint=_hint(told)) from error
    except sqlite3.Error as error:  # of the driver itself: a rewrite or a snapshot goes past SQLAlchemy
        raise StateError(f"the state database {path} cannot be used: {error}", hint=_hint(str(error))) from error
    except exc.TimeoutError as error:
        raise StateError(
            f"the state database {path} was busy for too long", hint="a writer inside this process never ended"
        ) from error


def _hint(told: str) -> str:
    lowered = told.lower()
    return next((hint for part, hint in _HINTS if part in lowered), "run `dreamd doctor`")
