"""Rows of sessions, files and turns read as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, or_, select

from dreamd.state.chunks import chunks
from dreamd.state.file_counts import cursor_of
from dreamd.state.records import Excluded, FileRecord, ProjectRecord, SessionRecord, TurnRecord
from dreamd.state.schema import files, places, projects, sessions, turns
from dreamd.transcripts.event import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement, Connection, TextClause

    from dreamd.state.columns import AnyRow

_SAME = (
    *("agent", "path", "root", "cwd", "lineage", "human_turns", "unread", "gathered", "tokens_in", "tokens_out"),
    *("bytes", "bad_lines", "oversized_lines", "unknown_types", "seen_at", "first_at", "last_at", "grown_at"),
    *("quiet_at", "headless", "entrypoint", "version", "branch", "archive_path", "archive_digest"),
    *("archived_at", "failures", "quarantine_reason", "quarantined_at", "consolidated_at", "lost_at"),
)

_QUERY = select(
    sessions,
    *(projects.c[name].label(f"project_{name}") for name in ("key", "name", "root", "remote", "stem")),
).outerjoin(projects, projects.c.id == sessions.c.project)


def read_sessions(
    connection: Connection, *conditions: ColumnElement[bool] | TextClause, limit: int | None = None
) -> tuple[SessionRecord, ...]:
    """The sessions that meet all conditions, those that were quiet first in front."""
    query = _QUERY.where(*conditions).order_by(sessions.c.quiet_at, sessions.c.id).limit(limit)
    return tuple(_session(row) for row in connection.execute(query))


def read_turns(
    connection: Connection, session_rows: Iterable[int], *, unread: bool = False
) -> dict[int, list[TurnRecord]]:
    """The turns that count of each session, at their places in it, in the order of its files."""
    found: dict[int, list[TurnRecord]] = {}
    for piece in chunks(session_rows):
        query = (
            select(
                turns.c.id,
                turns.c.uid,
                turns.c.at,
                turns.c.origin,
                turns.c.consolidated_run,
                turns.c.size,
                places.c.session,
                places.c.offset,
                places.c.headless,
                files.c.path,
            )
            .join(places, places.c.turn == turns.c.id)
            .join(files, files.c.id == places.c.file)
            .join(sessions, sessions.c.id == places.c.session)
            .where(
                places.c.session.in_(piece),
                or_(places.c.headless.is_(False), sessions.c.with_headless.is_(True)),
            )
            .order_by(places.c.session, places.c.file, places.c.offset)
        )
        if unread:
            query = query.where(and_(turns.c.consolidated_run.is_(None), sessions.c.excluded.is_(None)))
        for row in connection.execute(query):
            found.setdefault(row.session, []).append(_turn(row))
    return found


def read_files(connection: Connection, session_row: int) -> tuple[FileRecord, ...]:
    """The files of one session, main ones first."""
    rows = connection.execute(select(files).where(files.c.session == session_row).order_by(files.c.kind, files.c.path))
    return tuple(
        FileRecord(
            row=row.id,
            path=row.path,
            kind=row.kind,
            cursor=cursor_of(row),
            bad_lines=row.bad_lines,
            lost_at=row.lost_at,
            settled=row.settled,
        )
        for row in rows
    )


def _session(row: AnyRow) -> SessionRecord:
    project = None
    if row.project is not None:
        project = ProjectRecord(
            row=row.project,
            key=row.project_key,
            name=row.project_name,
            root=row.project_root,
            remote=row.project_remote,
            stem=row.project_stem,
        )
    return SessionRecord(
        row=row.id,
        id=row.native_id,
        project=project,
        excluded_because=None if row.excluded is None else Excluded(row.excluded),
        **{name: getattr(row, name) for name in _SAME},
    )


def _turn(row: AnyRow) -> TurnRecord:
    return TurnRecord(
        row=row.id,
        id=row.uid,
        session=row.session,
        path=row.path,
        offset=row.offset,
        at=row.at,
        origin=Origin(row.origin),
        headless=row.headless,
        consolidated_run=row.consolidated_run,
        size=row.size or 0,
    )
