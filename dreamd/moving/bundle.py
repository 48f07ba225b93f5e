"""The file of an export: a tar inside zstd that says first what it is, and last what each of its files must be."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import msgspec

from dreamd.archive.packed import BLOCK, MANIFEST, created, is_damage, is_inside, opened, verified, write_packed
from dreamd.errors import StateError, TranscriptError
from dreamd.processes import started
from dreamd.state.migrate import known

#: The file that says what a bundle is; the first in it.
ABOUT = "export.json"
#: Of the file's own layout. A dreamd refuses what is newer than it knows.
FORMAT = 1
#: Where the files in a bundle go.
PARTS = ("memory", "history.git", "archive", "answers", "state.db")
_MOST_ABOUT = 1 << 22  # bytes
_NO_BUNDLE = "it was not made by `dreamd export`, or it is damaged: see whether it was copied whole"


@dataclass(frozen=True, slots=True)
class About:
    """What a bundle says of itself."""

    format: int
    dreamd: str  # the version that wrote it
    schema: str  # the database's revision
    created_at: dt.datetime
    home: str
    memory_root: str
    sources: tuple[tuple[str, str], ...]  # (agent, root) of every place that sessions were found in
    bytes: int  # of everything in it, unpacked
    counts: dict[str, int] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)  # memory file → permission bits, where they are not 0600


def write(target: Path, about: About, sources: Sequence[tuple[str, Path]], scratch: Path) -> int:
    """Writes a bundle, reads it back whole, then puts it in its place (0600). Returns its size. Raises StateError."""
    _sweep(target.parent)
    temporary = target.with_name(f".dreamd-export-{os.getpid()}.tmp")
    try:
        said = scratch / ABOUT
        said.write_bytes(msgspec.json.encode(about))
        try:
            members = write_packed(temporary, [(ABOUT, said), *sources])
            if verified(temporary) != members:
                raise StateError("the export does not read back as it was written", hint="the disk may be failing")
            size = temporary.stat().st_size
            temporary.replace(target)
            _sync(target.parent)
        finally:
            temporary.unlink(missing_ok=True)
    except TranscriptError as error:
        raise StateError(f"the export could not be written: {error.message}", hint="try again") from error
    except OSError as error:
        raise StateError(
            f"the export could not be written: {error.strerror or type(error).__name__}",
            hint="check space and rights where it goes; what was there is untouched",
        ) from error
    return size


def about(path: Path) -> About:
    """What a file says of itself. Raises StateError where it is no bundle, damaged, or a newer dreamd's."""
    with _told(path), opened(path) as tar:
        first = tar.next()
        source = tar.extractfile(first) if first is not None and first.name == ABOUT and first.isreg() else None
        if source is None:
            raise StateError(f"{path} is not an export of dreamd", hint=_NO_BUNDLE)
        data = source.read(_MOST_ABOUT)
    try:
        layout = msgspec.json.decode(data, type=dict[str, object]).get("format")
        if isinstance(layout, int) and layout > FORMAT:
            raise _newer(path, f"layout {layout}")
        found = msgspec.json.decode(data, type=About)
    except msgspec.MsgspecError as error:
        raise StateError(f"{path} is not an export of dreamd", hint=_NO_BUNDLE) from error
    if not known(found.schema):
        raise _newer(path, f"database revision {found.schema}")
    return found


def unpack(path: Path, into: Path) -> None:
    """Unpacks a bundle below a directory; every byte must be what the manifest at its end says. Raises StateError, OSError."""
    seen: dict[str, tuple[int, str]] = {}
    listed: list[list[object]] = []
    with _told(path), opened(path) as tar:
        for info in tar:
            source = tar.extractfile(info) if info.isreg() else None
            if source is None or not is_inside(info.name):
                raise StateError(f"{path} holds a name that leads out of its place", hint=_NO_BUNDLE)
            if info.name == MANIFEST:
                listed = msgspec.json.decode(source.read(), type=dict[str, object])["files"]  # type: ignore[assignment]
                continue
            if info.name != ABOUT and info.name.partition("/")[0] not in PARTS:
                raise StateError(f"{path} holds what no export of this dreamd has", hint=_NO_BUNDLE)
            seen[info.name] = (info.size, _copied(source, into / info.name))
    if not listed or {str(one[0]): (one[1], one[2]) for one in listed} != seen:
        raise StateError(f"{path} is damaged: its contents do not match their digests", hint=_NO_BUNDLE)


def _copied(source: IO[bytes], target: Path) -> str:
    digest = hashlib.sha256()
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with created(target) as file:
        while block := source.read(BLOCK):
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Faults of the file as one StateError; those of the disk that is written to stay what they are."""
    if not path.is_file():
        raise StateError(f"there is no file {path}", hint="give the file that `dreamd export` wrote")
    try:
        yield
    except (StateError, MemoryError):
        raise
    except Exception as error:
        without_number = isinstance(error, OSError) and error.errno is None  # tarfile's own
        if not (is_damage(error) or without_number):
            raise
        raise StateError(f"{path} is not an export of dreamd, or it is damaged", hint=_NO_BUNDLE) from error


def _sweep(folder: Path) -> None:
    """What killed exports left beside the file."""
    with contextlib.suppress(OSError):
        for path in folder.glob(".dreamd-export-*.tmp"):
            pid = path.name.removeprefix(".dreamd-export-").removesuffix(".tmp")
            if pid.isdigit() and started(int(pid)) is None:
                path.unlink(missing_ok=True)


def _newer(path: Path, what: str) -> StateError:
    return StateError(f"{path} was written by a newer dreamd ({what})", hint="install that version here too")


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
