"""Small invented Claude Code lines for the tests."""

import json
import uuid
from pathlib import Path

SESSION = "00000000-0000-4000-8000-000000000001"


def number(count: int) -> str:
    """The n-th invented uuid."""
    return str(uuid.UUID(int=count, version=4))


def user(count: int, content: object, **more: object) -> dict[str, object]:
    """A line in the user's slot, `count` minutes after nine."""
    return envelope(count, "user", **more) | {"message": {"role": "user", "content": content}}


def assistant(
    count: int, *texts: str, message: str | None = None, output: int = 1, **more: object
) -> dict[str, object]:
    """An assistant's line with text blocks."""
    blocks = [{"type": "text", "text": text} for text in texts]
    body = {
        "id": message or f"msg_{count}",
        "role": "assistant",
        "model": "claude-test",
        "content": blocks,
        "usage": {"output_tokens": output},
    }
    return envelope(count, "assistant", **more) | {"message": body}


def result(count: int, content: object, **more: object) -> dict[str, object]:
    """A tool's result in the user's slot."""
    block = {
        "type": "tool_result",
        "tool_use_id": f"tool_{count}",
        "content": content,
        "is_error": more.pop("is_error", False),
    }
    return user(count, [block], **more)


def queue(count: int, operation: str, content: str | None = None, **more: object) -> dict[str, object]:
    """A line of the client's queue."""
    line = {"type": "queue-operation", "operation": operation, "timestamp": at(count), "sessionId": SESSION}
    return line | ({} if content is None else {"content": content}) | more


def envelope(count: int, kind: str, **more: object) -> dict[str, object]:
    """What every conversation line carries."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/home/sam/work/orchard",
        "sessionId": SESSION,
        "version": "2.1.20",
        "gitBranch": "main",
        "type": kind,
        "uuid": number(count),
        "timestamp": at(count),
    } | more


def at(minutes: int) -> str:
    """An invented time."""
    return f"2026-03-02T{9 + minutes // 60:02d}:{minutes % 60:02d}:00.000Z"


def encode(*lines: dict[str, object]) -> bytes:
    """The lines as the client writes them."""
    return b"".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for line in lines)


def write(folder: Path, *lines: dict[str, object], session: str = SESSION) -> Path:
    """A transcript below a projects folder."""
    path = folder / "-home-sam-work-orchard" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(*lines))
    return path
