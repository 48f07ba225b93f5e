"""Private directories and whole files: what installing writes outside the state and memory."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from dreamd.service.condition import ServiceError


def make_private(path: Path) -> bool:
    """Makes a directory 0700 with its parents; whether it was missing. Raises ServiceError."""
    if path.is_dir():
        return False
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        raise ServiceError(f"cannot make {path}: {fault.strerror}", hint="check its rights") from fault
    return True


def replace_file(path: Path, data: str | bytes, mode: int = 0o600) -> None:
    """Writes a file beside its place and moves it there. Raises ServiceError."""
    path = Path(os.path.realpath(path))
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as fault:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise ServiceError(f"cannot write {path}: {fault.strerror}", hint="check its rights and free space") from fault
