"""Public bug reports about daemons' health and logs; each test bears its case's id."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import subprocess
import sys

from ulid import ULID

from dreamd.state.run_record import Outcome, RunRecord, Trigger
from shared_material import shared
from world import World, dreamd

HOURS = dt.timedelta(hours=1)


def failed_runs(world: World, number: int) -> None:
    """So many dreams that failed, an hour apart, the last one just now."""
    with world.app() as app:
        for hour in range(number, 0, -1):
            at = world.clock.at - hour * HOURS
            record = RunRecord(str(ULID.from_datetime(at)), Trigger.SCHEDULE, "offline", at)
            app.shop.lease.acquire(record.id, at)
            app.shop.runs.start(record)
            ended = RunRecord(
                record.id,
                record.trigger,
                record.engine,
                at,
                ended_at=at,
                outcome=Outcome.FAILED,
                reason="engine",
                error="status 401",
            )
            app.shop.runs.finish(ended)
            app.shop.lease.release(record.id)


def test_svc_05_status_tells_failures_by_observed_facts_and_recovers(world: World) -> None:
    world.clock.at -= dt.timedelta(days=6)
    world.say("We always use pnpm in this repo, never npm.")
    world.kick()
    world.clock.at += dt.timedelta(days=6)
    failed_runs(world, 5)
    for number in range(12):
        world.say("please look at the parser", session=20 + number)
    with world.app() as app:
        app.scan()
        told = app.status()
    assert told["consecutive_failures"] == 5
    assert told["last_error"] == "status 401"
    codes = {problem["code"] for problem in told["problems"]}  # type: ignore[attr-defined]
    assert codes == {"dreams_failing", "dream_overdue"}
    assert told["last_success_at"] == "2026-03-04T12:00:00.000Z"
    world.kick()
    with world.app() as app:
        assert app.status()["problems"] == []
        assert app.status()["consecutive_failures"] == 0


def test_svc_05_never_dreamt_of_is_not_well(world: World) -> None:
    for number in range(12):
        world.say("please look at the parser", session=20 + number, ago=dt.timedelta(days=9))
    with world.app() as app:
        app.scan()
        assert [problem.code for problem in app.problems()] == []  # it has only just met them
    world.later(days=4)
    with world.app() as app:
        (problem,) = app.problems()
    assert problem.code == "dream_overdue"
    assert "no dream has succeeded yet" in problem.message


def test_svc_07_health_is_never_guessed_from_words(world: World) -> None:
    world.say("We always fail the build on warnings, never ignore an error.")
    world.kick()
    with world.app() as app:
        assert app.problems() == []
        assert app.status()["last_error"] is None


def test_svc_08_thousands_of_bad_lines_are_no_flood_of_warnings(world: World) -> None:
    folder = world.home / "case"
    shutil.copytree(shared("cases", "SVC-08"), folder, copy_function=shutil.copyfile)
    folder.chmod(0o755)
    subprocess.run([sys.executable, "build.py"], cwd=folder, check=True, capture_output=True)
    shutil.copytree(folder / "home", world.home, dirs_exist_ok=True)
    for _ in range(10):
        assert dreamd(world.home, "scan").returncode == 0
    log = world.state / "dreamd.log"
    lines = log.read_text().splitlines() if log.exists() else []
    assert sum('"level": "warning"' in line for line in lines) <= 5
    assert all(json.loads(line) for line in lines)
    (session,) = json.loads(dreamd(world.home, "sessions", "--json").stdout)
    assert (session["human_turns"], session["bad_lines"]) == (100, 5000)


def test_sch_05_a_run_of_a_dead_process_is_interrupted_and_counts_for_nothing(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    with world.app() as app:
        record = RunRecord(str(ULID()), Trigger.SCHEDULE, "offline", world.clock.at)
        app.shop.runs.start(record)  # no lease: its owner is gone
    assert world.kick().outcome is Outcome.COMMITTED
    with world.app() as app:
        left = app.shop.runs.get(record.id)
        assert (left.outcome, left.reason) == (Outcome.INTERRUPTED, "owner_died")
        assert app.shop.runs.running() == ()
