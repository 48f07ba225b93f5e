"""The files that a text names, and how a list of them is told in few lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

_PATH = re.compile(
    r"(?<![\w:/.@-])(?:~?/|\.{1,2}/)?(?:[\w@.+-]+/)+[\w@.+-]*\w|(?<![\w:/.@-])[\w-]+(?:\.[\w-]+)*"
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|sh|sql|md|rst|txt|json|jsonl|toml|ya?ml|ini|cfg|conf|lock|html|css|scss|vue|proto|tf|ipynb|env)\b"
)
_EXTENSION = re.compile(r"\.[A-Za-z][\w]{0,5}$")
_DATE = re.compile(r"\d{1,4}/\d{1,2}(?:/\d{1,4})?$")
_ON_A_LINE = 8


def paths_in(text: str) -> list[str]:
    """Every file path named in the text, in order, repetitions included; words joined by a slash and addresses are none."""
    return [path for path in (found.rstrip(".") for found in _PATH.findall(text)) if _is_file(path)]


def _is_file(path: str) -> bool:
    if _DATE.match(path):
        return False
    return _EXTENSION.search(path) is not None


def told(paths: Iterable[str], most: int) -> list[str]:
    """The most named paths, a directory a line: "src/app: a.py, b.py"."""
    counts = Counter(paths)
    chosen = sorted(path for path, _ in counts.most_common(most))
    folders: dict[str, list[str]] = {}
    for path in chosen:
        parent = str(PurePosixPath(path).parent)
        folders.setdefault("" if parent == "." else parent, []).append(PurePosixPath(path).name)
    lines = []
    for folder, names in folders.items():
        for start in range(0, len(names), _ON_A_LINE):
            row = ", ".join(names[start : start + _ON_A_LINE])
            lines.append(f"{folder}: {row}" if folder else row)
    return lines
