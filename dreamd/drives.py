"""Windows' names of a directory as the Linux beside it (WSL) names them: one directory, one name."""

from __future__ import annotations

import re

_DRIVE = re.compile(r"(?:[\\/]{2}\?[\\/])?([A-Za-z]):(?:[\\/]+(.*))?", re.DOTALL)
_LINUX = re.compile(r"[\\/]{2}wsl(?:\$|\.localhost)[\\/]+[^\\/]+[\\/]*(.*)", re.IGNORECASE | re.DOTALL)
_SEPARATORS = re.compile(r"[\\/]+")
_MOUNTED = re.compile(r"/mnt/[a-z](?:/|$)")


def mounted(path: str) -> str:
    r"""`C:\Users\sam` as `/mnt/c/Users/sam`, `\\wsl$\Ubuntu\home\sam` as `/home/sam`; any other path as it is."""
    if found := _DRIVE.fullmatch(path):
        return f"/mnt/{found[1].lower()}/{_forward(found[2] or '')}".rstrip("/")
    if found := _LINUX.fullmatch(path):
        return f"/{_forward(found[1])}"
    return path


def folded(path: str) -> str:
    """A path as it compares: on a Windows drive upper and lower case are one."""
    return path.casefold() if _MOUNTED.match(path) else path


def _forward(rest: str) -> str:
    return _SEPARATORS.sub("/", rest).rstrip("/")
