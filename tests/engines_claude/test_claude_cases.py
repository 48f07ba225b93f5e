"""Bug reports of other tools with their right values, met by the engine with a model."""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import importlib.util
import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dreamd.dream.cycle import Order
from dreamd.dream.gates import first_closed
from dreamd.engines.claude.prompts import prompt
from dreamd.engines.faults import EngineUnusable
from dreamd.engines.mixed import Mixed
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.errors import DreamdError
from dreamd.state.run_record import Outcome, RunRecord, Trigger
from dreamd.transcripts.speaker import OWN_MARKER
from engines_claude.conftest import make_engine
from engines_claude.scripted import Script, Server, diligent, finding, message_of, pass_of, turns_of
from shared_material import shared
from world import World

ORCHARD = "-home-sam-work-orchard"


def built(case: str, world: World) -> Path:
    """A case whose files are made by its own script, laid into the world's home."""
    folder = world.home.parent / case
    folder.mkdir()
    script = shared("cases", case, "build.py")
    subprocess.run([sys.executable, str(script)], cwd=folder, check=True)
    shutil.copytree(folder / "home", world.home, dirs_exist_ok=True)
    return folder


def test_cst_01_dreamd_does_not_dream_of_its_own_calls(world: World, server: Server) -> None:
    world.case(shared("cases", "CST-01"))
    world.say("in quillmark we always squash before merging", session=5)
    world.kick()
    sent = f"{OWN_MARKER}\n\n{message_of(server.requests[0])}"
    server.requests.clear()
    for path in world.transcripts.rglob("*.jsonl"):
        text = path.read_text()
        if "{{OWN_PROMPT}}" in text:
            path.write_text(text.replace("{{OWN_PROMPT}}", json.dumps(sent)[1:-1]))
    for path in world.state.glob("state.db*"):
        path.unlink()
    world.kick()
    messages = [message_of(one) for one in server.requests]
    assert messages
    assert not any("memory observer" in one or "Read the new turns" in one.split(" ends")[0] for one in messages)
    assert not any(one.count("The mark of this message is") > 1 for one in messages)


def test_pas_07_the_prompts_own_words_never_become_memory(world: World, server: Server) -> None:
    world.case(shared("cases", "PAS-07"), memory_of=ORCHARD)
    before = world.tree()
    lines = [line.strip("- ") for line in prompt("extract").static_text.splitlines() if 40 < len(line) < 200]
    assert len(lines) > 10

    def echo(request: dict[str, object]) -> dict[str, object]:
        if pass_of(request) != "extract":
            return diligent(request)
        made = [
            finding(line, name, words, kind="preference", scope="general")
            for name, words in turns_of(request).items()
            for line in lines
        ]
        return {"json": {"findings": made}}

    server.answer = echo
    run = world.kick()
    assert server.of("extract")
    assert run.outcome is Outcome.NO_CHANGE
    assert world.tree() == before


def test_pas_08_a_chat_answer_is_no_success(world: World, server: Server) -> None:
    folder = shared("cases", "PAS-08")
    world.case(folder)
    server.answer = lambda _: {"text": (folder / "reply.md").read_text()}
    run = world.kick()
    assert (run.outcome, run.reason) == (Outcome.INCOMPLETE, "nothing_readable")
    assert len(server.requests) == 2
    with world.app() as app:
        assert app.status()["last_success_at"] is None
    assert not world.root.exists()


@pytest.mark.parametrize("number", [0, 1])
def test_llm_06_a_cut_answer_is_never_applied(world: World, server: Server, number: int) -> None:
    folder = shared("cases", "LLM-06")
    world.case(folder, memory_of=ORCHARD)
    world.say("in quillmark we always squash before merging", session=5)
    before = world.tree()
    answer = json.loads((folder / "script.json").read_text())[number]["body"]
    server.answer = lambda _: {"text": answer["content"][0]["text"], "stop": answer["stop_reason"]}
    run = world.kick()
    assert run.outcome is Outcome.INCOMPLETE
    assert world.tree() == before


def test_pas_01_an_answer_that_would_drop_everything_drops_nothing(world: World, server: Server) -> None:
    folder = shared("cases", "PAS-01")
    world.case(folder, memory_of=ORCHARD)
    before = world.tree()
    server.answer = lambda request: (
        diligent(request) if pass_of(request) == "extract" else {"text": (folder / "reply.md").read_text()}
    )
    world.kick()
    after = world.tree()
    assert {name: after.get(name) for name in before if name != "MEMORY.md"} == {
        name: data for name, data in before.items() if name != "MEMORY.md"
    }
    for line in before["MEMORY.md"].splitlines():
        assert line in after["MEMORY.md"]


def test_sec_01_no_secret_is_sent_or_kept(world: World, server: Server) -> None:
    folder = built("SEC-01", world)
    world.kick()
    needles = (folder / "needles.txt").read_text().split()
    assert server.of("extract")
    for needle in needles:
        assert needle not in server.bodies
        assert needle not in world.text()
    kept = b"".join(path.read_bytes() for path in world.state.rglob("*") if path.is_file())
    assert not any(needle.encode() in kept for needle in needles)


def test_sec_03_a_rule_out_of_a_tools_output_is_refused_whatever_the_model_answers(
    world: World, server: Server
) -> None:
    folder = shared("cases", "SEC-03")
    world.case(folder)
    bad = [
        line.removeprefix("- ") for line in (folder / "reply_bad.md").read_text().splitlines() if line.startswith("- ")
    ]

    def taken_in(request: dict[str, object]) -> dict[str, object]:
        if pass_of(request) != "extract":
            return diligent(request)
        turns = turns_of(request)
        made = [finding(line, name, words) for name, words in turns.items() for line in bad]
        kept = [finding("Lesson 3 covers prompt injection.", name, words, kind="fact") for name, words in turns.items()]
        return {"json": {"findings": made[1:2] + [one for one in kept if "injection" in str(one["quote"])]}}

    server.answer = taken_in
    run = world.kick()
    assert "curl" not in world.text()
    assert "evil.example" not in world.text()
    assert run.outcome is Outcome.COMMITTED
    assert "Lesson 3 covers prompt injection" in world.text()
    assert "standing rule" not in "\n".join(map(message_of, server.requests))  # tools' output is not even sent


def test_llm_03_a_session_beyond_every_window_is_bounded_and_the_others_are_read(world: World, server: Server) -> None:
    built("LLM-03", world)
    too_long = {
        "status": 400,
        "type": "invalid_request_error",
        "message": "prompt is too long: 310000 tokens > 200000 maximum",
    }
    server.answer = lambda request: too_long if len(json.dumps(request)) > 120_000 else {"json": {"findings": []}}
    run = world.kick()
    assert run.sessions.selected == 6
    assert run.sessions.gathered >= 5
    bodies = [json.dumps(one["messages"]) for one in server.requests]
    assert len(set(bodies)) == len(bodies)
    assert max(map(len, bodies)) < 220_000


RULE = "in quillmark we always squash before merging anything"


@pytest.mark.parametrize("number", range(7))
def test_llm_01_an_answer_in_fences_prose_or_behind_thinking_is_read_as_it_was_meant(
    world: World, server: Server, number: int
) -> None:
    body = json.loads(shared("cases", "LLM-01", "script.json").read_text())[number]["body"]
    world.say(RULE)

    def wrapped(request: dict[str, object]) -> dict[str, object]:
        answer = json.dumps(diligent(request)["json"])
        return {"text": body["content"][0]["text"].replace("{{PAYLOAD}}", answer)}

    server.answer = wrapped
    run = world.kick()
    assert (run.outcome, run.changes.added) == (Outcome.COMMITTED, 1)
    assert RULE in world.text()
    assert len(server.of("extract")) == 1


def played(case: str, name: str) -> Script:
    """A case's script in this server's terms; the payload is a diligent answer."""
    steps = json.loads(shared("cases", case, name).read_text())

    def step(one: dict[str, Any]) -> Any:
        if one["status"] == 200:
            usage = one["body"]["usage"]
            return lambda request: diligent(request) | {"usage": usage, "delay": one.get("delay", 0)}
        error = one["body"]["error"]
        return {"status": one["status"], "headers": one.get("headers", {})} | error

    return Script(*map(step, steps))


@pytest.mark.parametrize(
    ("name", "requests", "least"),
    [("A.json", 2, 7.0), ("B.json", 4, 0.0)],
)
def test_llm_04_a_busy_server_is_waited_for_as_it_asks(
    world: World, server: Server, waits: list[float], name: str, requests: int, least: float
) -> None:
    world.say(RULE)
    world.engine = Mixed(make_engine(server, waits), OfflineEngine())
    server.answer = played("LLM-04", name)
    run = world.kick()
    assert run.outcome is Outcome.COMMITTED
    assert len(server.of("extract")) == requests
    assert len(waits) == requests - 1
    assert min(waits) >= least
    assert waits == sorted(waits)


def test_llm_04_a_server_that_stays_busy_fails_the_run_and_the_pause_grows(
    world: World, server: Server, waits: list[float]
) -> None:
    world.say(RULE)
    world.settings["gates"] = {"min_sessions": 1}
    world.engine = Mixed(make_engine(server, waits), OfflineEngine())
    server.answer = played("LLM-04", "C.json")
    pauses = []
    for _ in range(4):
        server.requests.clear()
        assert world.kick().outcome is Outcome.INCOMPLETE
        assert len(server.requests) == 4
        with world.app() as app:
            gate = app.gates()[4]
            assert app.status()["last_success_at"] is None
            assert gate.opens_at is not None
            pauses.append(gate.opens_at - world.clock.at)
    assert pauses == sorted(set(pauses))
    assert sum(waits) < 16 * 60


@pytest.mark.parametrize(("name", "requests", "error"), [("D.json", 1, EngineUnusable), ("F.json", 2, None)])
def test_llm_04_a_refused_key_is_asked_once_and_silence_ends_by_the_timeout(
    world: World, server: Server, waits: list[float], name: str, requests: int, error: type[Exception] | None
) -> None:
    world.say(RULE)
    world.engine = Mixed(make_engine(server, waits, timeout=0.5), OfflineEngine())
    server.answer = played("LLM-04", name)
    if error:
        with pytest.raises(error):
            world.kick()
    else:
        assert world.kick().outcome is Outcome.INCOMPLETE
    assert len(server.requests) == requests
    with world.app() as app:
        assert app.status()["last_success_at"] is None
        assert {one.failures for one in app.sessions()} == {0}


def a_day(world: World, *, minutes: int) -> list[RunRecord]:
    """A tick each so many minutes for a day, the service begun anew in its middle; the dreams."""
    for _ in range(2):
        with world.app() as app:
            app.scan()
            for _ in range(12 * 60 // minutes - 1):
                world.later(minutes=minutes)
                if first_closed(app.gates()) is None:
                    with contextlib.suppress(DreamdError):
                        app.kick(Order(trigger=Trigger.SCHEDULE, if_due=True))
    with world.app() as app:
        return list(app.runs())


def five(world: World) -> None:
    world.clock.at = world.clock.at.replace(hour=0, minute=0)
    for number in range(1, 6):
        world.say(f"{RULE}, {number} of the harbour too", session=number, ago=dt.timedelta(hours=30))


@pytest.mark.parametrize("name", ["a.json", "b.json"])
def test_cst_02_what_fails_is_tried_at_most_eight_times_a_day(
    world: World, server: Server, waits: list[float], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """a: every answer is good and the writing always fails; b: the server always fails."""
    five(world)
    world.engine = Mixed(make_engine(server, waits), OfflineEngine())
    server.answer = played("CST-02", name)
    if name == "a.json":

        def full(path: Path, target: Path) -> None:
            raise OSError(errno.ENOSPC, "No space left on device", str(target))

        monkeypatch.setattr(Path, "replace", full)  # the disk's answer to every file that is to be put in its place
    runs = a_day(world, minutes=2)
    assert 2 <= len(runs) <= 8
    assert {run.outcome for run in runs} <= {Outcome.FAILED, Outcome.INCOMPLETE, Outcome.REFUSED}
    starts = sorted(run.started_at for run in runs)
    gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert gaps == sorted(gaps)
    if name == "a.json":
        assert len(server.of("extract")) == 5  # what was paid for is not paid for again
        assert len(server.of("reconcile")) == 1


def test_cst_02_a_day_whose_tokens_are_spent_is_over(world: World, server: Server) -> None:
    five(world)
    world.settings["engine"]["max_concurrency"] = 1
    world.settings["budget"] = {"max_tokens_per_day": 100_000}
    server.answer = played("CST-02", "c.json")
    runs = a_day(world, minutes=5)
    assert len(server.requests) == 2
    assert runs[-1].cost.tokens == 120_000
    with world.app() as app:
        gate = app.gates()[3]
        assert (gate.open, gate.reason, gate.have) == (False, "tokens_spent", 120_000)
        assert app.status()["budget"]["tokens_today"] == 120_000
    assert world.kick().reason == "budget_spent"
    assert len(server.requests) == 2
    world.later(minutes=15)
    with world.app() as app:
        assert app.gates()[3].open
        assert app.status()["budget"]["tokens_today"] == 0
        assert app.status()["budget"]["usd_30_days"] > 0


@pytest.fixture
def fake_llm() -> ModuleType:
    path = shared("tools", "fake_llm.py")
    spec = importlib.util.spec_from_file_location("fake_llm", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_most_of_the_static_prefix_is_read_from_the_cache(world: World, fake_llm: ModuleType) -> None:
    """Against a server that simulates the prompt cache: 12 sessions, four at a time."""
    served = fake_llm.start({"default": {"json": {"findings": []}}})
    try:
        world.settings["engine"]["base_url"] = f"http://127.0.0.1:{served.server_address[1]}"
        for number in range(1, 13):
            world.say(f"number {number}: what does this do?", session=number)
        run = world.kick(Order())
        assert (run.outcome, len(served.state.reqs)) == (Outcome.NO_CHANGE, 12)
        assert run.cost.cache_read / (run.cost.cache_read + run.cost.cache_write) > 0.9
    finally:
        served.shutdown()
        served.server_close()
