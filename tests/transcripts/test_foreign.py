"""Transcripts that nobody here reads yet: recognised by place and by content, counted, never silently absent."""

import json
from pathlib import Path

import pytest

from dreamd.transcripts.foreign import STRANGERS, counted, recognised
from transcripts import codex_lines as codex
from world import dreamd

#: The first lines of each agent's files, made up in the shape of what they write.
HEADS = {
    "copilot-cli": [{"type": "session.start", "data": {"sessionId": "s", "version": 1}, "id": "1", "parentId": None}],
    "pi": [{"type": "session", "version": 3, "id": "s", "timestamp": codex.at(), "cwd": "/w"}],
    "droid": [{"type": "session_start", "id": "s", "title": "t"}],
    "qwen-code": [
        {"type": "user", "sessionId": "s", "cwd": "/w", "message": {"role": "user", "parts": [{"text": "hi"}]}}
    ],
    "cursor": [{"role": "user", "message": {"content": [{"type": "text", "text": "hi"}]}}],
    "codex": [codex.meta()],
    "gemini": [{"sessionId": "s", "projectHash": "h", "startTime": codex.at()}],
    "claude-code": [
        {"type": "summary", "summary": "x"},
        {
            "type": "user",
            "uuid": "u",
            "parentUuid": None,
            "sessionId": "s",
            "message": {"role": "user", "content": "hi"},
        },
    ],
}
#: A session of each agent where it keeps them, below the home.
PLACES = {
    "amp": ".local/share/amp/threads/T-1.json",
    "antigravity": ".gemini/antigravity-cli/conversations/1.db",
    "copilot-cli": ".copilot/session-state/1/events.jsonl",
    "cursor": ".cursor/projects/w/agent-transcripts/1.jsonl",
    "droid": ".factory/sessions/-w/1.jsonl",
    "goose": ".local/share/goose/sessions/1.jsonl",
    "grok": ".grok/sessions/w/1/chat.json",
    "kimi": ".kimi/sessions/w/1/context.jsonl",
    "pi": ".pi/agent/sessions/--w--/1.jsonl",
    "qwen-code": ".qwen/projects/-w/chats/1.jsonl",
}


@pytest.mark.parametrize("agent", HEADS)
def test_a_transcript_is_known_by_its_content(agent: str) -> None:
    assert recognised(codex.dump(HEADS[agent])) == agent
    assert recognised(b"not json\n" + codex.dump(HEADS[agent])) == agent


def test_what_tells_nothing_is_nobodys() -> None:
    for head in (b"", b"\x00" * 100, b"[1]\n", b"{}\n", b'{"type":"user"}\n'):
        assert recognised(head) is None


def test_sessions_are_counted_in_each_agents_own_place(tmp_path: Path) -> None:
    assert PLACES.keys() == STRANGERS.keys()
    for place in PLACES.values():
        path = tmp_path / place
        path.parent.mkdir(parents=True)
        path.touch()
    assert counted(tmp_path, {}) == dict.fromkeys(PLACES, 1)
    assert counted(tmp_path / "nowhere", {}) == {}
    assert counted(tmp_path / "nowhere", {"COPILOT_HOME": str(tmp_path / ".copilot")}) == {"copilot-cli": 1}


def test_every_command_that_looks_around_names_them(tmp_path: Path) -> None:
    stray = tmp_path / ".claude" / "projects" / "-w" / "11111111-2222-4333-8444-555555555555.jsonl"
    for path, agent in ((tmp_path / PLACES["copilot-cli"], "copilot-cli"), (stray, "qwen-code")):
        path.parent.mkdir(parents=True)
        path.write_bytes(codex.dump(HEADS[agent]))
    report = json.loads(dreamd(tmp_path, "scan", "--json").stdout)
    assert (report["unsupported"], report["unknown_types"]) == ({"copilot-cli": 1}, {"transcript of qwen-code": 1})
    assert "not supported yet: copilot-cli (1 session)" in dreamd(tmp_path, "scan").stdout
    [session] = json.loads(dreamd(tmp_path, "sessions", "--json").stdout)
    assert (session["excluded_because"], session["unknown_types"]) == ("empty", {"transcript of qwen-code": 1})
    told = {one["name"]: one for one in json.loads(dreamd(tmp_path, "doctor", "--json").stdout)["checks"]}
    assert told["agents"]["message"] == "not supported yet: copilot-cli (1 sessions)"
    said = dreamd(tmp_path, "init")
    assert "not supported yet: copilot-cli (1 session)" in said.stdout
    assert json.loads(dreamd(tmp_path, "init", "--json").stdout)["unsupported"] == {"copilot-cli": 1}
