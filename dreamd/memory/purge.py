"""History without its past: one commit of memory as it is, for what must not be found in it any more."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable
from pathlib import Path

from dreamd.errors import StateError
from dreamd.memory.history import History
from dreamd.memory.plan import EntryRecord


def purge(history: History, forgotten: Callable[[EntryRecord], bool], when: dt.datetime) -> str:
    """Puts a new repository in the place of the old one, with memory as the last commit left it and nothing before it.

    Tombstones for which `forgotten` says yes go too. Earlier dreams can then neither be shown nor undone. Under the dream
    lock; a crash in between is concluded by `finish`. Returns the id of the one commit. Raises StateError.
    """
    finish(history.path)
    head = history.head()
    fresh = History(_fresh(history.path))
    try:
        shutil.rmtree(fresh.path, ignore_errors=True)
        entries = [entry for entry in head.entries if entry.retired_at is None or not forgotten(entry)]
        commit = fresh.record(
            head.files,
            entries,
            None,
            message="history was purged; it begins here",
            when=when,
            parent="",
            made=head.made,
        )
        fresh.advance(commit, "")
        if history.path.exists():
            history.path.rename(_old(history.path))
        fresh.path.rename(history.path)
        finish(history.path)
    except OSError as fault:
        raise StateError(
            f"history cannot be purged: {fault.strerror}", hint="nothing of it was lost; try again"
        ) from fault
    return commit


def finish(path: Path) -> None:
    """Concludes a purge that was interrupted; nothing happens where there was none."""
    fresh, old = _fresh(path), _old(path)
    if not path.exists() and fresh.exists() and old.exists():
        fresh.rename(path)
    if path.exists():
        shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(fresh, ignore_errors=True)


def _fresh(path: Path) -> Path:
    return path.with_name(path.name + ".purged")


def _old(path: Path) -> Path:
    return path.with_name(path.name + ".old")
