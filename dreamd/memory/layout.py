"""The shape of the memory tree: its files and sections, what goes where, and what deserves the top."""

from __future__ import annotations

import datetime as dt
import math
import re

from dreamd.memory.plan import EntryRecord

MEMORY = "MEMORY.md"
OVERFLOW = "patterns/preferences.md"  # where general entries go that MEMORY.md has no room for
FROM_MEMORY = "patterns/from-memory.md"  # where a person's own lines go that stand below what readers load
POINTER = "pointer"

#: MEMORY.md from top to bottom: readers cut at the bottom.
MEMORY_SECTIONS = ("Rules", "Preferences", "Facts", "Projects", "Patterns", "People")
FOLDER_SECTION = {"projects": "Projects", "patterns": "Patterns", "people": "People"}
FOLDER_TYPE = {"projects": "project", "patterns": "feedback", "people": "reference"}

_GENERAL_SECTION = {
    "prohibition": "Rules",
    "correction": "Rules",
    "preference": "Preferences",
    "convention": "Preferences",
}
_TOPIC_SECTION = {
    "prohibition": "Rules",
    "correction": "Rules",
    "preference": "Rules",
    "convention": "Rules",
    "decision": "Decisions",
    "command": "Commands",
    "fact": "Facts",
    "person": "Facts",
    "learning": "Learned",
    "outcome": "Outcomes",
}
TOPIC_SECTIONS = ("Rules", "Commands", "Facts", "Decisions", "Learned", "Outcomes")

_KIND_WEIGHT = {
    "prohibition": 5.0,
    "correction": 4.6,
    "preference": 4.2,
    "convention": 4.2,
    "command": 3.6,
    "decision": 3.2,
    "fact": 2.8,
    "learning": 2.8,
    "outcome": 2.4,
    "person": 2.4,
}
EPOCH = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
TOPIC_HEAD_LINES = 12  # front matter, title and the blanks around them
SECTION_LINES = 4  # a heading and the blanks around it


def rank(record: EntryRecord) -> float:
    """How much an entry deserves the reader's attention: kind, repetition, recency of evidence; independent of today."""
    weight = _KIND_WEIGHT.get(record.kind, 2.0) * (1.0 + math.log(max(record.weight, 0.1) + 1.0))
    age = ((record.last_at or EPOCH) - EPOCH).days / 365.0
    # A line under a person's own is of no use anywhere else, and a pinned one is there because somebody said so.
    return weight + 0.5 * age + (100.0 if record.pinned or record.beneath else 0.0)


def confirmed_at(record: EntryRecord) -> dt.datetime:
    """When an entry was last confirmed: its newest evidence or the dream that added it, whichever is later."""
    return max(record.last_at or EPOCH, record.added_at or EPOCH)


def general_section(kind: str) -> str:
    """The heading of MEMORY.md that a kind of general finding stands under."""
    return _GENERAL_SECTION.get(kind, "Facts")


def topic_section(kind: str) -> str:
    """The heading of a topic file that a kind of finding stands under."""
    return _TOPIC_SECTION.get(kind, "Facts")


def part_of(file: str) -> str:
    """The first file of a topic that was split: "projects/api~2.md" → "projects/api.md"."""
    return re.sub(r"~\d+(?=\.md$)", "", file)


def next_part(file: str) -> str:
    """Where a topic goes on when its file is full: "projects/api.md" → "projects/api~2.md"."""
    stem = file.removesuffix(".md")
    head, mark, number = stem.rpartition("~")
    return f"{head}~{int(number) + 1}.md" if mark and number.isdigit() else f"{stem}~2.md"
