"""The service under launchd: an agent's property list, and the launchctl calls that load it."""

from __future__ import annotations

import os
import plistlib
import re
from pathlib import Path
from typing import Any

from dreamd.processes import ask
from dreamd.service.condition import Condition, Ledger, ServiceError
from dreamd.service.files import make_private, replace_file
from dreamd.service.spec import ServiceSpec
from dreamd.service.template import template

LABEL = "dev.dreamd"
_PID = re.compile(r"^\s*pid = (\d+)$", re.MULTILINE)


def agent(spec: ServiceSpec) -> bytes:
    """The text of ~/Library/LaunchAgents/dev.dreamd.plist: absolute paths only, for launchd expands nothing."""
    value: dict[str, Any] = plistlib.loads(template(f"launchd/{LABEL}.plist").encode())
    value["ProgramArguments"] = list(spec.command)
    # What goes wrong before the log of dreamd's own is open.
    value["StandardOutPath"] = value["StandardErrorPath"] = str(spec.state_dir / "launchd.log")
    value["WorkingDirectory"] = str(spec.home)
    if spec.environment:
        value["EnvironmentVariables"] = dict(spec.environment)
    return plistlib.dumps(value, sort_keys=False)


def agent_path(home: Path) -> Path:
    """Where launchd looks for a person's agents."""
    return home / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def install_commands(path: Path, uid: int) -> tuple[tuple[str, ...], ...]:
    """The launchctl calls that load an agent and start it, whether it was loaded before or not."""
    domain = f"gui/{uid}"
    return (
        ("launchctl", "bootout", f"{domain}/{LABEL}"),
        ("launchctl", "enable", f"{domain}/{LABEL}"),
        ("launchctl", "bootstrap", domain, str(path)),
    )


def uninstall_commands(uid: int) -> tuple[tuple[str, ...], ...]:
    """The launchctl calls that stop an agent and forget it."""
    return (("launchctl", "bootout", f"gui/{uid}/{LABEL}"),)


def look(spec: ServiceSpec) -> Condition:
    """The agent as it is now."""
    path = agent_path(spec.home)
    told = _told()
    pid = _PID.search(told)
    return Condition(
        manager="launchd",
        reachable=bool(ask("launchctl", "print", f"gui/{os.getuid()}")),
        path=path,
        installed=path.exists(),
        enabled=bool(told),
        active=pid is not None,
        pid=int(pid[1]) if pid else None,
        current=path.read_bytes() == agent(spec) if path.exists() else None,
    )


def install(spec: ServiceSpec) -> Ledger:
    """Writes the property list and loads it; doing it again changes nothing. Raises ServiceError."""
    done = Ledger()
    for place in spec.makes:
        if make_private(place):
            done.did.append(f"made {place}")
    path, data = agent_path(spec.home), agent(spec)
    changed = not path.exists() or path.read_bytes() != data
    if changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
        done.did.append(f"wrote {path}")
    if changed or not _told():
        for command in install_commands(path, os.getuid()):
            ask(*command)
        if not _told():
            raise ServiceError("launchd did not take the agent", hint=f"launchctl bootstrap gui/{os.getuid()} {path}")
        done.did.append(f"started {LABEL}")
    return done


def uninstall(spec: ServiceSpec) -> Ledger:
    """Stops the agent and removes its property list; nothing to do is no fault."""
    done = Ledger()
    if _told():
        for command in uninstall_commands(os.getuid()):
            ask(*command)
        done.did.append(f"stopped {LABEL}")
    path = agent_path(spec.home)
    if path.exists():
        path.unlink()
        done.did.append(f"removed {path}")
    return done


def _told() -> str:
    return ask("launchctl", "print", f"gui/{os.getuid()}/{LABEL}")
