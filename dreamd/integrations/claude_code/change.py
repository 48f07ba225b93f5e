"""Files that are changed together: shown as a diff, then written whole, each beside its place first, or not at all."""

from __future__ import annotations

import contextlib
import difflib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dreamd.integrations.fault import IntegrationError
from dreamd.memory.journal import sync_folder, write_file

_WRITABLE = stat.S_IWUSR


@dataclass(frozen=True, slots=True)
class Change:
    """One file as it is and as it shall be; None: there is none."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def action(self) -> str:
        """One of create, change, delete, keep."""
        if self.before == self.after:
            return "keep"
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "change"

    def diff(self) -> str:
        """A unified diff; "" where nothing changes."""
        old, new = ("/dev/null" if data is None else str(self.path) for data in (self.before, self.after))
        return "".join(_ended(difflib.unified_diff(_lines(self.before), _lines(self.after), old, new)))


def read(path: Path) -> bytes | None:
    """A file's bytes, links followed; None where there is none. Raises IntegrationError where it cannot be read or is protected."""
    try:
        data = path.read_bytes()
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            raise IntegrationError(
                f"{path} is a link to a file that is not there; nothing was changed", hint="is a disk not mounted?"
            ) from None
        return None
    except OSError as fault:
        raise IntegrationError(f"cannot read {path}: {fault.strerror}", hint="check its rights") from fault
    if not mode & _WRITABLE:
        raise IntegrationError(
            f"{path} is write-protected; nothing was changed",
            hint=f"chmod u+w {path}, or make the change where it comes from",
        )
    return data


def apply(changes: Sequence[Change]) -> None:
    """Writes them in their order. Raises IntegrationError; what was written before is then put back."""
    done: list[Change] = []
    try:
        for one in changes:
            if one.action != "keep":
                _confirm(one)
                _write(one.path, one.after)
                done.append(one)
    except BaseException:
        for one in reversed(done):
            with contextlib.suppress(IntegrationError):
                _write(one.path, one.before)
        raise


def _confirm(change: Change) -> None:
    """A file that somebody else wrote since it was read is left alone."""
    now = change.path.read_bytes() if change.path.is_file() else None
    if now != change.before:
        raise IntegrationError(f"{change.path} has just been changed by somebody else", hint="try again")


def _write(path: Path, data: bytes | None) -> None:
    real = Path(os.path.realpath(path))
    try:
        if data is None:
            path.unlink(missing_ok=True)
            return
        real.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(real.stat().st_mode) if real.exists() else 0o600
        beside = real.with_name(f".{real.name}.{os.getpid()}.tmp")
        try:
            write_file(beside, data, mode)
            beside.replace(real)
        finally:
            beside.unlink(missing_ok=True)
        sync_folder(real.parent)
    except OSError as fault:
        raise IntegrationError(
            f"cannot write {path}: {fault.strerror}; nothing was changed", hint="check its rights and free space"
        ) from fault


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)


def _ended(lines: Iterator[str]) -> Iterator[str]:
    """Each line with its end, so that a file without one at its end still reads as a diff."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
