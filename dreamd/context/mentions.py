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
_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,5}$")
_FOREIGN = re.compile(
    r"^(?:/(?:private/)?(?:tmp|var|usr|proc|dev)/|~?/?.*/(?:node_modules|site-packages|\.claude/projects|\.git)/|(?:[\w-]+\.)+(?:com|org|io|dev|net)/)"
)
_ON_A_LINE = 8


def paths_in(text: str) -> list[str]:
    """Every file path named in the text, in order, repetitions included; temporary files, dependencies and addresses are none."""
    found = (path.rstrip(".").removeprefix("./") for path in _PATH.findall(text))
    return [path for path in found if _EXTENSION.search(path) and not _FOREIGN.match(path)]


def told(paths: Iterable[str], most: int) -> list[str]:
    """The most named files, a directory a line: "src/app: a.py, b.py". What was named in full and in short is one file."""
    counts = _as_one(Counter(paths))
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


def _as_one(counts: Counter[str]) -> Counter[str]:
    """Counts under one name a file: below the working directory where that shows, bare names under a path that ends in them."""
    root = _root(counts)
    merged: Counter[str] = Counter()
    for path, count in counts.items():
        merged[path.removeprefix(root) if root else path] += count
    by_name = {PurePosixPath(path).name: path for path, _ in reversed(merged.most_common()) if "/" in path}
    united: Counter[str] = Counter()
    for path, count in merged.items():
        united[path if "/" in path else by_name.get(path, path)] += count
    return united


def _root(counts: Counter[str]) -> str:
    """The working directory: what most absolute paths have before a path that is also named without it; else what all of them share."""
    short = {path for path in counts if "/" in path and not path.startswith(("/", "~"))}
    full = [path for path in counts if path.startswith("/")]
    roots: Counter[str] = Counter()
    for path in full:
        parts = path.split("/")
        for cut in range(2, len(parts) - 1):
            if "/".join(parts[cut:]) in short:
                roots["/".join(parts[:cut]) + "/"] += counts[path]
                break
    return roots.most_common(1)[0][0] if roots else ""
