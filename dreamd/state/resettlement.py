"""A database that came from another machine: its paths led to where the same things lie here, what was that machine's own left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, Text, case, delete, func, literal, or_, select, update

from dreamd.state.schema import files, findings, lease, places, projects, requests, runs, sessions, turns, withheld

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Column

    from dreamd.state.database import Database

#: Columns that hold an absolute path, or a project's key, which is one where no remote was ever seen.
_PATHS: Final = (
    sessions.c.path,
    sessions.c.root,
    sessions.c.cwd,
    files.c.path,
    projects.c.root,
    projects.c.key,
    findings.c.path,
    findings.c.project_key,
)
_COUNTED: Final = (("sessions", sessions), ("runs", runs), ("findings", findings), ("tombstones", withheld))


def moved(path: str, moves: Sequence[tuple[str, str]]) -> str:
    """A path as it is after the moves (old place, new place): the longest old place at or above it counts."""
    above = [(old, new) for old, new in moves if path == old or path.startswith(f"{old}/")]
    if not above:
        return path
    old, new = max(above, key=lambda move: len(move[0]))
    return new + path[len(old) :]


def settle(database: Database, moves: Sequence[tuple[str, str]]) -> None:
    """Leads every path to its place here, and drops the lease and the requests of the machine it came from."""
    with database.write() as connection:
        connection.execute(delete(lease))
        connection.execute(delete(requests))
    lead(database, moves)


def lead(database: Database, moves: Sequence[tuple[str, str]]) -> None:
    """Leads every path below an old place (old, new) to the same one below the new."""
    with database.write() as connection:
        for column in _PATHS if moves else ():
            connection.execute(
                update(column.table)
                .where(or_(*(_below(column, old) for old, _ in moves)))
                .values({column: _led(column, moves)})
            )


def relinked(database: Database, commits: Mapping[str, str]) -> None:
    """Has runs name the commits (old → new) that their plans were written into anew."""
    with database.write() as connection:
        for old, new in commits.items():
            connection.execute(update(runs).where(runs.c.commit == old).values(commit=new))


def project_keys(database: Database) -> tuple[str, ...]:
    """The keys of all projects."""
    with database.read() as connection:
        return tuple(connection.scalars(select(projects.c.key).order_by(projects.c.id)))


def session_places(database: Database) -> tuple[tuple[str, str], ...]:
    """(agent, root) of every place that sessions were found in."""
    with database.read() as connection:
        rows = connection.execute(select(sessions.c.agent, sessions.c.root).distinct().order_by("agent", "root"))
        return tuple((agent, root) for agent, root in rows)


def counted(database: Database) -> Mapping[str, int]:
    """How many sessions, runs, findings and tombstones there are."""
    with database.read() as connection:
        return {name: int(connection.scalar(select(func.count()).select_from(table)) or 0) for name, table in _COUNTED}


def without_copy(database: Database) -> int:
    """How many sessions with something a person typed have no archived copy."""
    query = (
        select(func.count(func.distinct(sessions.c.id)))
        .select_from(sessions)
        .join(places, places.c.session == sessions.c.id)
        .join(turns, turns.c.id == places.c.turn)
        .where(sessions.c.archive_path.is_(None), sessions.c.excluded.is_(None))
    )
    with database.read() as connection:
        return int(connection.scalar(query) or 0)


def _below(column: Column[Any], old: str) -> ColumnElement[bool]:
    return or_(column == old, func.substr(column, 1, len(old) + 1) == f"{old}/")


def _led(column: Column[Any], moves: Sequence[tuple[str, str]]) -> ColumnElement[Any]:
    longest_first = sorted(moves, key=lambda move: -len(move[0]))
    return case(
        *(
            (_below(column, old), literal(new) + func.substr(column, len(old) + 1, type_=Text))
            for old, new in longest_first
        ),
        else_=column,
    )
