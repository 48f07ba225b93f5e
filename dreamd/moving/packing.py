"""`dreamd export`: memory, history, archive and state of this machine in one verified file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dreamd import __version__
from dreamd.app import App
from dreamd.config import expand
from dreamd.dream.archiving import copy_finished
from dreamd.dream.lock import dream_lock
from dreamd.dream.progress import Progress, Step
from dreamd.dream.recovery import recover
from dreamd.dream.workshop import Workshop
from dreamd.errors import StateError, UsageError
from dreamd.log import logger
from dreamd.memory.survey import refuse_vanished, survey
from dreamd.memory.tree import Tree
from dreamd.moving import bundle
from dreamd.moving.bundle import FORMAT, About
from dreamd.replacement import EXPORTING
from dreamd.state.resettlement import counted, session_places, without_copy
from dreamd.state.schema import REVISION

_OWN_MODE = 0o600
#: What a killed writer leaves, and other processes' locks: no part of what is kept.
_PASSED_OVER = (".dreamd-", ".lock")


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    file: Path
    bytes: int
    about: About
    without_copy: int  # sessions whose words are in their transcripts alone, which an export does not hold

    def to_json(self) -> dict[str, object]:
        """The document of the command."""
        return {"file": str(self.file), "bytes": self.bytes, **self.about.counts, "without_copy": self.without_copy}


def export(app: App, target: Path, watch: Progress, *, overwrite: bool = False) -> Exported:
    """Writes everything into one file, under the dream lock. Finished sessions without a copy get one first.

    Raises UsageError where the file is there already or would lie in the memory root, Refused where memory vanished from
    the disk, StateError where it cannot be written; what was there is then untouched.
    """
    shop = app.shop
    target = _target(target, shop.places.memory_root, overwrite=overwrite)
    with dream_lock(shop.places.default_state_dir, shop.places.memory_root, now=shop.clock.now()):
        recover(shop)
        app.scan()
        copy_finished(shop, watch)
        return write(shop, target, watch)


def write(shop: Workshop, target: Path, watch: Progress) -> Exported:
    """The same without looking for anything new; the caller holds the dream lock."""
    watch(Step("export"))
    tree = Tree.read(shop.places.memory_root)
    refuse_vanished(survey(tree, shop.history.head(), max_loss=shop.config.guards.max_loss))
    try:
        with _scratch(shop.places.state_dir) as scratch:
            shop.database.snapshot(scratch / "state.db")
            files = [("state.db", scratch / "state.db"), *_memory(tree), *_state(shop.places.state_dir)]
            about = _about(shop, tree, files)
            size = bundle.write(target, about, files, scratch)
    except OSError as error:
        raise StateError(
            f"the export could not be written: {error.strerror or type(error).__name__}",
            hint="check space and rights of the state directory; nothing was changed",
        ) from error
    done = Exported(target, size, about, without_copy(shop.database))
    logger().info("state.exported", bytes=size, **about.counts)
    return done


@contextmanager
def _scratch(state_dir: Path) -> Iterator[Path]:
    """A directory for the database's copy; what a killed export left is gone first."""
    folder = state_dir / EXPORTING
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _target(path: Path, root: Path, *, overwrite: bool) -> Path:
    target = Path(os.path.realpath(expand(str(path))))
    if target.is_dir() or not target.parent.is_dir():
        raise UsageError(f"{path} is no place for a file", hint="name a file in a directory that exists")
    if target.exists() and not overwrite:
        raise UsageError(f"{path} is there already", hint="--force replaces it")
    if target.is_relative_to(os.path.realpath(root)):
        raise UsageError(f"{path} lies in the memory root", hint="nothing but memory belongs there: name another place")
    return target


def _about(shop: Workshop, tree: Tree, files: list[tuple[str, Path]]) -> About:
    rows = counted(shop.database)
    names = [name for name, _ in files]
    return About(
        format=FORMAT,
        dreamd=__version__,
        schema=REVISION,
        created_at=shop.clock.now(),
        home=str(shop.home),
        memory_root=str(shop.places.memory_root),
        sources=session_places(shop.database),
        bytes=sum(path.stat().st_size for _, path in files),
        counts={
            "memory_files": sum(name.startswith("memory/") for name in names),
            "sessions": rows["sessions"],
            "runs": rows["runs"],
            "copies": sum(name.startswith("archive/") for name in names),
        },
        modes={path: file.mode for path, file in tree.files.items() if file.mode != _OWN_MODE},
    )


def _memory(tree: Tree) -> Iterator[tuple[str, Path]]:
    """The managed files, links followed, and what else lies visibly below the root."""
    held = tree.contents
    for managed in sorted(held):
        yield f"memory/{managed}", tree.files[managed].real
    for path in _files(tree.root):
        name = path.relative_to(tree.root).as_posix()
        if name not in held and not any(part.startswith(".") for part in Path(name).parts):
            yield f"memory/{name}", path


def _state(state_dir: Path) -> Iterator[tuple[str, Path]]:
    for part in ("history.git", "archive", "answers"):
        for path in _files(state_dir / part):
            if not (path.name.startswith(_PASSED_OVER[0]) or path.name.endswith(_PASSED_OVER[1])):
                yield f"{part}/{path.relative_to(state_dir / part).as_posix()}", path


def _files(folder: Path) -> list[Path]:
    """Every regular file below a directory; links are not followed."""
    return sorted(
        Path(inside) / name
        for inside, _, names in os.walk(folder)
        for name in names
        if (Path(inside) / name).is_file() and not (Path(inside) / name).is_symlink()
    )
