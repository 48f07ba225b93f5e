"""How the memory tree should be after a dream: wishes, the ground they stand on and the room there is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from dreamd.memory.plan import Change, ChangeKind, EntryRecord, Reason, TopicHead


@dataclass(frozen=True, slots=True)
class Wish:
    """One entry as it shall stand (or go), and what brought it there. `record.file` is "" for one without a place yet."""

    record: EntryRecord
    act: ChangeKind | None = None  # None: as it stood
    reason: Reason | None = None
    old: str | None = None
    findings: tuple[str, ...] = ()  # of this dream


@dataclass(frozen=True, slots=True)
class Ground:
    """What stands in the tree that is not dreamd's: room it takes, and which topic files a person already points to."""

    lines: Mapping[str, int]  # file → lines that are not dreamd's entries
    bytes: Mapping[str, int]
    pointed: frozenset[str]  # topic files that a person's own line of MEMORY.md links
    topics: frozenset[str]  # topic files that exist and hold something of a person's


@dataclass(frozen=True, slots=True)
class Caps:
    """Room in the memory tree, and how long an entry may go unconfirmed."""

    max_lines: int
    max_bytes: int
    topic_max_lines: int
    stale_after: dt.timedelta


@dataclass(frozen=True, slots=True)
class Place:
    """What a topic file is about: its title and, for a project, its directory."""

    file: str
    title: str
    root: str = ""
    isolated: bool = False  # its hook tells nothing of what it holds


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The changes that bring the wishes about, the entries that stand afterwards and the topic files' heads."""

    changes: tuple[Change, ...]
    kept: tuple[EntryRecord, ...]
    heads: tuple[TopicHead, ...]
