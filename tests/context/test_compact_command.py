"""`dreamd compact` as a person calls it, and over the shared material."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from dreamd.context.budget import Budget
from dreamd.context.compaction import CompactionFailed, compact
from dreamd.context.conversation import Conversation, Reply
from dreamd.context.handover import handover
from dreamd.context.message import Message, tokens, told
from dreamd.context.prompt import SystemPrompt
from dreamd.context.tokens import estimate
from dreamd.context.transcript import messages_of
from dreamd.transcripts.claude_code import ClaudeCode
from shared_material import shared
from world import World, dreamd

KEY = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def home(tmp_path: Path) -> Path:
    world = World(tmp_path)
    world.say(
        "the pruner must never run on Sundays",
        f"my token is {KEY}\nsecond line",
        session=1,
        answer="We switched to a lease instead of the lock file.",
    )
    return tmp_path


def session_of(home: Path) -> str:
    return next((home / ".claude/projects").rglob("*.jsonl")).stem


def test_it_prints_a_hand_over_as_markdown(home: Path) -> None:
    done = dreamd(home, "compact", session_of(home)[:8])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# orchard: ")
    assert "1. the pruner must never run on Sundays" in done.stdout
    assert "lease instead of the lock file" in done.stdout
    assert "   second line" in done.stdout
    assert KEY not in done.stdout


def test_json_is_one_document(home: Path) -> None:
    done = dreamd(home, "compact", session_of(home), "--json", "--lines", "5")
    made = json.loads(done.stdout)
    assert made["session"] == session_of(home)
    assert made["about"] == "the pruner must never run on Sundays"
    assert len(made["said"]) == 2
    assert made["lines"] == len(made["summary"].splitlines()) <= 5
    assert KEY not in done.stdout


def test_an_unknown_session_is_wrong_usage(home: Path) -> None:
    assert dreamd(home, "compact", "ffffffff").returncode == 2
    assert dreamd(home, "compact", session_of(home), "--lines", "0").returncode == 2


def test_a_session_without_a_file_or_a_copy_says_so(home: Path) -> None:
    assert dreamd(home, "scan").returncode == 0
    shutil.rmtree(home / ".claude/projects")
    done = dreamd(home, "compact", session_of_known(home))
    assert done.returncode == 1
    assert "is gone" in done.stderr


def session_of_known(home: Path) -> str:
    return str(json.loads(dreamd(home, "sessions", "--json", "--no-scan").stdout)[0]["id"])


@pytest.mark.parametrize("lines", [200, 40])
def test_every_real_session_becomes_a_short_hand_over(lines: int) -> None:
    root = shared("fixtures", "real", ".claude", "projects")
    for path in sorted(root.glob("*/*.jsonl")):
        messages = list(messages_of(ClaudeCode().read(path), str, headless=True))
        made = handover(messages, lines=lines)
        assert len(made.summary.splitlines()) + 2 * bool(made.about) <= max(lines, 2)
        typed_words = [words for message in messages if message.typed for words in [message.text]]
        assert len(made.said) == len(typed_words)
        assert all(one == words for one, words in zip(made.said, typed_words, strict=True) if len(words) <= 2000)


def test_real_sessions_longer_than_a_window_are_compacted() -> None:
    root = shared("fixtures", "real", ".claude", "projects")
    path = max(root.glob("*/*.jsonl"), key=lambda one: one.stat().st_size)
    messages = list(messages_of(ClaudeCode().read(path), str))
    made = compact(messages, Budget(window=64_000, system=2_000))
    assert made.after <= Budget(window=64_000, system=2_000).working // 2
    assert made.before > 64_000


def test_case_llm_03_a_session_larger_than_the_window_is_bounded_before_it_is_sent(tmp_path: Path) -> None:
    """Newest kept, omission stated; what cannot be made short is an error and no loop."""
    subprocess.run([sys.executable, str(shared("cases", "LLM-03", "build.py"))], cwd=tmp_path, check=True)
    path = max(tmp_path.rglob("*.jsonl"), key=lambda one: one.stat().st_size)
    messages = list(messages_of(ClaudeCode().read(path), str))
    budget = Budget(window=200_000, system=5_000)
    with pytest.raises(CompactionFailed):  # two thousand typed turns are more than half a window, and none may be cut
        compact(messages, budget)
    sent: list[Sequence[Message]] = []

    class Counting:
        def call(self, system: object, messages: Sequence[Message], **_: object) -> Reply:
            sent.append(messages)
            return Reply("Nothing worth keeping.")

    Conversation(Counting(), SystemPrompt(()), budget).ask(
        told("\n".join(message.text for message in messages)), max_tokens=2_000
    )
    (request,) = sent
    assert tokens(request[0], estimate) < budget.working
    assert "characters left out" in request[0].text
    assert "turn 3999 of 900" in request[0].text
