"""An archived session and what its agent wrote of it since, as one: nothing that was in a copy is missing from the next."""

from __future__ import annotations

import hashlib
import os
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from dreamd.archive.packed import BLOCK, Member, created, opened, verified

_LINES = ".jsonl"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file: where it stands, newline included, and a digest of it without the newline."""

    start: int
    end: int
    digest: bytes


def with_earlier(
    copy: Path, members: Iterable[Member], sources: Sequence[tuple[str, Path]], scratch: Path
) -> list[tuple[str, Path]]:
    """The sources of a session's next copy: the files as they are, and of an earlier copy what they do not hold any more.

    A file that is gone is carried over. A transcript that was begun anew (its agent went on after the file was deleted) becomes the
    earlier one with every line behind it that is not in it; other files that changed are as they are now. `scratch` is an empty
    directory in which files are made for this. `members`: what `packed.verified` told of the copy.
    """
    present = dict(sources)
    wanted = [member for member in members if _is_missing_from(member, present.get(member.name))]
    made: dict[str, Path] = {}
    for member, source in _contents(copy, {member.name: member for member in wanted}):
        path = made[member.name] = scratch / str(len(made))
        with created(path) as file:
            _pump(source, file)
            if (goes_on := present.get(member.name)) is not None:
                file.flush()  # it is read again there
                _append_new_lines(path, goes_on, file)
        mtime_ns = goes_on.stat().st_mtime_ns if goes_on else member.mtime_ns
        os.utime(path, ns=(mtime_ns, mtime_ns))
    return [(name, made.pop(name, path)) for name, path in sources] + list(made.items())


def holds(copy: Path, sources: Iterable[tuple[str, Path]]) -> bool:
    """Whether every byte of the files is in the copy, which is read whole and checked for it: the same file, or each line of it.

    Raises whatever `packed.verified` raises for a damaged copy.
    """
    members = {member.name: member for member in verified(copy)}
    lines: dict[str, Path] = {}
    for name, path in sources:
        member = members.get(name)
        if member is None:
            return False
        if _digest(path) != member.sha256:
            if not name.endswith(_LINES):
                return False
            lines[name] = path
    for member, source in _contents(copy, {name: members[name] for name in lines}):
        known = {line.digest for line in _lines(source)}
        with lines[member.name].open("rb") as file:
            if any(line.digest not in known for line in _lines(file)):
                return False
    return True


def _is_missing_from(member: Member, path: Path | None) -> bool:
    """Whether an archived file holds something that the present one does not."""
    if path is None:
        return True
    return member.name.endswith(_LINES) and _digest(path, member.size) != member.sha256


def _contents(copy: Path, wanted: Mapping[str, Member]) -> Iterator[tuple[Member, IO[bytes]]]:
    if not wanted:
        return
    with opened(copy) as tar:
        for info in tar:
            member, source = wanted.get(info.name), _source(tar, info)
            if member is not None and source is not None:
                yield member, source


def _source(tar: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes] | None:
    return tar.extractfile(info) if info.isreg() else None


def _append_new_lines(earlier: Path, goes_on: Path, out: IO[bytes]) -> None:
    known: set[bytes] = set()
    last = b"\n"
    with earlier.open("rb") as file:
        known.update(line.digest for line in _lines(file))
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            last = file.read(1)
    with goes_on.open("rb") as file, goes_on.open("rb") as again:
        for line in _lines(file):
            if line.digest in known:
                continue
            if last != b"\n":
                out.write(b"\n")
            again.seek(line.start)
            last = _copy(again, out, line.end - line.start)


def _lines(file: IO[bytes]) -> Iterator[Line]:
    """The lines of a file in flat memory, however long they are."""
    start = position = 0
    digest = hashlib.blake2b(digest_size=16)
    while piece := file.readline(BLOCK):
        position += len(piece)
        ended = piece.endswith(b"\n")
        digest.update(piece[:-1] if ended else piece)
        if ended:
            yield Line(start, position, digest.digest())
            start, digest = position, hashlib.blake2b(digest_size=16)
    if position > start:
        yield Line(start, position, digest.digest())


def _digest(path: Path, size: int | None = None) -> str:
    """Of a file's first bytes; of all of it without a size."""
    digest = hashlib.sha256()
    left = size if size is not None else path.stat().st_size
    with path.open("rb") as file:
        while left > 0 and (block := file.read(min(left, BLOCK))):
            digest.update(block)
            left -= len(block)
    return digest.hexdigest()


def _pump(source: IO[bytes], target: IO[bytes]) -> None:
    while block := source.read(BLOCK):
        target.write(block)


def _copy(source: IO[bytes], target: IO[bytes], size: int) -> bytes:
    """Copies so many bytes and returns the last of them."""
    last = b""
    while size > 0 and (block := source.read(min(size, BLOCK))):
        target.write(block)
        size -= len(block)
        last = block[-1:]
    return last
