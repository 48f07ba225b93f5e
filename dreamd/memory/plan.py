"""What a dream wants to change: changes with reasons, and the plan that holds them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum


class ChangeKind(StrEnum):
    """What a change does to one entry."""

    ADD = "add"
    UPDATE = "update"  # words refreshed (a pointer's hook), same meaning
    MERGE = "merge"  # more evidence for the same thing; text may change
    SUPERSEDE = "supersede"  # a newer value takes its place
    REMOVE = "remove"
    MOVE = "move"  # to another file or section, words unchanged


class Reason(StrEnum):
    """Why a change is made, or why something was left. Closed; README documents each."""

    NEW = "new"
    REPEATED = "repeated"
    NEWER_VALUE = "newer_value"
    CONTRADICTED = "contradicted"
    DUPLICATE = "duplicate"
    STALE = "stale"
    OVER_CAP = "over_cap"
    POINTER = "pointer"
    UNDONE = "undone"
    FORGOTTEN = "forgotten"
    PINNED = "pinned"
    RETIRED_BY_HAND = "retired_by_hand"
    WITHHELD = "withheld"
    WEAK = "weak"
    JUNK = "junk"
    UNEARNED = "unearned"  # it would allow or order what the person did not type
    SECRET = "secret"  # noqa: S105 - a reason's name


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """What dreamd knows of an entry it wrote; one JSON line in the commit's `.dreamd/entries.jsonl`.

    `text` is the sentence without its bullet; `key` (document.entry_key of it) and `occurrence` find it in the file.
    """

    id: str  # ULID
    file: str  # relative to the memory root, "/" separated
    section: str  # heading text it stands under, "" for none
    text: str
    key: str
    kind: str  # a Kind's value, or "pointer"
    scope: str
    subject: str = ""
    project_key: str = ""
    slot: str = ""
    value: str = ""
    weight: float = 1.0
    first_at: dt.datetime | None = None  # oldest evidence, UTC
    last_at: dt.datetime | None = None  # newest evidence, UTC
    added_at: dt.datetime | None = None  # when the dream that added it ran
    run_id: str = ""  # the run that added it
    findings: tuple[str, ...] = ()  # finding ids
    pinned: bool = False
    demoted: bool = False  # left MEMORY.md for its topic file (cap or staleness)
    retired_at: dt.datetime | None = None  # tombstone: a person deleted it; it stands in no file and stays away
    occurrence: int = 0
    beneath: str = ""  # key of a person's line that newer evidence contradicts; the entry stands directly under it


#: In a plan's notes: it takes back what a dream did, and may bring back more than the caps allow, as it was before.
TAKES_BACK = "takes_back"


@dataclass(frozen=True, slots=True)
class Change:
    """One change to one entry. `old` and `new` are entry texts without bullets; None where there is none."""

    id: str  # ULID
    kind: ChangeKind
    entry: str  # EntryRecord.id
    file: str  # where the entry stands after the change (before it, for REMOVE)
    section: str
    after: str | None  # what it follows in its section: an entry's id, "key:<entry_key>" of a person's entry,
    # "" for the section's beginning, None for its end
    old: str | None
    new: str | None
    reason: Reason
    findings: tuple[str, ...] = ()
    from_file: str = ""  # MOVE: where it stood
    record: EntryRecord | None = None  # the entry as it will be known afterwards; None for REMOVE


@dataclass(frozen=True, slots=True)
class Carry:
    """A person's entry moved word for word to another file, because readers would cut it off where it stands."""

    key: str  # document.entry_key of it
    file: str  # where it stands
    to_file: str
    to_section: str  # "": under the heading it stood under, made in the new file if missing
    reason: Reason = Reason.OVER_CAP
    occurrence: int = 0  # which of equals in `file`
    at_top: bool = False  # first in its new section instead of last


@dataclass(frozen=True, slots=True)
class Restore:
    """A whole file as it shall be, byte for byte (undo of a file nobody touched since); None: it was not there."""

    file: str
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Made:
    """What dreamd itself made in the memory tree, and so may take away again once nothing stands in it."""

    files: frozenset[str] = frozenset()
    headings: frozenset[tuple[str, str]] = frozenset()  # (file, title)
    values: frozenset[tuple[str, str, str]] = (
        frozenset()
    )  # (file, front matter key, digest of the value dreamd gave it)


@dataclass(frozen=True, slots=True)
class TopicHead:
    """The front matter and title of a topic file as it shall be; unknown keys of an existing one survive."""

    file: str
    name: str
    description: str  # one line: the essentials
    modified: dt.date  # date of the newest evidence, never the wall clock
    type: str  # project | feedback | reference


@dataclass(frozen=True, slots=True)
class Plan:
    """A list of changes against one state of the memory tree. A dry run is the same list, printed."""

    run_id: str
    base: str  # history commit id the plan was made on; "" for an empty history
    tree_digest: str  # digest of the tree on disk that was read
    changes: tuple[Change, ...]
    kept: tuple[EntryRecord, ...] = ()  # every dreamd entry that stands after the plan, changed ones included
    heads: tuple[TopicHead, ...] = ()  # topic files that are made or whose head changes
    section_order: tuple[str, ...] = ()  # MEMORY.md: a section that is made goes before the next of these that exists
    notes: tuple[str, ...] = ()  # reason codes and counts, never words
    sessions: tuple[str, ...] = field(default=())  # "agent:native id" of what it rests on
    carries: tuple[Carry, ...] = ()  # a person's entries moved because of the caps
    restores: tuple[Restore, ...] = ()  # these files take exactly these bytes; changes in them only count and explain
    made: Made = field(default_factory=Made)  # what of `restores` dreamd itself made
    evidence: tuple[
        tuple[str, str], ...
    ] = ()  # (finding, session it comes from) of what is new, should the database be lost


def renamed(record: EntryRecord, names: Mapping[str, str]) -> EntryRecord:
    """An entry whose project has another key now (old → new)."""
    return replace(record, project_key=names.get(record.project_key, record.project_key))


def with_projects(plan: Plan, names: Mapping[str, str]) -> Plan:
    """A plan in which projects have other keys (old → new)."""
    changes = tuple(
        replace(one, record=renamed(one.record, names)) if one.record is not None else one for one in plan.changes
    )
    return replace(plan, changes=changes, kept=tuple(renamed(one, names) for one in plan.kept))
