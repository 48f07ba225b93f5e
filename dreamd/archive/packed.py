"""One archived session as a file: a tar inside zstd with a manifest of digests at its end, written and read back as streams."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import stat
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from dreamd.errors import TranscriptError

BLOCK = 1 << 18  # bytes read at once
MANIFEST = ".manifest.json"
_LEVEL = 3
_MAX_MANIFEST = 64 << 20


class TranscriptChanged(TranscriptError):  # noqa: N818 - the state of the world, not a fault
    """A transcript was written to while it was being copied; try again once it is idle."""

    code = "transcript_changed"


@dataclass(frozen=True, slots=True)
class Member:
    """One file in an archived session. `name` is relative to the root it was stored from."""

    name: str
    size: int
    sha256: str
    mtime_ns: int


def sources_of(files: Sequence[Path], root: Path) -> list[tuple[str, Path]]:
    """Every regular file to copy with its name inside the archive, the main transcript first, each once."""
    found: dict[str, Path] = {}
    for index, path in enumerate(files):
        inside = [path] if index == 0 or not path.is_dir() else sorted(_walk(path))
        for one in inside:
            if index and (one.is_symlink() or not one.is_file()):
                continue
            try:
                name = one.relative_to(root).as_posix()
            except ValueError as error:
                raise TranscriptError(f"{one} does not lie below {root}") from error
            found.setdefault(name, one)
    if not found:
        raise TranscriptError("a session without a transcript cannot be archived")
    return list(found.items())


def _walk(directory: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(directory, followlinks=False):
        for name in names:
            yield Path(folder) / name


def write_packed(temporary: Path, sources: Sequence[tuple[str, Path]]) -> tuple[Member, ...]:
    """Writes (name, file) pairs into a new packed file and returns what was read of them.

    Raises TranscriptChanged where a file is not the same size and age before and after, OSError where one cannot be read.
    """
    import zstandard  # noqa: PLC0415 - needed by the few runs that archive something

    members = []
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    with (
        created(temporary) as file,
        compressor.stream_writer(file, closefd=False) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT, bufsize=BLOCK) as tar,
    ):
        for name, path in sources:
            members.append(_add(tar, name, path))
        manifest = json.dumps(
            {"version": 1, "files": [[m.name, m.size, m.sha256, m.mtime_ns] for m in members]}, ensure_ascii=True
        ).encode("ascii")
        info = tarfile.TarInfo(MANIFEST)
        info.size, info.mode = len(manifest), 0o600
        tar.addfile(info, _Bytes(manifest))
    return tuple(members)


class _Hashed:
    """A file that is hashed while tarfile reads it."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        block = self._source.read(size)
        self.digest.update(block)
        return block


class _Bytes:
    """A bytes value that tarfile can read."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def read(self, size: int = -1) -> bytes:
        block, self._content = self._content[:size], self._content[size:]
        return block


def _add(tar: tarfile.TarFile, name: str, path: Path) -> Member:
    """Copies one file as it is at this moment; it must not change while it is read."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(descriptor, "rb", buffering=0) as source:  # noqa: PTH123 - a descriptor, not a path
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise TranscriptError(f"{path} is not a regular file")
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = before.st_size, 0o600, before.st_mtime_ns // 1_000_000_000
        hashed = _Hashed(source)
        try:
            tar.addfile(info, hashed)
        except OSError as error:
            if error.errno is None:  # tarfile's own: the file became shorter
                raise _changed(path) from error
            raise
        after = os.fstat(descriptor)
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise _changed(path)
    return Member(name, before.st_size, hashed.digest.hexdigest(), before.st_mtime_ns)


def _changed(path: Path) -> TranscriptChanged:
    return TranscriptChanged(f"{path} changed while it was being copied", hint="it is archived once it is idle")


def verified(path: Path) -> tuple[Member, ...]:
    """Reads a whole copy back: every file must have the digest that the manifest behind them names."""
    seen: dict[str, tuple[int, str]] = {}
    listed: list[list[object]] = []
    with opened(path) as tar:
        for info in tar:
            source = tar.extractfile(info) if info.isreg() else None
            if source is None or not is_inside(info.name):
                raise TranscriptError("the archived session holds a name that leads out of its place")
            if info.name == MANIFEST:
                listed = json.loads(source.read(_MAX_MANIFEST))["files"]
                continue
            digest = hashlib.sha256()
            while block := source.read(BLOCK):
                digest.update(block)
            seen[info.name] = (info.size, digest.hexdigest())
    members = tuple(Member(str(n), int(str(s)), str(d), int(str(t))) for n, s, d, t in listed)
    if not members or {m.name: (m.size, m.sha256) for m in members} != seen:
        raise TranscriptError("the archived session is damaged", hint="its contents do not match their digests")
    return members


@contextlib.contextmanager
def opened(path: Path) -> Iterator[tarfile.TarFile]:
    """A packed file as a forward-only tar stream."""
    import zstandard  # noqa: PLC0415 - as above

    with (
        path.open("rb") as file,
        zstandard.ZstdDecompressor().stream_reader(file, read_size=BLOCK, closefd=False) as plain,
        tarfile.open(fileobj=plain, mode="r|", bufsize=BLOCK) as tar,
    ):
        yield tar


@contextlib.contextmanager
def explained(label: str) -> Iterator[None]:
    """Whatever a damaged or missing copy makes the libraries say becomes one TranscriptError."""
    try:
        yield
    except TranscriptError:
        raise
    except FileNotFoundError as error:
        raise TranscriptError(
            f"the archived copy {label} is missing", hint="it was deleted or lies on another machine"
        ) from error
    except OSError as error:
        raise TranscriptError(
            f"the archived copy {label} could not be read or put back: {error.strerror or 'it ends too early'}",
            hint="check free space and rights",
        ) from error
    except Exception as error:
        if not is_damage(error):
            raise
        raise TranscriptError(f"the archived copy {label} is damaged", hint="restore it from a backup") from error


def is_damage(error: Exception) -> bool:
    """Whether an error says that a file is no whole tar inside zstd with a manifest."""
    import zstandard  # noqa: PLC0415 - as above

    return isinstance(error, tarfile.TarError | ValueError | KeyError | TypeError | EOFError | zstandard.ZstdError)


class Original(io.RawIOBase):
    """The bytes of one archived file, whose faults are TranscriptErrors."""

    def __init__(self, source: IO[bytes], label: str) -> None:
        super().__init__()
        self._source = source
        self._label = label

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fills a writable buffer; 0 at the end."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        with explained(self._label):
            block = self._source.read(len(view))
        view[: len(block)] = block
        return len(block)


@contextlib.contextmanager
def created(path: Path) -> Iterator[IO[bytes]]:
    """A new file for its owner alone, on the disk when the block ends."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    # Buffered: a disk that fills up takes part of a write, and only the buffer goes on with the rest, or says that it could not.
    with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
        yield file
        file.flush()
        os.fsync(descriptor)


def is_inside(name: str) -> bool:
    """Whether a name stays below the directory it is put into: relative, no "..", no NUL, no backslash."""
    path = PurePosixPath(name)
    return not (path.is_absolute() or ".." in path.parts or "\0" in name or "\\" in name or not path.parts)
