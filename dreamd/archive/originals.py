"""An agent's own files, deleted once a verified copy holds them and only as long as they are what was copied."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dreamd.archive.packed import TranscriptChanged
from dreamd.processes import held_open


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was at one moment."""

    path: Path
    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def now(cls, path: Path) -> Seen:
        """The file as it is. Raises OSError where it is gone."""
        found = path.lstat()
        return cls(path, found.st_size, found.st_mtime_ns, found.st_ino)


def delete(files: Sequence[Seen], directories: Sequence[Path]) -> None:
    """Deletes a session's files, the main transcript (the first) last, then those of its directories that are empty.

    Whoever dies in the middle leaves a session whose main transcript is still there. Raises TranscriptChanged, before anything is
    deleted, where a file is not what was seen or a process has one open; OSError where one cannot be deleted.
    """
    if any(Seen.now(one.path) != one for one in files) or held_open(str(one.path) for one in files):
        raise TranscriptChanged("a transcript is in use", hint="it is deleted once it is idle")
    for one in reversed(files):
        if Seen.now(one.path) != one:
            raise TranscriptChanged("a transcript changed while it was being deleted", hint="what is left stays")
        one.path.unlink()
    for directory in directories:
        for folder, _, _ in os.walk(directory, topdown=False, followlinks=False):
            with contextlib.suppress(OSError):  # not empty: somebody else's
                Path(folder).rmdir()
    for parent in {one.path.parent for one in files}:
        with contextlib.suppress(OSError):
            _sync(parent)


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
