"""Who a process is, so that a lease of a dead one is known for what it is although pids are used again."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_PROC = Path("/proc")


class Life(StrEnum):
    """What can be said of an owner from here."""

    ALIVE = "alive"
    DEAD = "dead"
    UNKNOWN = "unknown"  # another machine or container: only its heartbeat tells


@dataclass(frozen=True, slots=True)
class Owner:
    """A process for as long as the world stands: pid and start time in one boot of one machine."""

    pid: int
    started: str  # in the system's own words; compared, never read
    boot: str
    host: str
    namespace: str = ""  # pids mean nothing outside it (containers)

    @classmethod
    def current(cls) -> Owner:
        """This process."""
        pid = os.getpid()
        return cls(pid=pid, started=started(pid) or "", boot=_boot(), host=platform.node(), namespace=_namespace())

    def life(self, here: Owner) -> Life:
        """Whether it lives, as `here` (a process of this machine, now) can tell."""
        if self.boot == here.boot and self.namespace == here.namespace:
            return Life.ALIVE if started(self.pid) == self.started else Life.DEAD
        if self.boot != here.boot and self.host == here.host:
            return Life.DEAD
        return Life.UNKNOWN


def started(pid: int) -> str | None:
    """When a process started, None if there is none. A zombie has ended."""
    if _PROC.joinpath("self").exists():
        try:
            # The name in brackets may hold spaces and brackets itself; state and start time are fields 3 and 22.
            rest = _PROC.joinpath(str(pid), "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            return None
        return None if rest[0] in {"Z", "X"} else rest[19]
    return _ask("/bin/ps", "-o", "lstart=", "-p", str(pid)) or None


def _boot() -> str:
    try:
        return _PROC.joinpath("sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return _ask("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid")


def _namespace() -> str:
    try:
        return str(_PROC.joinpath("self/ns/pid").readlink())
    except OSError:
        return ""


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)  # noqa: S603 - fixed commands
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
