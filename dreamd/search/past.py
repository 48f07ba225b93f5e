"""What the index knows of projects and sessions themselves: which project a directory is, and what was last done there."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dreamd.search.file import Condition, IndexFailed, IndexFile


@dataclass(frozen=True, slots=True)
class ProjectDoc:
    """A project as the index knows it. Its topic file is projects/`stem`.md."""

    key: str
    name: str
    root: str
    stem: str


def named(db: sqlite3.Connection, name: str) -> tuple[ProjectDoc, ...]:
    """The projects that somebody means by a key, a root, a name or a stem: of the first of these that any has."""
    for column in ("key", "root", "name", "stem"):
        statement = f"SELECT key, name, root, stem FROM project WHERE {column} = ? COLLATE NOCASE"  # noqa: S608 - four fixed names
        rows = db.execute(statement, (name,)).fetchall()
        if rows:
            return tuple(ProjectDoc(*row) for row in rows)
    return ()


@dataclass(frozen=True, slots=True)
class PastSession:
    """A session in two sentences, redacted; either may be empty."""

    id: str  # "agent:id"
    at: dt.datetime | None  # UTC, of its last line
    about: str
    outcome: str
    cwd: str = ""  # where it began; "" unknown


@dataclass(frozen=True, slots=True)
class Past:
    """What the index says without a query; empty where there is no usable index."""

    path: Path

    def projects(self) -> tuple[ProjectDoc, ...]:
        """Every project that was ever seen, in the order of their keys."""
        return tuple(ProjectDoc(*row) for row in self._rows("SELECT key, name, root, stem FROM project ORDER BY key"))

    def project_of(self, directory: str) -> str | None:
        """The key of the project that sessions which began in this directory belong to, the newest leading."""
        rows = self._rows("SELECT project_key FROM session WHERE cwd = ? ORDER BY last_at DESC LIMIT 1", (directory,))
        return next((str(key) for (key,) in rows if key), None)

    def within(self, session: str) -> tuple[str, str] | None:
        """The directory that a session ("agent:id") began in and its project's root, each "" where unknown; None for no such session."""
        statement = "SELECT s.cwd, coalesce(p.root, '') FROM session s LEFT JOIN project p ON p.key = s.project_key WHERE s.name = ?"
        rows = self._rows(statement, (session,))
        return (str(rows[0][0]), str(rows[0][1])) if rows else None

    def sessions(self, keys: Sequence[str], limit: int, *, without: str = "") -> tuple[PastSession, ...]:
        """The newest sessions of a project that say what they were about, newest first.

        `keys` are all that the project ever had; `without` is the agent's own id of a session that is left out.
        """
        marks = ",".join("?" * len(keys))
        rows = self._rows(
            f"SELECT name, last_at, about, outcome, cwd FROM session WHERE project_key IN ({marks}) AND about <> ''"  # noqa: S608 - question marks
            " AND substr(name, instr(name, ':') + 1) <> ? ORDER BY last_at DESC LIMIT ?",
            (*keys, without, limit),
        )
        return tuple(
            PastSession(name, None if at is None else dt.datetime.fromtimestamp(at / 1000, dt.UTC), about, outcome, cwd)
            for name, at, about, outcome, cwd in rows
        )

    def _rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        file = IndexFile(self.path)
        if file.condition() is not Condition.READY:
            return []
        try:
            with file.reading() as db:
                return db.execute(statement, tuple(values)).fetchall()
        except IndexFailed:
            return []
