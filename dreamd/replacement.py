"""A whole state and memory put in the place of what is there: by a journal, so that whoever dies in between leaves the old or the new."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from dreamd.clock import Clock
from dreamd.config import Places
from dreamd.dream.lock import dream_lock
from dreamd.errors import LockHeld, StateError
from dreamd.log import logger
from dreamd.memory.journal import ABSENT, digest_of, sync_folder, write_file

#: What is replaced as one, companions of what they belong to first.
PIECES: Final = (
    *("state.db-wal", "state.db-shm", "state.db-journal", "search.db-wal", "search.db-shm", "search.db"),
    *("tombstones.json", "answers", "archive", "history.git", "state.db"),
)

#: Where an export lays the database's copy; what a killed one left is taken away with the rest.
EXPORTING = "export.new"
_NEW, _OLD, _JOURNAL = "import.new", "import.old", "import.journal"
_LEFTOVERS = (f"{_JOURNAL}.tmp", EXPORTING, _NEW, _OLD)


@dataclass(frozen=True, slots=True)
class Target:
    """One memory file that is written, or removed."""

    real: str  # absolute, links followed
    staged: str  # its short-lived sibling; "" for a removal
    source: str  # below the staging directory; "" for a removal
    new: str  # sha256; ABSENT for a removal
    mode: int


@dataclass(frozen=True, slots=True)
class Replacement:
    """Everything that is put in place. Targets are in the order of their renames: MEMORY.md last."""

    pieces: tuple[str, ...]  # of PIECES: those that are new; the others are taken away
    targets: tuple[Target, ...]
    folders: tuple[str, ...]  # made for the targets, outermost first
    complete: bool = False  # everything is staged: the new state counts


def staging(state_dir: Path) -> Path:
    """Where the new state is made ready: beside the old one, so that the renames are atomic."""
    return state_dir / _NEW


def begin(state_dir: Path, replacement: Replacement) -> None:
    """Stages the memory files, then writes the journal that makes the new state count. Raises OSError before that."""
    try:
        _write(state_dir, replacement)
        for folder in replacement.folders:
            Path(folder).mkdir(mode=0o700, exist_ok=True)
        for target in replacement.targets:
            _stage(state_dir, target)
        for piece in replacement.pieces:
            _sync(staging(state_dir) / piece)
        sync_folder(staging(state_dir))
        _write(state_dir, replace(replacement, complete=True))
    except BaseException:
        if not begun(state_dir):
            with suppress(OSError):
                _clear(state_dir)
        raise


def begun(state_dir: Path) -> bool:
    """Whether a journal says that the new state counts. Raises StateError where it cannot be read."""
    replacement = _read(state_dir)
    return replacement is not None and replacement.complete


def conclude(state_dir: Path) -> bool:
    """Puts everything in place that a whole journal names, however far it came before; whether there was one. Under the dream lock.

    Without one, what was made ready is taken away. Raises StateError where it cannot be done now; the journal stays.
    """
    replacement = _read(state_dir)
    whole = replacement is not None and replacement.complete
    try:
        if replacement is not None and replacement.complete:
            for piece in PIECES:
                _swap(state_dir, piece, new=piece in replacement.pieces)
            for target in replacement.targets:
                _place(state_dir, target)
        _clear(state_dir)
    except OSError as error:
        raise StateError(
            f"an import cannot be concluded now: {error.strerror or type(error).__name__}",
            hint="check space and rights of the state directory and the memory root; the next command goes on with it",
        ) from error
    return whole


def recover(places: Places, clock: Clock) -> None:
    """Concludes an import that died; what is under way elsewhere is left to that process. Raises LockHeld for a begun one."""
    if not any((places.state_dir / name).exists() for name in (_JOURNAL, *_LEFTOVERS)):
        return
    try:
        with dream_lock(places.default_state_dir, places.memory_root, now=clock.now()):
            if conclude(places.state_dir):
                logger().warning("import.recovered")
    except LockHeld:
        if begun(places.state_dir):
            raise


def _write(state_dir: Path, replacement: Replacement) -> None:
    journal = state_dir / _JOURNAL
    write_file(journal.with_name(f"{_JOURNAL}.tmp"), msgspec.json.encode(replacement), 0o600)
    journal.with_name(f"{_JOURNAL}.tmp").replace(journal)
    sync_folder(state_dir)


def _read(state_dir: Path) -> Replacement | None:
    try:
        data = (state_dir / _JOURNAL).read_bytes()
        return msgspec.json.decode(data, type=Replacement)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise StateError(
            f"{_JOURNAL} cannot be read: {type(error).__name__}",
            hint=f"check the rights of the state directory; {_NEW} and {_OLD} beside it hold the new and the old state",
        ) from error


def _stage(state_dir: Path, target: Target) -> None:
    if target.staged:
        write_file(Path(target.staged), (staging(state_dir) / target.source).read_bytes(), target.mode)


def _unstage(replacement: Replacement) -> None:
    for target in replacement.targets:
        if target.staged:
            Path(target.staged).unlink(missing_ok=True)
    for folder in reversed(replacement.folders):
        path = Path(folder)
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _swap(state_dir: Path, piece: str, *, new: bool) -> None:
    """The old one aside, the new one in its place; each step may have been done already."""
    here, ready, aside = state_dir / piece, staging(state_dir) / piece, state_dir / _OLD / piece
    if new and not ready.exists():
        return
    if here.exists():
        aside.parent.mkdir(mode=0o700, exist_ok=True)
        _remove(aside)
        here.rename(aside)
    if new:
        ready.rename(here)
    sync_folder(state_dir)


def _place(state_dir: Path, target: Target) -> None:
    real, staged = Path(target.real), Path(target.staged)
    if digest_of(real) == target.new:
        return
    if target.new == ABSENT:
        real.unlink()
    else:
        if digest_of(staged) != target.new:
            real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _stage(state_dir, target)
        staged.replace(real)
    sync_folder(real.parent)


def _clear(state_dir: Path) -> None:
    """Staged memory files first, for only the journal knows them; what the journal needs goes after it."""
    replacement = _read(state_dir)
    if replacement is not None:
        _unstage(replacement)
        (state_dir / _JOURNAL).unlink(missing_ok=True)
        sync_folder(state_dir)
    for leftover in _LEFTOVERS:
        _remove(state_dir / leftover)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Makes a file, or a directory with all in it, durable."""
    for one in _below(path):
        handle = os.open(one, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _below(path: Path) -> Iterator[Path]:
    if path.is_dir():
        for folder, _, names in os.walk(path):
            yield from (Path(folder) / name for name in names)
            yield Path(folder)
    elif path.exists():
        yield path
