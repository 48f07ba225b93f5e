"""The service under systemd: written, started, looked at and taken away through `systemctl --user`."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dreamd.service.condition import Condition, Ledger, ServiceError
from dreamd.service.files import make_private, replace_file
from dreamd.service.spec import ServiceSpec
from dreamd.service.units import FORBIDDEN, MARK, OLD_TIMER, UNIT, user_unit

_START = 330  # seconds: the unit's own TimeoutStartSec and a little
_ANSWER = 10
_NO_BUS_HINT = (
    "log in as this user (not through su or sudo), or run `loginctl enable-linger` for it as root; "
    "`dreamd service print` shows the unit, and `dreamd kick --if-due` works from any timer"
)
_KEY_FILE = """# The environment of the dreamd service, one NAME=value a line; only you can read this file.
# ANTHROPIC_API_KEY=
"""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    out: str
    error: str


def look(spec: ServiceSpec) -> Condition:
    """The service as it is now; never raises for a missing manager."""
    shown = _show(UNIT)
    path = _folder(spec.home) / UNIT
    text = _text(path)
    return Condition(
        manager="systemd",
        reachable=bool(shown),
        path=path,
        installed=bool(text),
        enabled=shown.get("UnitFileState") == "enabled" if shown else _wanted(path).is_symlink(),
        active=shown.get("ActiveState") in ("active", "reloading"),
        pid=int(shown.get("MainPID") or 0) or None,
        linger=linger(),
        current=text in (user_unit(spec), user_unit(spec, namespaces=False)) if text else None,
        restarts=int(shown.get("NRestarts") or 0),
        result=shown.get("Result", ""),
        told=shown.get("StatusText", ""),
    )


def install(spec: ServiceSpec) -> Ledger:
    """Writes the unit, enables and starts it; doing it again changes nothing. Raises ServiceError, then it says how far it came."""
    _need_bus()
    done = Ledger()
    folder = _folder(spec.home)
    _prepare(spec, done)
    _retire_timer(folder, done)
    changed = _write(folder / UNIT, user_unit(spec), done)
    if _show(UNIT).get("ActiveState") == "failed":
        _systemctl("reset-failed", UNIT)  # a start limit that was hit would refuse us
    if not _start(done, changed=changed) and spec.confined and _forbidden():
        done.notes.append("this machine forbids user namespaces: the service runs without being confined to its places")
        _write(folder / UNIT, user_unit(spec, namespaces=False), done)
        _systemctl("reset-failed", UNIT)
        changed = _start(done, changed=True)
    shown = _show(UNIT)
    if shown.get("ActiveState") not in ("active", "reloading"):
        raise ServiceError(
            f"{UNIT} is installed and does not run ({shown.get('Result') or 'unknown'}, "
            f"exit status {shown.get('ExecMainStatus') or '?'})",
            hint=f"journalctl --user -u {UNIT} -n 20, and `dreamd doctor`",
        )
    return done


def uninstall(spec: ServiceSpec) -> Ledger:
    """Stops and disables the service and removes its unit; nothing to do is no fault."""
    done = Ledger()
    if not _show(UNIT):  # a container, WSL, a session without a bus: then nothing runs, and the file can go
        return _remove_file(spec.home / ".config" / "systemd" / "user" / UNIT, done)
    folder = _folder(spec.home)
    path = folder / UNIT
    _retire_timer(folder, done)
    if not path.exists() and _show(UNIT).get("LoadState") == "not-found":
        return done
    answer = _systemctl("disable", "--now", UNIT, wait=_START)
    if answer.status:
        raise ServiceError(f"{UNIT} could not be stopped: {answer.error}", hint=f"systemctl --user status {UNIT}")
    done.did.append(f"stopped and disabled {UNIT}")
    if path.exists():
        path.unlink()
        done.did.append(f"removed {path}")
    _systemctl("daemon-reload")
    _systemctl("reset-failed", UNIT)
    return done


def _remove_file(path: Path, done: Ledger) -> Ledger:
    if path.exists():
        path.unlink()
        done.did.append(f"removed {path}")
        done.notes.append(
            "no user manager answers here; where one does, `systemctl --user daemon-reload` makes it notice"
        )
    return done


def linger() -> bool | None:
    """Whether this user's services run while the user is logged out; None where logind does not say."""
    told = _run(["loginctl", "show-user", user_name(), "--property=Linger"])
    word = told.out.strip().partition("=")[2]
    return {"yes": True, "no": False}.get(word) if told.status == 0 else None


def user_name() -> str:
    """This user's login name; the number where there is none."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _prepare(spec: ServiceSpec, done: Ledger) -> None:
    """What must be there before systemd looks: it makes writable only what exists."""
    for path in spec.makes:
        if make_private(path):
            done.did.append(f"made {path}")
    make_private(spec.key_file.parent)
    if not spec.key_file.exists():
        replace_file(spec.key_file, _KEY_FILE)
        done.did.append(f"made {spec.key_file}")
    elif spec.key_file.stat().st_mode & 0o077:
        spec.key_file.chmod(0o600)
        done.did.append(f"took others' rights from {spec.key_file}")


def _retire_timer(folder: Path, done: Ledger) -> None:
    """The timer of earlier versions, which called `dreamd kick --if-due`."""
    shown = _show(OLD_TIMER)
    if shown.get("LoadState") == "not-found" and not (folder / OLD_TIMER).exists():
        return
    _systemctl("disable", "--now", OLD_TIMER)
    if (folder / OLD_TIMER).exists():
        (folder / OLD_TIMER).unlink()
    done.did.append(f"took away the old {OLD_TIMER}")


def _write(path: Path, text: str, done: Ledger) -> bool:
    """Puts a unit in its place; a file that somebody else wrote is kept beside it. Whether anything changed."""
    before = _text(path)
    if before == text:
        return False
    if before and not before.startswith(MARK):
        kept = path.with_name(path.name + ".before")
        path.replace(kept)
        done.notes.append(f"the unit that was there is kept as {kept}")
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text)
    done.did.append(f"wrote {path}")
    return True


def _start(done: Ledger, *, changed: bool) -> bool:
    _systemctl("daemon-reload")
    if _show(UNIT).get("UnitFileState") != "enabled":
        answer = _systemctl("enable", UNIT)
        if answer.status:
            raise ServiceError(f"{UNIT} could not be enabled: {answer.error}")
        done.did.append(f"enabled {UNIT}")
    if not changed and _show(UNIT).get("ActiveState") == "active":
        return True
    answer = _systemctl("restart", UNIT, wait=_START)
    if answer.status == 0:
        done.did.append(f"started {UNIT}")
    return answer.status == 0


def _forbidden() -> bool:
    status = _show(UNIT).get("ExecMainStatus") or "0"
    return int(status) in FORBIDDEN


def _need_bus() -> None:
    if not _show(UNIT):
        raise ServiceError("no systemd user manager answers", hint=_NO_BUS_HINT)


def _show(unit: str) -> dict[str, str]:
    """A unit's properties; empty where no manager answers."""
    names = "LoadState,ActiveState,UnitFileState,MainPID,Result,ExecMainStatus,NRestarts,StatusText"
    answer = _systemctl("show", f"--property={names}", unit)
    if answer.status:
        return {}
    return {name: value for name, _, value in (line.partition("=") for line in answer.out.splitlines())}


def _folder(home: Path) -> Path:
    """Where this user's manager reads units from: its own configuration directory, which need not be the shell's."""
    usual = home / ".config" / "systemd" / "user"
    told = _systemctl("show", "--property=UnitPath").out.strip().partition("=")[2].split()
    if not told or str(usual) in told:
        return usual
    mine = [Path(one) for one in told if one.endswith("/systemd/user") and not one.startswith(("/usr", "/etc", "/run"))]
    return mine[0] if mine else usual


def _wanted(path: Path) -> Path:
    return path.parent / "default.target.wants" / path.name


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _systemctl(*words: str, wait: float = _ANSWER) -> _Answer:
    return _run(["systemctl", "--user", "--no-pager", *words], wait)


def _run(words: list[str], wait: float = _ANSWER) -> _Answer:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words; which systemctl answers is the PATH's business
            words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=wait, check=False
        )
    except subprocess.TimeoutExpired:
        return _Answer(1, "", f"{words[0]} did not answer for {wait:.0f} s")
    except OSError as fault:
        return _Answer(127, "", f"{words[0]}: {fault.strerror}")
    return _Answer(done.returncode, done.stdout, done.stderr.strip())
