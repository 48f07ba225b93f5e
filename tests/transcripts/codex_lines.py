"""Rollout lines as Codex's versions write them."""

import datetime as dt
import json
import uuid
from collections.abc import Iterable
from pathlib import Path

from dreamd.transcripts import fingerprint
from dreamd.transcripts.codex import Codex
from dreamd.transcripts.event import PERSON_ORIGINS, Cursor, Reading, Role, SessionFile

T0 = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)
ID = "019c0000-0000-7000-8000-00000000000a"
CWD = "/home/sam/work/lantern"


def at(second: float = 0) -> str:
    """A line's time, so many seconds after the session began."""
    return (T0 + dt.timedelta(seconds=second)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def turn_id(second: float) -> str:
    """A version 7 UUID minted then."""
    value = int((T0 + dt.timedelta(seconds=second)).timestamp() * 1000) << 80 | 7 << 76 | 2 << 62 | 1
    return str(uuid.UUID(int=value))


def line(kind: str, payload: dict[str, object], second: float = 0, **more: object) -> dict[str, object]:
    return {"timestamp": at(second), "type": kind, "payload": payload, **more}


def meta(session: str = ID, second: float = 0, **more: object) -> dict[str, object]:
    body = {"id": session, "timestamp": at(second), "cwd": CWD, "originator": "codex-tui", "cli_version": "0.140.0"}
    return line("session_meta", {**body, "source": "cli", **more}, second)


def item(role: str, *texts: str, second: float = 0, **more: object) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return line("response_item", {"type": "message", "role": role, "content": content, **more}, second)


def event(kind: str, second: float = 0, **more: object) -> dict[str, object]:
    return line("event_msg", {"type": kind, **more}, second)


def said(text: str, second: float = 0) -> list[dict[str, object]]:
    """A turn as it is logged since September 2025: once for the model, once for the screen."""
    return [
        event("task_started", second, turn_id=turn_id(second)),
        item("user", text, second=second),
        event("user_message", second, message=text, images=[]),
    ]


def answered(text: str, second: float = 0) -> list[dict[str, object]]:
    return [
        event("agent_message", second, message=text, phase="final_answer"),
        item("assistant", text, second=second, phase="final_answer"),
        event("task_complete", second, turn_id=turn_id(second), last_agent_message=text),
    ]


def completed(kind: str, text: str, second: float = 0) -> dict[str, object]:
    """A paginated history's event."""
    part = "text" if kind == "UserMessage" else "Text"
    return event("item_completed", second, item={"type": kind, "id": "x", "content": [{"type": part, "text": text}]})


def dump(lines: Iterable[dict[str, object]]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in lines).encode()


def path_of(root: Path, session: str = ID) -> Path:
    return root / "2026" / "03" / "02" / f"rollout-2026-03-02T09-00-00-{session}.jsonl"


def write(root: Path, *lines: dict[str, object], session: str = ID) -> Path:
    path = path_of(root, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dump(lines))
    return path


def scan(path: Path, cursor: Cursor | None = None, *, settled: bool = True, codex: Codex | None = None) -> Reading:
    file = SessionFile("codex", path.name[28:64], str(path), "main", fingerprint.stamp(path.stat()))
    return (codex or Codex()).scan(file, cursor or Cursor(), settled=settled)


def told(path: Path) -> list[tuple[str, str]]:
    """Speaker and words of everything that a person or the agent said; the person's turns are those that are counted."""
    events = list(Codex().read(path))
    human = [one for one in events if one.role is Role.HUMAN]
    reading = scan(path)
    assert [one.id for one in human if one.origin in PERSON_ORIGINS] == [turn.id for turn in reading.turns]
    assert [one.id for one in human if one.origin not in PERSON_ORIGINS] == [turn.id for turn in reading.headless_turns]
    return [
        (one.role.value if one.role is not Role.HUMAN else one.origin.value, one.text)
        for one in events
        if one.role in (Role.HUMAN, Role.ASSISTANT)
    ]
