"""Which file systems tell nobody about changes, so that only scans see them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

MOUNTS = Path("/proc/self/mountinfo")

#: Their files change on another machine, or on the host of a virtual one, and inotify is not told of it.
_SILENT: Final = frozenset({
    "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "drvfs", "fakeowner", "fuse", "gpfs", "lustre", "ncpfs",
    "nfs", "nfs4", "prl_fs", "smb2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs", "wslfs",
})  # fmt: skip

#: User-space file systems whose every change comes through the mount of this very machine: encrypted homes.
_TOLD: Final = frozenset({"fuse.cryfs", "fuse.encfs", "fuse.gocryptfs", "fuse.securefs"})


def is_silent(path: str) -> bool:
    """True where changes below this real path may happen without an event; False where that is not known (no /proc)."""
    try:
        mounts = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False
    kind = file_system(path, mounts)
    return kind in _SILENT or (kind.startswith("fuse.") and kind not in _TOLD)


def file_system(path: str, mounts: str) -> str:
    """The type of the file system that a real path is on, from the text of /proc/self/mountinfo (proc(5)); "" if none fits.

    The longest mount point above the path counts, and of equal ones the last, which hides the others.
    """
    best, kind = "", ""
    for line in mounts.splitlines():
        place, _, source = line.partition(" - ")
        fields = place.split(" ")
        if len(fields) < 5 or not source:  # noqa: PLR2004 - the mount point is the fifth field
            continue
        point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[4])
        if len(point) >= len(best) and _is_below(path, point):
            best, kind = point, source.split(" ", 1)[0]
    return kind


def _is_below(path: str, point: str) -> bool:
    return path == point or path.startswith(point.rstrip(os.sep) + os.sep)
