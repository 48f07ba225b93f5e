"""Agents whose transcripts dreamd does not read yet: recognised by their place and by their content, and counted, never silently absent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

#: Bytes of a file in which its kind shows; a first line may hold a whole prompt.
HEAD = 64 * 1024
_LINES = 8


@dataclass(frozen=True, slots=True)
class Stranger:
    """Where one agent keeps its sessions: a directory below the home, or what a variable names, and what each session is there."""

    home: str
    sessions: tuple[str, ...]  # globs, one match a session
    variable: str = ""


#: As found in public descriptions of their formats, autumn 2026.
STRANGERS: Mapping[str, Stranger] = MappingProxyType(
    {
        "amp": Stranger(".local/share/amp", ("threads/T-*.json",)),
        "antigravity": Stranger(".gemini/antigravity-cli", ("conversations/*.db",)),
        "copilot-cli": Stranger(".copilot", ("session-state/*/events.jsonl", "session-state/*.jsonl"), "COPILOT_HOME"),
        "cursor": Stranger(".cursor", ("projects/*/agent-transcripts/*", "chats/*/*/store.db")),
        "droid": Stranger(".factory", ("sessions/*.jsonl", "sessions/*/*.jsonl")),
        "goose": Stranger(".local/share/goose", ("sessions/*.jsonl", "sessions/sessions.db")),
        "grok": Stranger(".grok", ("sessions/*/*",)),
        "kimi": Stranger(".kimi", ("sessions/*/*",)),
        "pi": Stranger(".pi/agent", ("sessions/*/*.jsonl",), "PI_CODING_AGENT_DIR"),
        "qwen-code": Stranger(".qwen", ("projects/*/chats/*.jsonl", "tmp/*/chats/*.json*")),
    }
)


def counted(home: Path, environ: Mapping[str, str]) -> dict[str, int]:
    """By agent: how many sessions lie in its place; agents without any are left out. Nothing is opened."""
    found = {}
    for name, stranger in STRANGERS.items():
        root = (
            Path(environ.get(stranger.variable, "") or home / stranger.home)
            if stranger.variable
            else home / stranger.home
        )
        if number := sum(1 for _ in _sessions(root, stranger)):
            found[name] = number
    return found


def _sessions(root: Path, stranger: Stranger) -> Iterator[Path]:
    for pattern in stranger.sessions:
        try:
            yield from (path for path in root.glob(pattern) if not path.name.startswith("."))
        except OSError:
            continue


def recognised(head: bytes) -> str | None:
    """Whose transcript a file is by its first bytes, among all agents known by content; None where nothing tells."""
    for record in _records(head):
        for name, is_theirs in _SIGNS.items():
            if is_theirs(record):
                return name
    return None


def _records(head: bytes) -> Iterator[dict[str, object]]:
    for line in head.splitlines()[:_LINES]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _message(record: Mapping[str, object]) -> Mapping[str, object]:
    message = record.get("message")
    return message if isinstance(message, dict) else {}


#: What only one agent writes; the first that fits is it.
_SIGNS: Mapping[str, Callable[[Mapping[str, object]], bool]] = MappingProxyType(
    {
        "copilot-cli": lambda one: "." in str(one.get("type", "")) and isinstance(one.get("data"), dict),
        "pi": lambda one: one.get("type") == "session" and "version" in one and "cwd" in one,
        "droid": lambda one: one.get("type") == "session_start" and "sessionId" not in one,
        "qwen-code": lambda one: "sessionId" in one and isinstance(_message(one).get("parts"), list),
        "cursor": lambda one: "type" not in one and "role" in one and isinstance(_message(one).get("content"), list),
        "codex": lambda one: (
            one.get("type") in {"session_meta", "response_item"} and isinstance(one.get("payload"), dict)
        ),
        "gemini": lambda one: "projectHash" in one and "sessionId" in one,
        "claude-code": lambda one: "parentUuid" in one and isinstance(_message(one).get("content"), str | list),
    }
)
