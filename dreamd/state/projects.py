"""The projects that sessions belong to, each with a file name of its own for ever."""

from __future__ import annotations

import hashlib
from pathlib import PurePath
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from dreamd.errors import UsageError
from dreamd.state.dialect import insert
from dreamd.state.records import ProjectRecord
from dreamd.state.schema import projects, sessions
from dreamd.state.stem import slug

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from dreamd.state.columns import AnyRow
    from dreamd.state.database import Database


def place(connection: Connection, *, key: str, name: str, root: str, remote: str | None) -> int:
    """The row of a project, made if it is new. A remote that was ever seen stays the project's key for its root."""
    known = connection.execute(select(projects.c.id).where(projects.c.key == key)).scalar()
    if known is not None:
        return int(known)
    same_root = connection.execute(
        select(projects.c.id, projects.c.remote).where(projects.c.root == root, projects.c.root != "").order_by("id")
    ).first()
    if same_root is not None and remote is None:
        return int(same_root.id)
    if same_root is not None and same_root.remote is None:
        connection.execute(update(projects).where(projects.c.id == same_root.id).values(key=key, remote=remote))
        return int(same_root.id)
    stem = _free_stem(connection, key, name, root)
    made = insert(connection, projects).values(key=key, name=name, root=root, remote=remote, stem=stem)
    return int(connection.execute(made.returning(projects.c.id)).scalar_one())


def record_of(row: AnyRow) -> ProjectRecord:
    """A row of the table as a value."""
    return ProjectRecord(row=row.id, key=row.key, name=row.name, root=row.root, remote=row.remote, stem=row.stem)


class Projects:
    """All projects that were ever seen."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def place(self, *, key: str, name: str, root: str, remote: str | None = None) -> ProjectRecord:
        """The project with this key, made if it is new."""
        with self._database.write() as connection:
            row = place(connection, key=key, name=name, root=root, remote=remote)
            return record_of(connection.execute(select(projects).where(projects.c.id == row)).one())

    def list(self) -> tuple[ProjectRecord, ...]:
        """All of them, in the order they were first seen."""
        with self._database.read() as connection:
            return tuple(record_of(row) for row in connection.execute(select(projects).order_by(projects.c.id)))

    def find(self, name: str) -> ProjectRecord:
        """The project with this key, stem, root or name. Raises UsageError for none or several."""
        columns = (projects.c.key, projects.c.stem, projects.c.root, projects.c.name)
        with self._database.read() as connection:
            for column in columns:
                rows = connection.execute(select(projects).where(column == name)).all()
                if len(rows) == 1:
                    return record_of(rows[0])
                if rows:
                    raise UsageError(
                        f"{len(rows)} projects are called {name}", hint="give its path, or the stem of its file"
                    )
        raise UsageError(f"no project {name} is known", hint="`dreamd sessions` shows the projects")

    def of_cwd(self, cwd: str) -> ProjectRecord | None:
        """The project that sessions in this directory belonged to when it still existed."""
        with self._database.read() as connection:
            row = connection.execute(
                select(projects)
                .join(sessions, sessions.c.project == projects.c.id)
                .where(sessions.c.cwd == cwd)
                .order_by(sessions.c.id)
                .limit(1)
            ).first()
            return None if row is None else record_of(row)


def _free_stem(connection: Connection, key: str, name: str, root: str) -> str:
    stem = slug(PurePath(root).name or name)
    # Compared without case: some file systems take "API.md" and "api.md" for one file.
    taken = {text.casefold() for text in connection.scalars(select(projects.c.stem))}
    digest = hashlib.sha256(key.encode()).hexdigest()
    candidates = [stem, *(f"{stem}-{digest[:length]}" for length in range(6, len(digest) + 1, 6))]
    return next(text for text in candidates if text.casefold() not in taken)
