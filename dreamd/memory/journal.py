"""The journal of a commit: what a crash in the middle of it is rolled forward or back by."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from dreamd.errors import StateError

_NAME = "commit.journal"
ABSENT = ""  # the digest of a file that is not there


@dataclass(frozen=True, slots=True)
class Target:
    """One file that a commit writes or removes."""

    path: str  # relative to the memory root
    real: str  # absolute, links followed
    staged: str  # absolute; "" for a removal
    old: str  # sha256 of the bytes before; ABSENT for a new file
    new: str  # sha256 of the bytes after; ABSENT for a removal
    mode: int


@dataclass(frozen=True, slots=True)
class Journal:
    """A commit under way. Targets are in the order of their renames."""

    run_id: str
    commit: str  # what history's head shall be
    before: str  # the commit that holds the files as they were
    head: str  # what history's head was
    targets: tuple[Target, ...]
    folders: tuple[str, ...]  # made for it, outermost first
    complete: bool = False  # everything is staged: roll forward


def read_journal(state_dir: Path) -> Journal | None:
    """The commit that was under way when its process died; None where none was. Raises StateError."""
    try:
        data = (state_dir / _NAME).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(error) from error
    try:
        return msgspec.json.decode(data, type=Journal)
    except msgspec.MsgspecError as error:
        raise _unusable(error) from error


def write_journal(state_dir: Path, journal: Journal) -> None:
    """Put the journal in place, whole and durable. Raises StateError."""
    staged = state_dir / f"{_NAME}.tmp"
    try:
        write_file(staged, msgspec.json.encode(journal), 0o600)
        staged.replace(state_dir / _NAME)
        sync_folder(state_dir)
    except OSError as error:
        raise StateError(
            f"{_NAME} cannot be written: {error.strerror or type(error).__name__}",
            hint="check the space and rights of the state directory; the memory is as it was",
        ) from error


def drop_draft_journal(state_dir: Path) -> None:
    """Take away a journal that was never put in place. Raises OSError."""
    (state_dir / f"{_NAME}.tmp").unlink(missing_ok=True)


def drop_journal(state_dir: Path) -> None:
    """The commit is over. Raises OSError."""
    drop_draft_journal(state_dir)
    (state_dir / _NAME).unlink(missing_ok=True)
    sync_folder(state_dir)


def write_file(place: Path, data: bytes, mode: int) -> None:
    """A new file with its bytes and mode on the disk; a leftover of that name goes first. Raises OSError."""
    place.unlink(missing_ok=True)
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with open(handle, "wb") as file:  # noqa: PTH123 - a descriptor has no path
        file.write(data)
        file.flush()
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest(data: bytes | None) -> str:
    """The sha256 of some bytes; ABSENT for None."""
    return ABSENT if data is None else hashlib.sha256(data).hexdigest()


def digest_of(place: Path) -> str:
    """The sha256 of a file; ABSENT where there is none. Raises OSError."""
    try:
        return digest(place.read_bytes())
    except FileNotFoundError:
        return ABSENT


def _unusable(error: Exception) -> StateError:
    return StateError(
        f"{_NAME} in the state directory cannot be read: {type(error).__name__}",
        hint="check the rights of the state directory; a damaged journal may be moved away, memory files stay as they are",
    )
