"""What scans saw: files and their cursors, advanced by compare-and-set so that two scanners never count twice."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import BigInteger, Integer, and_, bindparam, case, exists, select, type_coerce, update
from sqlalchemy.sql.expression import tuple_

from dreamd.state import file_counts, lineages, session_facts, tally, turn_places
from dreamd.state.chunks import chunks
from dreamd.state.dialect import insert, plain_rows
from dreamd.state.records import UNREAD_REASONS
from dreamd.state.schema import files, places, sessions
from dreamd.state.sighting import FileKey, Sighting
from dreamd.transcripts.event import Cursor, SessionFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from dreamd.state.columns import AnyRow
    from dreamd.state.database import Database
    from dreamd.state.exclusion import Rules

# Flags of a known file.
SKIPPED: Final = 1  # its session is not to be read
TAILED: Final = 2  # it came to rest with an unfinished tail that was not looked at yet
LOST: Final = 4  # it had vanished


@dataclass(frozen=True, slots=True)
class Memo:
    """What is known of a file and its session before a reading."""

    cursor: Cursor
    cwd: str | None = None
    repository: str | None = None
    placed: bool = False  # its session has a project
    barred: bool = False  # its session is not to be read


@dataclass(frozen=True, slots=True)
class KnownFile:
    """Which file of which session lies at a path, and the root of its source."""

    agent: str
    session_id: str
    path: str
    kind: str
    root: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a batch: the sightings that counted, and the sessions that were new."""

    taken: tuple[Sighting, ...]
    created: frozenset[tuple[str, str]]


class Sightings:
    """The files table and what follows from it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def stamps(self, finished: dt.datetime) -> dict[FileKey, tuple[int | None, int | None, int | None, int]]:
        """Every known file: size, mtime_ns, inode (signed) and flags. `finished`: what is quiet since then is at rest.

        Plain numbers in one query, because 10,000 of them are looked at every minute.
        """
        skipped = case((sessions.c.barred.in_(sorted(UNREAD_REASONS)), SKIPPED), else_=0)
        at_rest = and_(files.c.settled.is_(False), files.c.consumed < files.c.size, sessions.c.quiet_at <= finished)
        flags = skipped + case((at_rest, TAILED), else_=0) + case((files.c.lost_at.is_not(None), LOST), else_=0)
        query = select(
            files.c.path,
            files.c.native_id,
            files.c.size,
            files.c.mtime_ns,
            type_coerce(files.c.inode, BigInteger),
            type_coerce(flags, Integer),
        ).outerjoin(sessions, sessions.c.id == files.c.session)
        with self._database.read() as connection:
            rows = plain_rows(connection, query)
        return {row[:2]: row[2:] for row in rows}

    def recall(self, seen: Sequence[SessionFile]) -> Mapping[FileKey, Memo]:
        """What is known of these files: an item for each, an empty one for a file never seen."""
        with self._database.read() as connection:
            facts = session_facts.read_rows(connection, {(file.agent, file.session_id) for file in seen})
            known = _file_rows(connection, ((file.path, file.session_id) for file in seen))
        memos = {}
        for file in seen:
            session = facts.get((file.agent, file.session_id))
            row = known.get((file.path, file.session_id))
            memos[file.path, file.session_id] = Memo(
                cursor=Cursor() if row is None else file_counts.cursor_of(row),
                cwd=session.cwd if session else None,
                repository=session.repository if session else None,
                placed=session is not None and session.project is not None,
                barred=session is not None and session.barred in UNREAD_REASONS,
            )
        return memos

    def files_at(self, paths: Iterable[str]) -> Mapping[str, tuple[KnownFile, ...]]:
        """The known files at these paths; a path that nothing is known of is left out."""
        found: dict[str, tuple[KnownFile, ...]] = {}
        columns = (files.c.path, files.c.agent, files.c.native_id, files.c.kind, sessions.c.root)
        query = select(*columns).join(sessions, sessions.c.id == files.c.session)
        with self._database.read() as connection:
            for piece in chunks(sorted(set(paths))):
                for row in connection.execute(query.where(files.c.path.in_(piece))):
                    known = KnownFile(row.agent, row.native_id, row.path, row.kind, row.root)
                    found[row.path] = (*found.get(row.path, ()), known)
        return found

    def take(self, batch: Sequence[Sighting], rules: Rules, now: dt.datetime) -> Taken:
        """Stores what a batch of readings found, in one transaction.

        A reading that began at another place than the stored cursor was overtaken by another scanner: it is dropped,
        and the next scan reads on from where that one stands.
        """
        with self._database.write() as connection:
            rows, created = session_facts.rows_for(connection, batch, now)
            accepted = _accept(connection, batch, rows, now)
            learnt = [(one, rows[one.session], file) for one, file in accepted if one.session in rows]
            main = [(one, row) for one, row, _ in learnt if one.file.kind == "main"]
            session_facts.learn(connection, main)
            lineages.join(connection, main)
            touched = {row for _, row, _ in learnt}
            tally.sum_files(connection, touched, now)
            touched |= turn_places.store(
                connection,
                [(one.reading, row, file) for one, row, file in learnt if one.reading and one.file.kind == "main"],
            )
            tally.judge(connection, touched, rules)
        return Taken(tuple(one for one, _ in accepted), frozenset(created))

    def vanish(self, gone: Iterable[FileKey], now: dt.datetime) -> int:
        """Marks files as lost, and sessions that have no file and no archived copy left. Returns how many sessions."""
        lost = 0
        with self._database.write() as connection:
            for piece in chunks(gone, 1000):
                condition = tuple_(files.c.path, files.c.native_id).in_(piece)
                connection.execute(update(files).where(condition, files.c.lost_at.is_(None)).values(lost_at=now))
                touched = set(
                    connection.scalars(select(files.c.session).where(condition, files.c.session.is_not(None)))
                )
                still = exists().where(
                    files.c.session == sessions.c.id, files.c.kind == "main", files.c.lost_at.is_(None)
                )
                lost += connection.execute(
                    update(sessions)
                    .where(
                        sessions.c.id.in_(touched),
                        sessions.c.archived_at.is_(None),
                        sessions.c.lost_at.is_(None),
                        ~still,
                    )
                    .values(lost_at=now)
                ).rowcount
                _look_again(connection, condition)
                tally.sum_files(connection, touched, now)
                tally.judge(connection, turn_places.sharing_turns(connection, touched))
        return lost

    def judge_all(self, rules: Rules) -> None:
        """Applies changed rules to every known session."""
        with self._database.read() as connection:
            rows = list(connection.scalars(select(sessions.c.id)))
        for piece in chunks(rows):
            with self._database.write() as connection:
                tally.judge(connection, piece, rules)


def _file_rows(connection: Connection, keys: Iterable[FileKey], *, lock: bool = False) -> dict[FileKey, AnyRow]:
    found = {}
    for piece in chunks(sorted({path for path, _ in keys})):
        query = select(files).where(files.c.path.in_(piece))
        for row in connection.execute(query.with_for_update() if lock else query):
            found[row.path, row.native_id] = row
    return found


def _accept(
    connection: Connection, batch: Sequence[Sighting], rows: Mapping[tuple[str, str], int], now: dt.datetime
) -> list[tuple[Sighting, int]]:
    """Advances the cursors of the batch's files. Returns what counted, with the file's row."""
    known = _file_rows(connection, (one.key for one in batch), lock=True)
    accepted, changed, fresh = [], [], {}
    for one in batch:
        row = known.get(one.key)
        if row is None:
            if one.before == Cursor():
                fresh[one.key] = one
        elif one.reading is not None and file_counts.cursor_of(row) == one.before:
            accepted.append((one, int(row.id)))
            changed.append(
                {
                    "b_row": row.id,
                    "session": rows.get(one.session),
                    **file_counts.after(row, one.reading, one.settled, now),
                }
            )
    if changed:
        connection.execute(update(files).where(files.c.id == bindparam("b_row")), changed)
    if fresh:
        # On PostgreSQL another scanner may be ahead even now; what it inserted is not returned to us.
        made = connection.execute(
            insert(connection, files).on_conflict_do_nothing().returning(files.c.id, files.c.path, files.c.native_id),
            [_new_file(one, rows.get(one.session), now) for one in fresh.values()],
        )
        accepted += [(fresh[row.path, row.native_id], int(row.id)) for row in made]
    return accepted


def _look_again(connection: Connection, vanished: ColumnElement[bool]) -> None:
    """Where turns stood in a file that vanished and their session has another one: that one is read anew, for their places in it."""
    homeless = (
        select(places.c.session)
        .join(files, files.c.id == places.c.file)
        .where(vanished, files.c.kind == "main")
        .distinct()
    )
    connection.execute(
        update(files)
        .where(files.c.session.in_(homeless), files.c.kind == "main", files.c.lost_at.is_(None))
        .values(size=None, mtime_ns=None, inode=None, **file_counts.UNREAD)
    )


def _new_file(one: Sighting, session: int | None, now: dt.datetime) -> dict[str, object]:
    return {
        "path": one.file.path,
        "agent": one.file.agent,
        "native_id": one.file.session_id,
        "kind": one.file.kind,
        "session": session,
        "seen_at": now,
        **file_counts.after(None, one.reading, one.settled, now),
    }
