"""One small transcript of every agent, as it grows step by step: what the contract of adapters is tried on."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dreamd.transcripts.adapter import Adapter
from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.codex import Codex
from dreamd.transcripts.gemini import Gemini
from dreamd.transcripts.opencode import OpenCode
from transcripts import codex_lines as codex

CWD = "/home/sam/work/lantern"


@dataclass(frozen=True)
class Specimen:
    """`grow(root, step)` brings the transcript below `root` to a step, 1 to `steps`, as its client would; it returns the file."""

    agent: str
    adapter: Callable[[], Adapter]
    steps: int
    grow: Callable[[Path, int], Path]
    words: tuple[str, ...]  # a person's, at the last step
    unknown: str  # a record type that nobody knows, in there once
    opens: bool = False  # its sessions can only be found by opening something


def appended(path: Path, lines: list[bytes], step: int) -> Path:
    """A log after so many lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = b"".join(lines[:step])
    there = path.stat().st_size if path.exists() else 0
    with path.open("ab") as file:
        file.write(data[there:])
    return path


def _claude_lines() -> list[bytes]:
    session = "11111111-2222-4333-8444-555555555555"

    def line(number: int, kind: str, **more: object) -> bytes:
        head = {
            "type": kind,
            "uuid": f"u{number}",
            "sessionId": session,
            "cwd": CWD,
            "version": "2.1.332",
            "entrypoint": "cli",
            "timestamp": codex.at(number),
        }
        return json.dumps(head | more).encode() + b"\n"

    def answer(number: int, text: str) -> bytes:
        message = {"id": f"m{number}", "model": "m", "content": [{"type": "text", "text": text}]}
        return line(number, "assistant", message=message)

    def prompt(number: int, text: str) -> bytes:
        return line(number, "user", promptSource="typed", message={"role": "user", "content": text})

    return [
        prompt(1, "use ruff"),
        answer(2, "Ruff."),
        line(3, "mystery"),
        line(4, "user", isMeta=True, message={"role": "user", "content": "a caveat"}),
        prompt(5, "deploy on Fridays"),
        answer(6, "Fridays."),
    ]


def _codex_lines() -> list[bytes]:
    lines = [
        codex.meta(git={"branch": "trunk"}),
        *codex.said("use ruff", 1),
        *codex.answered("Ruff.", 2),
        codex.line("mystery", {"type": "x"}, 3),
        codex.item("user", "<skill>\n<name>x</name>\n</skill>", second=3),
        *codex.said("deploy on Fridays", 4),
        codex.event("user_message", 5, message="and never on Mondays"),
        *codex.answered("Fridays.", 6),
    ]
    return [codex.dump([line]) for line in lines]


def _log(lines: list[bytes], *parts: str) -> tuple[int, Callable[[Path, int], Path]]:
    return len(lines), lambda root, step: appended(root.joinpath(*parts), lines, step)


_CLAUDE_STEPS, _CLAUDE = _log(_claude_lines(), "-home-sam-work-lantern", "11111111-2222-4333-8444-555555555555.jsonl")
_CODEX_STEPS, _CODEX = _log(_codex_lines(), "2026", "03", "02", f"rollout-2026-03-02T09-00-00-{codex.ID}.jsonl")


def _gemini_messages() -> list[dict[str, object]]:
    def said(number: int, kind: str, text: str, **more: object) -> dict[str, object]:
        content = [{"text": text}] if kind == "user" else text
        return {"id": f"m{number}", "timestamp": codex.at(number), "type": kind, "content": content, **more}

    return [
        said(0, "user", "<session_context>\nThis is the client.\n</session_context>"),
        said(1, "user", "use ruff"),
        said(2, "gemini", "Ruff.", tokens={"input": 10, "output": 2}),
        said(3, "mystery", ""),
        said(4, "user", "deploy on Fridays"),
        said(5, "gemini", "Fridays."),
    ]


_GEMINI_HEAD: dict[str, object] = {
    "sessionId": "aaaa0001-0000-4000-8000-000000000001",
    "startTime": codex.at(),
    "lastUpdated": codex.at(),
    "kind": "main",
}


def _gemini_lines() -> list[bytes]:
    first, *others, last = _gemini_messages()
    gull = {"id": "g1", "timestamp": codex.at(4), "type": "user", "content": "call it gull"}
    answer = {"id": "g2", "timestamp": codex.at(4), "type": "gemini", "content": "Gull."}
    again = {"$set": {"messages": [first, *others[:2]]}}
    lines = [_GEMINI_HEAD, {"$set": {"messages": [first]}}, *others[:3], gull, answer, {"$rewindTo": "g1"}]
    return [codex.dump([line]) for line in [*lines, _GEMINI_HEAD, again, *others[3:], last, last]]


def _gemini_folder(root: Path) -> Path:
    chats = root / "lantern" / "chats"
    chats.mkdir(parents=True, exist_ok=True)
    (root / "lantern" / ".project_root").write_text(CWD)
    return chats


_GEMINI_LINES = _gemini_lines()
_GEMINI_DOCUMENT = _gemini_messages()


def _gemini_log(root: Path, step: int) -> Path:
    return appended(_gemini_folder(root) / "session-2026-03-02T09-00-aaaa0001.jsonl", _GEMINI_LINES, step)


def _gemini_document(root: Path, step: int) -> Path:
    path = _gemini_folder(root) / "session-2026-03-02T09-00-aaaa0001.json"
    path.write_text(json.dumps({**_GEMINI_HEAD, "messages": _GEMINI_DOCUMENT[:step]}, indent=2))
    return path


def grow_opencode(root: Path, step: int) -> Path:
    """Rows as the client adds them: a message, then its part; the newest are in the write-ahead log only."""
    path = root / "opencode.db"
    root.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    database = sqlite3.connect(path, isolation_level=None)
    KEPT_OPEN.append(database)  # closing would empty the log into the file
    if new:
        database.execute("PRAGMA journal_mode=WAL")
        database.executescript(
            """
            CREATE TABLE session(id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,
                version TEXT, revert TEXT, permission TEXT, time_created INTEGER, time_updated INTEGER);
            CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
            CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
                time_updated INTEGER, data TEXT);
            """
        )
        database.execute(
            "INSERT INTO session VALUES('ses_1','p',NULL,?,'t','1.18.33',NULL,NULL,?,?)",
            (CWD, OPENCODE_MS, OPENCODE_MS),
        )
    for number, (role, kind, text) in enumerate(_OPENCODE[:step]):
        at = OPENCODE_MS + number * 1000
        database.execute(
            "INSERT OR IGNORE INTO message VALUES(?,'ses_1',?,?,?)",
            (f"msg_{number}", at, at, json.dumps({"role": role, "time": {"created": at}})),
        )
        database.execute(
            "INSERT OR IGNORE INTO part VALUES(?,?,'ses_1',?,?,?)",
            (f"prt_{number}", f"msg_{number}", at, at, json.dumps({"type": kind, "text": text})),
        )
    return path


KEPT_OPEN: list[sqlite3.Connection] = []
OPENCODE_MS = int(codex.T0.timestamp() * 1000)
_OPENCODE = [
    ("user", "text", "use ruff"),
    ("assistant", "text", "Ruff."),
    ("assistant", "mystery", ""),
    ("user", "text", "deploy on Fridays"),
    ("assistant", "text", "Fridays."),
]

SPECIMENS = [
    Specimen("claude-code", ClaudeCode, _CLAUDE_STEPS, _CLAUDE, ("use ruff", "deploy on Fridays"), "mystery"),
    Specimen(
        "codex", Codex, _CODEX_STEPS, _CODEX, ("use ruff", "deploy on Fridays", "and never on Mondays"), "mystery"
    ),
    Specimen("gemini", Gemini, len(_GEMINI_LINES), _gemini_log, ("use ruff", "deploy on Fridays"), "mystery"),
    Specimen("gemini", Gemini, len(_GEMINI_DOCUMENT), _gemini_document, ("use ruff", "deploy on Fridays"), "mystery"),
    Specimen(
        "opencode", OpenCode, len(_OPENCODE), grow_opencode, ("use ruff", "deploy on Fridays"), "mystery", opens=True
    ),
]


def snapshot(root: Path) -> dict[str, tuple[object, ...]]:
    """Every file's content, time of change and inode; of SQLite's shared memory, where readers leave their marks, only the size."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(root.rglob("*")):
        if path.is_file():
            status = path.stat()
            marks = path.name.endswith("-shm")
            found[str(path)] = (status.st_size,) if marks else (path.read_bytes(), status.st_mtime_ns, status.st_ino)
    return found
