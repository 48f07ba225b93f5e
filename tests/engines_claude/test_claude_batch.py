"""Gather by Message Batches: sent once, parked with the lock free, collected later for half the price, never paid for twice."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dreamd.cli.wording import exit_status
from dreamd.dream.cycle import Order
from dreamd.dream.spending import purse
from dreamd.engines.costly import Ahead
from dreamd.engines.faults import EngineUnusable
from dreamd.errors import ConfigError, UsageError
from dreamd.service.purge import purge_state
from dreamd.service.spec import spec_of
from dreamd.state.records import SessionState
from dreamd.state.run_record import Outcome, RunRecord, Trigger
from engines_claude.scripted import Server, diligent, message_of, pass_of, proposal
from world import World, dreamd

RULES = (
    "in quillmark we always squash before merging anything",
    "never edit the lock file of tideglass by hand",
    "the staging server of harbour runs on the blue profile",
)


@pytest.fixture
def waiting(world: World, server: Server) -> RunRecord:
    """Three sessions sent off as one batch that the server works on."""
    server.polls = 1
    return sent(world)


def sent(world: World) -> RunRecord:
    world.settings["engine"]["batch"] = True
    for number, rule in enumerate(RULES, start=1):
        world.say(rule, session=number, ago=dt.timedelta(hours=2 + number))
    return world.kick()


def posts(server: Server) -> int:
    return server.asked.count("POST /v1/messages/batches")


def remembered(world: World) -> bool:
    return all(rule in world.text() for rule in RULES)


def test_a_dream_sends_one_batch_and_parks_with_the_lock_free(world: World, server: Server, waiting: RunRecord) -> None:
    assert (waiting.outcome, waiting.reason, waiting.cost.tokens) == (Outcome.WAITING, "batch", 0)
    assert exit_status(waiting) == 0
    assert posts(server) == 1
    (batch,) = server.batches.values()
    assert len(batch.requests) == 3
    assert not world.root.exists()
    with world.app() as app:
        told = app.status()
        assert told["dreaming"] is None
        assert told["batch"]["id"] == batch.id
        assert (told["batch"]["run"], told["batch"]["requests"]) == (waiting.id, 3)
        gate = app.gates()[0]
        assert (gate.open, gate.reason) == (False, "waiting_for_batch")
        assert gate.opens_at == world.clock.at + dt.timedelta(seconds=60)
        assert {one.state(world.clock.at, dt.timedelta(minutes=30)) for one in app.sessions()} == {SessionState.PENDING}


def test_what_is_not_ready_waits_on_and_is_looked_at_less_and_less_often(
    world: World, server: Server, waiting: RunRecord
) -> None:
    server.batches["msgbatch_1"].polls = 99
    looks = []
    for _ in range(8):
        world.later(minutes=30)
        assert world.kick().id == waiting.id
        with world.app() as app:
            looks.append((app.gates()[0].opens_at or world.clock.at) - world.clock.at)
            assert len(app.runs()) == 1
    assert looks[0] == dt.timedelta(minutes=15)
    assert looks[-1] == dt.timedelta(minutes=30)
    assert posts(server) == 1


def test_a_later_kick_collects_it_consolidates_and_ends_the_run(
    world: World, server: Server, waiting: RunRecord
) -> None:
    """The answers come in another order, from the server that was asked, whatever address it names."""
    world.later(minutes=10)
    assert world.kick().outcome is Outcome.WAITING
    world.later(minutes=10)
    run = world.kick()
    assert (run.id, run.outcome, run.reason) == (waiting.id, Outcome.COMMITTED, "committed")
    assert (run.started_at, run.sessions.gathered, run.sessions.deferred) == (waiting.started_at, 3, 0)
    assert {one.name for one in run.passes} >= {"orient", "gather", "consolidate", "prune"}
    assert remembered(world)
    assert posts(server) == 1
    assert len(server.of("extract")) == 3
    world.later(hours=1)
    assert world.kick().reason == "nothing_pending"
    with world.app() as app:
        assert app.status()["batch"] is None
        assert app.shop.batches.under_way() == frozenset()


def test_a_batch_costs_half_and_is_booked_when_it_is_collected(world: World, server: Server) -> None:
    """The same sessions, the same counts of the server: half the price for reading, the full one for ordering."""
    usage = {"input_tokens": 4_000, "output_tokens": 400}
    server.answer = lambda request: diligent(request) | {"usage": usage}
    sent(world)
    world.later(minutes=10)
    run = world.kick()
    reading = 3 * (4_000 * 0.10 + 400 * 0.50) / 1e6
    ordering = (4_000 * 2.0 + 400 * 10.0) / 1e6
    assert run.cost.usd == pytest.approx(reading / 2 + ordering)
    with world.app() as app:
        assert app.status()["budget"]["usd_today"] == pytest.approx(run.cost.usd)


def test_the_estimate_knows_the_half_price(world: World, server: Server) -> None:
    for number in range(1, 13):
        world.say(*RULES, session=number, ago=dt.timedelta(hours=2))
    estimates = []
    for batch in (False, True):
        world.settings["engine"]["batch"] = batch
        with world.app() as app:
            app.scan()
            forecast = app.forecast().cost
            ordering = app.shop.engine.estimate(Ahead([[1]], 0)).usd
        estimates.append((forecast.tokens, forecast.usd))
        assert ordering > 0
    (tokens, usd), (same_tokens, less) = estimates
    assert tokens == same_tokens
    assert 0.5 < less / usd < 1


def test_scheduled_dreams_pause_and_the_due_look_collects(world: World, server: Server, waiting: RunRecord) -> None:
    world.settings["gates"] = {"min_sessions": 1, "min_interval": "1s"}
    world.later(hours=3)
    world.say("releases of mortar are cut on the second Tuesday", project="mortar", session=9)
    order = Order(trigger=Trigger.SCHEDULE, if_due=True)
    assert world.kick(order).outcome is Outcome.WAITING
    world.later(hours=1)
    run = world.kick(order)
    assert (run.id, run.outcome, run.sessions.gathered) == (waiting.id, Outcome.COMMITTED, 3)
    assert "Tuesday" not in world.text()
    assert posts(server) == 1


@pytest.mark.parametrize("shut", ["paused", "disabled"])
def test_a_pause_holds_for_collecting_too(world: World, server: Server, waiting: RunRecord, shut: str) -> None:
    server.batches["msgbatch_1"].polls = 0
    world.later(hours=1)
    if shut == "paused":
        with world.app() as app:
            app.shop.marks.set("paused_until", world.clock.at + dt.timedelta(hours=1))
    else:
        world.settings["schedule"] = {"enabled": False}
    dreamt = world.dream(Order(trigger=Trigger.SCHEDULE, if_due=True))
    assert dreamt.closed is not None
    assert dreamt.closed.reason == shut
    assert world.kick().outcome is Outcome.COMMITTED


def test_items_that_expired_or_failed_are_read_by_single_calls(world: World, server: Server) -> None:
    sent(world)
    (batch,) = server.batches.values()
    first, second, _ = batch.requests
    batch.fates = {first: "expired", second: "errored"}
    world.later(hours=25)
    run = world.kick()
    assert (run.outcome, run.sessions.gathered) == (Outcome.COMMITTED, 3)
    assert remembered(world)
    assert posts(server) == 1
    assert len(server.of("extract")) == 3 + 2


def test_an_answer_that_cannot_be_used_is_paid_for_and_asked_for_singly(world: World, server: Server) -> None:
    sent(world)
    (batch,) = server.batches.values()
    prose, cut, _ = batch.requests
    usage = {"input_tokens": 1_000, "output_tokens": 10}
    told = {
        prose: {"text": "Shall I go on?", "usage": usage},
        cut: {"text": '{"findings": [', "stop": "max_tokens", "usage": usage},
    }
    bodies = {json.dumps(batch.requests[name]): answer for name, answer in told.items()}
    server.answer = lambda request: bodies.pop(json.dumps(request), None) or diligent(request)
    run = world.kick()
    assert (run.outcome, run.sessions.gathered, run.sessions.quarantined) == (Outcome.COMMITTED, 3, 0)
    assert remembered(world)
    assert run.cost.input > 2_000


def test_a_results_file_that_breaks_off_is_read_again_later(world: World, server: Server) -> None:
    sent(world)
    (batch,) = server.batches.values()
    batch.fates = {next(iter(batch.requests)): "absent"}
    world.later(minutes=5)
    assert world.kick().outcome is Outcome.WAITING
    batch.fates = {}
    assert world.kick().outcome is Outcome.COMMITTED
    assert len(server.of("extract")) == 3


def test_a_server_that_is_away_is_looked_at_later(world: World, server: Server, waiting: RunRecord) -> None:
    server.batches["msgbatch_1"].polls = -1
    server.away = True
    assert world.kick().outcome is Outcome.WAITING
    server.away = False
    assert world.kick().outcome is Outcome.COMMITTED


def test_a_batch_that_the_server_has_forgotten_counts_as_paid_and_is_read_singly(
    world: World, server: Server, waiting: RunRecord
) -> None:
    server.gone.add("msgbatch_1")
    with world.app() as app:
        held = app.shop.batches.held()
    run = world.kick()
    assert (run.outcome, run.sessions.gathered) == (Outcome.COMMITTED, 3)
    assert run.cost.tokens > held.tokens
    assert posts(server) == 1


def test_money_is_looked_at_before_anything_is_sent(world: World, server: Server) -> None:
    world.settings["budget"] = {"max_tokens_per_run": 4_000}
    run = sent(world)
    assert (run.outcome, run.reason, run.sessions.deferred) == (Outcome.INCOMPLETE, "budget_spent", 3)
    assert exit_status(run) == 5
    assert posts(server) == 0
    world.settings["budget"] = {"max_usd_per_day": 0.0}
    assert world.kick().reason == "budget_spent"
    assert posts(server) == 0


def test_what_the_money_does_not_reach_stays_pending(world: World, server: Server) -> None:
    with_room_for_one = 12_000
    world.settings["budget"] = {"max_tokens_per_run": with_room_for_one}
    run = sent(world)
    assert (run.outcome, run.sessions.deferred) == (Outcome.WAITING, 2)
    assert len(server.batches["msgbatch_1"].requests) == 1
    run = world.kick()
    assert (run.outcome, run.reason) == (Outcome.COMMITTED, "committed_deferred")
    assert (run.sessions.gathered, run.sessions.deferred) == (1, 2)
    assert len(server.of("extract")) == 1
    with world.app() as app:
        states = [one.state(world.clock.at, dt.timedelta(minutes=30)) for one in app.sessions()]
    assert sorted(states) == [SessionState.CONSOLIDATED, SessionState.PENDING, SessionState.PENDING]


def test_what_is_under_way_counts_against_the_day(world: World, server: Server, waiting: RunRecord) -> None:
    with world.app() as app:
        held = app.shop.batches.held()
    world.say("releases of mortar are cut on the second Tuesday", project="mortar", session=9)
    world.settings["budget"] = {"max_tokens_per_day": held.tokens + 3_000}
    run = world.kick(Order(sessions=("00000000-0000-4000-8000-000000000009",)))
    assert (run.outcome, run.reason) == (Outcome.INCOMPLETE, "budget_spent")


def test_a_person_who_waits_is_answered_at_once_and_nothing_is_read_beside_the_batch(
    world: World, server: Server, waiting: RunRecord
) -> None:
    world.say("releases of mortar are cut on the second Tuesday", project="mortar", session=9)
    named = Order(sessions=("00000000-0000-4000-8000-000000000001",))
    run = world.kick(named)
    assert (run.outcome, run.reason) == (Outcome.INCOMPLETE, "batch")
    assert len(server.of("extract")) == 3
    run = world.kick(Order(sessions=("00000000-0000-4000-8000-000000000009",)))
    assert run.outcome is Outcome.COMMITTED
    assert "Tuesday" in world.text()
    plan = world.kick(Order(dry_run=True))
    assert (plan.outcome, plan.reason) == (Outcome.INCOMPLETE, "batch")
    assert posts(server) == 1
    server.batches["msgbatch_1"].polls = 0
    run = world.kick()
    assert (run.id, run.outcome, run.sessions.gathered) == (waiting.id, Outcome.COMMITTED, 3)
    assert len(server.of("extract")) == 4


def test_turns_that_come_while_a_batch_is_under_way_stay_pending(
    world: World, server: Server, waiting: RunRecord
) -> None:
    world.later(hours=3)
    world.say("the gateway of orchard listens on port 4200 now", session=1, ago=dt.timedelta(minutes=1))
    server.batches["msgbatch_1"].polls = 0
    run = world.kick()
    assert (run.outcome, run.sessions.gathered) == (Outcome.COMMITTED, 3)
    assert remembered(world)
    assert "4200" not in world.text()
    world.later(hours=1)
    for _ in range(3):
        world.kick()
    assert "4200" in world.text()
    assert len(server.of("extract")) == 4


def test_private_sessions_are_read_here_and_come_into_memory_with_the_batch(world: World, server: Server) -> None:
    world.projects = [{"path": "/home/sam/work/client", "engine": "offline"}]
    world.say("We always use pnpm in this repo, never npm.", project="client", session=7)
    run = sent(world)
    assert run.outcome is Outcome.WAITING
    assert len(server.batches["msgbatch_1"].requests) == 3
    run = world.kick()
    assert (run.outcome, run.sessions.gathered) == (Outcome.COMMITTED, 4)
    assert "pnpm" in world.text()
    assert "pnpm" not in server.bodies


def test_only_private_sessions_need_no_batch(world: World, server: Server) -> None:
    world.settings["engine"]["batch"] = True
    world.projects = [{"path": "/home/sam/work/client", "engine": "offline"}]
    world.say("We always use pnpm in this repo, never npm.", project="client", session=7)
    assert world.kick().outcome is Outcome.COMMITTED
    assert server.asked == []


def test_a_project_that_became_private_meanwhile_teaches_nothing_of_what_was_answered(
    world: World, server: Server, waiting: RunRecord
) -> None:
    world.projects = [{"path": "/home/sam/work/orchard", "learn": False}]
    server.batches["msgbatch_1"].polls = 0
    run = world.kick()
    assert (run.outcome, run.sessions.gathered) == (Outcome.NO_CHANGE, 0)
    assert run.cost.tokens > 0
    assert not any(rule in world.text() for rule in RULES)


def test_a_forgotten_session_is_not_learned_from_its_answer(world: World, server: Server, waiting: RunRecord) -> None:
    with world.app() as app:
        app.forget_session("00000000-0000-4000-8000-000000000001", purge_history=False)
    server.batches["msgbatch_1"].polls = 0
    run = world.kick()
    assert (run.outcome, run.sessions.gathered) == (Outcome.COMMITTED, 2)
    assert RULES[0] not in world.text()
    assert RULES[1] in world.text()


def test_reject_gives_a_batch_up_for_good(world: World, server: Server, waiting: RunRecord) -> None:
    with world.app() as app:
        held = app.shop.batches.held()
        with pytest.raises(UsageError):
            app.accept("last")
        run = app.reject("last")
        assert run.outcome is Outcome.REJECTED
        assert app.run(waiting.id)[0].outcome is Outcome.REJECTED
        assert app.run(waiting.id)[0].cost == held
        assert app.gates()[0].open
    assert server.batches["msgbatch_1"].canceled
    assert world.kick().reason == "nothing_pending"
    assert posts(server) == 1


def test_a_purge_has_the_batch_cancelled_that_nobody_could_collect(world: World, server: Server) -> None:
    really(world, server)
    server.polls = 9
    assert command(world, server, "kick")[0] == 0
    loaded = world.loaded()
    spec = spec_of(loaded)
    assert purge_state(loaded, spec, world.clock) is True
    assert server.batches["msgbatch_1"].canceled
    assert not list(world.state.glob("state.db*"))
    assert purge_state(loaded, spec, world.clock) is None  # nothing is there any more


def test_a_purge_goes_on_where_the_batch_cannot_be_cancelled(world: World, server: Server) -> None:
    really(world, server)
    server.polls = 9
    assert command(world, server, "kick")[0] == 0
    world.settings["engine"]["api_key_file"] = str(world.home / "no-such-key")
    loaded = world.loaded()
    assert purge_state(loaded, spec_of(loaded), world.clock) is False
    assert not server.batches["msgbatch_1"].canceled
    assert not list(world.state.glob("state.db*"))


def test_a_batch_outlives_the_process_that_sent_it_and_what_it_holds_outlives_midnight(
    world: World, server: Server
) -> None:
    really(world, server)
    server.polls = 9
    for _ in range(2):  # each in a process of its own
        assert command(world, server, "kick", "--json")[1]["outcome"] == "waiting"
    assert posts(server) == 1
    assert not server.batches["msgbatch_1"].canceled
    with world.app() as app:
        held = app.shop.batches.held()
        world.later(days=1)
        left = purse(app.shop)
        limit = app.shop.config.budget.max_tokens_per_run
        day = app.shop.config.budget.max_tokens_per_day
        assert left.covers(min(limit, day - held.tokens), 0)
        assert not left.covers(day - held.tokens + 1, 0)


def test_another_engine_or_server_ends_the_waiting(world: World, server: Server, waiting: RunRecord) -> None:
    """Nobody asks a server any more that the configuration does not name; what it may charge is booked."""
    asked = list(server.asked)
    world.settings["engine"] = {"name": "offline"}
    run = world.kick()
    assert (run.engine, run.outcome) == ("offline", Outcome.COMMITTED)
    assert server.asked == asked
    with world.app() as app:
        ended = app.run(waiting.id)[0]
        assert (ended.outcome, ended.reason) == (Outcome.CANCELLED, "engine_changed")
        assert ended.cost.tokens > 0
        assert app.status()["batch"] is None


def test_another_model_since_does_not_read_again(world: World, server: Server, waiting: RunRecord) -> None:
    world.settings["engine"] |= {"gather_model": "claude-opus-5-5", "batch": False}
    server.batches["msgbatch_1"].polls = 0
    run = world.kick()
    assert (run.outcome, run.sessions.gathered) == (Outcome.COMMITTED, 3)
    assert remembered(world)
    assert len(server.of("extract")) == 3


def test_review_holds_the_plan_of_a_collected_batch(world: World, server: Server, waiting: RunRecord) -> None:
    world.settings["memory"] = {"review": True}
    server.batches["msgbatch_1"].polls = 0
    run = world.kick()
    assert (run.id, run.outcome, run.reason) == (waiting.id, Outcome.WAITING, "review")
    with world.app() as app:
        assert app.accept("last").outcome is Outcome.COMMITTED
    assert remembered(world)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"status": 529, "type": "overloaded_error"}, "engine_busy"),
        ({"status": 429, "type": "rate_limit_error"}, "engine_busy"),
    ],
)
def test_a_server_that_takes_nothing_makes_the_run_incomplete(
    world: World, server: Server, answer: dict[str, Any], reason: str
) -> None:
    server.takes_batches = lambda: answer
    run = sent(world)
    assert (run.outcome, run.reason) == (Outcome.INCOMPLETE, reason)
    server.takes_batches = lambda: None
    assert world.kick().outcome is Outcome.WAITING
    assert world.kick().outcome is Outcome.COMMITTED
    assert len(server.batches) == 1


def test_a_server_without_batches_is_told_with_what_to_set(world: World, server: Server) -> None:
    server.takes_batches = lambda: {"status": 404, "type": "not_found_error"}
    with pytest.raises(EngineUnusable) as caught:
        sent(world)
    assert "engine.batch = false" in caught.value.hint
    world.settings["engine"]["batch"] = False
    assert world.kick().outcome is Outcome.COMMITTED


@pytest.mark.parametrize("broken", [{"taken": True, "status": 500}, {"taken": True, "raw": b"{"}])
def test_a_batch_of_which_nobody_knows_whether_it_arrived_is_found_and_not_sent_again(
    world: World, server: Server, broken: dict[str, Any]
) -> None:
    server.takes_batches = lambda: broken
    server.polls = 1
    run = sent(world)
    assert (run.outcome, run.reason) == (Outcome.WAITING, "batch")
    server.batches["msgbatch_0"] = type(server.batches["msgbatch_1"])(
        "msgbatch_0", {f"other-{number}": {} for number in range(3)}, server.now(), -1, {}
    )
    server.batches["msgbatch_0"].fates = {f"other-{number}": "expired" for number in range(3)}
    with world.app() as app:
        assert app.status()["batch"]["id"] is None
    world.later(hours=1)
    assert world.kick().outcome is Outcome.WAITING
    run = world.kick()
    assert (run.outcome, run.sessions.gathered) == (Outcome.COMMITTED, 3)
    assert posts(server) == 1
    assert len(server.of("extract")) == 3


def test_a_batch_that_never_arrived_is_sent_anew_after_a_while(world: World, server: Server) -> None:
    server.takes_batches = lambda: {"status": 500}
    run = sent(world)
    assert run.outcome is Outcome.WAITING
    server.takes_batches = lambda: None
    world.later(minutes=1)
    assert world.kick().outcome is Outcome.WAITING
    assert posts(server) == 1
    world.later(minutes=5)
    again = world.kick()
    assert (again.outcome, again.id == run.id) == (Outcome.WAITING, False)
    assert posts(server) == 2
    with world.app() as app:
        assert (app.run(run.id)[0].outcome, app.run(run.id)[0].reason) == (Outcome.INCOMPLETE, "batch_unsent")
    assert world.kick().outcome is Outcome.COMMITTED
    assert remembered(world)


def test_a_long_session_goes_in_pieces_and_a_lost_piece_alone_is_read_again(world: World, server: Server) -> None:
    world.settings["engine"]["batch"] = True
    world.settings["budget"] = {"context_window": 16_000}
    words = [f"rule number {n} of orchard is that {'we always keep it plain and small ' * 40}" for n in range(30)]
    world.say(*words, session=1)
    assert world.kick().outcome is Outcome.WAITING
    (batch,) = server.batches.values()
    assert len(batch.requests) > 2
    batch.fates = {list(batch.requests)[1]: "expired"}
    before = len(server.of("extract"))
    run = world.kick()
    assert (run.sessions.gathered, run.sessions.deferred) == (1, 0)
    assert len(server.of("extract")) == before + 1


def test_a_batch_needs_the_messages_api_itself(world: World) -> None:
    world.home.mkdir()
    told = dreamd(world.home, "config", "check", DREAMD_ENGINE__BATCH="true", DREAMD_ENGINE__PROVIDER="claude-code")
    assert told.returncode == 3
    assert "engine.batch" in told.stderr


def environ(world: World, server: Server) -> dict[str, str]:
    return {
        "HOME": str(world.home),
        "PATH": "/usr/bin:/bin",
        "TZ": "UTC",
        "DREAMD_ENGINE__NAME": "claude",
        "DREAMD_ENGINE__BASE_URL": server.url,
        "DREAMD_ENGINE__BATCH": "true",
        "DREAMD_SCHEDULE__CHECK_EVERY": "1s",
        "DREAMD_GATES__MIN_SESSIONS": "1",
        "ANTHROPIC_API_KEY": "test-key-of-nobody",
    }


def really(world: World, server: Server) -> World:
    world.clock.at = dt.datetime.now(dt.UTC)
    server.now = lambda: dt.datetime.now(dt.UTC).isoformat()
    for number, rule in enumerate(RULES, start=1):
        world.say(rule, session=number, ago=dt.timedelta(hours=2 + number))
    return world


def command(world: World, server: Server, *arguments: str) -> tuple[int, Any]:
    told = dreamd(world.home, *arguments, **environ(world, server))
    return told.returncode, json.loads(told.stdout) if "--json" in arguments else told.stdout


def test_the_command_sends_shows_and_collects(world: World, server: Server) -> None:
    really(world, server)
    server.polls = 1
    status, told = command(world, server, "kick")
    assert status == 0
    assert "waits for a batch of 3 requests" in told
    status, run = command(world, server, "runs", "show", "last", "--json")
    assert (run["outcome"], run["reason"], run["waits_for"]["requests"]) == ("waiting", "batch", 3)
    assert "waits for" in command(world, server, "status")[1]
    assert "a batch of 3 requests" in command(world, server, "runs", "show", "last")[1]
    assert command(world, server, "kick", "--if-due", "--json")[1]["outcome"] == "waiting"
    status, run = command(world, server, "kick", "--if-due", "--json")
    assert (status, run["outcome"], run["trigger"]) == (0, "committed", "kick")
    assert remembered(world)
    log = [json.loads(line) for line in (world.state / "dreamd.log").read_text().splitlines()]
    events = [line["event"] for line in log]
    assert events.count("run.finished") == 1
    assert {"batch.sent", "run.parked", "batch.collected", "run.resumed"} <= set(events)


def test_a_process_that_is_killed_while_it_sends_does_not_send_again(world: World, server: Server) -> None:
    """The server took the batch, its answer never came to be stored: the next dream finds it by its requests."""
    really(world, server)
    server.takes_batches = lambda: {"taken": True, "delay": 60, "status": 500}
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("dreamd")), "kick"],
        env=environ(world, server),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not server.batches and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    server.takes_batches = lambda: None
    status, run = command(world, server, "kick", "--json")
    assert (status, run["outcome"], run["sessions"]["gathered"]) == (0, "committed", 3)
    assert posts(server) == 1
    assert len(server.of("extract")) == 3


def test_the_service_collects_by_itself(world: World, server: Server) -> None:
    really(world, server)
    server.polls = 1
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("dreamd")), "run"],
        env=environ(world, server),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until and not (world.root / "MEMORY.md").exists():
            time.sleep(0.2)
    finally:
        process.terminate()
        process.wait(timeout=20)
    assert remembered(world)
    assert posts(server) == 1


def test_a_dream_that_dies_while_it_collects_books_and_reads_nothing_twice(
    world: World, server: Server, waiting: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the second of three answers: what is stored is settled, the rest is taken by the next dream."""
    from dreamd.state.lease import Lease

    server.batches["msgbatch_1"].polls = -1
    beats = itertools.count()
    real = Lease.heartbeat

    def dying(self: Lease, *arguments: Any) -> bool:
        if next(beats) == 1:
            raise KeyboardInterrupt
        return real(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Lease, "heartbeat", dying)
        with pytest.raises(BaseException, match="interrupted"):
            world.kick()
    with world.app() as app:
        assert app.run(waiting.id)[0].outcome is Outcome.CANCELLED
        assert len(app.shop.batches.open().letters) == 1
    run = world.kick()
    assert (run.id, run.outcome, run.sessions.gathered) == (waiting.id, Outcome.COMMITTED, 3)
    assert len(server.of("extract")) == 3
    told = [reply["usage"] for reply in server.batches["msgbatch_1"].replies.values()]
    sent_in_all = sum(one["input_tokens"] for one in told)
    ordered = run.cost.input - sent_in_all
    assert 0 <= ordered < 3_000


def test_words_of_a_batch_stand_nowhere_in_the_database(world: World, server: Server, waiting: RunRecord) -> None:
    assert "squash" in server.bodies
    data = b"".join(path.read_bytes() for path in world.state.glob("state.db*"))
    assert b"squash" not in data


def test_a_missing_key_while_a_batch_waits_is_told_and_loses_nothing(
    world: World, server: Server, waiting: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.batches["msgbatch_1"].polls = -1
    world.settings["engine"]["api_key_file"] = str(world.home / "no-such-key")
    with pytest.raises(ConfigError):
        world.kick()
    del world.settings["engine"]["api_key_file"]
    assert world.kick().outcome is Outcome.COMMITTED


def test_what_a_batch_found_meets_what_memory_knows(world: World, server: Server) -> None:
    world.settings["engine"]["batch"] = True
    world.say("the gateway of orchard listens on port 4100 and needs the blue profile")
    world.kick()
    world.kick()
    world.later(days=1)
    world.say("the gateway of orchard listens on port 4200 now", session=2)

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if pass_of(request) == "extract":
            return diligent(request)
        parts = message_of(request).split("\n--- ")[1:]
        lines = {part.split("\n")[0].split()[1]: part.split("\n")[1] for part in parts}
        mine = next(name for name, text in lines.items() if name.startswith("e") and "4100" in text)
        text = "The gateway of orchard listens on port 4200 and needs the blue profile."
        return {"json": {"proposals": [proposal("supersede", ["f1"], mine, text, "newer_value")]}}

    server.answer = answer
    assert world.kick().outcome is Outcome.WAITING
    run = world.kick()
    assert (run.outcome, run.changes.superseded) == (Outcome.COMMITTED, 1)
    assert "4100" not in world.text()
