"""What the state hands out: frozen records of sessions, turns, files, projects and findings."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dreamd.clock import rfc3339
from dreamd.transcripts.event import Cursor, Origin


class Excluded(StrEnum):
    """Why nothing is learned from a session, the strongest reason first."""

    FORGOTTEN = "forgotten"  # `dreamd forget --session`
    OWN = "own"  # dreamd's own session
    PROJECT = "project"  # a rule says learn = false: never read
    GLOB = "glob"  # the source's `exclude`: never read
    HEADLESS = "headless"  # nobody typed in it, and `gates.headless` is off
    EMPTY = "empty"  # no turn of a person
    COPY = "copy"  # all its turns stand in another session


#: Sessions whose files are not opened at all.
UNREAD_REASONS = frozenset({Excluded.FORGOTTEN, Excluded.PROJECT, Excluded.GLOB})


class SessionState(StrEnum):
    """Where a session stands on its way into memory."""

    LIVE = "live"
    PENDING = "pending"
    GATHERED = "gathered"
    CONSOLIDATED = "consolidated"
    QUARANTINED = "quarantined"
    EXCLUDED = "excluded"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class ProjectRecord:
    """One project; `stem` is the name of its file under projects/, without the suffix."""

    row: int
    key: str
    name: str
    root: str
    remote: str | None
    stem: str


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One session, its files' counts summed up. Times in UTC; `row` is the database's own number for it."""

    row: int
    agent: str
    id: str  # the agent's own id
    path: str  # of its main file
    root: str  # of the source it was found under
    project: ProjectRecord | None
    cwd: str | None
    lineage: str
    excluded_because: Excluded | None
    human_turns: int
    unread: int  # of these, not consolidated yet; 0 where excluded
    gathered: int  # of the unread ones, those whose findings are stored
    tokens_in: int  # input and cache tokens, each message once
    tokens_out: int
    bytes: int
    bad_lines: int
    oversized_lines: int
    unknown_types: Mapping[str, int]
    seen_at: dt.datetime
    first_at: dt.datetime | None
    last_at: dt.datetime | None
    grown_at: dt.datetime | None  # last growth that dreamd saw; None: never
    quiet_at: dt.datetime  # nothing new since then, as far as dreamd knows
    headless: bool
    entrypoint: str | None
    version: str | None
    branch: str | None
    archive_path: str | None
    archive_digest: str | None
    archived_at: dt.datetime | None
    failures: int
    quarantine_reason: str | None
    quarantined_at: dt.datetime | None
    consolidated_at: dt.datetime | None
    lost_at: dt.datetime | None

    @property
    def name(self) -> str:
        """The session's name in plans and commits: "agent:id"."""
        return f"{self.agent}:{self.id}"

    def finished(self, now: dt.datetime, idle: dt.timedelta) -> bool:
        """Nothing new for `idle`: the later of the last line's own time and the last growth dreamd saw."""
        return self.quiet_at <= now - idle

    def state(self, now: dt.datetime, idle: dt.timedelta) -> SessionState:
        """Where it stands. A vanished transcript is lost only where something in it was not dreamt of."""
        if self.excluded_because is not None:
            return SessionState.EXCLUDED
        if self.quarantined_at is not None:
            return SessionState.QUARANTINED
        if self.lost_at is not None and self.unread:
            return SessionState.LOST
        if self.lost_at is None and not self.finished(now, idle):
            return SessionState.LIVE
        if not self.unread:
            return SessionState.CONSOLIDATED
        return SessionState.GATHERED if self.gathered >= self.unread else SessionState.PENDING

    def to_json(self, now: dt.datetime, idle: dt.timedelta) -> dict[str, object]:
        """The `sessions` item of the command line's JSON; `tokens` are those the agent wrote."""
        return {
            "id": self.id,
            "agent": self.agent,
            "project": self.project.name if self.project else None,
            "project_key": self.project.key if self.project else None,
            "cwd": self.cwd,
            "path": self.path,
            "state": self.state(now, idle).value,
            "archived": self.archived_at is not None,
            "excluded_because": self.excluded_because.value if self.excluded_because else None,
            "human_turns": self.human_turns,
            "unread_turns": self.unread,
            "tokens": self.tokens_out,
            "input_tokens": self.tokens_in,
            "first_at": rfc3339(self.first_at),
            "last_at": rfc3339(self.last_at),
            "bytes": self.bytes,
            "bad_lines": self.bad_lines,
            "unknown_types": dict(self.unknown_types),
            "lineage": self.lineage,
        }


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A person's turn at its place in one session: who it is and where it stands, no text."""

    row: int
    id: str
    session: int  # row of the session whose place this is
    path: str
    offset: int  # bytes
    at: dt.datetime | None
    origin: Origin
    headless: bool
    consolidated_run: str | None  # None: unread
    size: int = 0  # bytes, as HumanTurn.size


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One transcript file and how far it was read."""

    row: int
    path: str
    kind: str  # "main" | "subagent"
    cursor: Cursor
    bad_lines: int
    lost_at: dt.datetime | None
    settled: bool = False  # an unfinished tail was looked at since the file came to rest


@dataclass(frozen=True, slots=True)
class Pending:
    """A session to be read, with the unread turns that no session before it in the list covers."""

    session: SessionRecord
    turns: tuple[TurnRecord, ...]


@dataclass(frozen=True, slots=True)
class SessionCounts:
    """How many sessions stand where; the states add up to `seen`, `archived` counts across them."""

    seen: int = 0
    pending: int = 0
    live: int = 0
    gathered: int = 0
    consolidated: int = 0
    archived: int = 0
    excluded: int = 0
    quarantined: int = 0
    lost: int = 0


class FindingStatus(StrEnum):
    """What became of a finding."""

    OPEN = "open"
    USED = "used"
    DROPPED = "dropped"
    WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class FindingRecord:
    """A stored finding: the engine's words with the evidence it rests on, then what became of it.

    The first fields are those of the engine's `Finding`; kinds and scopes are plain text here because the state
    stands above the engines.
    """

    kind: str
    scope: str
    text: str
    turn_id: str
    at: dt.datetime | None
    quote: str
    subject: str = ""
    slot: str = ""
    value: str = ""
    weight: float = 1.0
    happened: dt.date | None = None
    key: str = ""
    id: str = ""  # ULID; "" on the way in
    session_id: str = ""  # the session's native id
    project_key: str = ""
    path: str = ""
    offset: int = 0
    session: int = 0  # row of the session
    run_id: str = ""  # that paid for it
    engine: str = ""
    version: str = ""
    created_at: dt.datetime | None = None
    status: FindingStatus = FindingStatus.OPEN
    drop_reason: str = ""
    used_run: str | None = None  # that used, dropped or withheld it


@dataclass(frozen=True, slots=True)
class Request:
    """Something asked of the service by another process."""

    id: str  # ULID
    kind: str
    options: Mapping[str, object] = field(default_factory=dict)
    created_at: dt.datetime | None = None
    taken_at: dt.datetime | None = None
    done_at: dt.datetime | None = None
    run_id: str | None = None
    answer: str = ""
