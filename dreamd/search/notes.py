"""Which files of the memory root can be found: the memory tree, and whatever else a person or an agent keeps beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dreamd.memory.tree import FOLDERS, INDEX, Tree

_DEEPEST = 3  # folders below the root
_LARGEST = 1 << 20  # bytes; larger ones are no notes
_MOST = 2_000  # files beside the tree


def memory_files(tree: Tree) -> dict[str, bytes]:
    """Name → content of every Markdown file under the memory root, for `Index.update_memory`.

    Beside the managed files these are notes that dreamd never touches (Claude Code's own topic files lie in the root
    itself). Hidden ones are left out, links to folders are not followed, and what cannot be read is passed over.
    """
    found = tree.contents
    for name in _notes(tree.root):
        if len(found) - len(tree.files) >= _MOST:
            break
        with suppress(OSError):
            found[name] = (tree.root / name).read_bytes()
    return found


def _notes(root: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        inside = Path(folder).relative_to(root)
        deep = len(inside.parts)
        folders[:] = sorted(one for one in folders if not one.startswith(".") and deep < _DEEPEST)
        for name in sorted(files):
            managed = (deep == 0 and name == INDEX) or (deep == 1 and inside.parts[0] in FOLDERS)
            if name.endswith(".md") and not name.startswith(".") and not managed and _is_note(Path(folder, name)):
                yield (inside / name).as_posix()


def _is_note(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size <= _LARGEST
    except OSError:
        return False
