"""What `dreamd service uninstall --purge` takes away: dreamd's own state and configuration, by name; never memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from dreamd.app import opened
from dreamd.clock import Clock
from dreamd.config import Loaded, Places
from dreamd.dream.lock import dream_lock
from dreamd.errors import DreamdError, StateError
from dreamd.service.spec import ServiceSpec
from dreamd.state.condition import DatabaseCondition, database_condition

#: Everything that dreamd makes in its state directory. What else lies there is somebody's own and stays.
_STATE = (
    "state.db*",
    "search.db*",
    "dreamd.log*",
    "launchd.log",
    "history.git",
    "history.git.*",
    "archive",
    "answers",
    "commit.journal*",
    "tombstones.json*",
    "before-import-*.dreamd",
    "import.journal*",
    "import.new",
    "import.old",
    "export.new",
    "service.lock",
    "dream-????????????????.lock",
    "service.json",
    "progress.json",
    ".service.json.*",
    ".progress.json.*",
)
_BY_HAND = "remove dreamd's own files by hand"


def doomed(places: Places, spec: ServiceSpec) -> tuple[Path, ...]:
    """The files and directories that a purge removes; those that do not exist are left out.

    Raises StateError where memory lies in one of them, or where the state directory is somebody's whole home.
    """
    if spec.home.is_relative_to(os.path.realpath(places.state_dir)):
        raise StateError(f"{places.state_dir} holds your whole home; nothing was purged", hint=_BY_HAND)
    found = dict.fromkeys(_state(places))
    for file in (places.config_file, spec.key_file):
        if file.is_file() or file.is_symlink():
            found[file] = None
    memory = Path(os.path.realpath(places.memory_root))
    for path in found:
        real = Path(os.path.realpath(path))
        if memory.is_relative_to(real) or real.is_relative_to(memory):
            raise StateError(f"memory and {path} lie in each other; nothing was purged", hint=_BY_HAND)
    return tuple(found)


def purge(paths: tuple[Path, ...]) -> None:
    """Removes what `doomed` named, and the directories that are empty then. Raises StateError."""
    try:
        for path in paths:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    except OSError as fault:
        raise StateError(f"{fault.filename} could not be removed: {fault.strerror}", hint="check its rights") from fault
    for folder in {path.parent for path in paths}:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def purge_state(loaded: Loaded, spec: ServiceSpec, clock: Clock) -> bool | None:
    """All of it, under the dream lock: a dream that runs here and now must not lose its ground.

    Returns whether the batch that a run waited for was cancelled; None: there was none. Raises LockHeld and StateError.
    """
    places = loaded.places
    with dream_lock(places.default_state_dir, places.memory_root, now=clock.now()):
        called_off = _call_off(loaded, clock)
        purge(doomed(places, spec))
    return called_off


def _call_off(loaded: Loaded, clock: Clock) -> bool | None:
    """Nobody can collect a batch any more, so its server is asked not to work on it; a state that is broken hinders no purge."""
    if database_condition(loaded.places, thorough=False) is not DatabaseCondition.GOOD:
        return None
    try:
        with opened(loaded, clock=clock) as app:
            return app.call_off()
    except DreamdError:
        return False


def _state(places: Places) -> Iterator[Path]:
    for folder in dict.fromkeys((places.state_dir, places.default_state_dir)):
        for pattern in _STATE:
            yield from sorted(folder.glob(pattern))
