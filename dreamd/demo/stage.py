"""Puts the sample sessions on a stage: transcripts in Claude Code's own format, in a throw-away home."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import tomllib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

_NAMESPACE = uuid.UUID("6f1c3a5e-2b1d-4c59-9a0e-0d7ea5e5d001")
_VERSION = "2.1.332"


@dataclass(frozen=True, slots=True)
class _Scene:
    """One sample session: where and when it plays, and what is said."""

    number: int
    cwd: Path
    start: dt.datetime
    turns: list[tuple[int, str, str]]

    @property
    def id(self) -> str:
        return str(uuid.uuid5(_NAMESPACE, f"session {self.number}"))


def set_stage(home: Path, now: dt.datetime, zone: dt.tzinfo) -> list[Path]:
    """Writes every sample session below `home` as if its agent had; returns the transcripts, oldest first."""
    written = []
    for scene in sorted(_scenes(home, now, zone), key=lambda s: s.start):
        folder = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(scene.cwd))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{scene.id}.jsonl"
        _write(path, list(_lines(scene)))
        sub = list(_subagent_lines(scene))
        if sub:
            (folder / scene.id / "subagents").mkdir(parents=True, exist_ok=True)
            _write(folder / scene.id / "subagents" / "agent-a1.jsonl", sub)
        written.append(path)
    return written


def _scenes(home: Path, now: dt.datetime, zone: dt.tzinfo) -> Iterator[_Scene]:
    text = resources.files("dreamd.demo").joinpath("scenario.toml").read_text(encoding="utf-8")
    today = now.astimezone(zone).date()
    for number, session in enumerate(tomllib.loads(text)["session"]):
        hour, minute = map(int, session["start"].split(":"))
        day = today - dt.timedelta(days=session["day"])
        start = dt.datetime.combine(day, dt.time(hour, minute), tzinfo=zone).astimezone(dt.UTC)
        # Put together here so that no scanner takes the sample for a leaked key.
        turns = [
            (after, who, words.replace("{fake-key}", "api03-" + "Zm9vYmFy" * 8))
            for after, who, words in session["turns"]
        ]
        yield _Scene(number, home / "work" / session["project"], start, turns)


def _write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    stamp = max((dt.datetime.fromisoformat(line["timestamp"]) for line in lines), default=None)
    if stamp is not None:
        os.utime(path, (stamp.timestamp(), stamp.timestamp()))


def _lines(scene: _Scene) -> Iterator[dict[str, Any]]:
    parent: str | None = None
    for index, (after, who, words) in enumerate(scene.turns):
        if who == "subagent":
            continue
        line = _envelope(scene, index, after, parent) | _body(who, words, index)
        parent = line["uuid"]
        yield line


def _subagent_lines(scene: _Scene) -> Iterator[dict[str, Any]]:
    for index, (after, who, words) in enumerate(scene.turns):
        if who == "subagent":
            yield _envelope(scene, index, after, None) | {
                "type": "user",
                "isSidechain": True,
                "agentId": "a1",
                "message": {"role": "user", "content": words},
            }


def _envelope(scene: _Scene, index: int, after: int, parent: str | None) -> dict[str, Any]:
    at = scene.start + dt.timedelta(minutes=after)
    return {
        "uuid": str(uuid.uuid5(_NAMESPACE, f"{scene.number} {index}")),
        "parentUuid": parent,
        "sessionId": scene.id,
        "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "cwd": str(scene.cwd),
        "gitBranch": "main",
        "version": _VERSION,
        "entrypoint": "cli",
        "userType": "external",
        "isSidechain": False,
    }


def _body(who: str, words: str, index: int) -> dict[str, Any]:
    match who:
        case "me":
            return {
                "type": "user",
                "promptSource": "typed",
                "origin": {"kind": "human"},
                "message": {"role": "user", "content": words},
            }
        case "queued":
            return {
                "type": "attachment",
                "attachment": {
                    "type": "queued_command",
                    "prompt": words,
                    "origin": {"kind": "human"},
                    "humanTurn": True,
                },
            }
        case "reminder":
            return {
                "type": "user",
                "isMeta": True,
                "message": {"role": "user", "content": f"<system-reminder>\n{words}\n</system-reminder>"},
            }
        case "tool":
            return _tool_result(index, words)
        case "refuse":
            return _tool_result(index, "The user doesn't want to proceed with this tool use.") | {
                "userFeedback": words,
                "toolDenialKind": "user-rejected",
                "holdsPersonsWords": True,
            }
        case _:
            return {
                "type": "assistant",
                "requestId": f"req_{index}",
                "message": {
                    "id": f"msg_{index}",
                    "role": "assistant",
                    "model": "claude-sonnet-5-5",
                    "content": [{"type": "text", "text": words}],
                    "usage": {"input_tokens": 1200, "output_tokens": max(len(words) // 4, 1)},
                },
            }


def _tool_result(index: int, output: str) -> dict[str, Any]:
    return {
        "type": "user",
        "toolUseResult": output,
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": f"toolu_{index}", "content": output, "is_error": True}],
        },
    }
