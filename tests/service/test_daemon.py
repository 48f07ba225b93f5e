"""The service as a process: it counts, wakes, dreams in a child, obeys signals and leaves nothing behind."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from service.conftest import IDLE, PATIENCE, Service, Start, alive, children, until
from world import World, dreamd

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")


def five_sessions(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.", session=1)
    world.say("Never push without asking me first.", session=2)
    world.say("The API runs on port 8181.", session=3)
    world.say("Robin owns the deployment scripts.", session=4)
    world.say("We decided to use PostgreSQL 16 instead of Redis, because one server is enough.", session=5)


def heavy_session(world: World, megabytes: int = 250) -> Path:
    """A session that takes seconds to read: much tool output around a few words."""
    path = world.say("We always use pnpm in this repo, never npm.", session=9)
    line = json.dumps(
        {
            "type": "assistant",
            "uuid": "a",
            "timestamp": "2026-03-01T00:00:00.000Z",
            "sessionId": path.stem,
            "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "word " * 20_000}]},
        }
    )
    with path.open("a") as file:
        for number in range(megabytes * 10):
            file.write(
                line.replace('"uuid": "a"', f'"uuid": "{number:036d}"').replace('"id": "m"', f'"id": "m{number}"')
                + "\n"
            )
    stamp = (world.clock.at - dt.timedelta(hours=2)).timestamp()
    os.utime(path, (stamp, stamp))
    return path


def held_in_its_run(world: World, service: Service) -> int:
    """Stops the child in the middle of its dream, as a model that never answers would hold it; its pid."""

    def runs() -> bool:
        try:
            with contextlib.closing(sqlite3.connect(f"file:{world.state / 'state.db'}?mode=ro", uri=True)) as database:
                return bool(database.execute("SELECT 1 FROM runs WHERE outcome IS NULL").fetchall())
        except sqlite3.OperationalError:
            return False

    assert until(runs, every=0.005)
    (child,) = children(service.process.pid)
    os.kill(child, signal.SIGSTOP)
    assert runs()
    return child


def test_five_sessions_appear_and_a_dream_commits_with_nobody_asking(world: World, start: Start) -> None:
    service = start()
    five_sessions(world)
    assert until(lambda: any(run["outcome"] == "committed" for run in service.runs())), service.log.read_text()
    assert "pnpm" in world.text()
    (run,) = service.runs()
    assert run["trigger"] == "schedule"
    assert until(lambda: any(g["name"] == "time" and not g["open"] for g in service.status()["gates"]))  # type: ignore[attr-defined]
    assert service.stop() == 0
    assert service.said("service.stopped")


def test_an_appended_turn_is_counted_while_the_service_waits(world: World, start: Start) -> None:
    world.say("hello there, please look at the parser", session=1)
    service = start(DREAMD_SCHEDULE__CHECK_EVERY="1h")

    def turns() -> int:
        (one,) = json.loads(dreamd(world.home, "sessions", "--no-scan", "--json").stdout)
        return int(one["human_turns"])

    assert until(lambda: turns() == 1)
    world.say("and now the lexer please", session=1)
    assert until(lambda: turns() == 2, 5.0)
    service.stop()


def test_kick_is_dreamt_by_the_service_and_tells_the_outcome(world: World, start: Start) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    service = start()
    done = dreamd(world.home, "kick", "--json")
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    assert (run["outcome"], run["trigger"]) == ("committed", "kick")
    assert service.said("dream.ended")
    assert children(service.process.pid) == []
    asked = dreamd(world.home, "kick", "--no-wait", "--json")
    assert json.loads(asked.stdout)["run"] is None
    assert until(lambda: len(service.runs()) == 2)


def test_no_wait_without_a_service_is_wrong_usage(world: World) -> None:
    assert dreamd(world.home, "kick", "--no-wait").returncode == 2


def test_a_dry_run_through_the_service_prints_its_plan(world: World, start: Start) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    start()
    told = json.loads(dreamd(world.home, "kick", "--dry-run", "--json").stdout)
    assert told["outcome"] == "waiting"
    assert any("pnpm" in change["new"] for change in told["plan"])


def test_a_second_service_is_refused_and_says_who_runs(world: World, start: Start) -> None:
    service = start()
    second = dreamd(world.home, "run")
    assert second.returncode == 4
    assert str(service.process.pid) in second.stderr


def test_lck_03_of_many_kicks_at_once_one_dreams_and_the_others_say_who_does(world: World, start: Start) -> None:
    heavy_session(world, 60)
    service = start(DREAMD_SCHEDULE__ENABLED="false")
    answers: list[int] = []

    def kick() -> None:
        answers.append(dreamd(world.home, "kick").returncode)

    threads = [threading.Thread(target=kick) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) <= {0, 4}
    assert 0 in answers
    committed = [run for run in service.runs() if run["outcome"] == "committed"]
    assert len(committed) == 1
    assert world.text().count("- We always use pnpm") == 1


def test_sigterm_in_the_middle_of_a_dream_leaves_memory_old_and_the_run_interrupted(world: World, start: Start) -> None:
    heavy_session(world)
    service = start(DREAMD_SCHEDULE__ENABLED="false")
    kick = subprocess.Popen(
        [str(Path(sys.executable).with_name("dreamd")), "kick"],
        env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    child = held_in_its_run(world, service)
    assert service.stop() == 0
    assert kick.wait(30) != 0
    assert not alive(child)
    assert not (world.root / "MEMORY.md").exists()
    (run,) = service.runs()
    assert run["outcome"] == "interrupted"
    assert dreamd(world.home, "kick").returncode == 0
    assert "pnpm" in world.text()


def test_a_killed_service_takes_its_dream_with_it_and_the_next_start_is_clean(world: World, start: Start) -> None:
    heavy_session(world)
    service = start(DREAMD_SCHEDULE__ENABLED="false")
    dreamd(world.home, "kick", "--no-wait")
    child = held_in_its_run(world, service)
    service.process.kill()
    service.process.wait()
    os.kill(child, signal.SIGCONT)
    assert until(lambda: not alive(child))
    assert service.status()["daemon"]["running"] is False  # type: ignore[index]
    again = start(DREAMD_SCHEDULE__ENABLED="false")
    assert until(lambda: all(run["outcome"] == "interrupted" for run in again.runs()))
    assert dreamd(world.home, "kick").returncode == 0
    assert "pnpm" in world.text()


def kicking(world: World) -> subprocess.Popen[str]:
    """`dreamd kick` as a person starts it; a job in the background would have been started deaf to Ctrl-C."""
    return subprocess.Popen(
        [str(Path(sys.executable).with_name("dreamd")), "kick"],
        env={"HOME": str(world.home), "PATH": "/usr/bin:/bin", "TZ": "UTC"} | IDLE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no thread of ours forks here
    )


def test_ctrl_c_ends_the_watching_and_not_the_dream(world: World, start: Start) -> None:
    heavy_session(world)
    service = start(DREAMD_SCHEDULE__ENABLED="false")
    with kicking(world) as watching:
        try:
            child = held_in_its_run(world, service)
            watching.send_signal(signal.SIGINT)
            _, told = watching.communicate(timeout=PATIENCE)
        finally:
            watching.kill()
    assert watching.returncode == 130
    assert "the dream goes on" in told
    os.kill(child, signal.SIGCONT)
    assert until(lambda: service.said("dream.ended"), 4 * PATIENCE), service.log.read_text()
    assert service.runs()[0]["outcome"] == "committed"


def test_of_two_kicks_without_a_service_one_dreams_and_the_other_says_who_does(world: World) -> None:
    heavy_session(world)
    assert dreamd(world.home, "scan").returncode == 0
    with kicking(world) as first:
        try:
            assert until(lambda: dreaming_pid(world) == first.pid, every=0.01)
            os.kill(first.pid, signal.SIGSTOP)
            second = dreamd(world.home, "kick")
            os.kill(first.pid, signal.SIGCONT)
            first.communicate(timeout=4 * PATIENCE)
        finally:
            first.kill()
    assert second.returncode == 4
    assert f"pid {first.pid}" in second.stderr
    assert first.returncode == 0


def dreaming_pid(world: World) -> int | None:
    """The pid in the dream lock, as long as it is held."""
    for lock in world.state.glob("dream-*.lock"):
        words = lock.read_text().split()
        return int(words[0]) if words else None
    return None


def test_a_stale_pid_never_gets_a_signal(world: World) -> None:
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        world.state.mkdir(parents=True)
        owner = {"pid": sleeper.pid, "started": "long ago", "boot": "x", "host": "y", "namespace": ""}
        info = {"owner": owner, "since": "2026-01-01T00:00:00Z", "watching": [], "config": ""}
        (world.state / "service.json").write_text(json.dumps(info))
        world.say("We always use pnpm in this repo, never npm.")
        assert dreamd(world.home, "kick").returncode == 0
        assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


def test_sighup_takes_a_good_configuration_and_refuses_a_bad_one(world: World, start: Start) -> None:
    config = world.home / ".config" / "dreamd" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[gates]\nmin_sessions = 3\n")
    service = start()

    def need() -> object:
        gates = service.status()["gates"]
        return next(gate["need"] for gate in gates if gate["name"] == "sessions")  # type: ignore[attr-defined]

    config.write_text("[gates]\nmin_sessions = 'many'\n")
    service.process.send_signal(signal.SIGHUP)
    assert until(lambda: service.said("config.refused"))
    assert service.process.poll() is None
    config.write_text("[gates]\nmin_sessions = 9\n")
    service.process.send_signal(signal.SIGHUP)
    assert until(lambda: service.said("config.reloaded"))
    assert need() == 9
    assert service.stop() == 0


def test_pause_holds_dreams_back_and_resume_lets_them_begin(world: World, start: Start) -> None:
    assert dreamd(world.home, "pause", "2h").returncode == 0
    service = start()
    five_sessions(world)
    assert until(lambda: service.status()["sessions"]["pending"] == 5)  # type: ignore[index]
    assert until(lambda: service.said("gate.closed"))
    assert service.runs() == []
    assert dreamd(world.home, "resume").returncode == 0
    assert until(lambda: any(run["outcome"] == "committed" for run in service.runs()))


def test_a_standing_problem_is_told_once_and_calls_the_persons_command_once(world: World, start: Start) -> None:
    called = world.home / "called"
    script = world.home / "call.sh"
    script.write_text(f'#!/bin/sh\necho "$1 $DREAMD_REASON" >> {called}\n')
    script.chmod(0o755)
    five_sessions(world)
    service = start(DREAMD_MEMORY__REVIEW="true", DREAMD_NOTIFY__COMMAND=str(script))
    assert until(called.exists)
    assert until(lambda: service.said("gate.closed"))
    assert called.read_text() == "review_waiting review_waiting\n"
    service.stop()
    again = start(DREAMD_MEMORY__REVIEW="true", DREAMD_NOTIFY__COMMAND=str(script))
    assert until(lambda: again.said("gate.closed"))
    assert called.read_text() == "review_waiting review_waiting\n"
    assert sum(one["event"] == "gate.closed" for one in again.events()) == 1


def test_a_configuration_that_cannot_be_used_ends_the_service_with_3(world: World, start: Start) -> None:
    service = start(ready=False, DREAMD_GATES__IDLE="soon")
    assert service.process.wait(30) == 3


def test_sch_01_a_machine_that_slept_makes_up_for_the_night_with_one_dream(world: World, start: Start) -> None:
    service = start()
    service.process.send_signal(signal.SIGSTOP)
    five_sessions(world)
    service.process.send_signal(signal.SIGCONT)
    assert until(lambda: any(run["outcome"] == "committed" for run in service.runs()))
    assert until(lambda: service.said("gate.closed"))
    assert len(service.runs()) == 1


def test_transcripts_that_go_and_come_back_do_not_end_the_service(world: World, start: Start) -> None:
    world.say("hello there, please look at the parser", session=1)
    service = start()
    aside = world.home / "aside"
    world.transcripts.rename(aside)
    shutil.copytree(aside, world.transcripts)
    world.say("We always use pnpm in this repo, never npm.", session=2)
    assert until(lambda: service.status()["sessions"]["seen"] == 2)  # type: ignore[index]
    assert service.stop() == 0


def test_sch_01_what_fell_due_while_nothing_ran_is_made_up_for_once_at_the_next_start(
    world: World, start: Start
) -> None:
    world.say("We always use pnpm in this repo, never npm.", session=8, ago=dt.timedelta(hours=60))
    now = world.clock.at
    world.clock.at = now - dt.timedelta(hours=30)
    world.kick()
    world.clock.at = now
    five_sessions(world)
    service = start()
    assert until(lambda: len(service.runs()) == 2 and service.runs()[0]["outcome"] == "committed")
    assert service.runs()[0]["trigger"] == "catch_up"
    (begun,) = [one for one in service.events() if one["event"] == "dream.started"]
    assert 5 * 3600 < int(str(begun["missed_by"])) < 7 * 3600
    assert until(lambda: service.said("gate.closed"))
    assert len(service.runs()) == 2


def test_svc_11_a_damaged_database_is_set_aside_and_the_service_starts(world: World, start: Start) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    world.kick()
    memory = world.tree()
    (world.state / "state.db").write_bytes(b"this is no database\n" * 400)
    service = start()
    told = service.status()
    assert "state_rebuilt" in {problem["code"] for problem in told["problems"]}  # type: ignore[attr-defined]
    assert told["sessions"]["consolidated"] == 1  # type: ignore[index]
    assert list(world.state.glob("state.db.damaged-*"))
    assert world.tree() == memory


def test_svc_01_an_outdated_unit_is_told(world: World) -> None:
    unit = world.home / ".config" / "systemd" / "user" / "dreamd.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/old/place/dreamd run\n")
    told = json.loads(dreamd(world.home, "status", "--json").stdout)
    assert [problem["code"] for problem in told["problems"]] == ["unit_outdated"]


def test_a_reload_drops_no_lock_of_the_database(world: World, start: Start) -> None:
    service = start(DREAMD_SCHEDULE__ENABLED="false")
    for _ in range(3):
        service.process.send_signal(signal.SIGHUP)
        assert until(lambda: service.said("config.reloaded"))
        assert dreamd(world.home, "status").returncode == 0
        assert dreamd(world.home, "kick").returncode == 0
    deleted = [
        str(one.readlink())
        for one in Path(f"/proc/{service.process.pid}/fd").iterdir()
        if "deleted" in str(one.readlink())
    ]
    assert deleted == []


def test_sch_03_a_dream_longer_than_the_tick_is_alone_and_no_burst_follows(world: World, start: Start) -> None:
    five_sessions(world)
    heavy_session(world)
    service = start()
    child = held_in_its_run(world, service)
    ticks = len(service.events())
    time.sleep(4)  # four ticks find it dreaming
    assert children(service.process.pid) == [child]
    assert len(service.events()) - ticks <= 1
    os.kill(child, signal.SIGCONT)
    assert until(lambda: service.said("dream.ended"), 3 * PATIENCE)  # a heavy session, on a busy machine
    assert until(lambda: service.said("gate.closed"))
    time.sleep(2)
    assert [run["outcome"] for run in service.runs()] == ["committed"]
