"""What the file system lets dreamd do in the places it needs: read, write and lock, tried or asked now and never assumed."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dreamd.config import Places

#: What a lock answers on a mount that knows no locks (NFS with nolock, some FUSE ones).
NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


class Lack(StrEnum):
    """What cannot be done; the closed set of this module's problem codes."""

    STATE_UNWRITABLE = "state_unwritable"
    ARCHIVE_UNWRITABLE = "archive_unwritable"
    MEMORY_UNREADABLE = "memory_unreadable"
    MEMORY_UNWRITABLE = "memory_unwritable"
    TRANSCRIPTS_UNREADABLE = "transcripts_unreadable"
    LOCKS_UNUSABLE = "locks_unusable"


@dataclass(frozen=True, slots=True)
class Denied:
    """A place and what cannot be done there."""

    lack: Lack
    path: Path


def denied(places: Places, transcripts: Iterable[Path]) -> Iterator[Denied]:
    """Every place that exists and does not let dreamd do what a dream needs; one that is missing is made by the first dream."""
    beside = [places.database.with_name(places.database.name + tail) for tail in ("-wal", "-shm")]
    state = [places.state_dir, places.database, *beside, places.history]
    if (shut := next((one for one in state if _refuses(one, os.W_OK)), None)) is not None:
        yield Denied(Lack.STATE_UNWRITABLE, shut)
    if _refuses(places.archive, os.W_OK):
        yield Denied(Lack.ARCHIVE_UNWRITABLE, places.archive)
    memory = next((one for one in _tree(places.memory_root) if _refuses(one, os.R_OK | _enter(one))), None)
    if memory is not None:
        yield Denied(Lack.MEMORY_UNREADABLE, memory)
    elif (closed := next((one for one in _folders(places.memory_root) if _refuses(one, os.W_OK)), None)) is not None:
        yield Denied(Lack.MEMORY_UNWRITABLE, closed)
    for root in transcripts:
        if _refuses(root, os.R_OK | _enter(root)):
            yield Denied(Lack.TRANSCRIPTS_UNREADABLE, root)
    if not locks_work(places.log):
        yield Denied(Lack.LOCKS_UNUSABLE, places.log.parent)


def locks_work(file: Path) -> bool:
    """Whether this file, which nobody else ever locks, can be locked; True where it is not there or cannot be opened.

    A shared lock, for which a descriptor to read with is enough; on a mount that has locks nobody can be in its way.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as fault:
        return fault.errno not in NO_LOCKS
    finally:
        os.close(descriptor)
    return True


def _tree(root: Path) -> Iterator[Path]:
    """The memory root, its folders and the files in them; what cannot be listed has been yielded before."""
    for folder in _folders(root):
        yield folder
        with contextlib.suppress(OSError):
            yield from (one for one in folder.iterdir() if one.suffix == ".md")


def _folders(root: Path) -> Iterator[Path]:
    yield root
    yield from (root / name for name in ("projects", "patterns", "people"))


def _enter(path: Path) -> int:
    return os.X_OK if path.is_dir() else 0


def _refuses(path: Path, mode: int) -> bool:
    """Whether a path that is there may not be used so; what the user may not even look at counts as there."""
    try:
        path.lstat()
    except PermissionError:
        return True
    except OSError:
        return False
    return not os.access(path, mode)
