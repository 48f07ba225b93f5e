"""A server that fails in every way, ten times at random points: memory ends as if nothing had happened, nothing is paid for twice."""

from __future__ import annotations

import datetime as dt
import itertools
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dreamd.engines.faults import EngineUnusable
from dreamd.engines.mixed import Mixed
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.state.run_record import Outcome
from engines_claude.conftest import make_engine
from engines_claude.scripted import Server, diligent, pass_of, serving, turns_of
from world import World

FAULTS: tuple[dict[str, Any], ...] = (
    {"status": 429, "type": "rate_limit_error", "headers": {"retry-after": "2"}},
    {"status": 429, "type": "rate_limit_error", "headers": {"retry-after": "9999"}},
    {"status": 500},
    {"status": 529, "type": "overloaded_error"},
    {"status": 401, "type": "authentication_error"},
    {"drop": True},
    {"raw": b'{"type": "mess'},
    {"text": "Shall I go on?"},
    {"text": '{"findings": [{"kind": "fact"', "stop": "max_tokens"},
    {"text": "", "stop": "refusal"},
    {"blocks": []},
)
PROJECTS = ("orchard", "harbour", "mortar")


def people_talk(world: World) -> None:
    for number in range(1, 13):
        world.say(
            f"in step {number} of {PROJECTS[number % 3]} we always use plain words",
            f"the limit of queue {number} is {number}00 entries at most",
            project=PROJECTS[number % 3],
            session=number,
            ago=dt.timedelta(hours=1 + number),
        )


def dreamt_through(home: Path, server: Server) -> tuple[World, int]:
    """Dreams, day after day, until nothing is left to do; (the world, dreams)."""
    world = World(home)
    world.settings["engine"] = {"max_concurrency": 3}
    world.settings["budget"] = {"max_sessions_per_run": 5}
    people_talk(world)
    engine = make_engine(server, [])
    world.engine = Mixed(engine, OfflineEngine())
    for night in range(40):
        try:
            run = world.kick()
        except EngineUnusable:
            continue
        finally:
            world.later(hours=6)
        if run.outcome is Outcome.NO_CHANGE and run.reason == "nothing_pending":
            return world, night
    pytest.fail("it never came to rest")


def lines(world: World) -> set[str]:
    return {line for line in world.text().splitlines() if line.startswith("- ") and "](" not in line}


@pytest.mark.parametrize("seed", range(3))
def test_ten_faults_at_random_points_change_nothing_in_the_end(tmp_path: Path, server: Server, seed: int) -> None:
    with serving() as calm:
        undisturbed, _ = dreamt_through(tmp_path / "calm", calm)
    chance = random.Random(seed)
    faults = chance.sample(FAULTS, 10)
    when = set(chance.sample(range(16), 10))
    asked = itertools.count()
    good: Counter[str] = Counter()

    def stormy(request: dict[str, Any]) -> dict[str, Any]:
        if next(asked) in when:
            return faults.pop()
        if pass_of(request) == "extract":
            good.update(re.findall(r"step \d+", str(sorted(turns_of(request).values()))))
        return diligent(request)

    server.answer = stormy
    world, _ = dreamt_through(tmp_path / "storm", server)
    assert not faults
    assert lines(world) == lines(undisturbed)
    assert set(good.values()) == {1}
    assert len(good) == 12
