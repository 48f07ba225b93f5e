"""What connecting changed, kept so that it can be taken back to the very bytes: digests and edits, never a file's content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dreamd.integrations.claude_code.json_text import Edit


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: digests of what it was (None: there was none) and became, and the edits in their order."""

    path: str
    before: str | None
    after: str
    edits: tuple[Edit, ...]

    @classmethod
    def of(cls, path: str, before: bytes | None, after: bytes, edits: Sequence[Edit]) -> Entry:
        """The entry for a change that is about to be made."""
        return cls(path, None if before is None else digest(before), digest(after), tuple(edits))

    def undone(self, now: bytes) -> tuple[bool, bytes | None]:
        """(whether the file is as it was left, the bytes before)."""
        if digest(now) != self.after:
            return False, None
        if self.before is None:
            return True, None
        text = now.decode()
        for edit in reversed(self.edits):
            text = edit.undone.apply(text)
        return digest(text.encode()) == self.before, text.encode()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was changed, and the directories that were made for it."""

    entries: tuple[Entry, ...] = ()
    folders: tuple[str, ...] = ()

    def entry(self, path: str) -> Entry | None:
        """What was done to a file."""
        return next((one for one in self.entries if one.path == path), None)

    def written(self) -> bytes:
        """As it is stored."""
        entries = [
            {"path": one.path, "before": one.before, "after": one.after, "edits": [list(edit) for edit in one.edits]}
            for one in self.entries
        ]
        return (
            json.dumps({"entries": entries, "folders": list(self.folders)}, ensure_ascii=False, indent=2) + "\n"
        ).encode()


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def read_receipt(data: bytes | None) -> Receipt | None:
    """None where there is none, or none that can be read: then what is recognised is taken out."""
    try:
        value: Any = json.loads(data or b"")
        entries = tuple(
            Entry(str(one["path"]), one["before"], str(one["after"]), tuple(Edit(*edit) for edit in one["edits"]))
            for one in value["entries"]
        )
        return Receipt(entries, tuple(map(str, value["folders"])))
    except (ValueError, KeyError, TypeError):
        return None
