"""Bug reports of other tools with their right values, met by the engine with a model."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from dreamd.dream.cycle import Order
from dreamd.engines.claude.prompts import prompt
from dreamd.state.run_record import Outcome
from dreamd.transcripts.speaker import OWN_MARKER
from engines_claude.scripted import Server, diligent, finding, message_of, pass_of, turns_of
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
