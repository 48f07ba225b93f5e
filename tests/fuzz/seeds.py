"""What fuzzing begins with: small whole inputs of each kind, made here."""

from __future__ import annotations

import json
from collections.abc import Mapping

_CLAUDE = [
    {"type": "summary", "summary": "s", "leafUuid": "a"},
    {
        "type": "user",
        "uuid": "00000000-0000-4000-8000-00000000000a",
        "parentUuid": None,
        "sessionId": "00000000-0000-4000-8000-000000000001",
        "timestamp": "2026-03-02T09:00:00.000Z",
        "cwd": "/home/sam/work/orchard",
        "version": "2.1.332",
        "entrypoint": "cli",
        "isSidechain": False,
        "promptSource": "typed",
        "message": {"role": "user", "content": "We always use pnpm, never npm."},
    },
    {
        "type": "assistant",
        "uuid": "00000000-0000-4000-8000-00000000000b",
        "sessionId": "00000000-0000-4000-8000-000000000001",
        "timestamp": "2026-03-02T09:00:05.000Z",
        "message": {
            "id": "msg_1",
            "role": "assistant",
            "content": [
                {"type": "text", "text": "ok"},
                {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
            ],
            "usage": {"input_tokens": 3, "output_tokens": 5},
        },
    },
    {
        "type": "user",
        "uuid": "00000000-0000-4000-8000-00000000000c",
        "timestamp": "2026-03-02T09:00:06.000Z",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a\nb"}]},
        "toolUseResult": {"stdout": "a"},
    },
    {"type": "system", "subtype": "compact_boundary", "uuid": "d", "timestamp": "2026-03-02T09:00:07.000Z"},
    {
        "type": "queue-operation",
        "operation": "enqueue",
        "content": "and tests",
        "timestamp": "2026-03-02T09:00:08.000Z",
    },
]
_CODEX = [
    {
        "timestamp": "2026-03-02T09:00:00.000Z",
        "type": "session_meta",
        "payload": {
            "id": "00000000-0000-4000-8000-000000000001",
            "cwd": "/w",
            "cli_version": "0.90.0",
            "git": {"branch": "main"},
        },
    },
    {
        "timestamp": "2026-03-02T09:00:01.000Z",
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "use pnpm"}]},
    },
    {
        "timestamp": "2026-03-02T09:00:01.000Z",
        "type": "event_msg",
        "payload": {"type": "user_message", "message": "use pnpm"},
    },
    {
        "timestamp": "2026-03-02T09:00:02.000Z",
        "type": "event_msg",
        "payload": {"type": "token_count", "info": {"total_token_usage": {"output_tokens": 3}}},
    },
]
_GEMINI = {
    "sessionId": "00000000-0000-4000-8000-000000000001",
    "projectHash": "0123abcd",
    "startTime": "2026-03-02T09:00:00.000Z",
    "lastUpdated": "2026-03-02T09:01:00.000Z",
    "messages": [
        {"id": "1", "timestamp": "2026-03-02T09:00:00.000Z", "type": "user", "content": "use pnpm"},
        {
            "id": "2",
            "timestamp": "2026-03-02T09:00:01.000Z",
            "type": "gemini",
            "content": "ok",
            "tokens": {"output": 1},
        },
    ],
}


def lines(records: list[dict[str, object]]) -> bytes:
    """As the clients write them."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


SEEDS: Mapping[str, tuple[bytes, ...]] = {
    "claude-code": (lines(_CLAUDE),),
    "codex": (lines(_CODEX),),
    "gemini": (json.dumps(_GEMINI).encode(),),
    "configuration": (
        b'[gates]\nmin_interval = "24h"\nmin_sessions = 5\n[[projects]]\npath = "~/w"\nlearn = false\n',
        b"\xef\xbb\xbf[log]\n",
    ),
    "document": (
        b"---\nname: a\nmetadata:\n  type: project\n---\n# A\n\n- one\n  two\n* three\n\n```sh\n# no\n- x\n```\n\n| a | b |\n|---|---|\n",
    ),
    "reply": (
        (
            b'{"findings": [{"turn": "t1", "kind": "preference", "scope": "general", "text": "Use pnpm.", "quote": "use pnpm", '
            b'"subject": "", "slot": "", "value": "", "strength": "stated", "day": ""}]}'
        ),
        b'```json\n{"findings": []}\n```',
    ),
    "secrets": (b"DB_PASSWORD=x7hunter2 https://u:p4ss@h/ <private>a</private> -----BEGIN PRIVATE KEY-----\nMIIE\n",),
    "history": (
        b'{"run_id": "R", "base": "", "tree_digest": "", "changes": []}',
        b'{"id":"E","file":"MEMORY.md","section":"","text":"a","key":"a","kind":"fact","scope":"general"}\n',
    ),
    "typed_words": (
        "No, use pnpm. Yesterday we moved to node 22, because 18 is old.\n不要用 npm。\n> quoted\n```\ncode\n```".encode(),
    ),
}
