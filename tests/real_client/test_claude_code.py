"""The real Claude Code: what dreamd tells reaches its model, what it asks is answered, what it writes is counted."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from real_client.client import COMMAND, Client, living

pytestmark = pytest.mark.real_client

RULE = "in quillmark we always squash before merging"
NEXT = "Never force-push to main in this repository."
NAMES = {"plugin": "mcp__plugin_dreamd_dreamd__", "hook": "mcp__dreamd__"}
SCRIPT: dict[str, Any] = {
    "rules": [
        {
            "match": f"look it up by {mode}",
            "in": "last",
            "times": 1,
            "respond": {"text": "Looking.", "tool": {"name": prefix + tool, "input": arguments}},
        }
        for mode, prefix in NAMES.items()
        for tool, arguments in [("search_memory", {"query": "squash merging"})]
    ]
    + [
        {
            "match": f"ask {tool}",
            "in": "last",
            "times": 1,
            "respond": {"tool": {"name": NAMES["plugin"] + tool, "input": arguments}},
        }
        for tool, arguments in {
            "search_sessions": {"query": "squash merging"},
            "project_context": {},
            "why": {"text": "squash before merging"},
            "recent_dreams": {},
            "search_memory": {"query": "squash merging", "limit": 0},
        }.items()
    ],
    "default": "Fine.",
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A home in which the rule was typed into one session, and dreamt of."""
    with living(tmp_path, SCRIPT) as made:
        made.configure()
        made.run(RULE)
        assert made.dream()["outcome"] == "committed"
        yield made


@pytest.fixture(params=["hook", "plugin"])
def connected(client: Client, request: pytest.FixtureRequest) -> Client:
    client.connect(*(["--plugin"] if request.param == "plugin" else []))
    if request.param == "plugin":
        client.run("begin")  # some versions read a new place of plugins at their next start
    return client


def context(told: str) -> list[str]:
    """What the hook told, as it stands in the requests."""
    return re.findall(r"SessionStart hook additional context: <dreamd-context>.*?</dreamd-context>", told)


def results(client: Client, since: int) -> list[dict[str, Any]]:
    """The tool results that the model was given."""
    return [
        block
        for body in client.requests[since:]
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block.get("type") == "tool_result"
    ]


def runs(client: Client) -> list[Any]:
    return list(client.dreamd("runs"))


def test_what_the_hook_tells_reaches_the_model(connected: Client) -> None:
    before = len(connected.requests)
    connected.run("say alpha")
    told = context(connected.told(before))
    assert len(set(told)) == 1  # once, by the hook or the plugin
    assert "This project: quillmark" in told[0]
    assert "quash before merging" in told[0]
    assert f": {RULE}" in told[0].partition("# Last sessions here")[2]


def test_memory_reaches_the_model_by_the_import_line_and_not_twice(connected: Client) -> None:
    assert connected.dreamd("memory", "add", "Answer in British English.")["outcome"] == "committed"
    before = len(connected.requests)
    connected.run("say alpha")
    first = json.dumps(connected.requests[before]["messages"], ensure_ascii=False)
    assert f"Contents of {connected.home}/.claude/memory/MEMORY.md" in first
    assert first.count("Answer in British English.") == 1


def test_parted_nothing_reaches_the_model(connected: Client) -> None:
    connected.dreamd("init", "--integrate", "claude-code", "--remove", "--yes")
    before = len(connected.requests)
    connected.run("say alpha")
    assert "squash before merging" not in connected.told(before)
    assert "dreamd-context" not in connected.told(before)


@pytest.mark.parametrize("command", ["/dream", "/dreamd:dream"])
def test_the_dream_command_kicks(client: Client, command: str) -> None:
    client.connect("--plugin")
    client.run(NEXT)
    known, before = len(runs(client)), len(client.requests)
    client.wait_idle()
    client.run(command)
    assert len(runs(client)) == known + 1
    assert runs(client)[0]["trigger"] == "kick"
    assert runs(client)[0]["outcome"] == "committed"
    assert f"run {runs(client)[0]['id']} committed" in client.told(before)  # the model is given the answer to tell it


def test_a_program_in_a_folder_with_a_blank_is_called_right(client: Client, tmp_path: Path) -> None:
    link = tmp_path / "my programs" / "dreamd"
    link.parent.mkdir()
    link.symlink_to(COMMAND)
    client.connect(program=link)
    known, before = len(runs(client)), len(client.requests)
    client.run("/dream")
    assert len(runs(client)) == known + 1
    assert len(context(client.told(before))) == 1


def test_a_dream_command_whose_dream_is_refused_tells_that(client: Client) -> None:
    client.connect()
    client.configure("[memory]\nreview = true")
    client.run(NEXT)
    client.wait_idle()
    before = len(client.requests)
    client.run("/dream")
    assert runs(client)[0]["outcome"] == "waiting"
    assert "dreamd accept" in client.told(before)


def test_the_plugin_is_valid_and_its_parts_are_listed(client: Client) -> None:
    client.connect("--plugin")
    market = client.home / ".local" / "state" / "dreamd" / "claude-code"
    for place in (market, market / "dreamd"):
        checked = client.call("plugin", "validate", str(place))
        assert checked.returncode == 0, checked.stdout + checked.stderr
    client.run("begin")
    begun = next(one for one in client.run("say alpha") if one.get("subtype") == "init")
    assert {"dreamd:dream", "dreamd:memory"} <= set(begun["slash_commands"])
    assert "dreamd:memory" in begun["skills"]
    assert "plugin:dreamd:dreamd" in [one["name"] for one in begun["mcp_servers"]]
    assert "dreamd" in [one["name"] for one in begun["plugins"]]


def test_the_tools_are_offered_and_answer_in_text(client: Client) -> None:
    client.connect("--plugin")
    client.run("begin")
    before = len(client.requests)
    client.run("look it up by plugin", "--allowedTools", "mcp__plugin_dreamd_dreamd")
    told = client.told(before)
    for tool in ("search_memory", "search_sessions", "project_context", "why", "recent_dreams"):
        assert NAMES["plugin"] + tool in told
    assert "dreamd keeps what this person" in told  # the server's instructions
    answer = json.dumps(results(client, before), ensure_ascii=False)
    assert "projects/quillmark.md:" in answer
    assert "quash before merging" in answer
    assert '{"result"' not in answer.replace("\\", "")


@pytest.mark.parametrize("tool", ["search_sessions", "project_context", "why", "recent_dreams"])
def test_every_tool_answers_the_real_client(client: Client, tool: str) -> None:
    client.connect("--plugin")
    client.run("begin")
    before = len(client.requests)
    client.run(f"ask {tool}", "--allowedTools", "mcp__plugin_dreamd_dreamd")
    answer = results(client, before)
    assert answer
    assert not answer[-1].get("is_error")
    assert "quash before merging" in json.dumps(answer)


def test_a_wrong_call_comes_back_as_an_error_in_words(client: Client) -> None:
    client.connect("--plugin")
    client.run("begin")
    before = len(client.requests)
    client.run("ask search_memory", "--allowedTools", "mcp__plugin_dreamd_dreamd")
    answer = results(client, before)[-1]
    assert answer["is_error"]
    assert "limit: input should be greater than or equal to 1" in json.dumps(answer)


def test_the_server_can_be_added_beside_the_hook(client: Client) -> None:
    client.connect()
    note = next(
        one for one in client.dreamd("init", "--integrate", "claude-code")["integration"]["notes"] if "mcp add" in one
    )
    added = client.call(*note.partition("claude ")[2].split())
    assert added.returncode == 0, added.stderr
    before = len(client.requests)
    client.run("look it up by hook", "--allowedTools", "mcp__dreamd")
    assert "quash before merging" in json.dumps(results(client, before))


def test_the_session_just_written_is_counted_and_what_was_told_to_it_is_not_learned_again(client: Client) -> None:
    client.connect("--plugin")
    client.run("begin")
    messages = client.run("look it up by plugin", "--allowedTools", "mcp__plugin_dreamd_dreamd")
    session = messages[-1]["session_id"]
    client.wait_idle()
    found = {one["id"]: one for one in client.dreamd("sessions")}
    assert found[session]["human_turns"] == 1
    assert found[session]["project"] == "quillmark"
    assert found[session]["state"] == "pending"
    turns = client.dreamd("sessions", "show", session)["turns"]
    assert [one["text"] for one in turns if one["role"] == "human"] == ["look it up by plugin"]
    assert "squash" not in json.dumps(turns)
    memory = {path: path.read_bytes() for path in (client.home / ".claude" / "memory").rglob("*.md")}
    assert client.dreamd("kick")["outcome"] == "no_change"
    assert {path: path.read_bytes() for path in memory} == memory
    hits = client.dreamd("search", "squash merging", "--in", "sessions")["hits"]
    assert {hit["session"] for hit in hits} == {
        one for one in found if found[one]["first_at"] == min(o["first_at"] for o in found.values())
    }
    assert len(client.dreamd("why", "squash before merging")["evidence"]) == 1


def test_a_restored_transcript_can_be_resumed(client: Client) -> None:
    client.configure('[transcripts]\narchive_after = "1s"')
    session = client.run("say alpha")[-1]["session_id"]
    client.dream()
    assert {one["id"]: one["archived"] for one in client.dreamd("sessions")}[session]
    transcript = next((client.home / ".claude" / "projects").rglob(f"{session}.jsonl"))
    before = transcript.read_bytes()
    transcript.unlink()
    client.dreamd("restore", session)
    assert transcript.read_bytes() == before
    asked = len(client.requests)
    assert client.run("say beta", "--resume", session)[-1]["session_id"] == session
    assert "say alpha" in client.told(asked)
    assert transcript.read_bytes().startswith(before)


@contextmanager
def hang(client: Client) -> Iterator[None]:
    """An index that somebody holds for good: asking it waits far longer than a session may."""
    with closing(
        sqlite3.connect(client.home / ".local" / "state" / "dreamd" / "search.db", isolation_level=None)
    ) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def break_configuration(client: Client) -> Iterator[None]:
    client.configure("[nonsense]")
    yield


@contextmanager
def take_program(client: Client) -> Iterator[None]:
    file = client.home / ".claude" / "settings.json"
    file.write_text(re.sub(r'"[^"]*dreamd context', '"/gone/bin/dreamd context', file.read_text()))
    yield


@pytest.mark.parametrize("harm", [hang, break_configuration, take_program])
def test_a_hook_that_hangs_or_fails_costs_its_context_and_nothing_else(
    client: Client, harm: Callable[[Client], AbstractContextManager[None]]
) -> None:
    client.connect()
    before = len(client.requests)
    with harm(client):
        assert client.run("say alpha")[-1]["result"] == "Fine."
    assert context(client.told(before)) == []


@pytest.mark.parametrize("root", ["~/my memory", "~/notes/dreams"])
def test_another_memory_root_is_imported_too(tmp_path: Path, root: str) -> None:
    with living(tmp_path, SCRIPT) as client:
        client.configure(f'[memory]\nroot = "{root}"')
        client.connect()
        assert client.dreamd("memory", "add", "Answer in British English.")["outcome"] == "committed"
        client.run("say alpha")
        assert f"Contents of {client.home}/{root[2:]}/MEMORY.md" in client.told()


def test_claude_config_dir_is_where_it_is_connected(tmp_path: Path) -> None:
    with living(tmp_path, SCRIPT) as client:
        other = tmp_path / "elsewhere"
        other.mkdir()
        client.environ["CLAUDE_CONFIG_DIR"] = str(other)
        client.configure()
        client.connect()
        assert client.dreamd("memory", "add", "Answer in British English.")["outcome"] == "committed"
        client.run("say alpha")
        assert "Answer in British English." in client.told()
        assert not (client.home / ".claude" / "settings.json").exists()


def test_what_a_person_types_in_a_terminal_is_counted_and_told_of_next_time(client: Client) -> None:
    client.connect()
    with client.terminal() as terminal:
        terminal.watch(3.0)
        terminal.type("we use tabs for indentation in quillmark, never spaces")
        terminal.until(lambda: "never spaces" in client.told() and client.transcripts().count("Fine.") > 1)
    client.configure(headless=False)
    client.wait_idle()
    typed = [one for one in client.dreamd("sessions") if one["excluded_because"] is None]
    assert [one["human_turns"] for one in typed] == [1]
    assert client.dreamd("kick")["outcome"] == "committed"
    before = len(client.requests)
    client.run("say alpha")
    assert "never spaces" in context(client.told(before))[0]
