"""The service on this machine, whatever manages services here: look, install, uninstall, print."""

from __future__ import annotations

import platform
from pathlib import Path

from dreamd.service import launchd, systemd
from dreamd.service.condition import Condition, Ledger
from dreamd.service.spec import ServiceSpec, fleeting
from dreamd.service.units import UNIT, system_unit, user_unit


def on_launchd() -> bool:
    """Whether launchd manages services here; everywhere else it is systemd or nobody."""
    return platform.system() == "Darwin"


def look(spec: ServiceSpec) -> Condition:
    """The service as it is now; never raises for a missing manager."""
    return launchd.look(spec) if on_launchd() else systemd.look(spec)


def outdated(spec: ServiceSpec) -> Path | None:
    """The installed definition, where it is not the one that `install` would write now; asks no manager, so it is quick."""
    if on_launchd():
        path = launchd.agent_path(spec.home)
        wanted = [launchd.agent(spec)]
    else:
        path = spec.home / ".config" / "systemd" / "user" / UNIT
        wanted = [user_unit(spec, namespaces=named).encode() for named in (True, False)]
    try:
        return path if path.read_bytes() not in wanted else None
    except OSError:
        return None


def install(spec: ServiceSpec) -> Ledger:
    """Installs and starts the service; doing it again changes nothing. Raises ServiceError."""
    done = launchd.install(spec) if on_launchd() else systemd.install(spec)
    if fleeting(spec.program, spec.home):
        done.notes.append(
            f"{spec.program[0]} lies in a cache and may vanish; install dreamd for good, then do this again"
        )
    if not on_launchd():
        done.notes += _about_linger()
    return done


def uninstall(spec: ServiceSpec) -> Ledger:
    """Stops the service and removes its definition; state, configuration and memory stay. Raises ServiceError."""
    return launchd.uninstall(spec) if on_launchd() else systemd.uninstall(spec)


def definition(spec: ServiceSpec, *, system: bool) -> str:
    """The text that `install` would write, or the template of a system unit."""
    if system:
        return system_unit(spec.program)
    return launchd.agent(spec).decode() if on_launchd() else user_unit(spec)


def _about_linger() -> list[str]:
    command = f"loginctl enable-linger {systemd.user_name()}"
    match systemd.linger():
        case True:
            return []
        case False:
            return [f"it stops when you log out; `{command}` lets it run on"]
        case None:
            return [f"whether it runs while you are logged out could not be found out; `{command}` lets it"]
