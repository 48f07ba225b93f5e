"""One small transcript of every agent, as it grows step by step: what the contract of adapters is tried on."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dreamd.transcripts.adapter import Adapter
from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.codex import Codex
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

SPECIMENS = [
    Specimen("claude-code", ClaudeCode, _CLAUDE_STEPS, _CLAUDE, ("use ruff", "deploy on Fridays"), "mystery"),
    Specimen(
        "codex", Codex, _CODEX_STEPS, _CODEX, ("use ruff", "deploy on Fridays", "and never on Mondays"), "mystery"
    ),
]


def snapshot(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file's content, time of change and inode."""
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino)
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
