"""What readings say of their sessions: made when their first file is seen, told more by every reading."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select, update
from sqlalchemy.sql.expression import tuple_

from dreamd.state import projects
from dreamd.state.chunks import chunks
from dreamd.state.dialect import insert
from dreamd.state.schema import files, sessions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from dreamd.state.columns import AnyRow
    from dreamd.state.sighting import Sighting
    from dreamd.transcripts.project import ProjectRef


def read_rows(connection: Connection, keys: set[tuple[str, str]]) -> dict[tuple[str, str], AnyRow]:
    """The sessions with these agents and native ids, as far as they are known."""
    found = {}
    for piece in chunks(sorted({native for _, native in keys})):
        for row in connection.execute(select(sessions).where(sessions.c.native_id.in_(piece))):
            found[row.agent, row.native_id] = row
    return {key: found[key] for key in keys if key in found}


def rows_for(
    connection: Connection, batch: Sequence[Sighting], now: dt.datetime
) -> tuple[dict[tuple[str, str], int], set[tuple[str, str]]]:
    """The rows of the batch's sessions, made for main files that are the first of theirs; and which were made."""
    keys = {one.session for one in batch}
    known = {key: int(row.id) for key, row in read_rows(connection, keys).items()}
    first = {one.session: one for one in reversed(batch) if one.file.kind == "main" and one.session not in known}
    if not first:
        return known, set()
    statement = insert(connection, sessions).on_conflict_do_nothing()
    connection.execute(statement, [_new_session(one, now) for one in first.values()])
    rows = {key: int(row.id) for key, row in read_rows(connection, keys).items()}
    connection.execute(
        update(files)
        .where(
            files.c.session.is_(None),
            tuple_(files.c.agent, files.c.native_id).in_(sorted(first)),
        )
        .values(
            session=select(sessions.c.id)
            .where(sessions.c.agent == files.c.agent, sessions.c.native_id == files.c.native_id)
            .scalar_subquery()
        )
    )
    return rows, set(first)


def _new_session(one: Sighting, now: dt.datetime) -> dict[str, object]:
    return {
        "agent": one.file.agent,
        "native_id": one.file.session_id,
        "root": one.root,
        "path": one.file.path,
        "lineage": f"{one.file.agent}:{one.file.session_id}",
        "headless": False,
        "own": False,
        "with_headless": False,
        "human_turns": 0,
        "unread": 0,
        "gathered": 0,
        "tokens_in": 0,
        "tokens_out": 0,
        "bytes": 0,
        "bad_lines": 0,
        "oversized_lines": 0,
        "unknown_types": {},
        "seen_at": now,
        "quiet_at": now,
        "failures": 0,
    }


def learn(connection: Connection, learnt: Sequence[tuple[Sighting, int]]) -> None:
    """What readings say of their sessions: the first word counts for where it belongs, the last for the rest."""
    if not learnt:
        return
    found = connection.execute(select(sessions).where(sessions.c.id.in_({row for _, row in learnt})))
    facts = {row.id: dict(row._mapping) for row in found}  # noqa: SLF001 - SQLAlchemy's documented name
    homes: dict[ProjectRef, int] = {}
    for one, row in learnt:
        _merge_facts(facts[row], one)
        ref = one.project
        if ref is not None:
            if ref not in homes:
                homes[ref] = projects.place(connection, key=ref.key, name=ref.name, root=ref.root, remote=ref.remote)
            facts[row]["project"] = homes[ref]
    names = ("path", "root", "cwd", "repository", "lineage", "entrypoint", "version", "branch", "headless", "own")
    connection.execute(
        update(sessions).where(sessions.c.id == bindparam("b_row")),
        [
            {"b_row": row, "lost_at": None, "project": one["project"], **{name: one[name] for name in names}}
            for row, one in facts.items()
        ],
    )


def _merge_facts(facts: dict[str, object], one: Sighting) -> None:
    facts["path"], facts["root"] = one.file.path, one.root
    facts["cwd"] = facts["cwd"] or clean(one.cwd)
    reading = one.reading
    if reading is None:
        return
    facts["cwd"] = facts["cwd"] or clean(reading.first_cwd)
    facts["repository"] = facts["repository"] or clean(reading.repository)
    if reading.lineage and facts["lineage"] == f"{one.file.agent}:{one.file.session_id}":
        facts["lineage"] = clean(reading.lineage)
    for name in ("entrypoint", "version", "branch"):
        facts[name] = clean(getattr(reading, name)) or facts[name]
    facts["headless"] = facts["headless"] or reading.headless
    facts["own"] = facts["own"] or reading.own


def clean(text: str | None) -> str | None:
    """Text that every database takes: no NUL, no half of a surrogate pair."""
    return None if text is None else text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
