"""Sessions of other agents than Claude Code in whole dreams: learned from, kept, put back, followed when their agent moves them."""

import datetime as dt
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents_home import RULE, Home, say_in_codex, say_in_opencode, words
from dreamd.sources import sources
from dreamd.state.records import Excluded
from transcripts import codex_lines as codex
from transcripts.specimens import KEPT_OPEN, grow_opencode, snapshot


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    yield Home(tmp_path)
    while KEPT_OPEN:
        KEPT_OPEN.pop().close()


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


def test_a_dream_learns_from_rows_and_leaves_them_where_they_are(home: Home) -> None:
    home.originals = "delete"
    path = say_in_opencode(home, RULE)
    assert home.dream() == "committed"
    assert "flake8" in home.memory()
    [record] = home.sessions().values()
    assert (record.agent, record.path, record.unread) == ("opencode", str(path), 0)
    assert record.archive_path is not None
    home.clock.at += dt.timedelta(days=3)
    before = snapshot(home.opencode)
    assert home.dream() == "no_change"
    assert snapshot(home.opencode) == before
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


def test_windows_and_the_linux_beside_it_are_one_project_and_one_rule(home: Home) -> None:
    lines = [codex.meta(cwd="C:\\Users\\Sam\\work\\lantern"), *codex.said("use ruff here", 1)]
    codex.write(home.codex, *lines)
    grow_opencode(home.opencode, 5)
    KEPT_OPEN[-1].execute("UPDATE session SET directory = '/mnt/c/Users/sam/work/lantern'")
    found = home.sessions()
    assert {one.agent for one in found.values()} == {"codex", "opencode"}
    assert {(one.project.name, one.project.key) for one in found.values() if one.project} == {
        ("lantern", "/mnt/c/users/sam/work/lantern")
    }
    home.projects = [{"path": "C:\\Users\\sam\\work", "learn": False}]
    assert {one.excluded_because for one in home.sessions().values()} == {Excluded.PROJECT}
