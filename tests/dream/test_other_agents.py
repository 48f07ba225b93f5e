"""Sessions of other agents than Claude Code in whole dreams: learned from, kept, put back, followed when their agent moves them."""

import datetime as dt
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dreamd.app import App, opened, sources
from dreamd.clock import FixedClock
from dreamd.config import Loaded, Places
from dreamd.dream.cycle import Order
from dreamd.settings import Config
from dreamd.state.records import SessionRecord
from transcripts import codex_lines as codex
from transcripts.specimens import KEPT_OPEN, grow_opencode

NOW = dt.datetime(2026, 3, 10, 12, 0, tzinfo=dt.UTC)
RULE = "Always run the linter with ruff, never with flake8."


class Home:
    """A person's home with several agents in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FixedClock(NOW)
        self.codex = path / ".codex" / "sessions"
        self.archived = path / ".codex" / "archived_sessions"
        self.gemini = path / ".gemini" / "tmp"
        self.opencode = path / ".local" / "share" / "opencode"
        self.originals = "keep"

    def loaded(self) -> Loaded:
        places = [("codex", self.codex), ("codex", self.archived), ("gemini", self.gemini), ("opencode", self.opencode)]
        named = [
            {"agent": agent, "root": str(root)} for agent, root in places if root.exists() or root == self.archived
        ]
        config = Config.model_validate({"sources": named, "transcripts": {"originals": self.originals}})
        state, root = self.path / "state", self.path / "memory"
        return Loaded(config, Places(self.path / "config.toml", state, state, root, self.path / ".claude"), False)

    @contextmanager
    def app(self) -> Iterator[App]:
        with opened(self.loaded(), clock=self.clock, zone=dt.UTC, home=Path("/home/sam")) as app:
            yield app

    def dream(self) -> str:
        with self.app() as app:
            run = app.kick(Order()).run
        assert run is not None
        return str(run.outcome)

    def sessions(self) -> dict[str, SessionRecord]:
        with self.app() as app:
            app.scan()
            return {one.id: one for one in app.sessions()}

    def memory(self) -> str:
        return "\n".join(path.read_text() for path in sorted((self.path / "memory").rglob("*.md")))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    yield Home(tmp_path)
    while KEPT_OPEN:
        KEPT_OPEN.pop().close()


def say_in_codex(home: Home, *words: str) -> Path:
    lines = [codex.meta()]
    for number, text in enumerate(words):
        lines += [*codex.said(text, number * 10 + 1), *codex.answered("Understood.", number * 10 + 2)]
    path = codex.write(home.codex, *lines)
    os.utime(path, (codex.T0.timestamp(), codex.T0.timestamp()))
    return path


def words(app: App, session: str) -> list[str]:
    return [one.text for one in app.session(session)[1]]


def test_a_dream_learns_from_codex_and_keeps_a_copy_that_can_be_put_back(home: Home) -> None:
    path = say_in_codex(home, RULE)
    before = path.read_bytes()
    assert home.dream() == "committed"
    assert "flake8" in home.memory()
    path.unlink()
    with home.app() as app:
        app.scan()
        assert words(app, codex.ID) == [RULE, "Understood."]
        _, [restored] = app.restore(codex.ID, overwrite=False)
    assert restored == path
    assert path.read_bytes() == before
    assert home.dream() == "no_change"


def test_a_session_that_codex_archives_is_the_same_session(home: Home) -> None:
    path = say_in_codex(home, RULE)
    assert home.dream() == "committed"
    home.archived.mkdir()
    moved = home.archived / path.name
    shutil.move(path, moved)
    record = home.sessions()[codex.ID]
    assert (record.path, record.root, record.unread) == (str(moved), str(home.archived), 0)
    assert home.dream() == "no_change"
    moved.unlink()
    with home.app() as app:
        app.scan()
        assert words(app, codex.ID) == [RULE, "Understood."]


def test_a_place_for_archived_sessions_that_is_not_there_yet_is_no_problem(home: Home) -> None:
    say_in_codex(home, RULE)
    with home.app() as app:
        assert app.scan().problems == ()
        assert app.status()["daemon"]["watching"] == [
            {"agent": "codex", "root": str(home.codex), "mode": "polling", "problem": None}
        ]
        assert [source.to_come for source in sources(home.loaded())] == [False, True]


def test_a_session_that_is_rows_of_a_database_is_learned_from_but_not_copied(home: Home) -> None:
    home.originals = "delete"
    path = grow_opencode(home.opencode, 5)
    KEPT_OPEN[-1].execute("UPDATE part SET data = ? WHERE id = 'prt_0'", (json.dumps({"type": "text", "text": RULE}),))
    assert home.dream() == "committed"
    assert "flake8" in home.memory()
    [record] = home.sessions().values()
    assert (record.agent, record.path, record.archive_path, record.unread) == ("opencode", str(path), None, 0)
    assert path.exists()
    with home.app() as app:
        assert words(app, "ses_1")[0] == RULE


def test_what_was_said_to_several_agents_about_one_directory_is_one_projects(home: Home) -> None:
    say_in_codex(home, "the staging host is lantern-2")
    grow_opencode(home.opencode, 5)
    chats = home.gemini / "lantern" / "chats"
    chats.mkdir(parents=True)
    (home.gemini / "lantern" / ".project_root").write_text(codex.CWD)
    head = {"sessionId": "bbbb0001-0000", "startTime": codex.at(), "kind": "main"}
    said = {"id": "m1", "timestamp": codex.at(1), "type": "user", "content": "deploy on Fridays"}
    (chats / "session-2026-03-02T09-00-bbbb0001.jsonl").write_bytes(codex.dump([head, said]))
    found = home.sessions()
    assert {one.agent for one in found.values()} == {"codex", "gemini", "opencode"}
    assert len({one.project.row for one in found.values() if one.project}) == 1
    assert {one.human_turns for one in found.values()} == {1, 2}
    assert "bbbb0001-2026-03-02T09-00" in found
