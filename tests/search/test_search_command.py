"""`dreamd search` as a person calls it: on a terminal, in a pipe, narrowed."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from world import World, dreamd


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / "home")
    world.say("The heron export runs every night at two.", "Which port does it use?", answer="It listens on 8282.")
    world.say("The heron of the client is grey.", project="client", session=2)
    world.kick()
    return world


def on_a_terminal(world: World, *arguments: str, **more: str) -> str:
    ours, theirs = pty.openpty()
    environ = {"HOME": str(world.home), "PATH": "/usr/bin:/bin", "TZ": "UTC", "TERM": "xterm"} | more
    command = [str(Path(sys.executable).with_name("dreamd")), *arguments]
    with subprocess.Popen(command, env=environ, cwd=world.home, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        told = b""
        while True:
            try:
                block = os.read(ours, 65_536)
            except OSError:  # Linux: the other end is closed
                break
            if not block:
                break
            told += block
    os.close(ours)
    assert process.returncode == 0
    return told.decode()


def test_words_found_are_marked_on_a_terminal_alone(world: World) -> None:
    assert "The \x1b[1;33mheron\x1b[0m export" in on_a_terminal(world, "search", "heron", "--in", "sessions")
    assert "\x1b" not in on_a_terminal(world, "search", "heron", NO_COLOR="1")
    assert "\x1b" not in dreamd(world.home, "search", "heron").stdout


def test_a_question_finds_its_answer(world: World) -> None:
    assert "8282" in dreamd(world.home, "search", "which port does the heron export use?").stdout
    assert "8282" not in dreamd(world.home, "search", "heron export", "--in", "sessions").stdout


@pytest.mark.parametrize("project", ["client", "CLIENT", "/home/sam/work/client", "/home/sam/work/client/"])
def test_a_project_is_known_by_its_name_and_its_path(world: World, project: str) -> None:
    told = json.loads(dreamd(world.home, "search", "heron", "--project", project, "--in", "sessions", "--json").stdout)
    assert [hit["project"] for hit in told["hits"]] == ["client"]


def test_a_project_nobody_knows_is_said_to_be_unknown(world: World) -> None:
    done = dreamd(world.home, "search", "heron", "--project", "meadow")
    assert done.returncode == 0
    assert "no project meadow is known" in done.stdout


@pytest.mark.parametrize(
    ("since", "found"),
    [("2026-03-09", True), ("2026-03-11", False), ("3650d", True), ("today", False), ("yesterday", False)],
)
def test_since_takes_a_length_a_day_and_two_words(world: World, since: str, found: bool) -> None:
    told = json.loads(dreamd(world.home, "search", "heron", "--since", since, "--json").stdout)
    assert bool(told["hits"]) is found
    done = dreamd(world.home, "search", "heron", "--since", "soon")
    assert (done.returncode, "yesterday" in done.stderr) == (2, True)


def test_what_left_the_index_for_its_length_is_not_read_again_until_it_goes_on(world: World) -> None:
    with world.app() as app:
        index = app.shop.index
        before = index.counts()
        assert index.trim(1) > 0
        left = index.counts()
        assert left[2] < before[2]
        assert left[1] == before[1]
    world.say("Robin owns the deployment scripts.", session=3)
    world.later(days=2)
    world.kick()
    with world.app() as app:
        assert app.shop.index.counts()[2] == left[2] + 2  # what was said in the new one, and the answer
