"""The service over a home with every agent in it: each is found by itself, and what is typed into it is counted at once."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dreamd.config import default_sources
from dreamd.transcripts.event import Cursor
from service.conftest import Start, until
from transcripts import codex_lines as codex
from transcripts.specimens import KEPT_OPEN, SPECIMENS, Specimen, grow_opencode
from world import World, dreamd

PLACES = {
    "claude-code": ".claude/projects",
    "codex": ".codex/sessions",
    "gemini": ".gemini/tmp",
    "opencode": ".local/share/opencode",
}
SOON = 5.0  # seconds: the next scan would be an hour later


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while KEPT_OPEN:
        KEPT_OPEN.pop().close()


def turns(world: World) -> dict[str, int]:
    """By session what the service has counted."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{world.state / 'state.db'}?mode=ro", uri=True)) as database:
            return dict(database.execute("SELECT native_id, human_turns FROM sessions WHERE excluded IS NULL"))
    except sqlite3.OperationalError:
        return {}


def last_turn(specimen: Specimen, root: Path) -> tuple[int, int, int]:
    """The step with which the last turn comes, and how many turns there are before and after it."""
    counts = []
    for step in range(specimen.steps + 1):
        if step:
            specimen.grow(root, step)
        files = list(specimen.adapter().discover(root))
        counts.append(len(specimen.adapter().scan(files[0], Cursor(), settled=True).turns) if files else 0)
    step = max(number for number in range(1, len(counts)) if counts[number] > counts[number - 1])
    return step, counts[step - 1], counts[step]


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda one: f"{one.agent}-{one.grow.__name__.strip('_')}")
def test_a_turn_that_is_typed_is_counted_at_once(
    specimen: Specimen, world: World, start: Start, tmp_path: Path
) -> None:
    step, before, after = last_turn(specimen, tmp_path / "rehearsal")
    root = world.home / PLACES[specimen.agent]
    root.mkdir(parents=True)
    specimen.grow(root, step - 1)
    service = start(DREAMD_SCHEDULE__CHECK_EVERY="1h")
    assert until(lambda: list(turns(world).values()) == [before])
    assert [(one["agent"], one["mode"]) for one in service.status()["daemon"]["watching"]] == [  # type: ignore[index]
        (specimen.agent, "events")
    ]
    specimen.grow(root, step)
    assert until(lambda: list(turns(world).values()) == [after], SOON), service.log.read_text()


def test_a_session_that_begins_in_a_known_database_is_counted_at_once(world: World, start: Start) -> None:
    path = grow_opencode(world.home / PLACES["opencode"], 2)
    start(DREAMD_SCHEDULE__CHECK_EVERY="1h")
    assert until(lambda: turns(world) == {"ses_1": 1})
    client = KEPT_OPEN[-1]
    client.execute(
        "INSERT INTO session SELECT 'ses_2', project_id, NULL, '/home/sam/x', 't', version, NULL, NULL, 5, 5 FROM session"
    )
    client.execute("""INSERT INTO message VALUES('msg_x', 'ses_2', 5, 5, '{"role":"user"}')""")
    client.execute(
        """INSERT INTO part VALUES('prt_x', 'msg_x', 'ses_2', 5, 5, '{"type":"text","text":"use ruff here"}')"""
    )
    assert until(lambda: turns(world) == {"ses_1": 1, "ses_2": 1}, SOON)
    assert path.exists()


def test_a_rollout_that_is_packed_stays_the_session_it_was(world: World, start: Start) -> None:
    import zstandard

    root = world.home / PLACES["codex"]
    plain = codex.write(root, codex.meta(), *codex.said("use ruff", 1), *codex.answered("Ruff.", 2))
    start(DREAMD_SCHEDULE__CHECK_EVERY="1h")
    assert until(lambda: turns(world) == {codex.ID: 1})
    packed = plain.with_name(f"{plain.name}.zst")
    packed.write_bytes(zstandard.compress(plain.read_bytes()))
    plain.unlink()

    def path() -> str:
        [one] = json.loads(dreamd(world.home, "sessions", "--no-scan", "--json").stdout)
        return str(one["path"])

    assert until(lambda: path() == str(packed), SOON)
    assert turns(world) == {codex.ID: 1}


def test_an_agent_that_is_used_for_the_first_time_is_watched_from_then_on(world: World, start: Start) -> None:
    world.say("hello there, please look at the parser")
    service = start(DREAMD_SCHEDULE__CHECK_EVERY="1s")
    assert until(lambda: len(turns(world)) == 1)
    for specimen in (SPECIMENS[1], replace(SPECIMENS[4])):
        (world.home / PLACES[specimen.agent]).mkdir(parents=True)
        specimen.grow(world.home / PLACES[specimen.agent], specimen.steps)
    assert until(lambda: len(turns(world)) == 3)

    def watched() -> list[tuple[object, object]]:
        return [(one["agent"], one["mode"]) for one in service.status()["daemon"]["watching"]]  # type: ignore[index]

    agents = ["claude-code", "codex", "opencode"]
    assert until(lambda: watched() == [(agent, "events") for agent in agents])


def test_the_places_here_are_those_that_dreamd_knows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert {tmp_path / place for place in PLACES.values()} <= {root for _, root in default_sources({})}
