"""Sessions that the real clients wrote: exactly what was typed into each of them, and nothing else, is a person's."""

from collections import Counter
from pathlib import Path

import pytest

from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.event import PERSON_ORIGINS, Origin, Role
from shared_material import shared
from transcripts.claude_session import read, scan

FIRST_TURN = "First turn: say alpha. Remember that we deploy on Fridays only."
TABS = "say alpha. In this repo we indent with tabs, never spaces."
FIX = "The test in test_calc.py fails. Please fix the bug in calc.py. We always run tests with pytest -q."
GREETING = (
    "\u3053\u306e\u30ea\u30dd\u30b8\u30c8\u30ea\u3067\u306f\u30b3\u30df\u30c3\u30c8\u30e1\u30c3\u30bb\u30fc\u30b8"
    "\u3092\u65e5\u672c\u8a9e\u3067\u66f8\u3044\u3066\u304f\u3060\u3055\u3044 \U0001f64f "
    "(\u05e9\u05dc\u05d5\u05dd, \u041f\u0440\u0438\u0432\u0435\u0442, \u4f60\u597d)"
)
RESUME = [
    FIRST_TURN,
    "say beta",
    "say gamma",
    "say delta (in a fork)",
    "say epsilon (own id)",
]  # zeta was not to be saved
KILLED = [f"slow {what}, signal {name}" for name in ("KILL", "INT", "TERM") for what in ("stream", "tool")]

#: Scenario → what was typed, and what a script sent (`-p`). Not prose and so nobody's words: commands (/clear, /compact, /exit, /memory,
#: /dream --now, /dreamd:recall tabs), the shell mode's `echo from-bash-mode`, and what was typed without being sent.
SAID: dict[str, tuple[list[str], list[str]]] = {
    "claude/apierror": (
        [],
        [
            f"{what} please"
            for what in ("bad request", "limited", "overloaded", "denied", "cut off", "refuse", "max tokens")
        ],
    ),
    "claude/autodream": (
        ["say alpha", "say beta"],
        ["please remember tabs", *(f"say session_{number}" for number in range(1, 7))],
    ),
    "claude/compact": ([], [TABS, "say beta", "say gamma"]),
    "claude/concurrent": (
        [],
        [f"This is session {what}" for what in ("one", "two", "one again, left", "one again, right")],
    ),
    "claude/hookfail": (
        [],
        [f"say {what}" for what in ("fail", "block", "slow_3", "big_100", "big_1000", "big_20000", "timeout")],
    ),
    "claude/hookhttp": ([], ["say up", "say plain", "say down", "say mcptool"]),
    "claude/hooklimits": (
        [],
        [
            *(f"say plain_{size}_a" for size in (9990, 9997, 9998, 9999, 10001)),
            "say plain_9990_\u00e9",
            *(f"say json_{size}_a" for size in (9990, 9998, 9999, 20000)),
            "say three_hooks",
            *["say end"] * 7,
        ],
    ),
    "claude/hooks": ([], ["say alpha", "use tools please", "say fork", "bad request", "say stream", "say bare"]),
    "claude/image": ([], ["What is in this picture?", "Now read the png file"]),
    "claude/imports": ([], ["say one", "say two"]),
    "claude/interactive": (
        [
            "say alpha: we use ruff for linting, not flake8",
            "please run a command",
            "a slow answer please",
            "say pasted\nline two of a paste\nline three",
            "say beta",
            "say gamma",
            "say delta after continue",
            "say epsilon",
        ],
        [],
    ),
    "claude/killed": ([], [*KILLED, "go on after the kill"]),
    "claude/mcp": (
        [],
        [
            *("search memory please", "find it please", "search memory please, again", "say always"),
            *("search memory please, text only", "say project_mcp", "say user_mcp"),
        ],
    ),
    "claude/memory": (
        [],
        [
            *(
                "say alpha about tabs and deploys",
                "read the nested module",
                "say bigindex",
                "say wideindex",
                "say agentsonly",
            ),
            *("say memoryoff", "say settingoff", "say altdir", "say bare", "say worktree"),
        ],
    ),
    "claude/paths": (
        [],
        [
            *("go down", "say after", "say hello from a.b", "say hello from a-b", "say hello from \N{ROCKET}x"),
            *("say moved", "say moved2"),
        ],
    ),
    "claude/plugin": ([], ["say alpha", "/dream --dry-run", "use the skill", "say installed"]),
    "claude/queued": (
        [
            "slow job please",
            "QUEUED-WORDS by the way always use ruff",
            "make a file",
            "REFUSAL-REASON never create txt files",
            "ask me",
            "Q: Which linter? A: ruff",
        ],
        [],
    ),
    "claude/resume": ([], RESUME),
    "claude/subagent": ([], ["Use two agents to look at this project."]),
    "claude/tools": ([], [FIX]),
    "claude/unicode": ([], [GREETING]),
    "claude/worktree": ([], [f"say {what}" for what in ("main", "side", "flag", "subdir", "nongit", "long", "link")]),
    "claude/writes": ([], ["hello"]),
    "claude-2.1.197/compact": ([], [TABS, "say beta", "say gamma"]),
    "claude-2.1.197/killed": ([], [*KILLED, "go on after the kill"]),
    "claude-2.1.197/resume": ([], RESUME),
    "claude-2.1.197/subagent": ([], ["Use two agents to look at this project."]),
    "claude-2.1.197/tools": ([], [FIX]),
}


def transcripts(scenario: str) -> list[Path]:
    root = shared("fixtures", "clients", *scenario.split("/"), "home", ".claude", "projects")
    return [Path(file.path) for file in ClaudeCode().discover(root)]


@pytest.mark.parametrize("scenario", sorted(SAID))
def test_what_was_typed_is_told_and_counted_each_once(scenario: str) -> None:
    typed: dict[str, str] = {}
    sent: dict[str, str] = {}
    counted: set[str] = set()
    for path in transcripts(scenario):
        for event in read(path):
            if event.role is Role.HUMAN and event.origin in PERSON_ORIGINS:
                typed[event.id] = event.text
            elif event.origin is Origin.HEADLESS:
                sent[event.id] = event.text
            else:
                assert event.role is not Role.HUMAN
        reading = scan(path)
        counted |= {turn.id for turn in (*reading.turns, *reading.headless_turns)}
    expected = SAID[scenario]
    assert (Counter(typed.values()), Counter(sent.values())) == (Counter(expected[0]), Counter(expected[1]))
    assert counted == typed.keys() | sent.keys()


def test_every_scenario_is_looked_at() -> None:
    clients = shared("fixtures", "clients")
    there = {f"{folder.parent.name}/{folder.name}" for folder in clients.glob("claude*/*") if folder.is_dir()}
    assert there == SAID.keys()
