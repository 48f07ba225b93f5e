"""Where the transcripts of the agents on this machine are looked for."""

from pathlib import Path

import pytest

from dreamd.config import default_sources, found_sources, load, may_be_missing, start_file
from dreamd.errors import ConfigError
from dreamd.project_rules import rule_for
from dreamd.settings import Project
from dreamd.sources import sources
from dreamd.state.exclusion import Rules


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "OPENCODE_DB", "DREAMD_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_every_agents_place_is_known_and_what_exists_is_found(home: Path) -> None:
    places = [
        ("claude-code", home / ".claude" / "projects"),
        ("codex", home / ".codex" / "sessions"),
        ("codex", home / ".codex" / "archived_sessions"),
        ("gemini", home / ".gemini" / "tmp"),
        ("opencode", home / ".local" / "share" / "opencode"),
    ]
    assert default_sources({}) == places
    assert found_sources({}) == []
    for _, root in places[:2] + places[3:]:
        root.mkdir(parents=True)
    assert found_sources({}) == places
    assert [may_be_missing(agent, root) for agent, root in places] == [False, False, True, False, False]
    assert start_file(found_sources({})).count("\n[[sources]]") == 5


def test_without_any_agent_the_first_is_missed_and_with_one_no_other_is(home: Path) -> None:
    loaded = load(None, {})
    assert [one.agent for one in sources(loaded) if not one.to_come] == ["claude-code"]
    (home / ".gemini" / "tmp").mkdir(parents=True)
    assert [one.agent for one in sources(loaded) if not one.to_come] == ["gemini"]


def test_the_agents_own_variables_are_honoured(home: Path) -> None:
    (home / "cx" / "sessions").mkdir(parents=True)
    (home / "data" / "opencode").mkdir(parents=True)
    (home / "cc" / "projects").mkdir(parents=True)
    environ = {"CODEX_HOME": "cx", "XDG_DATA_HOME": "data", "CLAUDE_CONFIG_DIR": "cc"}
    found = found_sources({name: str(home / place) for name, place in environ.items()})
    assert [root for _, root in found] == [
        home / "cc" / "projects",
        home / "cx" / "sessions",
        home / "cx" / "archived_sessions",
        home / "data" / "opencode",
    ]
    chosen = home / "data" / "opencode" / "mine.db"
    for name in (str(chosen), "mine.db", ":memory:"):
        environ = {"OPENCODE_DB": name, "XDG_DATA_HOME": str(home / "data")}
        assert ("opencode", chosen.parent) in found_sources(environ)


def test_a_configuration_may_name_every_agent(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    agents = ("claude-code", "codex", "gemini", "opencode")
    file.write_text("".join(f'[[sources]]\nagent = "{agent}"\nroot = "/x"\n' for agent in agents))
    assert [one.agent for one in load(file, {}).config.sources] == list(agents)
    file.write_text('[[sources]]\nagent = "other"\nroot = "/x"\n')
    with pytest.raises(ConfigError):
        load(file, {})


def test_a_rule_about_a_directory_holds_whatever_windows_calls_it() -> None:
    rule = Project(path="C:\\Users\\Sam\\client", learn=False)
    for place in ("/mnt/c/users/sam/client/app", "c:\\Users\\SAM\\client"):
        assert rule_for([rule], place) is rule
        assert Rules(unlearned=("/mnt/c/Users/Sam/client",)).unlearnt(place)
    assert rule_for([rule], "/mnt/c/users/sam/clients") is None
