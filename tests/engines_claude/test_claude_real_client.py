"""The real `claude` command against a scripted server; only where DREAMD_REAL_CLAUDE names it (it is no package of ours)."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dreamd.context.conversation import Stop
from dreamd.context.message import answered, told
from dreamd.engines.claude import structure
from dreamd.engines.claude.command import Command
from dreamd.engines.claude.prompts import prompt
from dreamd.state.run_record import Outcome
from engines_claude.scripted import finding
from shared_material import shared
from world import World

CLIENT = os.environ.get("DREAMD_REAL_CLAUDE", "")
RULE = "in quillmark we always squash before merging"

pytestmark = [
    pytest.mark.real_client,
    pytest.mark.skipif(not CLIENT, reason="DREAMD_REAL_CLAUDE does not name a claude command"),
]


@pytest.fixture
def client_home(tmp_path: Path) -> Path:
    made = tmp_path / "client"
    made.mkdir()
    return made


@pytest.fixture
def served(client_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A server that finds the rule in each first new turn; the command asks it."""
    spec = importlib.util.spec_from_file_location("fake_llm", shared("tools", "fake_llm.py"))
    assert spec is not None
    assert spec.loader is not None
    fake_llm = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fake_llm)
    found = {"findings": [finding("Squash before merging in quillmark.", "t1", RULE)]}
    tool = {"tool": {"name": "StructuredOutput", "input": found}}
    made = fake_llm.start({"rules": [{"has_tool": "StructuredOutput", "respond": tool}], "default": "Done."})
    for name, value in {
        "HOME": str(client_home),
        "PATH": f"{Path(CLIENT).parent}:/usr/bin:/bin",
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{made.server_address[1]}",
        "ANTHROPIC_API_KEY": "sk-ant-test-0123456789abcdefghij",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
    }.items():
        monkeypatch.setenv(name, value)
    try:
        yield made
    finally:
        made.shutdown()
        made.server_close()


def asked(served: Any) -> list[str]:
    """What a person's message of each request said."""
    bodies = [one["body"] for one in served.state.reqs if one["path"].split("?")[0].endswith("/messages")]
    return [json.dumps([one for one in body["messages"] if one["role"] == "user"]) for body in bodies]


def test_a_dream_through_the_real_client_keeps_no_session(tmp_path: Path, client_home: Path, served: Any) -> None:
    world = World(tmp_path / "home")
    world.settings["engine"] = {"name": "claude", "provider": "claude-code"}
    world.say(RULE)
    run = world.kick()
    assert run.outcome is Outcome.COMMITTED
    assert run.cost.tokens > 0
    assert "Squash before merging in quillmark." in world.text()
    assert RULE in json.dumps([one["body"] for one in served.state.reqs])
    assert list(client_home.rglob("*.jsonl")) == []


def test_a_long_session_goes_through_the_real_client_in_pieces_and_each_is_counted(
    tmp_path: Path, client_home: Path, served: Any
) -> None:
    """The command puts nothing of a conversation into the cache where a later call would find it: pieces go apart."""
    world = World(tmp_path / "home")
    world.settings["engine"] = {"name": "claude", "provider": "claude-code"}
    world.settings["budget"] = {"context_window": 12_000}
    turns = [f"{RULE}, says rule {number}" + " and whatever else there is to say about it" * 30 for number in range(12)]
    world.say(*turns)
    run = world.kick()
    read = [text for text in asked(served) if "says rule" in text]
    assert run.outcome is Outcome.COMMITTED
    assert len(read) >= 3
    for number in range(12):
        assert sum(f"says rule {number} " in text for text in read) == 1
    assert run.cost.output >= 20 * len(read)  # which the server counts for each
    assert run.cost.usd > 0
    assert list(client_home.rglob("*.jsonl")) == []


def test_a_conversation_reaches_the_real_client_whole_and_in_its_order(client_home: Path, served: Any) -> None:
    told_so_far = [told("the first piece\n" * 50), answered('{"findings": []}'), told("the second piece\n" * 50)]
    reply = Command(Path(CLIENT)).send(
        "claude-haiku-5-5", prompt("extract"), told_so_far, max_tokens=1_024, schema=structure.FINDINGS
    )
    (text,) = asked(served)
    places = [text.index(one) for one in ("the first piece", "Your answer to the above was", "the second piece")]
    assert places == sorted(places)
    assert text.count("the first piece") == text.count("the second piece") == 50
    assert json.loads(reply.text)["findings"]
    assert reply.stop is Stop.END
    assert reply.usage.input + reply.usage.cache_write + reply.usage.cache_read > 1_000
    assert reply.usage.usd > 0
    assert list(client_home.rglob("*.jsonl")) == []
