"""Where people's turns stand: one row for a turn, one for each session it stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, func, select, update

from dreamd.state.chunks import chunks
from dreamd.state.dialect import insert
from dreamd.state.schema import gathered, places, run_turns, sessions, turns
from dreamd.transcripts.event import Growth, HumanTurn, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection


def store(connection: Connection, readings: Sequence[tuple[Reading, int, int]]) -> set[int]:
    """Stores the turns of (reading, session's row, file's row). Returns every session whose count may have changed."""
    replaced = [file for reading, _, file in readings if reading.growth in {Growth.NEW, Growth.REWRITTEN}]
    moved = _clear(connection, replaced)
    found = [
        (turn, headless, session, file)
        for reading, session, file in readings
        for headless, turns_read in ((False, reading.turns), (True, reading.headless_turns))
        for turn in turns_read
    ]
    agents = _agents(connection, {session for _, _, session, _ in found})
    rows = _turn_rows(connection, [(agents[session], turn, session) for turn, _, session, _ in found])
    place = insert(connection, places)
    # A session that was moved stands in another file now; in one file a turn keeps its first place.
    place = place.on_conflict_do_update(
        index_elements=["session", "turn"],
        set_={name: place.excluded[name] for name in ("file", "offset", "headless")},
        where=places.c.file != place.excluded.file,
    )
    for piece in chunks(found):
        connection.execute(
            place,
            [
                {
                    "session": session,
                    "turn": rows[agents[session], turn.id],
                    "file": file,
                    "offset": turn.offset,
                    "headless": headless,
                }
                for turn, headless, session, file in piece
            ],
        )
    touched = {session for _, _, session, _ in found} | _rehome(connection, moved)
    _drop_orphans(connection, moved)
    return touched


def sharing_turns(connection: Connection, session_rows: Iterable[int]) -> set[int]:
    """These sessions and all that hold a copy of one of their turns."""
    own, other = places.alias("own"), places.alias("other")
    found = set(session_rows)
    for piece in chunks(sorted(found)):
        found.update(
            connection.scalars(
                select(other.c.session).join(own, own.c.turn == other.c.turn).where(own.c.session.in_(piece)).distinct()
            )
        )
    return found


def _agents(connection: Connection, session_rows: set[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for piece in chunks(sorted(session_rows)):
        query = select(sessions.c.id, sessions.c.agent).where(sessions.c.id.in_(piece))
        found.update(connection.execute(query).all())
    return found


def _turn_rows(connection: Connection, found: Sequence[tuple[str, HumanTurn, int]]) -> dict[tuple[str, str], int]:
    """The rows of turns, made for those never seen; the session of the first sight holds it."""
    for piece in chunks(found):
        connection.execute(
            insert(connection, turns).on_conflict_do_nothing(),
            [
                {
                    "agent": agent,
                    "uid": turn.id,
                    "session": session,
                    "at": turn.at,
                    "origin": turn.origin.value,
                    "size": turn.size or None,
                }
                for agent, turn, session in piece
            ],
        )
    rows: dict[tuple[str, str], int] = {}
    for uids in chunks(sorted({turn.id for _, turn, _ in found})):
        for row in connection.execute(select(turns.c.agent, turns.c.uid, turns.c.id).where(turns.c.uid.in_(uids))):
            rows[row.agent, row.uid] = row.id
    return rows


def _clear(connection: Connection, file_rows: Sequence[int]) -> list[int]:
    """Forgets where turns stood in files that were written anew. Returns the turns."""
    moved: set[int] = set()
    for piece in chunks(file_rows):
        moved.update(connection.scalars(select(places.c.turn).where(places.c.file.in_(piece))))
        connection.execute(delete(places).where(places.c.file.in_(piece)))
    return sorted(moved)


def _rehome(connection: Connection, moved: Sequence[int]) -> set[int]:
    """Turns whose holder has them no longer go to a session that still has them. Returns the sessions concerned."""
    touched: set[int] = set()
    somewhere = select(func.min(places.c.session)).where(places.c.turn == turns.c.id).scalar_subquery()
    held = exists().where(places.c.turn == turns.c.id, places.c.session == turns.c.session)
    for piece in chunks(moved):
        touched.update(connection.scalars(select(turns.c.session).where(turns.c.id.in_(piece)).distinct()))
        connection.execute(
            update(turns).where(turns.c.id.in_(piece), ~held, somewhere.is_not(None)).values(session=somewhere)
        )
        touched.update(connection.scalars(select(places.c.session).where(places.c.turn.in_(piece)).distinct()))
    return touched


def _drop_orphans(connection: Connection, moved: Sequence[int]) -> None:
    """Unread turns that stand nowhere any more and that no run has ever looked at."""
    for piece in chunks(moved):
        connection.execute(
            delete(turns).where(
                turns.c.id.in_(piece),
                turns.c.consolidated_run.is_(None),
                ~exists().where(places.c.turn == turns.c.id),
                ~exists().where(run_turns.c.turn == turns.c.id),
                ~exists().where(gathered.c.turn == turns.c.id),
            )
        )
