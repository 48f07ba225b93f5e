"""What can be asked about this machine's processes: since when one runs, and which files are held open; and what ours can give back."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

_PROC = Path("/proc")
_LSOF = "/usr/sbin/lsof"
_LONGEST_COMMAND = 200  # paths


def started(pid: int) -> str | None:
    """When a process started, in the system's own words (to be compared, not read); None if there is none. A zombie has ended."""
    if _PROC.joinpath("self").exists():
        try:
            # The name in brackets may hold spaces and brackets itself; state and start time are fields 3 and 22.
            rest = _PROC.joinpath(str(pid), "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            return None
        return None if rest[0] in {"Z", "X"} else rest[19]
    return ask("/bin/ps", "-o", "lstart=", "-p", str(pid)) or None


def give_back_memory() -> None:
    """Has the C library hand free memory back to the system (glibc's malloc_trim(3)); elsewhere nothing.

    Without it a service keeps the most that a scan ever took: freed pieces lie between used ones.
    """
    import ctypes  # noqa: PLC0415 - commands that end at once need not wait for it

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def pid_namespace() -> str:
    """The namespace outside which this process's pids mean nothing (containers); "" where the system has none."""
    try:
        return str(_PROC.joinpath("self/ns/pid").readlink())
    except OSError:
        return ""


def held_open(paths: Iterable[str]) -> frozenset[str]:
    """Those of the files that a process has open now, as far as this user may see; nothing is opened to find out."""
    real = {os.path.realpath(path): path for path in paths}
    if not real:
        return frozenset()
    opened = _open_here() if _PROC.joinpath("self").exists() else _open_elsewhere(list(real))
    return frozenset(real[path] for path in opened if path in real)


def ask(*command: str) -> str:
    """What a command of the system prints; "" where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)  # noqa: S603 - fixed commands
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _open_here() -> Iterator[str]:
    for process in _names(_PROC):
        if process.isdecimal():
            folder = _PROC / process / "fd"
            for number in _names(folder):
                try:
                    yield os.readlink(folder / number)  # noqa: PTH115 - as above
                except OSError:  # closed meanwhile
                    continue


def _open_elsewhere(paths: list[str]) -> Iterator[str]:
    """By lsof, which macOS ships; -F prints one field a line, `n` before a name."""
    for start in range(0, len(paths), _LONGEST_COMMAND):
        told = ask(_LSOF, "-Fn", "--", *paths[start : start + _LONGEST_COMMAND])
        yield from (line[1:] for line in told.splitlines() if line.startswith("n"))


def _names(directory: Path) -> list[str]:
    try:
        return os.listdir(directory)  # noqa: PTH208 - thousands of names; no Path is needed for each
    except OSError:
        return []
