"""OpenCode's sessions as they are stored: rows of a database that is only ever read, or small JSON files from before it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import msgspec

from dreamd.transcripts import jsonl
from dreamd.transcripts.lenient import lenient

_PATIENCE = 2.0  # seconds to wait for a writer
_DENIED = '"question"'


class Clock(msgspec.Struct, gc=False):
    """Times in milliseconds."""

    created: float | None = None
    updated: float | None = None


class Cache(msgspec.Struct, gc=False):
    """Cached input of an answer, in tokens."""

    read: int | None = None
    write: int | None = None


class Tokens(msgspec.Struct, gc=False):
    """What an answer cost."""

    input: int | None = None
    output: int | None = None
    cache: Cache | None = None


class State(msgspec.Struct, gc=False):
    """How a tool's call ended."""

    status: str | None = None
    output: str | None = None
    error: str | None = None


class Body(msgspec.Struct, gc=False, rename={"model_id": "modelID", "message_id": "messageID"}):
    """What is read of a message, a part, or a session's JSON file."""

    id: str | None = None
    role: str | None = None
    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    summary: bool | None = None
    mode: str | None = None
    model_id: str | None = None
    message_id: str | None = None
    tool: str | None = None
    state: State | None = None
    tokens: Tokens | None = None
    time: Clock | None = None
    directory: str | None = None
    version: str | None = None
    title: str | None = None
    parent_id: str | None = msgspec.field(default=None, name="parentID")
    revert: msgspec.Raw = msgspec.Raw(b"")


@dataclass(frozen=True, slots=True)
class Listed:
    """A session as a listing shows it. `rows` and `updated` (ms) change when anything in it does."""

    id: str
    parent: str | None
    rows: int
    updated: int


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message with its parts, in their order."""

    id: str
    created: int  # ms
    body: Body
    parts: tuple[Body, ...]


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A whole session. `reverted`: the id of the first message that the person took back; `scripted`: no person could be asked."""

    id: str
    parent: str | None
    directory: str | None
    title: str | None
    version: str | None
    updated: int
    reverted: str | None
    scripted: bool
    messages: tuple[StoredMessage, ...]
    bytes: int
    bad: int  # rows or files that were not JSON objects


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, read-only. Raises sqlite3.Error.

    Where no write-ahead log lies beside it nothing can be newer than the file, and it is opened as one that does not change: else
    SQLite would make that log's files.
    """
    log = path.with_name(path.name + "-wal")
    frozen = "" if log.exists() and log.stat().st_size else "&immutable=1"
    address = f"file:{quote(str(path))}?mode=ro{frozen}"
    with closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.row_factory = sqlite3.Row
        yield connection


def listed(path: Path) -> list[Listed]:
    """The sessions of a database. Raises sqlite3.Error."""
    with opened(path) as connection:
        rows: dict[str, tuple[int, int]] = {}
        for table in ("message", "part"):
            newest = "max(time_updated)" if "time_updated" in _columns(connection, table) else "0"
            query = f"SELECT session_id, count(*) AS rows, {newest} AS newest FROM {table} GROUP BY session_id"  # noqa: S608 - names of ours
            for row in connection.execute(query):
                count, newest_so_far = rows.get(row["session_id"], (0, 0))
                rows[row["session_id"]] = count + row["rows"], max(newest_so_far, _ms(row["newest"]))
        found = []
        for row in connection.execute("SELECT id, parent_id, time_updated FROM session ORDER BY time_created, id"):
            count, newest_row = rows.get(row["id"], (0, 0))
            found.append(Listed(row["id"], row["parent_id"], count, max(newest_row, _ms(row["time_updated"]))))
        return found


def session_of(path: Path, session_id: str) -> StoredSession | None:
    """A session of a database; None where it is not in there. Raises sqlite3.Error."""
    with opened(path) as connection:
        row = connection.execute("SELECT * FROM session WHERE id = ?", (session_id,)).fetchone()
        if row is None:
            return None
        facts = dict(row)
        parts: dict[str, list[Body]] = {}
        size = bad = 0
        newest = _ms(facts.get("time_updated"))
        for part in connection.execute("SELECT * FROM part WHERE session_id = ? ORDER BY id", (session_id,)):
            body = _body(part["data"])
            size += len(part["data"] or "")
            bad += body is None
            newest = max(newest, _ms(dict(part).get("time_updated")))
            if body is not None:
                parts.setdefault(part["message_id"], []).append(body)
        messages = []
        order = "SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id"
        for message in connection.execute(order, (session_id,)):
            body = _body(message["data"])
            size += len(message["data"] or "")
            bad += body is None
            newest = max(newest, _ms(dict(message).get("time_updated")))
            if body is not None:
                there = tuple(parts.get(message["id"], ()))
                messages.append(StoredMessage(message["id"], _ms(message["time_created"]), body, there))
    revert = _body(facts.get("revert"))
    return StoredSession(
        id=session_id,
        parent=facts.get("parent_id"),
        directory=facts.get("directory"),
        title=facts.get("title"),
        version=facts.get("version"),
        updated=newest,
        reverted=revert.message_id if revert else None,
        scripted=_DENIED in (facts.get("permission") or ""),
        messages=tuple(messages),
        bytes=size,
        bad=bad,
    )


def legacy_session(path: Path) -> StoredSession | None:
    """A session out of `storage/session/<project>/<session>.json` and the files of its messages; None where it cannot be read."""
    head, size = _file(path)
    if head is None:
        return None
    storage = path.parent.parent.parent
    session_id = head.id or path.stem
    messages, bad = [], 0
    for file in sorted((storage / "message" / session_id).glob("*.json")):
        body, length = _file(file)
        size += length
        if body is None:
            bad += 1
            continue
        parts = []
        for part_file in sorted((storage / "part" / (body.id or file.stem)).glob("*.json")):
            part, length = _file(part_file)
            size += length
            bad += part is None
            if part is not None:
                parts.append(part)
        created = _ms(body.time.created if body.time else None)
        messages.append(StoredMessage(body.id or file.stem, created, body, tuple(parts)))
    messages.sort(key=lambda one: (one.created, one.id))
    revert = _body(bytes(memoryview(head.revert)).decode("utf-8", "replace"))
    return StoredSession(
        id=session_id,
        parent=head.parent_id,
        directory=head.directory,
        title=head.title,
        version=head.version,
        updated=_ms(head.time.updated if head.time else None),
        reverted=revert.message_id if revert else None,
        scripted=False,
        messages=tuple(messages),
        bytes=size,
        bad=bad,
    )


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row["name"] for row in connection.execute(f"PRAGMA table_info({table})")}


def _ms(value: object) -> int:
    return int(value) if isinstance(value, int | float) and 0 < value < 1e14 else 0  # noqa: PLR2004 - the year 5138


def _file(path: Path) -> tuple[Body | None, int]:
    try:
        data = path.read_bytes()
    except OSError:
        return None, 0
    return _body(data.decode("utf-8", "replace")), len(data)


def _body(text: str | None) -> Body | None:
    """A JSON object; None for anything else."""
    if not text:
        return None
    data = jsonl.mend(text.encode("utf-8", "replace"))
    try:
        return msgspec.json.decode(data, type=Body)
    except (ValueError, RecursionError):
        pass
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return lenient(Body, value) if isinstance(value, dict) else None
