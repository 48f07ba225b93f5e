"""What Claude Code says beside its transcripts: which sessions are open now."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import msgspec

from dreamd.processes import pid_namespace, started

#: A client in another container cannot be asked; its file counts for so long after its last update.
_FOREIGN_SILENCE = dt.timedelta(days=1)
_LARGEST = 1024 * 1024  # bytes of a file that is read here


class _Client(msgspec.Struct, rename="camel"):
    """`sessions/<pid>.json`: written while a client runs, removed when it ends, left behind when it is killed."""

    session_id: str
    pid: int
    proc_start: str | None = None  # Linux: field 22 of /proc/<pid>/stat
    pid_domain: str | None = None  # Linux: "linux:<machine>:pid:[<namespace>]"
    updated_at: float | None = None  # milliseconds


_CLIENT = msgspec.json.Decoder(_Client)


def open_sessions(home: Path, now: dt.datetime) -> frozenset[str]:
    """The sessions that a living client has open. A file that is no client's, or a dead one's, says nothing."""
    found = set()
    for path in _registry(home):
        try:
            client = _CLIENT.decode(_content(path))
        except (OSError, ValueError, RecursionError):
            continue
        if _lives(client, now):
            found.add(client.session_id)
    return frozenset(found)


def folder_of(cwd: str) -> str:
    """The name of the directory in which the client looks for sessions of a working directory."""
    return re.sub(r"[^A-Za-z0-9]", "-", cwd)


def _registry(home: Path) -> list[Path]:
    try:
        return [path for path in (home / "sessions").iterdir() if path.suffix == ".json"]
    except OSError:
        return []


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_LARGEST)


def _lives(client: _Client, now: dt.datetime) -> bool:
    """Whether the process that wrote the entry still runs; a pid that was given to another process is not it."""
    namespace = pid_namespace()
    if client.pid_domain and namespace and not client.pid_domain.endswith(namespace):
        return now.timestamp() - (client.updated_at or 0) / 1000 < _FOREIGN_SILENCE.total_seconds()
    since = started(client.pid)
    if since is None:
        return False
    comparable = client.proc_start is not None and client.proc_start.isdecimal() and since.isdecimal()
    return not comparable or client.proc_start == since
