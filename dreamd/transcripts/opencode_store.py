"""OpenCode's sessions as they are stored: rows of a database that is only ever read."""

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
DENIED = '"question"'  # among a session's permissions: nobody is there who could be asked
_MAGIC = b"SQLite format 3\x00"


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
    permission: msgspec.Raw = msgspec.Raw(b"")


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


def address(path: Path) -> str:
    """The URI by which SQLite opens a database read-only.

    Where no write-ahead log lies beside it nothing can be newer than the file, and it is opened as one that does not change: else
    SQLite would make that log's files.
    """
    log = log_of(path)
    frozen = "" if log.exists() and log.stat().st_size else "&immutable=1"
    return f"file:{quote(str(path))}?mode=ro{frozen}"


def log_of(path: Path) -> Path:
    """The write-ahead log beside a database."""
    return path.with_name(f"{path.name}-wal")


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, by its first bytes. Raises OSError where it cannot be opened."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, read-only. Raises sqlite3.Error."""
    with closing(sqlite3.connect(address(path), uri=True, timeout=_PATIENCE, isolation_level=None)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.row_factory = sqlite3.Row
        yield connection


def session_of(path: Path, session_id: str) -> StoredSession | None:
    """A session of a database; None where it is not in there. Raises sqlite3.Error."""
    with opened(path) as connection:
        connection.execute("BEGIN")  # one picture of all tables
        row = connection.execute("SELECT * FROM session WHERE id = ?", (session_id,)).fetchone()
        if row is None:
            return None
        facts = dict(row)
        parts: dict[str, list[Body]] = {}
        size = bad = 0
        newest = milliseconds(facts.get("time_updated"))
        for part in connection.execute("SELECT * FROM part WHERE session_id = ? ORDER BY id", (session_id,)):
            body = body_of(part["data"])
            size += len(part["data"] or "")
            bad += body is None
            newest = max(newest, milliseconds(dict(part).get("time_updated")))
            if body is not None:
                parts.setdefault(part["message_id"], []).append(body)
        messages = []
        order = "SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id"
        for message in connection.execute(order, (session_id,)):
            body = body_of(message["data"])
            size += len(message["data"] or "")
            bad += body is None
            newest = max(newest, milliseconds(dict(message).get("time_updated")))
            if body is not None:
                there = tuple(parts.get(message["id"], ()))
                messages.append(StoredMessage(message["id"], milliseconds(message["time_created"]), body, there))
    revert = body_of(facts.get("revert"))
    return StoredSession(
        id=session_id,
        parent=facts.get("parent_id"),
        directory=facts.get("directory"),
        title=facts.get("title"),
        version=facts.get("version"),
        updated=newest,
        reverted=revert.message_id if revert else None,
        scripted=DENIED in (facts.get("permission") or ""),
        messages=tuple(messages),
        bytes=size,
        bad=bad,
    )


def milliseconds(value: object) -> int:
    """A time as it is stored; 0 for anything else."""
    return int(value) if isinstance(value, int | float) and 0 < value < 1e14 else 0  # noqa: PLR2004 - the year 5138


def body_of(text: str | None) -> Body | None:
    """A row's or a file's JSON object; None for anything else."""
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
