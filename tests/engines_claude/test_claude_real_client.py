"""The real `claude` command against a scripted server; only where DREAMD_REAL_CLAUDE names it (it is no package of ours)."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import pytest

from dreamd.state.run_record import Outcome
from engines_claude.scripted import finding
from shared_material import shared
from world import World

CLIENT = os.environ.get("DREAMD_REAL_CLAUDE", "")
RULE = "in quillmark we always squash before merging"


@pytest.mark.real_client
@pytest.mark.skipif(not CLIENT, reason="DREAMD_REAL_CLAUDE does not name a claude command")
def test_a_dream_through_the_real_client_keeps_no_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("fake_llm", shared("tools", "fake_llm.py"))
    assert spec is not None
    assert spec.loader is not None
    fake_llm = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fake_llm)
    answer = {"findings": [finding("Squash before merging in quillmark.", "t1", RULE)]}
    tool = {"tool": {"name": "StructuredOutput", "input": answer}}
    served = fake_llm.start({"rules": [{"has_tool": "StructuredOutput", "respond": tool}], "default": "Done."})
    home = tmp_path / "client"
    home.mkdir()
    for name, value in {
        "HOME": str(home),
        "PATH": f"{Path(CLIENT).parent}:/usr/bin:/bin",
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{served.server_address[1]}",
        "ANTHROPIC_API_KEY": "sk-ant-test-0123456789abcdefghij",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
    }.items():
        monkeypatch.setenv(name, value)
    try:
        world = World(tmp_path / "home")
        world.settings["engine"] = {"name": "claude", "provider": "claude-code"}
        world.say(RULE)
        run = world.kick()
        assert run.outcome is Outcome.COMMITTED
        assert run.cost.tokens > 0
        assert "Squash before merging in quillmark." in world.text()
        assert RULE in json.dumps([one["body"] for one in served.state.reqs])
        assert list(home.rglob("*.jsonl")) == []
    finally:
        served.shutdown()
        served.server_close()
