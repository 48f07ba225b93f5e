"""One dream at a time for a memory root: the kernel's lock decides, the text in the file is only a hint."""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.access import NO_LOCKS
from dreamd.errors import LockHeld, StateError
from dreamd.log import logger

if TYPE_CHECKING:
    from filelock import FileLock

#: Claude Code's own lock in a memory root: first line the holder's pid (CLIENTS: taken over when older than this or dead).
AGENT_LOCK = ".consolidate-lock"
_AGENT_LOCK_LASTS = dt.timedelta(hours=1)
_HINT = "wait for it to end, or see `dreamd status`"


def lock_path(default_state_dir: Path, memory_root: Path) -> Path:
    """The dream lock of a memory root, named after its real path, in the user's default state directory."""
    digest = hashlib.sha256(os.fsencode(os.path.realpath(memory_root))).hexdigest()[:16]
    return default_state_dir / f"dream-{digest}.lock"


@contextmanager
def dream_lock(default_state_dir: Path, memory_root: Path, *, now: dt.datetime) -> Iterator[FileLock]:
    """Holds the dream lock. Raises LockHeld (exit 4) at once where another dream or the agent's own holds it."""
    path = lock_path(default_state_dir, memory_root)
    lock = _acquired(path)
    try:
        agent = agent_holder(memory_root, now)
        if agent is not None:
            raise LockHeld(f"the agent itself is consolidating this memory (pid {agent})", hint=_HINT)
        yield lock
    finally:
        _unsign(path)
        lock.release()


def _acquired(path: Path) -> FileLock:
    from filelock import FileLock, Timeout  # noqa: PLC0415 - heavy: it brings asyncio along, and most commands take no lock

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        left = path.read_bytes()[:64] if path.exists() else b""
        lock = FileLock(path, mode=0o600, timeout=0, fallback_to_soft=False, on_acquired=_sign)
        lock.acquire()
    except Timeout:
        holder = _holder(path)
        raise LockHeld(f"another dream holds the lock{f' (pid {holder})' if holder else ''}", hint=_HINT) from None
    except OSError as fault:
        raise StateError(
            f"the dream lock {path} cannot be used: {fault.strerror}", hint=_lock_hint(fault.errno, path.parent)
        ) from fault
    if left.strip():
        logger().info("lock.taken_over")  # whoever left that text is gone: the kernel gave us the lock
    return lock


def _lock_hint(number: int | None, folder: Path) -> str:
    if number in NO_LOCKS:
        return f"the file system of {folder} has no file locks; set XDG_STATE_HOME to a folder on a local disk"
    if number in (errno.ENOSPC, errno.EDQUOT):
        return f"free some space on the disk of {folder}"
    return f"check the rights of {folder}, or set XDG_STATE_HOME to a folder of yours on a local disk"


def still_ours(lock: FileLock) -> bool:
    """Whether the locked file is still the one on disk: a lock file that was removed lets a second holder in."""
    try:
        descriptor = lock._context.lock_file_fd  # noqa: SLF001 - filelock has no public way to its descriptor
        return descriptor is not None and os.path.samestat(os.fstat(descriptor), Path(lock.lock_file).stat())
    except OSError:
        return False


def agent_holder(memory_root: Path, now: dt.datetime) -> int | None:
    """The living process that holds Claude Code's own consolidation lock in the memory root; never touched by us."""
    path = memory_root / AGENT_LOCK
    pid = _holder(path)
    try:
        age = now - dt.datetime.fromtimestamp(path.stat().st_mtime, tz=dt.UTC)
    except OSError:
        return None
    return pid if pid is not None and age < _AGENT_LOCK_LASTS and _lives(pid) else None


def _holder(path: Path) -> int | None:
    """The pid that a lock file names; None for an empty, odd or missing one."""
    try:
        first = path.read_bytes()[:64].split(b"\n", 1)[0].strip()
    except OSError:
        return None
    return int(first) if first.isdigit() and len(first) < 10 else None  # noqa: PLR2004 - longer is no pid


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return pid > 0


def _sign(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)


def _unsign(path: Path) -> None:
    """Leaves the file empty: a pid in it means that its holder died."""
    with contextlib.suppress(OSError), path.open("r+b") as file:
        file.truncate(0)
