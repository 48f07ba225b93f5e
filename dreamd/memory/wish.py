"""How the memory tree should be after a dream: wishes, the ground they stand on and the room there is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

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
    """What stands in the tree that is not dreamd's: room it takes, and which topic files a person already points to.

    Of headings and blank lines nothing is counted: they come and go with what stands under them.
    """

    lines: Mapping[str, int]  # file → lines of a person's entries in it; carried ones where they go
    bytes: Mapping[str, int]
    pointed: frozenset[str]  # topic files that a person's own line of MEMORY.md links
    topics: frozenset[str]  # topic files that stand whatever becomes of dreamd's entries in them
    about: Mapping[str, str] = field(default_factory=dict)  # topic file → what it says of itself, in a person's words
    closed: frozenset[str] = frozenset()  # files that nothing can be put into


class Excess(NamedTuple):
    """What a file is over its caps by."""

    lines: int = 0
    bytes: int = 0


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
