"""A refused dream is not tried again until findings, memory or configuration have changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from dreamd.dream.books import Books
from dreamd.memory.tree import FOLDERS, INDEX
from dreamd.state.marks import Mark


def note(shop: Books) -> None:
    """What findings, memory and configuration were when a dream was refused."""
    shop.marks.set(Mark.REFUSED, _standing(shop))


def over(shop: Books) -> None:
    """A dream went well."""
    if shop.marks.text(Mark.REFUSED) is not None:
        shop.marks.set(Mark.REFUSED, None)


def stands(shop: Books) -> bool:
    """Whether the newest dream was refused and nothing has changed since: it would be refused again."""
    told = shop.marks.text(Mark.REFUSED)
    return told is not None and told == _standing(shop)


def _standing(shop: Books) -> str:
    """A digest; memory by names, sizes and times alone, so that a look at the gates reads no file."""
    state = [shop.config.model_dump_json(), shop.sessions.unread_mark(), *_files(shop.places.memory_root)]
    return hashlib.sha256("\n".join(state).encode("utf-8", "surrogateescape")).hexdigest()


def _files(root: Path) -> Iterator[str]:
    yield _seen(root / INDEX)
    for folder in FOLDERS:
        try:
            names = sorted(os.listdir(root / folder))  # noqa: PTH208 - names alone are wanted
        except OSError:
            continue
        for name in names:
            yield _seen(root / folder / name)


def _seen(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return f"{path} -"
    return f"{path} {found.st_size} {found.st_mtime_ns}"
