"""What one scan of the transcripts saw, and what it could not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ScanProblem:
    """A file or directory that could not be read: `code` is an errno's name, or the kind of a reader's fault."""

    path: str
    code: str


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan saw, in sessions; damaged ones are among the others. `seconds` are wall time."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    damaged: int = 0
    lost: int = 0
    bytes_read: int = 0
    seconds: float = 0.0
    unknown_types: Mapping[str, int] = field(default_factory=dict)  # record types no reader knows, in what was read now
    problems: tuple[ScanProblem, ...] = ()
    unsupported: Mapping[str, int] = field(default_factory=dict)  # agent → sessions in its place that are not read yet
    unknown_paths: tuple[str, ...] = ()  # `look` was pointed at files that only a scan can place

    def to_json(self) -> dict[str, object]:
        """The `scan` object of the command line's JSON."""
        return {
            "new": self.new,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "damaged": self.damaged,
            "lost": self.lost,
            "bytes_read": self.bytes_read,
            "seconds": round(self.seconds, 3),
            "unknown_types": dict(self.unknown_types),
            "problems": [{"path": one.path, "code": one.code} for one in self.problems],
            "unsupported": dict(self.unsupported),
        }
