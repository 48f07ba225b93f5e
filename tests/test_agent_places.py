"""Where the transcripts of the agents on this machine are looked for."""

from pathlib import Path

import pytest

from dreamd.config import default_sources, found_sources, further_sources, load, may_be_missing, start_file
from dreamd.errors import ConfigError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_claude_codes_place_is_looked_at_before_it_exists_and_others_are_not(home: Path) -> None:
    assert default_sources({}) == [("claude-code", home / ".claude" / "projects")]
    assert found_sources({}) == []


def test_every_agent_that_was_used_is_found(home: Path) -> None:
    for name in (".claude/projects", ".codex/sessions", ".gemini/tmp", ".local/share/opencode"):
        (home / name).mkdir(parents=True)
    assert found_sources({}) == [("claude-code", home / ".claude" / "projects")]
    further = further_sources({})
    assert further == [
        ("codex", home / ".codex" / "sessions"),
        ("codex", home / ".codex" / "archived_sessions"),
        ("gemini", home / ".gemini" / "tmp"),
        ("opencode", home / ".local" / "share" / "opencode"),
    ]
    assert [may_be_missing(agent, root) for agent, root in further] == [False, True, False, False]
    text = start_file(found_sources({}), further)
    assert text.count("\n[[sources]]") == 1
    assert text.count("# [[sources]]") == 4


def test_the_agents_own_variables_are_honoured(home: Path) -> None:
    (home / "cx" / "sessions").mkdir(parents=True)
    (home / "data" / "opencode").mkdir(parents=True)
    found = further_sources({"CODEX_HOME": str(home / "cx"), "XDG_DATA_HOME": str(home / "data")})
    assert [root for _, root in found] == [
        home / "cx" / "sessions",
        home / "cx" / "archived_sessions",
        home / "data" / "opencode",
    ]
    chosen = home / "data" / "opencode" / "mine.db"
    assert further_sources({"OPENCODE_DB": str(chosen)}) == [("opencode", chosen.parent)]


def test_a_configuration_may_name_every_agent(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    agents = ("claude-code", "codex", "gemini", "opencode")
    file.write_text("".join(f'[[sources]]\nagent = "{agent}"\nroot = "/x"\n' for agent in agents))
    assert [one.agent for one in load(file, {}).config.sources] == list(agents)
    file.write_text('[[sources]]\nagent = "other"\nroot = "/x"\n')
    with pytest.raises(ConfigError):
        load(file, {})
