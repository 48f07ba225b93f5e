"""The memory files as they stand on disk, read once as a value with a digest."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path

from dreamd.errors import MemoryTreeError
from dreamd.memory.document import Document, parse

INDEX = "MEMORY.md"
FOLDERS = ("projects", "patterns", "people")
_SAFE_NAME = re.compile(r"[^\W_][\w .@+-]{0,120}(?<! )(?:~\d{1,4})?\.md")
_NAME_BYTES = 200


class Protection(StrEnum):
    """Why a file is never written."""

    NONE = ""
    READ_ONLY = "read_only"  # no owner write permission
    GLOB = "glob"  # the configuration's `protect`
    OWNER = "owner"  # somebody else's file
    UNDECODABLE = "undecodable"  # not UTF-8: it could not be given back byte for byte
    DANGLING = "dangling"  # a link whose target is not there (an unmounted disk?)
    NO_FILE = "no_file"  # a folder or device that bears a topic's name


@dataclass(frozen=True, slots=True)
class TreeFile:
    """One managed file."""

    path: str  # relative to the root, "/" separated
    data: bytes
    mode: int  # permission bits
    real: Path  # where the bytes are, links followed
    note: Protection = Protection.NONE
    link: bool = False  # a symlink that a person made
    mtime: float = 0.0  # seconds since 1970; not part of the digest

    @property
    def protected(self) -> bool:
        """Whether it is never written."""
        return self.note is not Protection.NONE

    @property
    def text(self) -> str:
        """Its text; "" where it is not UTF-8."""
        return "" if self.note is Protection.UNDECODABLE else self.data.decode()


@dataclass(frozen=True, slots=True)
class Tree:
    """The managed files: MEMORY.md and projects|patterns|people/*.md."""

    root: Path
    files: Mapping[str, TreeFile]
    missing: bool  # the root is not there, or holds no managed file
    digest: str  # sha256 over names, bytes, protection and places; what a commit confirms

    @classmethod
    def read(cls, root: Path, protect: Sequence[str] = ()) -> Tree:
        """Read every managed file; dot files and files of other names are not looked at.

        Args:
            root: the memory root; it need not exist.
            protect: globs under the root that a dream never touches; `*` also matches "/".

        Raises:
            MemoryTreeError: where something is there but cannot be read.
        """
        try:
            files = {file.path: file for file in _read_all(root, protect)}
        except OSError as error:
            raise unreadable(error) from error
        return cls(root=root, files=files, missing=not files, digest=_digest(files))

    @property
    def contents(self) -> dict[str, bytes]:
        """The bytes of every file that is one: not of links that lead nowhere, nor of folders with a topic's name."""
        nothing = {Protection.DANGLING, Protection.NO_FILE}
        return {path: file.data for path, file in self.files.items() if file.note not in nothing}

    def text(self, path: str) -> str:
        """A file's text; "" if it is not there or not UTF-8."""
        file = self.files.get(path)
        return file.text if file else ""

    def document(self, path: str) -> Document:
        """A file parsed; an empty document if it is not there or not UTF-8."""
        return parse(self.text(path))


def managed_path(path: str) -> bool:
    """Whether a new file may have this path: MEMORY.md or one safe name in one of the three folders."""
    if path == INDEX:
        return True
    folder, slash, name = path.partition("/")
    if not slash or folder not in FOLDERS or len(name.encode(errors="replace")) > _NAME_BYTES:
        return False
    return _SAFE_NAME.fullmatch(name) is not None and ".." not in name


def matches(path: str, globs: Sequence[str]) -> bool:
    """Whether a path under the root matches one of the globs; a folder's name matches all in it."""
    return any(fnmatchcase(path, glob) or fnmatchcase(path, f"{glob.rstrip('/')}/*") for glob in globs)


def unreadable(error: OSError) -> MemoryTreeError:
    """The error for a memory root that cannot be read; it names the place."""
    place = f" ({error.filename})" if error.filename else ""
    return MemoryTreeError(
        f"the memory root cannot be read: {error.strerror or type(error).__name__}{place}",
        hint=_HINTS.get(error.errno or 0, "check that [memory] root is a folder of yours that you may read"),
    )


_HINTS = {
    errno.ENOENT: "if it is on a disk that is not mounted, mount it; else remove the link",
    errno.ENOTDIR: "a folder is expected there: move the file away, or set [memory] root to another folder",
    errno.EISDIR: "a file is expected there: move the folder away",
    errno.EINVAL: "a plain file is expected there: move it away",
}


def _read_all(root: Path, protect: Sequence[str]) -> Iterator[TreeFile]:
    if not root.exists():
        if root.is_symlink():
            raise FileNotFoundError(errno.ENOENT, "it is a link to a folder that is not there", str(root))
        return
    for path in sorted(_managed(root)):
        file = _read(root, path, protect)
        if file is not None:
            yield file


def _managed(root: Path) -> Iterator[str]:
    """Relative paths of everything that has a managed name."""
    if os.path.lexists(root / INDEX):
        yield INDEX
    elif not root.is_dir():
        next(root.iterdir(), None)  # raises what is wrong with it
    for folder in FOLDERS:
        try:
            names = [place.name for place in (root / folder).iterdir()]
        except FileNotFoundError:
            if (root / folder).is_symlink():
                raise
            continue
        for name in names:
            if name.endswith(".md") and not name.startswith(".") and name.isprintable():
                yield f"{folder}/{name}"


def _read(root: Path, path: str, protect: Sequence[str]) -> TreeFile | None:
    """One file; None for one that went since it was listed. Raises OSError where MEMORY.md is something else than a file."""
    place = root / path
    link = place.is_symlink()
    real = Path(os.path.realpath(place))
    try:
        about = real.stat()
    except (FileNotFoundError, NotADirectoryError):
        return TreeFile(path, b"", 0o600, real, Protection.DANGLING, link=True) if link else None
    if not stat.S_ISREG(about.st_mode):
        if path == INDEX:
            number = errno.EISDIR if stat.S_ISDIR(about.st_mode) else errno.EINVAL
            raise OSError(number, "it is not a file", str(place))
        return TreeFile(path, b"", 0o600, real, Protection.NO_FILE, link)
    try:
        data = real.read_bytes()
    except FileNotFoundError:
        return None
    note = _protection(path, data, about, protect)
    return TreeFile(path, data, stat.S_IMODE(about.st_mode), real, note, link, about.st_mtime)


def _protection(path: str, data: bytes, about: os.stat_result, protect: Sequence[str]) -> Protection:
    try:
        data.decode()
    except UnicodeDecodeError:
        return Protection.UNDECODABLE
    if matches(path, protect):
        return Protection.GLOB
    if not about.st_mode & stat.S_IWUSR:
        return Protection.READ_ONLY
    if os.geteuid() not in {0, about.st_uid}:
        return Protection.OWNER
    return Protection.NONE


def _digest(files: Mapping[str, TreeFile]) -> str:
    total = hashlib.sha256()
    for path in sorted(files):
        file = files[path]
        about = f"{path}\0{file.note}\0{int(file.link)}\0{hashlib.sha256(file.data).hexdigest()}\n"
        total.update(about.encode())
    return total.hexdigest()
