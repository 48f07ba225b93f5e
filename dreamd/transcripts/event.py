"""The one kind of event that every agent's transcript becomes, and what a reading counted."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec


class Role(StrEnum):
    """Whose words an event holds. Only HUMAN makes rules; TOOL never does."""

    HUMAN = "human"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    SUMMARY = "summary"


class Origin(StrEnum):
    """How the words came to be there; kept apart from the role because a person speaks in several places."""

    TYPED = "typed"  # a prompt
    QUEUED = "queued"  # typed while the agent worked
    COMMAND = "command"  # arguments of a slash command
    REFUSAL = "refusal"  # the reason typed when refusing a tool
    ANSWER = "answer"  # an answer to the agent's question
    HEADLESS = "headless"  # the prompt of a session nobody typed in (`claude -p`, SDK)
    MODEL = "model"  # the agent's own text
    TOOL = "tool"  # a tool's output
    INJECTED = "injected"  # reminders, hooks, memory echoes, skills, notifications
    SIDECHAIN = "sidechain"  # a sub-agent's prompt or answer
    PEER = "peer"  # another session or teammate
    COMPACT = "compact"  # a compaction summary
    SYNTHETIC = "synthetic"  # API errors and placeholders made by the client


#: Origins under which a person's own words stand. HEADLESS joins them only with `gates.headless = true`.
PERSON_ORIGINS = frozenset({Origin.TYPED, Origin.QUEUED, Origin.COMMAND, Origin.REFUSAL, Origin.ANSWER})


@dataclass(frozen=True, slots=True)
class RawPosition:
    """Where an event stands in its file: the byte offset of the physical line's first byte."""

    path: str
    offset: int


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that was said or done. `text` is clean UTF-8 (no lone surrogates, no NUL), not yet redacted."""

    id: str  # the agent's own uuid; a digest where it has none
    parent_id: str | None
    at: dt.datetime | None  # UTC; None where the line has no time
    role: Role
    origin: Origin
    text: str
    raw: RawPosition
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None  # assistant events; never "<synthetic>"
    tool: str | None = None  # the tool's name for tool events
    is_error: bool = False
    message_id: str | None = None  # streaming duplicates share it


@dataclass(frozen=True, slots=True)
class HumanTurn:
    """One turn of a person, as the count scan sees it: no text, only who it is and where it stands."""

    id: str  # as Event.id; the same in every copy of a forked or resumed session
    offset: int
    at: dt.datetime | None
    origin: Origin
    size: int = 0  # bytes of its words, of long ones as many as engines read; 0: unknown


class FileStamp(msgspec.Struct, frozen=True, gc=False):
    """The cheap fingerprint of a file: when none of it changed, nothing is read.

    This and `SessionFile` are made for every file of every scan, tens of thousands a minute, so they are Structs: a seventh of the time.
    """

    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a file was consumed, and how to know that it is still the same file.

    `head` is a digest of the first min(4 KiB, consumed) bytes, `tail` of the last 4 KiB before `consumed`, `crc` a running
    zlib.crc32 over everything consumed. A zero cursor means "from the beginning".
    """

    consumed: int = 0  # bytes; always just behind a newline, or behind a whole record at the end of an idle file
    head: str = ""
    tail: str = ""
    crc: int = 0
    stamp: FileStamp | None = None


class Growth(StrEnum):
    """What became of a file since its cursor was stored."""

    NEW = "new"
    UNCHANGED = "unchanged"
    APPENDED = "appended"
    REWRITTEN = "rewritten"  # other bytes before the cursor, shrunk, or another inode with another beginning
    GONE = "gone"


class SessionFile(msgspec.Struct, frozen=True, gc=False):
    """One transcript file of one session, as discovery found it (nothing of it has been read yet)."""

    agent: str
    session_id: str  # the native id of the session it belongs to
    path: str  # absolute, not resolved
    kind: str  # "main" | "subagent"
    stamp: FileStamp


@dataclass(frozen=True, slots=True)
class Reading:
    """What one count scan of a file learned from the bytes it read. Times are the lines' own, in UTC.

    Reading from a cursor gives only what came since; `ingest` adds it to what is known (or replaces it after REWRITTEN).
    """

    growth: Growth
    cursor: Cursor
    bytes_read: int = 0
    records: int = 0  # whole records understood
    bad_lines: int = 0  # physical lines that were not one whole record each
    oversized_lines: int = 0
    unknown_types: Mapping[str, int] = field(default_factory=dict)
    turns: tuple[HumanTurn, ...] = ()  # a person's turns, copies included
    headless_turns: tuple[HumanTurn, ...] = ()  # prompts of a headless session
    output_tokens: Mapping[str, int] = field(default_factory=dict)  # message id → largest output_tokens seen
    input_tokens: Mapping[str, int] = field(default_factory=dict)  # message id → input + cache tokens
    first_at: dt.datetime | None = None
    last_at: dt.datetime | None = None
    first_cwd: str | None = None
    branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    headless: bool = False  # entrypoint sdk-* or a daemon session kind: nobody typed here
    title: str | None = None
    lineage: str | None = None  # first conversation line's uuid, or that of what it was forked from
    boundaries: tuple[str, ...] = ()  # uuids of compactions: a fork of a compacted session begins at the last of them
    repository: str | None = None  # a git remote or pull-request repository the lines name ("owner/name")
    own: bool = False  # dreamd's own session (marker): never learned from
