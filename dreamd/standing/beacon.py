"""Whether a service lives, and how far its dream is: two small files that commands read without asking it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dreamd.dream.progress import Step
from dreamd.errors import LockHeld, StateError
from dreamd.state.process import Life, Owner

_LOCK = "service.lock"
_INFO = "service.json"
_PROGRESS = "progress.json"


@dataclass(frozen=True, slots=True)
class ServiceInfo:
    """What a living service says of itself. `watching`: CONTRACT's list."""

    owner: Owner
    since: str  # RFC 3339
    watching: tuple[Mapping[str, object], ...] = ()
    next_check_at: str | None = None
    config: str = ""


@contextmanager
def instance_lock(state_dir: Path) -> Iterator[None]:
    """Held for the life of `dreamd run`. Raises LockHeld (exit 4) where another service holds it."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - heavy: it brings asyncio along, and only services take this lock

    path = state_dir / _LOCK
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(path, mode=0o600, timeout=0, fallback_to_soft=False)
        lock.acquire()
    except Timeout:
        info = read_info(state_dir)
        who = f" (pid {info.owner.pid})" if info else ""
        raise LockHeld(f"a dreamd service is running already{who}", hint="`dreamd status` shows it") from None
    except OSError as fault:
        raise StateError(
            f"the service lock {path} cannot be used: {fault.strerror}", hint="check the state directory"
        ) from fault
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            (state_dir / _INFO).unlink(missing_ok=True)
            (state_dir / _PROGRESS).unlink(missing_ok=True)
        lock.release()


def living(state_dir: Path) -> ServiceInfo | None:
    """The service that holds the lock now; None where none does. A stale file of a dead one is none."""
    info = read_info(state_dir)
    if info is None or info.owner.life(Owner.current()) is not Life.ALIVE:
        return None
    return info


def write_info(state_dir: Path, info: ServiceInfo) -> None:
    """Replaces what the service says of itself."""
    _replace(state_dir / _INFO, asdict(info))


def read_info(state_dir: Path) -> ServiceInfo | None:
    """What the last service said of itself, alive or not."""
    raw = _read(state_dir / _INFO)
    try:
        return ServiceInfo(
            owner=Owner(**raw["owner"]),
            since=str(raw["since"]),
            watching=tuple(raw["watching"]),
            next_check_at=raw.get("next_check_at"),
            config=str(raw.get("config", "")),
        )
    except (KeyError, TypeError):
        return None


def write_progress(state_dir: Path, step: Step) -> None:
    """How far the running dream is."""
    _replace(state_dir / _PROGRESS, asdict(step))


def read_progress(state_dir: Path) -> Step | None:
    """How far the running dream is; None where nothing is known."""
    raw = _read(state_dir / _PROGRESS)
    try:
        return Step(str(raw["name"]), int(raw["done"]), int(raw["total"]))
    except (KeyError, TypeError, ValueError):
        return None


def _replace(path: Path, value: Mapping[str, object]) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        beside.write_text(json.dumps(value), encoding="utf-8")
        beside.replace(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
