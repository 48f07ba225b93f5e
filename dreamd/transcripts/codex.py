"""Codex's transcripts, the rollouts of every era: where they lie, what they count, what was said in them."""

from __future__ import annotations

import datetime as dt
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from dreamd.transcripts import fingerprint
from dreamd.transcripts.codex_events import events
from dreamd.transcripts.codex_person import CodexPerson
from dreamd.transcripts.codex_scan import CodexTally
from dreamd.transcripts.event import Cursor, Event, Growth, Reading, SessionFile
from dreamd.transcripts.jsonl import Lines
from dreamd.transcripts.listening import Listening

AGENT = "codex"
_ROLLOUT = re.compile(
    r"rollout-.*?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.jsonl(?:\.zst)?", re.ASCII | re.DOTALL
)
_DEEPEST = 6  # directories below a root; the client itself makes three
_OPEN = os.O_RDONLY | os.O_CLOEXEC
_ZSTD = b"\x28\xb5\x2f\xfd"
_BLOCK = 1 << 20
_ROLLBACK = b'"thread_rolled_back"'


class Codex:
    """Reads `rollout-<time>-<id>.jsonl`, also compressed, below `sessions` or `archived_sessions`; never writes, never touches a time.

    What a line means depends on earlier ones: its turn, who typed, whether words come twice (see `listening`).
    """

    agent = AGENT
    verified_with = ("0.29.0", "0.140.0", "0.141.0", *(f"0.142.{patch}" for patch in range(6)), "0.171.0")
    nested = True

    def __init__(self) -> None:
        self._logs = Listening(CodexPerson, CodexTally)

    def discover(self, root: Path) -> Iterator[SessionFile]:
        """Every rollout below `root`, by its name alone. A session that was moved or compressed has the id it had."""
        yield from _rollouts(os.fspath(root.absolute()), set(), _DEEPEST)

    def scan(self, file: SessionFile, cursor: Cursor, *, settled: bool = False) -> Reading:
        """Counts what came since `cursor`; see the protocol. A turn taken back later makes the whole file count anew."""
        if fingerprint.unchanged(file.stamp, cursor, settled=settled):
            return Reading(Growth.UNCHANGED, cursor)
        try:
            fd = os.open(file.path, _OPEN)
        except (FileNotFoundError, NotADirectoryError):
            return Reading(Growth.GONE, cursor)
        try:
            now = fingerprint.stamp(os.fstat(fd))
            with _plain(fd) as plain:
                packed = plain != fd
                return self._logs.scan(file.path, plain, now, cursor, settled=settled or packed, packed=packed)
        finally:
            os.close(fd)

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events of [start, end); see the protocol. Raises OSError where the file cannot be opened."""
        fd = os.open(path, _OPEN)
        try:
            with _plain(fd) as plain:
                size = os.fstat(plain).st_size
                for event in events(Lines(plain, 0, size, last_line=True), os.fspath(path), _undone(plain, size)):
                    if end is not None and event.raw.offset >= end:
                        return
                    if event.raw.offset >= start:
                        yield event
        finally:
            os.close(fd)

    def transcript_at(self, path: str) -> str | None:
        """The file itself, where it is a rollout, packed or not; see the protocol."""
        return path if _ROLLOUT.fullmatch(os.path.basename(path)) else None  # noqa: PTH119 - a hot path

    def belongings(self, path: Path, session_id: str) -> tuple[Path, ...]:
        """Nothing: a rollout is all there is of a thread; see the protocol."""
        del path, session_id
        return ()

    def live_sessions(self, root: Path, now: dt.datetime) -> frozenset[str]:
        """None: Codex keeps no register of what is open."""
        del root, now
        return frozenset()


def _undone(fd: int, size: int) -> CodexPerson:
    """Who heard the whole file, where something in it was taken back; else somebody who heard nothing."""
    position = 0
    while block := os.pread(fd, _BLOCK, position):
        if _ROLLBACK in block:
            heard = CodexTally(CodexPerson())
            heard.run(Lines(fd, 0, size, last_line=True))
            return heard.hearer
        if len(block) < _BLOCK:
            break
        position += len(block) - len(_ROLLBACK)
    return CodexPerson()


@contextmanager
def _plain(fd: int) -> Iterator[int]:
    """A descriptor of the file's text: its own, or that of a nameless temporary file with what is packed in it.

    Compression is told by the first bytes, not by the name. What a damaged file still gives is taken.
    """
    if os.pread(fd, len(_ZSTD), 0) != _ZSTD:
        yield fd
        return
    import zstandard  # noqa: PLC0415 - a heavy library, and compressed rollouts are rare

    with tempfile.TemporaryFile() as unpacked, open(os.dup(fd), "rb") as source:  # noqa: PTH123 - a descriptor
        source.seek(0)
        with suppress(zstandard.ZstdError):
            zstandard.ZstdDecompressor().copy_stream(source, unpacked)
        unpacked.flush()
        yield unpacked.fileno()


def _rollouts(directory: str, visited: set[tuple[int, int]], depth: int) -> Iterator[SessionFile]:
    try:
        with os.scandir(directory) as listing:
            entries = list(listing)
    except OSError:
        return
    for entry in entries:
        try:
            found = _ROLLOUT.fullmatch(entry.name)
            if found is None and not entry.is_dir():
                continue
            status = entry.stat()
        except OSError:
            continue
        if found is not None and S_ISREG(status.st_mode):
            yield SessionFile(AGENT, found[1].lower(), entry.path, "main", fingerprint.stamp(status))
        elif S_ISDIR(status.st_mode) and depth and (place := (status.st_dev, status.st_ino)) not in visited:
            visited.add(place)
            yield from _rollouts(entry.path, visited, depth - 1)
