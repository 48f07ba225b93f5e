"""The facts that the checks judge, all observed: nothing here is what somebody meant to do."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dreamd.integrations.claude_code.connection import Connection
from dreamd.search.file import Condition as IndexCondition
from dreamd.service.condition import Condition as ServiceCondition
from dreamd.state.condition import DatabaseCondition


@dataclass(frozen=True, slots=True)
class Right:
    """A file or directory of dreamd's own that others may look into."""

    path: Path
    mode: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Root:
    """One place with transcripts."""

    agent: str
    path: Path
    exists: bool
    readable: bool
    directories: int  # to be watched
    retention: dt.timedelta | None  # the agent's own; None: it deletes nothing


@dataclass(frozen=True, slots=True)
class Key:
    """The API key as the service would find it; never its value."""

    needed: bool
    where: str = ""  # "" for nowhere
    told_by_machine: bool = False  # a virtual machine's own credentials would do, and nobody can see them from here
    open_to_others: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """What the database says of past dreams; only where it can be read."""

    last_success_at: dt.datetime | None
    last_attempt_at: dt.datetime | None
    failures: int
    last_error: str | None
    pending: int  # lineages that wait
    expiring: int  # sessions that their agent deletes soon, undreamt
    head: str  # the commit that the newest committed run left; "" for none
    sampled: int  # archived copies read through
    damaged: tuple[str, ...]  # those of them that do not read back: session ids
    rebuilt_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything at one moment."""

    now: dt.datetime
    python: tuple[int, int]
    sqlite: tuple[int, ...]
    config_file: Path
    config_exists: bool
    rights: tuple[Right, ...]
    missing: tuple[Path, ...]  # directories that the first dream makes
    memory_root: Path
    memory_fault: str  # why a file could not be made and removed there; "" if it could
    over: tuple[str, ...]  # memory files beyond their caps
    roots: tuple[Root, ...]
    unread: tuple[str, ...]  # agents in their own places that `[[sources]]` leaves out
    unsupported: Mapping[str, int]  # agent → sessions that nothing here can read
    max_watches: int | None
    min_interval: dt.timedelta
    min_sessions: int
    scheduled: bool
    engine: str
    key: Key
    service: ServiceCondition
    living: int | None  # pid of a `dreamd run`, whoever started it
    unreached: tuple[Path, ...]  # places that the running service cannot write
    free: tuple[tuple[Path, int], ...]  # bytes
    database: DatabaseCondition
    index: IndexCondition
    history_fault: str
    history_head: str
    past: Past | None
    backups: tuple[Path, ...]  # that imports left long ago
    left_lock: int | None  # pid of a dead process in the dream lock
    import_line: str
    import_file: Path | None  # None: no Claude Code here
    connection: Connection
