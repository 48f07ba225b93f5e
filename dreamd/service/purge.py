"""What `dreamd service uninstall --purge` takes away: dreamd's own state and configuration, by name; never memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from dreamd.config import Places
from dreamd.errors import StateError
from dreamd.service.spec import ServiceSpec

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


def _state(places: Places) -> Iterator[Path]:
    for folder in dict.fromkeys((places.state_dir, places.default_state_dir)):
        for pattern in _STATE:
            yield from sorted(folder.glob(pattern))
