"""A tiny agent for tests: one JSON object a line, sessions in `<root>/<folder>/<session>.jsonl`, `agent-…` files for sub-agents."""

import datetime as dt
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from dreamd.clock import parse_time
from dreamd.transcripts import fingerprint
from dreamd.transcripts.event import (
    Cursor,
    Event,
    Growth,
    HumanTurn,
    Origin,
    RawPosition,
    Reading,
    Role,
    SessionFile,
)
from dreamd.transcripts.project import ProjectRef

T0 = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)
IDLE = dt.timedelta(minutes=30)
HOUR = dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)


class ToyAgent:
    """Counts for every call how many files it opened."""

    agent = "toy"
    verified_with = ("1",)
    nested = True

    def transcript_at(self, path: str) -> str | None:
        return path if path.endswith(".jsonl") else None

    def belongings(self, path: Path, session_id: str) -> tuple[Path, ...]:
        return (path.with_suffix(""),)

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.read_heads: list[str] = []

    def discover(self, root: Path) -> Iterator[SessionFile]:
        for path in sorted(root.rglob("*.jsonl")):
            stem = path.stem
            kind = "subagent" if stem.startswith("agent-") else "main"
            session = stem.split("-", 2)[1] if kind == "subagent" else stem
            yield SessionFile("toy", session, str(path), kind, fingerprint.stamp(path.stat()))

    def scan(self, file: SessionFile, cursor: Cursor, *, settled: bool = False) -> Reading:
        if fingerprint.unchanged(file.stamp, cursor, settled=settled):
            return Reading(Growth.UNCHANGED, cursor)
        self.opened.append(Path(file.path).name)
        try:
            fd = os.open(file.path, os.O_RDONLY)
        except FileNotFoundError:
            return Reading(Growth.GONE, cursor)
        try:
            return self._scan(fd, file, cursor, settled=settled)
        finally:
            os.close(fd)

    def _scan(  # noqa: C901 - a reader in one piece
        self, fd: int, file: SessionFile, cursor: Cursor, *, settled: bool
    ) -> Reading:
        now = fingerprint.stamp(os.fstat(fd))
        growth = fingerprint.growth(fd, now, cursor)
        if growth is Growth.UNCHANGED:
            return Reading(growth, Cursor(cursor.consumed, cursor.head, cursor.tail, cursor.crc, now))
        start = Cursor() if growth is Growth.REWRITTEN else cursor
        data = os.pread(fd, now.size, start.consumed)
        whole = data if settled else data[: data.rfind(b"\n") + 1]
        turns, headless, unknown, bad = [], [], Counter(), 0
        first: dict[str, object] = {}
        out: dict[str, int] = {}
        times = []
        offset = start.consumed
        for line in whole.splitlines(keepends=True):
            try:
                record = json.loads(line)
            except ValueError:
                bad += 1
                offset += len(line)
                continue
            if record.get("crash"):
                raise RuntimeError("a reader's fault")
            at = parse_time(record.get("at"))
            if at:
                times.append(at)
            if record.get("type") not in {"say", "answer", "meta"}:
                unknown[str(record.get("type"))] += 1
            if record.get("type") == "say" and file.kind == "main":
                origin = Origin.HEADLESS if record.get("headless") else Origin.TYPED
                turn = HumanTurn(record["id"], offset, at, origin)
                (headless if record.get("headless") else turns).append(turn)
            if record.get("out"):
                out[record["message"]] = max(out.get(record["message"], 0), record["out"])
            for name in ("cwd", "lineage", "title", "repository", "own", "session_headless"):
                if record.get(name) is not None:
                    first.setdefault(name, record[name])
            offset += len(line)
        consumed = start.consumed + len(whole)
        reached = fingerprint.moved(fd, now, start, consumed=consumed, crc=fingerprint.checksum(fd, consumed))
        return Reading(
            growth=growth,
            cursor=reached,
            bytes_read=len(data),
            records=len(whole.splitlines()) - bad,
            bad_lines=bad,
            unknown_types=dict(unknown),
            turns=tuple(turns),
            headless_turns=tuple(headless),
            output_tokens=out,
            input_tokens=dict.fromkeys(out, 10),
            first_at=min(times, default=None),
            last_at=max(times, default=None),
            first_cwd=first.get("cwd"),
            headless=bool(first.get("session_headless")),
            title=first.get("title"),
            lineage=first.get("lineage"),
            repository=first.get("repository"),
            own=bool(first.get("own")),
        )

    def read(self, path: Path, *, start: int = 0, end: int | None = None) -> Iterator[Event]:
        self.read_heads.append(path.name)
        for number, line in enumerate(path.read_text().splitlines()):
            record = json.loads(line)
            yield Event(
                id=record.get("id", str(number)),
                parent_id=None,
                at=None,
                role=Role.HUMAN,
                origin=Origin.TYPED,
                text="",
                raw=RawPosition(str(path), 0),
                cwd=record.get("cwd"),
            )

    def live_sessions(self, root: Path, now: dt.datetime) -> frozenset[str]:
        return frozenset()


def say(turn: str, *, at: dt.datetime = T0, **more: object) -> dict[str, object]:
    """A line that a person typed."""
    return {"type": "say", "id": turn, "at": at.isoformat(), "cwd": "/home/sam/work/orchard", **more}


def write(root: Path, name: str, *lines: dict[str, object], folder: str = "one") -> Path:
    """Writes a session anew."""
    path = root / folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def append(path: Path, *lines: dict[str, object]) -> None:
    """Adds lines to a session."""
    with path.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))


def locate(cwd: str, repository: str | None = None) -> ProjectRef:
    """A project for each directory."""
    return ProjectRef(repository or cwd, Path(cwd).name, cwd, repository)
