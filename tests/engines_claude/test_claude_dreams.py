"""Whole dreams whose engine asks a model: what is sent, what it costs, what happens when it fails."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamd.cli.wording import exit_status
from dreamd.dream.cycle import Order
from dreamd.dream.progress import Step
from dreamd.engines.claude.limits import Limits
from dreamd.engines.faults import EngineUnusable
from dreamd.engines.mixed import Mixed
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.errors import ConfigError, Interrupted, UsageError
from dreamd.state.records import SessionState
from dreamd.state.run_record import Outcome
from engines_claude.conftest import make_engine
from engines_claude.scripted import Script, Server, diligent, finding, message_of, pass_of, proposal, turns_of
from world import World

RULES = (
    "in quillmark we always squash before merging anything",
    "never edit the lock file of tideglass by hand",
    "the staging server of harbour runs on the blue profile",
)


TWO = ("Explain things once.", "Say in one line that you are done.")


def three_sessions(world: World) -> None:
    for number, rule in enumerate(RULES, start=1):
        world.say(rule, session=number, ago=dt.timedelta(hours=2 + number))


def test_a_dream_commits_what_was_typed_and_a_second_one_asks_nothing(world: World, server: Server) -> None:
    three_sessions(world)
    run = world.kick()
    assert (run.outcome, run.reason, run.engine) == (Outcome.COMMITTED, "committed", "claude")
    assert run.sessions.gathered == 3
    for rule in RULES:
        assert rule in world.text()
    assert len(server.of("extract")) == 3
    assert len(server.of("reconcile")) == 1
    before = world.tree()
    world.later(hours=1)
    assert world.kick().reason == "nothing_pending"
    assert len(server.requests) == 4
    assert world.tree() == before


def test_the_static_prefix_is_the_same_for_all_calls_of_a_pass_and_read_from_the_cache(
    world: World, server: Server
) -> None:
    three_sessions(world)
    first = world.kick()
    world.later(days=3)
    world.say("releases of mortar are cut on the second Tuesday", project="mortar", session=9)
    second = world.kick()
    prefixes = {json.dumps([one["model"], one["system"]]) for one in server.of("extract")}
    assert len(prefixes) == 1
    sizes = [first.cost.cache_write, first.cost.cache_read]
    assert all(sizes)
    assert second.cost.cache_write == 0
    assert second.cost.cache_read > 0
    share = first.cost.cache_read / (first.cost.cache_read + first.cost.cache_write)
    assert share > 0.4  # two of three calls found it; with more sessions it goes to 1


def test_every_call_is_booked_with_its_price(world: World, server: Server) -> None:
    world.say(RULES[0])
    run = world.kick()
    assert run.cost.usd > 0
    with world.app() as app:
        told = app.status()
    assert told["budget"]["tokens_today"] == run.cost.tokens  # type: ignore[index]
    assert told["budget"]["usd_today"] == pytest.approx(run.cost.usd)  # type: ignore[index]
    assert told["engine"]["model"] == "claude-haiku-5-5 + claude-sonnet-5-5"  # type: ignore[index]


def stop_at(name: str) -> Callable[[Step], None]:
    def watch(step: Step) -> None:
        if step.name == name:
            raise KeyboardInterrupt

    return watch


@pytest.mark.parametrize("where", ["consolidate", "prune", "commit"])
def test_a_dream_that_dies_before_its_commit_pays_nothing_twice(world: World, server: Server, where: str) -> None:
    three_sessions(world)
    world.say("answer me briefly whatever I ask of you", project="mortar", session=7)
    with world.app() as app, pytest.raises(Interrupted):
        app.kick(Order(), stop_at(where))
    asked = len(server.of("reconcile"))
    assert len(server.of("extract")) == 4
    assert asked == (0 if where == "consolidate" else 1)
    run = world.kick()
    assert run.outcome is Outcome.COMMITTED
    assert len(server.of("extract")) == 4
    assert len(server.of("reconcile")) == 1
    assert not list((world.state / "answers").iterdir()) if (world.state / "answers").exists() else True


def test_what_memory_knows_is_met_by_the_model_and_only_it_may_be_changed(world: World, server: Server) -> None:
    """PAS-02: a superseded value is replaced and the rest of the line stays; a person's own line never changes."""
    world.root.mkdir(parents=True)
    (world.root / "projects").mkdir()
    (world.root / "projects" / "orchard.md").write_text("- Deploy orchard with node 18 on Mondays.\n")
    world.say("the gateway of orchard listens on port 4100 and needs the blue profile")
    world.kick()
    world.later(days=1)
    world.say("the gateway of orchard listens on port 4200 now", session=2)

    def answer(request: dict[str, object]) -> dict[str, object]:
        if pass_of(request) == "extract":
            return diligent(request)
        lines = {
            part.split("\n")[0].split()[1]: part.split("\n")[1] for part in message_of(request).split("\n--- ")[1:]
        }
        mine = next(name for name, text in lines.items() if name.startswith("e") and "4100" in text)
        text = "The gateway of orchard listens on port 4200 and needs the blue profile."
        return {"json": {"proposals": [proposal("supersede", ["f1"], mine, text, "newer_value")]}}

    server.answer = answer
    run = world.kick()
    assert (run.outcome, run.changes.superseded) == (Outcome.COMMITTED, 1)
    assert "port 4200 and needs the blue profile" in world.text()
    assert "4100" not in world.text()
    assert "- Deploy orchard with node 18 on Mondays.\n" in world.text()


@pytest.mark.parametrize(
    "bad",
    [
        proposal("merge", ["f1"], "e1", "The gateway listens.", "repeated"),
        proposal("supersede", ["f1"], "e1", "[… the rest stays as it is …]", "newer_value"),
        proposal(
            "merge", ["f1"], "e1", "The gateway of orchard listens on port 9999 and needs the blue profile.", "repeated"
        ),
    ],
)
def test_an_answer_that_shrinks_or_invents_leaves_the_words_as_they_were(
    world: World, server: Server, bad: dict[str, object]
) -> None:
    world.say("the gateway of orchard listens on port 4100 and needs the blue profile")
    world.kick()
    world.later(days=1)
    world.say("as I said the gateway of orchard listens on port 4100", session=2)
    server.answer = lambda request: (
        diligent(request) if pass_of(request) == "extract" else {"json": {"proposals": [bad]}}
    )
    world.kick()
    assert "port 4100" in world.text()
    assert "9999" not in world.text()
    assert "the rest stays" not in world.text()


def test_what_a_run_may_not_pay_for_waits_and_nothing_is_consumed(world: World, server: Server) -> None:
    three_sessions(world)
    world.settings["budget"] = {"max_tokens_per_run": 4_000}
    run = world.kick()
    assert (run.outcome, run.reason, run.sessions.deferred) == (Outcome.INCOMPLETE, "budget_spent", 3)
    assert exit_status(run) == 5
    assert server.requests == []
    world.settings["budget"] = {"max_usd_per_run": 0.0}
    assert world.kick().reason == "budget_spent"
    with world.app() as app:
        assert {one.state(world.clock.at, dt.timedelta(minutes=30)) for one in app.sessions()} == {SessionState.PENDING}
        assert {one.failures for one in app.sessions()} == {0}
    assert server.requests == []


def test_a_run_commits_what_its_money_reached_and_the_next_goes_on(world: World, server: Server) -> None:
    """CST-02 c."""
    three_sessions(world)
    server.answer = lambda request: diligent(request) | {"usage": {"input_tokens": 55_000, "output_tokens": 5_000}}
    world.settings["budget"] = {"max_tokens_per_day": 183_000, "max_tokens_per_run": 122_000}
    world.settings["engine"]["max_concurrency"] = 1
    run = world.kick()
    assert (run.outcome, run.reason) == (Outcome.INCOMPLETE, "budget_spent")  # two read, nothing left to order them
    assert run.cost.tokens == 120_000
    assert run.sessions.deferred == 1
    again = world.kick()
    assert (again.reason, again.cost.tokens) == ("budget_spent", 60_000)
    assert world.kick().cost.tokens == 0
    world.later(days=1)
    world.kick()
    for rule in RULES:
        assert rule in world.text()
    assert len(server.of("extract")) == 3


def world_gates(world: World) -> tuple:
    with world.app() as app:
        return app.gates()


def test_words_of_an_offline_project_are_never_sent_and_still_remembered(world: World, server: Server) -> None:
    world.projects = [{"path": "/home/sam/work/client", "engine": "offline"}]
    world.say(
        "We always use pnpm in this repo, never npm.",
        "Never push without asking me first.",
        project="client",
        session=1,
    )
    world.kick()
    assert server.requests == []
    assert "pnpm" in world.text()
    assert "push without asking" in world.text()
    world.later(days=1)
    world.say("explain things to me once, not twice please", "and once you are done say so in one line", session=2)
    world.say("We always use pnpm in this repo, yarn never.", project="client", session=3)
    server.answer = lambda request: (
        {
            "json": {
                "findings": [
                    finding(text, name, words, kind="preference", scope="general")
                    for (name, words), text in zip(turns_of(request).items(), TWO, strict=False)
                ]
            }
        }
        if pass_of(request) == "extract"
        else diligent(request)
    )
    run = world.kick()
    assert run.outcome is Outcome.COMMITTED
    assert "Explain things once." in world.text()
    assert server.requests
    said = "\n".join(map(message_of, server.requests))
    for word in ("pnpm", "push without asking", "yarn", "client"):
        assert word not in said, word
    assert "Explain things once" in "\n".join(map(message_of, server.of("reconcile")))


def test_memory_of_unknown_origin_is_not_sent_where_a_project_is_private(world: World, server: Server) -> None:
    """A lost database: nobody knows which entry rests on private words, so none goes."""
    world.projects = [{"path": "/home/sam/work/client", "engine": "offline"}]
    world.say("Never push without asking me first.", project="client", session=1)
    world.kick()
    for path in world.state.glob("state.db*"):
        path.unlink()
    world.later(days=1)
    world.say("explain things to me once, not twice please", "in future tell me before you merge anything", session=2)
    server.answer = lambda request: (
        {
            "json": {
                "findings": [
                    finding(words.capitalize() + ".", name, words, kind="preference", scope="general")
                    for name, words in turns_of(request).items()
                ]
            }
        }
        if pass_of(request) == "extract"
        else diligent(request)
    )
    world.kick()
    assert server.of("reconcile")
    assert "push without asking" not in server.bodies


def test_a_secret_reaches_neither_a_request_nor_memory(world: World, server: Server) -> None:
    secret = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    world.say(f"the staging key of orchard was rotated, it is {secret} now", answer=f"I exported {secret}.")
    world.kick()
    assert server.requests
    assert secret not in server.bodies
    assert secret not in world.text()


def test_a_refused_key_ends_the_run_and_blames_no_session(world: World, server: Server) -> None:
    three_sessions(world)
    server.answer = lambda _: {"status": 401, "type": "authentication_error"}
    with pytest.raises(EngineUnusable):
        world.kick()
    assert len(server.requests) == 1
    with world.app() as app:
        assert app.runs()[0].outcome is Outcome.FAILED
        assert {one.failures for one in app.sessions()} == {0}
        assert app.status()["last_success_at"] is None


def test_a_server_that_goes_away_in_the_middle_leaves_what_was_read_and_the_rest_pending(
    world: World, server: Server, waits: list[float]
) -> None:
    three_sessions(world)
    world.settings["engine"]["max_concurrency"] = 1
    world.engine = Mixed(make_engine(server, waits), OfflineEngine())
    gone = {"status": 529, "type": "overloaded_error"}
    server.answer = Script(diligent, gone, gone, gone, gone, diligent)
    run = world.kick()
    assert (run.outcome, run.reason) == (Outcome.COMMITTED, "committed_deferred")
    assert (run.sessions.gathered, run.sessions.deferred) == (1, 2)
    run = world.kick()
    assert (run.outcome, run.sessions.gathered) == (Outcome.COMMITTED, 2)
    for rule in RULES:
        assert rule in world.text()


def test_a_server_that_is_away_makes_the_run_incomplete(world: World, server: Server, waits: list[float]) -> None:
    three_sessions(world)
    world.engine = Mixed(make_engine(server, waits), OfflineEngine())
    server.answer = lambda _: {"status": 500}
    run = world.kick()
    assert (run.outcome, run.reason, run.sessions.deferred) == (Outcome.INCOMPLETE, "engine_busy", 3)
    assert len(server.requests) == 4
    assert world_gates(world)[4].reason == "failed"
    server.answer = Script(diligent, diligent, diligent, {"status": 500})
    run = world.kick()
    assert (run.outcome, run.reason) == (Outcome.INCOMPLETE, "engine_busy")
    server.answer = diligent
    assert world.kick().outcome is Outcome.COMMITTED
    assert len({message_of(one).split("transcript begins")[1] for one in server.of("extract")}) >= 3


def test_prose_instead_of_structure_is_no_success_and_put_aside_after_three_nights(
    world: World, server: Server
) -> None:
    """PAS-08."""
    world.say(RULES[0])
    server.answer = lambda _: {"text": "The migration is finished.\n\n- [ ] run the suite\n\nShall I commit it now?"}
    for night in range(3):
        run = world.kick()
        assert (run.outcome, run.reason) == (Outcome.INCOMPLETE, "nothing_readable")
        assert run.sessions.quarantined == (1 if night == 2 else 0)
        assert run.cost.tokens > 0
    assert len(server.requests) == 6
    assert not world.root.exists()
    world.kick()
    assert len(server.requests) == 6


def test_a_topic_that_the_model_cannot_order_is_ordered_by_rules(world: World, server: Server) -> None:
    three_sessions(world)
    server.answer = lambda request: diligent(request) if pass_of(request) == "extract" else {"text": "Let me think."}
    run = world.kick()
    assert run.outcome is Outcome.COMMITTED
    assert len(server.of("reconcile")) == 2
    assert "squash" in world.text()


def test_a_missing_key_is_a_problem_of_the_configuration(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    world.settings["engine"] = {"name": "claude"}
    world.say(RULES[0])
    with pytest.raises(ConfigError) as caught:
        world.kick()
    assert caught.value.exit_status == 3
    assert "ANTHROPIC_API_KEY" in caught.value.hint
    with world.app() as app:
        assert app.status()["consecutive_failures"] == 1  # so that the service backs off


def test_one_run_can_have_another_engine(world: World, server: Server) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    assert world.kick(Order(engine="offline")).engine == "offline"
    assert server.requests == []
    world.settings["engine"] = {"base_url": server.url}
    world.later(days=1)
    world.say(RULES[0], session=2)
    assert world.kick(Order(engine="claude")).engine == "claude"
    assert server.requests
    with pytest.raises(UsageError):
        world.kick(Order(engine="gpt"))


def test_the_estimate_is_of_the_order_of_the_bill(world: World, server: Server) -> None:
    for number in range(1, 7):
        world.say(*RULES, session=number, ago=dt.timedelta(hours=2 + number))
    with world.app() as app:
        app.scan()
        forecast = app.forecast()
        assert app.status()["budget"]["next_dream_estimate"]["tokens"] == forecast.cost.tokens  # type: ignore[index]
        assert app.forecast("offline").cost.tokens == 0
    assert (forecast.sessions, forecast.turns) == (6, 18)
    run = world.kick()
    assert 0.2 < forecast.cost.tokens / run.cost.tokens < 5
    assert server.requests


@pytest.mark.parametrize("hangs", ["first", "others"])
def test_sigterm_gets_out_of_a_call_that_hangs(tmp_path: Path, server: Server, hangs: str) -> None:
    world = World(tmp_path / "home")
    world.clock.at = dt.datetime.now(dt.UTC)
    three_sessions(world)
    asked = Script(*([diligent] if hangs == "others" else []), lambda r: diligent(r) | {"delay": 60})
    server.answer = asked
    environ = {
        "HOME": str(world.home),
        "PATH": "/usr/bin:/bin",
        "DREAMD_ENGINE__NAME": "claude",
        "DREAMD_ENGINE__BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "test-key-of-nobody",
    }
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("dreamd")), "kick", "--json"],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        until = time.monotonic() + 60
        while len(server.requests) < (1 if hangs == "first" else 3) and time.monotonic() < until:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGTERM)
        _, told = process.communicate(timeout=8)
    finally:
        process.kill()
    assert process.returncode == 130, told


def test_of_a_long_session_whose_reading_breaks_off_only_the_rest_is_read_again(
    world: World, server: Server, waits: list[float]
) -> None:
    """Each piece is paid for once, whatever becomes of the next."""
    world.engine = Mixed(make_engine(server, waits, limits=Limits(context_window=10_000)), OfflineEngine())
    world.say(*[f"the limit of queue {n} is {n}00 entries, {'however long it takes ' * 20}" for n in range(40)])
    busy = {"status": 529, "type": "overloaded_error"}
    server.answer = Script(diligent, diligent, *[busy] * 4, diligent)
    run = world.kick()
    assert (run.sessions.gathered, run.sessions.deferred) == (0, 1)
    read = [set(turns_of(one).values()) for one in server.of("extract")]
    assert len(read) == 2 + 4
    run = world.kick()
    assert run.sessions.gathered == 1
    again = [set(turns_of(one).values()) for one in server.of("extract")][6:]
    assert again[0] & read[2]
    assert not (read[0] | read[1]) & set().union(*again)
    assert len(set().union(*read, *again)) == 40
