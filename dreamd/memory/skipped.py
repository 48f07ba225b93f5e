"""Changes of a plan that were not applied, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SkipReason(StrEnum):
    """Why a change of the plan was not applied."""

    EDITED = "edited"  # the person reworded the entry since, or another dream did
    RETIRED = "retired"  # the person deleted it since
    MOVED = "moved"  # the person moved it since: theirs wins
    PRESENT = "present"  # the same words already stand in that file
    PROTECTED = "protected"
    UNWRITABLE = "unwritable"  # words that would not stand as one entry there
    UNKNOWN = "unknown"  # no such entry


@dataclass(frozen=True, slots=True)
class Skipped:
    """One change that was not applied. `change` and `entry` are "" for a person's entry that was to be carried."""

    change: str  # Change.id
    entry: str  # EntryRecord.id
    reason: SkipReason


class SkipError(Exception):
    """A change cannot be applied."""

    def __init__(self, reason: SkipReason) -> None:
        super().__init__(reason)
        self.reason = reason
