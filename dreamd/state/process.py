"""Who a process is, so that a lease of a dead one is known for what it is although pids are used again."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dreamd.processes import ask, pid_namespace, started

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
        return cls(pid=pid, started=started(pid) or "", boot=_boot(), host=platform.node(), namespace=pid_namespace())

    def life(self, here: Owner) -> Life:
        """Whether it lives, as `here` (a process of this machine, now) can tell."""
        if self.boot == here.boot and self.namespace == here.namespace:
            return Life.ALIVE if started(self.pid) == self.started else Life.DEAD
        if self.boot != here.boot and self.host == here.host:
            return Life.DEAD
        return Life.UNKNOWN


def _boot() -> str:
    try:
        return _PROC.joinpath("sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ask("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid")
