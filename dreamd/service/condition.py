"""How the service is installed and whether it runs, as its manager and the files say; and the error where there is no manager."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from dreamd.errors import DreamdError


class ServiceError(DreamdError):
    """The service manager of this machine cannot be reached or did not do what it was asked."""

    code: ClassVar[str] = "service"


@dataclass(frozen=True, slots=True)
class Condition:
    """The service as it was found. What nobody can tell is None."""

    manager: str  # "systemd" | "launchd"
    reachable: bool  # the manager answers
    path: Path  # of its definition
    installed: bool
    enabled: bool
    active: bool
    pid: int | None = None
    linger: bool | None = None  # systemd: it runs while its person is logged out
    current: bool | None = None  # the definition is the one that `install` would write now
    restarts: int = 0
    result: str = ""  # how its last run ended, in the manager's words
    told: str = ""  # its own status line

    def to_json(self) -> dict[str, object]:
        """What `dreamd service status --json` prints."""
        return {
            "installed": self.installed,
            "enabled": self.enabled,
            "active": self.active,
            "path": str(self.path),
            "pid": self.pid,
            "linger": self.linger,
            "manager": self.manager,
            "reachable": self.reachable,
            "current": self.current,
            "restarts": self.restarts,
            "result": self.result,
            "status": self.told,
        }


@dataclass(slots=True)
class Ledger:
    """What was done, in order, and what the person should know."""

    did: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
