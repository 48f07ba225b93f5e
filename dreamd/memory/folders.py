"""Topic folders: gone again once the last file that a dream made in them is gone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from dreamd.memory.tree import FOLDERS


def drop_empty(root: Path, removed: Iterable[str]) -> None:
    """Removes the folders of removed files that hold nothing any more; a link that a person made stays."""
    for name in sorted({path.partition("/")[0] for path in removed} & set(FOLDERS)):
        folder = root / name
        if not folder.is_symlink():
            with contextlib.suppress(OSError):  # not empty, or not ours to remove
                folder.rmdir()
