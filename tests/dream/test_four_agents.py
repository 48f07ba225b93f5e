"""One home with every agent in it, through the installed command and without a configuration: one memory, whoever was talked to."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dreamd.clock import FixedClock
from transcripts import codex_lines as codex
from transcripts.specimens import KEPT_OPEN, grow_opencode
from world import World, dreamd

GIT = {"PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
IDLE = {"DREAMD_GATES__IDLE": "1s", "DREAMD_GATES__MIN_SESSIONS": "4", "DREAMD_TRANSCRIPTS__ARCHIVE_AFTER": "1s"}
SAID = {
    "claude-code": "We use pnpm in this repo, never npm.",
    "codex": "Always run the linter with ruff, never with flake8.",
    "gemini": "The API runs on port 8181.",
    "opencode": "Robin owns the deployment scripts, ask Robin before changing them.",
}


def git(directory: Path, *arguments: str) -> None:
    name = ("-c", "user.name=Sam", "-c", "user.email=sam@example.org")
    subprocess.run(["git", *name, *arguments], cwd=directory, env=GIT, check=True, capture_output=True)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Four agents, each told something about one checkout: in it, in a worktree, below it, and by a registry."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    main = tmp_path / "work" / "lantern"
    main.mkdir(parents=True)
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(tmp_path / "work" / "lantern-fix"))
    (main / "web").mkdir()
    world = World(tmp_path, FixedClock(codex.T0 + dt.timedelta(hours=2)))
    world.say(SAID["claude-code"], project="lantern", cwd=str(main))
    lines = [codex.meta(cwd=str(tmp_path / "work" / "lantern-fix")), *codex.said(SAID["codex"], 1)]
    codex.write(tmp_path / ".codex" / "sessions", *lines, *codex.answered("Understood.", 2))
    chats = tmp_path / ".gemini" / "tmp" / "lantern" / "chats"
    chats.mkdir(parents=True)
    (tmp_path / ".gemini" / "projects.json").write_text(json.dumps({"projects": {str(main): "lantern"}}))
    head = {"sessionId": "bbbb0001-0000", "startTime": codex.at(), "kind": "main"}
    said = {"id": "m1", "timestamp": codex.at(1), "type": "user", "content": SAID["gemini"]}
    (chats / "session-2026-03-02T09-00-bbbb0001.jsonl").write_bytes(codex.dump([head, said]))
    grow_opencode(tmp_path / ".local" / "share" / "opencode", 2)
    client = KEPT_OPEN[-1]
    client.execute("UPDATE session SET directory = ?", (str(main / "web"),))
    text = json.dumps({"type": "text", "text": SAID["opencode"]})
    client.execute("UPDATE part SET data = ? WHERE id = 'prt_0'", (text,))
    for path in tmp_path.rglob("*.jsonl"):
        os.utime(path, (codex.T0.timestamp(), codex.T0.timestamp()))
    yield tmp_path
    while KEPT_OPEN:
        KEPT_OPEN.pop().close()


def told(home: Path, *arguments: str) -> object:
    done = dreamd(home, *arguments, "--json", **IDLE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_was_said_to_any_of_them_is_one_memory_of_one_project(home: Path) -> None:
    sessions: list[dict[str, object]] = told(home, "sessions")  # type: ignore[assignment]
    assert sorted(str(one["agent"]) for one in sessions) == sorted(SAID)
    assert {one["human_turns"] for one in sessions} == {1}
    assert {str(one["project"]) for one in sessions} == {"lantern"}
    assert set(dreamd(home, "sessions", "--no-scan").stdout.split()) >= set(SAID)
    status: dict[str, object] = told(home, "status")  # type: ignore[assignment]
    [gate] = [one for one in status["gates"] if one["name"] == "sessions"]  # type: ignore[attr-defined]
    assert (gate["open"], gate["have"]) == (True, 4)
    watching = [one["agent"] for one in status["daemon"]["watching"]]  # type: ignore[index]
    assert watching == ["claude-code", "codex", "gemini", "opencode"]

    run: dict[str, object] = told(home, "kick", "--if-due")  # type: ignore[assignment]
    assert (run["outcome"], run["sessions"]["gathered"]) == ("committed", 4)  # type: ignore[index]
    root = home / ".claude" / "memory"
    memory = "\n".join(path.read_text() for path in root.rglob("*.md"))
    for word in ("pnpm", "ruff", "8181", "Robin owns"):
        assert word in memory
    assert [path.name for path in (root / "projects").iterdir()] == ["lantern.md"]

    for agent, word in zip(SAID, ("pnpm", "flake8", "8181", "Robin"), strict=True):
        why: dict[str, object] = told(home, "why", word)  # type: ignore[assignment]
        assert [one["agent"] for one in why["evidence"]] == [agent]  # type: ignore[attr-defined]
        assert agent in dreamd(home, "why", word).stdout
        hits: dict[str, object] = told(home, "search", word, "--in", "sessions")  # type: ignore[assignment]
        assert {one["agent"] for one in hits["hits"]} == {agent}  # type: ignore[attr-defined]
        assert agent in dreamd(home, "search", word, "--in", "sessions").stdout

    after: list[dict[str, object]] = told(home, "sessions")  # type: ignore[assignment]
    assert {(one["state"], one["archived"]) for one in after} == {("consolidated", True)}
    assert told(home, "kick")["outcome"] == "no_change"  # type: ignore[index]


def test_init_writes_the_places_of_all(home: Path) -> None:
    facts: dict[str, object] = told(home, "init")  # type: ignore[assignment]
    assert [(one["agent"], one["sessions"]) for one in facts["agents"]] == [(agent, 1) for agent in SAID]  # type: ignore[attr-defined]
    written = (home / ".config" / "dreamd" / "config.toml").read_text()
    assert written.count("[[sources]]") == 5  # the place too where Codex puts what a person archives
    assert len(told(home, "sessions")) == 4  # type: ignore[arg-type]
