"""Transcripts kept: a finished session compressed into one verified file, and put back byte for byte."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final

from dreamd.archive.originals import Seen
from dreamd.archive.packed import (
    BLOCK,
    MANIFEST,
    Member,
    Original,
    created,
    explained,
    is_inside,
    opened,
    sources_of,
    verified,
    write_packed,
)
from dreamd.archive.rejoin import holds, with_earlier
from dreamd.errors import TranscriptError
from dreamd.processes import started

_MAX_LINE = 32 << 20
_SUFFIX = ".tar.zst"
_TEMPORARY = ".dreamd-"
_DAMAGED = ".damaged"
_AS_STORED: Final[Mapping[str, str]] = {}
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._\-]{0,99}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Stored:
    """One session's verified copy."""

    path: str  # below the archive directory, "/" separated, so that it holds on another machine
    digest: str  # sha256 over the names and contents of every file in it
    bytes: int  # of the originals
    compressed: int  # of the copy


class Archive:
    """The directory of archived sessions: `<agent>/<session>.tar.zst`, a plain tar inside zstd, readable without dreamd."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def file(self, stored: Stored) -> Path:
        """Where the copy lies now."""
        path = PurePosixPath(stored.path)
        if path.is_absolute() or ".." in path.parts:
            raise TranscriptError(f"the archive has no file {stored.path!r}")
        return self._directory / path

    def place(self, agent: str, session_id: str) -> str:
        """The path that a session's copy has, below the archive."""
        return f"{_safe(agent)}/{_safe(session_id)}{_SUFFIX}"

    def stored(self) -> Iterator[Stored]:
        """Every copy that reads back whole, with what it is; damaged ones are passed over."""
        for path in sorted(self._directory.glob(f"*/*{_SUFFIX}")):
            name = path.relative_to(self._directory).as_posix()
            if path.name.startswith(_TEMPORARY):
                continue
            with contextlib.suppress(TranscriptError):
                members = self.members(Stored(name, "", bytes=0, compressed=0))
                size = sum(member.size for member in members)
                yield Stored(name, _digest(members), bytes=size, compressed=path.stat().st_size)

    def store(
        self, agent: str, session_id: str, files: Sequence[Path], root: Path, *, earlier: Stored | None = None
    ) -> Stored:
        """Copies a session and verifies the copy; it then takes the place of an earlier copy of the same session.

        What only the `earlier` copy still holds goes into the new one (see `rejoin`): an agent may have begun the file anew.

        `files`: the main transcript first, then what belongs to it; directories are taken whole, symbolic links and what is
        missing are passed over (not the main transcript). `root`: what the names inside are relative to.
        Raises TranscriptChanged where a file grew or changed meanwhile, TranscriptError where it cannot be read or written;
        an earlier copy then stands as it was. The originals are only read.
        """
        target = self._directory / _safe(agent) / f"{_safe(session_id)}{_SUFFIX}"
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary = target.with_name(f"{_TEMPORARY}{os.getpid()}-{target.name}")
            try:
                with tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=target.parent) as scratch:
                    sources = self._with_earlier(earlier, sources_of(files, root), Path(scratch))
                    members = write_packed(temporary, sources)
                if verified(temporary) != members:
                    raise TranscriptError(
                        f"the copy of session {session_id} does not read back as it was written",
                        hint="the disk may be failing; the original was not touched",
                    )
                compressed = temporary.stat().st_size
                temporary.replace(target)
                _sync_directory(target.parent)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            raise TranscriptError(
                f"session {session_id} could not be archived: {error.strerror or type(error).__name__}",
                hint="the original was not touched; check free space and rights of the state directory",
            ) from error
        return Stored(
            path=target.relative_to(self._directory).as_posix(),
            digest=_digest(members),
            bytes=sum(member.size for member in members),
            compressed=compressed,
        )

    def _with_earlier(
        self, earlier: Stored | None, sources: list[tuple[str, Path]], scratch: Path
    ) -> list[tuple[str, Path]]:
        copy = self.file(earlier) if earlier is not None else None
        if copy is None or not copy.exists():
            return sources
        try:
            with explained(copy.name):
                members = verified(copy)
        except TranscriptError:
            copy.replace(
                copy.with_name(f"{copy.name}{_DAMAGED}")
            )  # nobody can read it; it must not keep a new one away
            return sources
        return with_earlier(copy, members, sources, scratch)

    def proven(self, stored: Stored, files: Sequence[Path], root: Path) -> tuple[Seen, ...]:
        """The session's files as they are, where the copy, read back whole just now, holds every byte of them; else none.

        `files` and `root` as for `store`. Raises TranscriptError where the copy is missing or damaged, OSError where a file is.
        """
        sources = sources_of(files, root)
        before = tuple(Seen.now(path) for _, path in sources)
        with explained(stored.path):
            held = holds(self.file(stored), sources)
        return before if held and before == tuple(Seen.now(path) for _, path in sources) else ()

    @contextlib.contextmanager
    def unpacked(self, stored: Stored, name: str, *, beside: bool = False) -> Iterator[Path]:
        """One file of a copy (named as in `members`; "": the main transcript), unpacked for as long as the block lasts.

        `beside`: all other files of the copy too, each where it lay.
        """
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=self.file(stored).parent) as scratch:
            if not beside:
                path = Path(scratch) / "transcript"
                with self.read_original(stored, name) as source, created(path) as file:
                    _pump(source, file)
            else:
                members = self.members(stored)
                targets = {member.name: _target(Path(scratch), member.name) for member in members}
                path = targets.get(name or members[0].name, Path(scratch))
                with explained(stored.path):
                    self._put_back(stored, targets)
            yield path

    def members(self, stored: Stored) -> tuple[Member, ...]:
        """What is in a copy, every byte of it checked against its digests; the main transcript first."""
        with explained(stored.path):
            return verified(self.file(stored))

    @contextlib.contextmanager
    def read_original(self, stored: Stored, name: str = "") -> Iterator[IO[bytes]]:
        """A forward-only stream of the main transcript's bytes, or of the file `name` (as in `members`)."""
        with contextlib.ExitStack() as stack:
            with explained(stored.path):
                tar = stack.enter_context(opened(self.file(stored)))
                source = next(
                    (tar.extractfile(info) for info in tar if info.name != MANIFEST and name in {"", info.name}), None
                )
            if source is None:
                raise TranscriptError("the archived session does not hold that file", hint="see `dreamd sessions show`")
            yield stack.enter_context(io.BufferedReader(Original(source, stored.path), BLOCK))

    def read_line(self, stored: Stored, offset: int, name: str = "") -> bytes:
        """The line that begins at a byte offset of an archived file, at most 32 MB of it; empty behind the end."""
        with self.read_original(stored, name) as stream:
            left = offset
            while left > 0:
                block = stream.read(min(left, BLOCK))
                if not block:
                    return b""
                left -= len(block)
            return stream.readline(_MAX_LINE)

    def restore(
        self, stored: Stored, target_root: Path, *, overwrite: bool = False, folders: Mapping[str, str] = _AS_STORED
    ) -> tuple[Path, ...]:
        """Puts a session's files back below `target_root`, byte for byte, mode 0600, mtime now; the main transcript first.

        The mtime is now because agents delete by it: a restored session starts a new term. A file that is there with the same
        bytes only gets the new mtime. One that differs and is newer or longer is left alone, and so is everything else:
        TranscriptError, unless `overwrite`. `folders`: outermost directories that have another name now.
        """
        with explained(stored.path):
            members = verified(self.file(stored))
            targets = [(member, _target(target_root, _renamed(member.name, folders))) for member in members]
            same = {path for member, path in targets if _is_same(path, member)}
            if not overwrite:
                for member, path in targets:
                    if path not in same and _is_ahead(path, member):
                        raise TranscriptError(
                            f"{path} is there already and is newer than the archived copy",
                            hint="use --overwrite to replace it",
                        )
            self._put_back(stored, {member.name: path for member, path in targets if path not in same})
            for path in same:
                os.utime(path)
        return tuple(path for _, path in targets)

    def remove(self, stored: Stored) -> None:
        """Deletes a copy, and a damaged one that was set aside; nothing happens where it is gone already."""
        path = self.file(stored)
        try:
            path.unlink(missing_ok=True)
            path.with_name(f"{path.name}{_DAMAGED}").unlink(missing_ok=True)
            if path.parent.is_dir():
                _sync_directory(path.parent)
        except OSError as error:
            raise TranscriptError(f"an archived session could not be deleted: {error.strerror}") from error

    def recover(self) -> int:
        """Removes what a killed copy left behind; returns how many files. Only under the dream lock."""
        places = (self._directory.parent, self._directory)
        leftovers = [path for place in places for path in place.glob(f"{_TEMPORARY}*")]
        leftovers += self._directory.glob(f"*/{_TEMPORARY}*")
        for path in leftovers:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        return len(leftovers)

    def size(self, stored: Stored) -> int:
        """How many bytes a copy takes on the disk; 0 where it is gone."""
        path = self.file(stored)
        return path.stat().st_size if path.exists() else 0

    def total_bytes(self) -> int:
        """How much the archive takes on the disk."""
        return sum(path.stat().st_size for path in self._directory.glob(f"*/*{_SUFFIX}"))

    def _put_back(self, stored: Stored, wanted: dict[str, Path]) -> None:
        """Writes every file beside its place first, then moves all of them there."""
        written: list[tuple[Path, Path]] = []
        for folder in {path.parent for path in wanted.values()}:
            _sweep(folder)
        try:
            with opened(self.file(stored)) as tar:
                for info in tar:
                    path = wanted.get(info.name)
                    source = tar.extractfile(info) if path is not None else None
                    if path is None or source is None:
                        continue
                    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    temporary = path.with_name(f"{_TEMPORARY}{os.getpid()}-{path.name}")
                    written.append((temporary, path))
                    with created(temporary) as copy:
                        _pump(source, copy)
            for temporary, path in written:
                os.utime(temporary)
                temporary.replace(path)
            for parent in {path.parent for _, path in written}:
                _sync_directory(parent)
        finally:
            for temporary, _ in written:
                temporary.unlink(missing_ok=True)


def _safe(name: str) -> str:
    """A name as part of a path; what cannot stand there gets a digest instead of being cut to a collision."""
    if _SAFE_NAME.fullmatch(name):
        return name
    plain = re.sub(r"[^A-Za-z0-9_\-]+", "-", name)[:60].strip("-") or "session"
    return f"{plain}-{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}"


def _pump(source: IO[bytes], target: IO[bytes]) -> None:
    while block := source.read(BLOCK):
        target.write(block)


def _target(root: Path, name: str) -> Path:
    if not is_inside(name):
        raise TranscriptError("the archived session holds a name that leads out of its place")
    return root / name


def _renamed(name: str, folders: Mapping[str, str]) -> str:
    first, slash, rest = name.partition("/")
    return f"{folders.get(first, first)}{slash}{rest}"


def _sweep(folder: Path) -> None:
    """What restores that died left beside their transcripts."""
    for path in folder.glob(f"{_TEMPORARY}*"):
        pid = path.name.removeprefix(_TEMPORARY).partition("-")[0]
        if pid.isdigit() and started(int(pid)) is None:
            path.unlink(missing_ok=True)


def _is_same(path: Path, member: Member) -> bool:
    if not path.is_file() or path.stat().st_size != member.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == member.sha256


def _is_ahead(path: Path, member: Member) -> bool:
    """Whether what stands there may hold something that the copy does not."""
    if not path.exists():
        return path.is_symlink()
    found = path.stat()
    return not stat.S_ISREG(found.st_mode) or found.st_mtime_ns > member.mtime_ns or found.st_size > member.size


def _digest(members: Sequence[Member]) -> str:
    digest = hashlib.sha256()
    for member in members:
        digest.update(f"{member.sha256} {member.name}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
