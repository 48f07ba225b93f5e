"""Sessions that real Codex clients wrote: exactly what was typed into each of them, and nothing else, is a person's."""

import json
from pathlib import Path

import pytest

from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.codex import Codex
from dreamd.transcripts.event import Cursor, Origin, Role
from shared_material import shared
from transcripts.codex_lines import told

#: Scenario → what was typed, and what a script sent (`codex exec`).
SAID: dict[str, tuple[list[str], list[str]]] = {
    "basic": (
        [],
        [
            "use tools please: fix calc.py (\u65e5\u672c\u8a9e \U0001f64f)",
            "say beta",
            "say gamma, a new session",
        ],
    ),
    "interactive": (["say alpha: we use ruff", "say beta", "say gamma"], []),
    "more": (
        [],
        [
            "bad request",
            "say alpha",
            "say beta in a fork",
            "say gamma to archive",
            "say hooked",
            "say nohook (hook not trusted)",
            "slow stream INT",
            "slow stream KILL",
            "slow tool INT",
            "slow tool KILL",
        ],
    ),
}
PLACES = {
    "codex": (".codex/sessions", ".codex/archived_sessions"),
    "gemini": (".gemini/tmp",),
    "opencode": (".local/share/opencode",),
}
#: Scenario → the agent's answers: one a turn, the last.
ANSWERED = {
    "basic": ["Fixed the sign. \u7d42\u308f\u308a\u307e\u3057\u305f \U0001f680", "You said beta.", "You said gamma."],
    "interactive": ["You said alpha.", "You said beta.", "You said gamma."],
    "more": sorted(
        [*["Sleeping."] * 2, *(f"You said {what}." for what in ("alpha", "beta", "gamma", "hooked", "nohook"))]
    ),
}


def rollouts(home: Path) -> list[Path]:
    roots = [home / ".codex" / name for name in ("sessions", "archived_sessions")]
    return [Path(file.path) for root in roots for file in Codex().discover(root)]


@pytest.mark.parametrize("scenario", SAID)
def test_what_was_typed_and_what_was_scripted(scenario: str) -> None:
    spoken = [one for path in rollouts(shared("fixtures", "clients", "codex", scenario, "home")) for one in told(path)]
    typed, scripted = SAID[scenario]
    assert sorted(text for who, text in spoken if who in {"typed", "queued"}) == sorted(typed)
    assert sorted(text for who, text in spoken if who == "headless") == sorted(scripted)
    assert sorted(text for who, text in spoken if who == "assistant") == sorted(ANSWERED[scenario])


def test_every_file_of_every_client_is_read_or_known_to_be_no_transcript() -> None:
    """A client's home that is added, or a kind of file that appears, must be looked at."""
    clients = shared("fixtures", "clients")
    beside = {
        "history.jsonl",
        "session_index.jsonl",
        "projects.json",
        ".project_root",
        "opencode.db-shm",
        "opencode.db-wal",
    }
    scenarios, unread = set(), set()
    for agent, folders in PLACES.items():
        for home in clients.glob(f"{agent}/*/home"):
            scenarios.add(f"{agent}/{home.parent.name}")
            read = {file.path for folder in folders for file in ADAPTERS[agent].discover(home / folder)}
            unread |= {path.name for path in home.rglob("*") if path.is_file() and str(path) not in read}
    assert scenarios == {*(f"codex/{name}" for name in SAID), "gemini/basic", "opencode/basic"}
    assert unread <= beside


def test_a_fork_belongs_to_its_parents_lineage() -> None:
    home = shared("fixtures", "clients", "codex", "more", "home")
    readings = [Codex().scan(file, Cursor()) for file in Codex().discover(home / ".codex" / "sessions")]
    forks = [one for one in readings if one.boundaries]
    assert len(forks) == 1
    assert forks[0].lineage in {one.lineage for one in readings if not one.boundaries}


def test_of_sixteen_peoples_sessions_every_prompt_is_read_and_nothing_else() -> None:
    """Against the prompts that somebody else took out of the same files by hand-written rules."""
    prompts: dict[str, list[str]] = {}
    for each in shared("gold", "human_prompts.jsonl").read_text(encoding="utf-8").splitlines():
        prompt = json.loads(each)
        if "/.codex/" in prompt["file"]:
            prompts.setdefault(Path(prompt["file"]).name, []).append(prompt["text"].strip())
    found = {}
    for path in rollouts(shared("fixtures", "real")):
        events = [one for one in Codex().read(path) if one.role is Role.HUMAN]
        assert {one.origin for one in events} <= {Origin.TYPED, Origin.QUEUED}
        found[path.name] = [one.text.strip() for one in events]
    assert found == prompts
    assert sum(map(len, found.values())) == 171
