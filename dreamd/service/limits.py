"""How many directories one user's programs may watch on Linux, and how many a tree has."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_WATCHES: Final = ("/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches")
_INSTANCES: Final = ("/proc/sys/fs/inotify/max_user_instances", "/proc/sys/user/max_inotify_instances")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits in force, shared by all of the user's programs; None where the system names none (macOS)."""

    watches: int | None  # directories, fs.inotify.max_user_watches
    instances: int | None  # programs that watch, roughly; fs.inotify.max_user_instances


def limits() -> Limits:
    """The limits of this user in this user namespace: of the system's and the namespace's (inotify(7)) the lower."""
    return Limits(_lowest(_WATCHES), _lowest(_INSTANCES))


def directories(root: str) -> int:
    """How many directories a watch of this tree needs: itself and all below, links not followed; unreadable ones count as one."""
    found, waiting = 0, [root]
    while waiting:
        found += 1
        try:
            with os.scandir(waiting.pop()) as listing:
                waiting += [entry.path for entry in listing if entry.is_dir(follow_symlinks=False)]
        except OSError:  # gone meanwhile, or not ours to read
            continue
    return found


def _lowest(files: tuple[str, ...]) -> int | None:
    return min((number for file in files if (number := _number(file)) is not None), default=None)


def _number(file: str) -> int | None:
    try:
        return int(Path(file).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
