"""What Claude Code's own memory of a project tells a session anyway: read so that it is not told twice; never kept, never written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dreamd.config import environment
from dreamd.memory.document import parse
from dreamd.memory.tree import INDEX
from dreamd.transcripts.claude_home import folder_of

_LOADED_LINES, _LOADED_BYTES = 200, 25_000  # of its index, as the client does
_LARGEST = 1 << 20  # bytes of a settings file
_WORD = re.compile(r"\w+")
_TELLING = 4  # words of an entry that may be part of a longer one


@dataclass(frozen=True, slots=True)
class OwnMemory:
    """The entries that a session is given by the client itself, each as its words."""

    entries: tuple[tuple[str, ...], ...] = ()

    def tells(self, text: str) -> bool:
        """Whether an entry is among them, or all its words stand in one, in the same order ("pnpm, never npm" is not "npm, never pnpm")."""
        words = _words(text)
        return any(words == one or (len(words) >= _TELLING and _in_order(words, one)) for one in self.entries)


def own_memory(claude_dir: Path, root: str) -> OwnMemory:
    """The index of the client's own memory for a project with this main checkout; nothing where it is off, or not there."""
    if not root or _is_off(claude_dir):
        return OwnMemory()
    try:
        with (claude_dir / "projects" / folder_of(root) / "memory" / INDEX).open("rb") as file:
            content = file.read(_LOADED_BYTES)
    except (OSError, ValueError):
        return OwnMemory()
    lines = content.decode("utf-8", "replace").splitlines(keepends=True)[:_LOADED_LINES]
    entries = (_words(block.text) for block in parse("".join(lines)).entries)
    return OwnMemory(tuple(words for words in entries if words))


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _in_order(words: Iterable[str], line: Iterable[str]) -> bool:
    left = iter(line)
    return all(word in left for word in words)


def _is_off(claude_dir: Path) -> bool:
    """Switched off by the environment or the person's settings."""
    if environment().get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "") in ("1", "true"):
        return True
    try:
        with (claude_dir / "settings.json").open("rb") as file:
            settings = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(settings, dict) and settings.get("autoMemoryEnabled") is False
