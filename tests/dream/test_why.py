"""Where a remembered line comes from, down to the turn in the transcript."""

import json
from pathlib import Path

import pytest

from world import World, dreamd

WORDS = (
    "I looked into it.\nWe always use pnpm in this repo, never npm. The key is password = 'hunter2-Zq9!x' by the way."
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / "home")
    world.say("Hello there.", WORDS)
    world.later(hours=30)
    world.kick()
    return world


@pytest.mark.parametrize("gone", [False, True])
def test_a_line_leads_to_its_whole_turn_wherever_that_is_kept(world: World, gone: bool) -> None:
    transcript = next(world.transcripts.rglob("*.jsonl"))
    line = transcript.read_bytes().splitlines(keepends=True)
    if gone:
        transcript.unlink()
    (evidence,) = json.loads(dreamd(world.home, "why", "pnpm", "--json").stdout)["evidence"]
    assert evidence["quote"] == "We always use pnpm in this repo, never npm."
    assert evidence["turn"].startswith("I looked into it.\nWe always use pnpm")
    assert "hunter2" not in evidence["turn"]
    assert evidence["offset"] == sum(map(len, line[:2]))
    assert Path(evidence["path"]).exists()
    assert (evidence["path"] == str(transcript)) is not gone
    shown = dreamd(world.home, "why", "pnpm", "--turns")
    assert "    | I looked into it.\n" in shown.stdout
    assert "    | I looked" not in dreamd(world.home, "why", "pnpm").stdout


def test_where_nothing_is_kept_that_is_said(world: World) -> None:
    next(world.transcripts.rglob("*.jsonl")).unlink()
    for copy in (world.state / "archive").rglob("*.zst"):
        copy.unlink()
    told = json.loads(dreamd(world.home, "why", "pnpm", "--json").stdout)
    assert [one["turn"] for one in told["evidence"]] == [None]
    assert "its transcript is gone" in dreamd(world.home, "why", "pnpm", "--turns").stdout
