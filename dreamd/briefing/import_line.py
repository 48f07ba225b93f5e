"""The line of a CLAUDE.md by which Claude Code loads MEMORY.md itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from dreamd.config import expand
from dreamd.memory.tree import INDEX

_IMPORT = re.compile(r"(?<!\S)@((?:\\ |\S)+)")  # a blank in a path is written behind a backslash
_CODE = re.compile(r"`[^`\n]*`")
_FENCE = re.compile(r"\s*(```|~~~)")


def import_line(memory_root: Path) -> str:
    """The line itself: `@~/.claude/memory/MEMORY.md` by default."""
    path, home = memory_root / INDEX, expand("~")
    told = f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
    return "@" + told.replace(" ", "\\ ")


def imported(file: Path, memory_root: Path) -> bool:
    """Whether a CLAUDE.md imports the memory. A file that cannot be read does not."""
    try:
        text = file.read_bytes().decode("utf-8", "replace")
    except OSError:
        return False
    return imports(text, file.parent, memory_root)


def imports(text: str, folder: Path, memory_root: Path) -> bool:
    """Whether the text of a CLAUDE.md in a folder imports the memory; code in it imports nothing."""
    wanted = os.path.realpath(memory_root / INDEX)
    return any(os.path.realpath(_absolute(name, folder)) == wanted for name in _names(text))


def _names(text: str) -> Iterator[str]:
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
        elif not fence:
            yield from _IMPORT.findall(_CODE.sub(" ", line))


def _absolute(name: str, folder: Path) -> Path:
    name = name.replace("\\ ", " ")
    return expand(name) if name.startswith(("~", "/")) else folder / name
