"""A server that fails in every way, ten times at random points: memory ends as if nothing had happened, nothing is paid for twice."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dreamd.engines.faults import EngineUnusable
from dreamd.engines.mixed import Mixed
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.state.run_record import Outcome
from engines_claude.conftest import make_engine
from engines_claude.scripted import Server, diligent, message_of, pass_of, proposal, serving, turns_of
from world import World

Answer = dict[str, Any]


def bad(answer: Answer) -> Callable[[Answer], Answer]:
    return lambda _: answer


def wrapped(form: str) -> Callable[[Answer], Answer]:
    """A good answer in a form that nobody asked for."""
    return lambda request: {"text": form % json.dumps(diligent(request)["json"])}


def shrinking(request: Answer) -> Answer:
    """An answer that would have memory say less than it did; for a reading, one that quotes nothing."""
    if pass_of(request) == "extract":
        return {"text": "[… the rest stays as it is …]"}
    names = re.findall(r"^--- \w+ (f\d+) ", message_of(request), re.MULTILINE)
    entries = re.findall(r"^--- \w+ (e\d+) ", message_of(request), re.MULTILINE)
    if not entries:
        return {"text": "I removed what was old."}
    return {"json": {"proposals": [proposal("add", [name], entries[0], "…") for name in names]}}


#: Every way to fail, and good answers in odd forms.
FAULTS: tuple[Callable[[Answer], Answer], ...] = (
    bad({"status": 400, "type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"}),
    bad({"status": 401, "type": "authentication_error"}),
    bad({"status": 403, "type": "permission_error"}),
    bad({"status": 429, "type": "rate_limit_error", "headers": {"retry-after": "2"}}),
    bad({"status": 429, "type": "rate_limit_error", "headers": {"retry-after": "9999"}}),
    bad({"status": 500}),
    bad({"status": 529, "type": "overloaded_error"}),
    bad({"drop": True}),
    lambda request: diligent(request) | {"delay": 6.0},  # it hangs
    bad({"raw": b'{"type": "mess'}),
    bad({"text": "Shall I go on?"}),
    wrapped("```json\n%s\n```\nI changed one line."),
    wrapped("<think>maybe {a: 1}?</think>\n%s"),
    bad({"blocks": []}),
    lambda request: diligent(request) | {"usage": None},
    bad({"text": '{"findings": [{"kind": "fact"', "stop": "max_tokens"}),
    bad({"text": "", "stop": "refusal"}),
    shrinking,
)
GOOD = frozenset({FAULTS[11], FAULTS[12], FAULTS[14]})  # an answer came, and was paid for
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
    engine = make_engine(server, [], timeout=3.0)
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
    faults = [FAULTS[(6 * seed + number) % len(FAULTS)] for number in range(10)]  # three seeds meet them all
    chance.shuffle(faults)
    when = set(chance.sample(range(16), 10))
    asked = itertools.count()
    good: Counter[str] = Counter()

    def stormy(request: Answer) -> Answer:
        answer = faults.pop() if next(asked) in when and faults else diligent
        if pass_of(request) == "extract" and (answer is diligent or answer in GOOD):
            good.update(re.findall(r"step \d+", str(sorted(turns_of(request).values()))))
        return answer(request)

    server.answer = stormy
    world, _ = dreamt_through(tmp_path / "storm", server)
    assert not faults
    assert lines(world) == lines(undisturbed)
    assert set(good.values()) == {1}
    assert len(good) == 12
