"""Gemini CLI's transcripts: event logs and, before them, whole documents; where they lie, what they count, what was said."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from stat import S_ISREG

from dreamd.transcripts import fingerprint
from dreamd.transcripts.counting import Sums
from dreamd.transcripts.event import Cursor, Event, FileStamp, Growth, Origin, Reading, Role, SessionFile
from dreamd.transcripts.gemini_events import events
from dreamd.transcripts.gemini_log import GeminiPerson, GeminiTally
from dreamd.transcripts.gemini_prompts import PromptLogs
from dreamd.transcripts.gemini_record import Record, document, records_in
from dreamd.transcripts.jsonl import Lines
from dreamd.transcripts.listening import Listening

AGENT = "gemini"
_SESSION = re.compile(r"session-(.+?)(?:-([0-9a-f]{8,}))?\.(jsonl?)", re.DOTALL)
_LOG = "jsonl"
_OPEN = os.O_RDONLY | os.O_CLOEXEC
_HASH = re.compile(r"[0-9a-f]{64}")
_FIRST_LINE = 256 * 1024  # bytes in which an event log's header ends
_LARGEST = 64 * 1024 * 1024  # bytes of a document; it can only be read as a whole
_MOST_MAP = 4 * 1024 * 1024
_ROOT_FILE = ".project_root"
_NAMED = re.compile(rb'"sessionId"\s*:\s*"([A-Za-z0-9_-]+)"')


class Gemini:
    """Reads `<root>/<project>/chats/session-….jsonl` and `.json`, and sub-agents' logs in folders below; never writes.

    A session is named after its file, the beginning of its own id first: the log and the document it grew out of have one name, and
    the log is newer. What a script sent is told by a witness: `logs.json`, where the client notes what is typed at it.
    """

    agent = AGENT
    verified_with = ("0.20.0", "0.61.0")
    nested = True

    def __init__(self) -> None:
        self._logs = Listening(GeminiPerson, GeminiTally)
        self._prompts = PromptLogs()

    def discover(self, root: Path) -> Iterator[SessionFile]:
        """Every session below `root`, by its name alone."""
        for project in _entries(os.fspath(root.absolute())):
            found: dict[str, SessionFile] = {}
            folders = []
            for entry in _entries(f"{project.path}/chats"):
                name = _SESSION.fullmatch(entry.name)
                if name is None:
                    folders.append(entry)
                    continue
                session = f"{name[2]}-{name[1]}" if name[2] else name[1]
                if (stamp := _stamp(entry)) is not None and (name[3] == _LOG or session not in found):
                    found[session] = SessionFile(AGENT, session, entry.path, "main", stamp)
            yield from found.values()
            for folder in folders:
                yield from _subagents(folder, found)

    def scan(self, file: SessionFile, cursor: Cursor, *, settled: bool = False) -> Reading:
        """Counts what came since `cursor`; see the protocol. A document counts anew whenever it was written."""
        if fingerprint.unchanged(file.stamp, cursor, settled=settled):
            return Reading(Growth.UNCHANGED, cursor)
        try:
            fd = os.open(file.path, _OPEN)
        except (FileNotFoundError, NotADirectoryError):
            return Reading(Growth.GONE, cursor)
        try:
            now = fingerprint.stamp(os.fstat(fd))
            if _is_document(fd, now.size):
                reading = _scan_document(fd, now, cursor, settled=settled)
            else:
                reading = self._logs.scan(file.path, fd, now, cursor, settled=settled)
        finally:
            os.close(fd)
        if reading.growth is Growth.UNCHANGED or file.kind != "main":
            return reading
        if self._prompts.is_scripted(Path(file.path), reading.lineage):
            turns = tuple(replace(turn, origin=Origin.HEADLESS) for turn in reading.turns)
            reading = replace(reading, turns=(), headless_turns=turns, headless=True)
        return replace(reading, first_cwd=project_directory(Path(file.path)) or reading.first_cwd or _folder(file.path))

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        """The events of [start, end); see the protocol. Raises OSError where the file cannot be opened."""
        fd = os.open(path, _OPEN)
        try:
            size = os.fstat(fd).st_size
            records = (document(_whole(fd, size)) or []) if _is_document(fd, size) else _records(fd, size)
            cwd = project_directory(path)
            scripted = self._prompts.is_scripted(path, _native_id(path))
            for event in events(records, os.fspath(path), cwd):
                if event.raw.offset >= start and (end is None or event.raw.offset < end):
                    person = event.role is Role.HUMAN
                    yield replace(event, origin=Origin.HEADLESS) if person and scripted else event
        finally:
            os.close(fd)

    def transcript_at(self, path: str) -> str | None:
        """The file itself, where it is a session or a sub-agent's log; see the protocol."""
        return path if path.endswith((".json", ".jsonl")) and f"{os.sep}chats{os.sep}" in path else None

    def belongings(self, path: Path, session_id: str) -> tuple[Path, ...]:
        """What the client itself deletes with a session: its sub-agents' logs, its stale document, its tools' outputs; see the protocol."""
        del session_id
        native = _native_id(path)
        if not native:
            return ()
        project = path.parent.parent
        return (
            path.parent / native,
            *(path.with_suffix(one) for one in (".json", ".jsonl") if one != path.suffix),
            project / "tool-outputs" / f"session-{native}",
            project / "logs" / f"session-{native}.jsonl",
            project / native,
        )

    def live_sessions(self, root: Path, now: dt.datetime) -> frozenset[str]:
        """None: Gemini CLI keeps no register of what is open."""
        del root, now
        return frozenset()


def project_directory(path: Path) -> str | None:
    """The directory of the project in whose folder a session lies; None where the client did not note it."""
    folder = path.parent
    while folder.name != "chats":
        if folder == folder.parent:
            return None
        folder = folder.parent
    folder = folder.parent
    try:
        noted = (folder / _ROOT_FILE).read_bytes()[:4096].decode("utf-8", "replace").strip()
    except OSError:
        noted = ""
    if noted:
        return noted
    projects = _json(folder.parent.parent / "projects.json").get("projects")
    known = projects.items() if isinstance(projects, dict) else ()
    return next((directory for directory, name in known if folder.name in {name, _hash(directory)}), None)


def _hash(directory: str) -> str:
    """What older clients call a project's folder."""
    return hashlib.sha256(directory.encode("utf-8", "surrogateescape")).hexdigest()


def _folder(path: str) -> str | None:
    """The project's own short name, where nothing tells its directory; older folders are named by a digest that says nothing."""
    name = Path(path).parent.parent.name
    return None if _HASH.fullmatch(name) else name


def _scan_document(fd: int, now: FileStamp, cursor: Cursor, *, settled: bool) -> Reading:
    if now.size > _LARGEST:
        reached = fingerprint.moved(fd, now, Cursor(), consumed=now.size, crc=fingerprint.checksum(fd, now.size))
        return Reading(Growth.NEW, reached, bytes_read=now.size, oversized_lines=1)
    known = cursor.stamp is not None or cursor.consumed > 0
    crc = fingerprint.checksum(fd, now.size)
    if known and (cursor.consumed, cursor.crc) == (now.size, crc):
        return Reading(Growth.UNCHANGED, replace(cursor, stamp=now))
    found = document(_whole(fd, now.size))
    if found is None and not settled:
        return Reading(Growth.UNCHANGED, cursor, bytes_read=now.size)  # it is just being written; looked at again
    tally = GeminiTally(GeminiPerson(), Sums(bad_lines=int(found is None and now.size > 0)))
    for offset, record in found or ():
        tally.count(record, offset)
    reached = fingerprint.moved(fd, now, Cursor(), consumed=now.size, crc=crc)
    growth = Growth.REWRITTEN if known else Growth.NEW
    return tally.reading(growth, reached, bytes_read=now.size, oversized=0)


def _is_document(fd: int, size: int) -> bool:
    """Whether a file is one JSON document, on one line or indented, and not a log of records: told by its beginning, not by its name."""
    head = os.pread(fd, min(size, _FIRST_LINE), 0)
    first, newline, _ = head.partition(b"\n")
    return first.strip() == b"{" if newline else first.lstrip()[:1] == b"{"


def _records(fd: int, size: int) -> Iterator[tuple[int, Record]]:
    for offset, line in Lines(fd, 0, size, last_line=True):
        for record in records_in(line):
            yield offset, record


def _whole(fd: int, size: int) -> bytes:
    return os.pread(fd, min(size, _LARGEST), 0)


def _native_id(path: Path) -> str:
    """The id that the session itself names; "" where it names none."""
    try:
        with path.open("rb") as file:
            found = _NAMED.search(file.read(_FIRST_LINE))
    except OSError:
        return ""
    return found[1].decode() if found else ""


def _subagents(folder: os.DirEntry[str], sessions: Iterable[str]) -> Iterator[SessionFile]:
    """The logs of a session's sub-agents, in a folder named after the whole id of which its own file's name has the beginning."""
    owner = next((one for one in sessions if "-" in one and folder.name.startswith(one.partition("-")[0])), folder.name)
    for entry in _entries(folder.path):
        if entry.name.endswith((".json", ".jsonl")) and (stamp := _stamp(entry)) is not None:
            yield SessionFile(AGENT, owner, entry.path, "subagent", stamp)


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as listing:
            return list(listing)
    except OSError:
        return []


def _stamp(entry: os.DirEntry[str]) -> FileStamp | None:
    try:
        status = entry.stat()
    except OSError:
        return None
    return fingerprint.stamp(status) if S_ISREG(status.st_mode) else None


def _json(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MOST_MAP))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
