"""Finished transcripts are kept before their agent deletes them; what may go goes, and nothing unread ever does."""

import datetime as dt
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dreamd.dream.archiving import archive
from dreamd.dream.cycle import Order
from dreamd.dream.progress import nobody
from dreamd.processes import started
from dreamd.standing.problems import Problem
from dreamd.state.records import SessionRecord, SessionState
from dreamd.state.run_record import Outcome, RunRecord
from world import World

IDLE = dt.timedelta(minutes=30)
RULE = "We always use pnpm in this repo, never npm."


@pytest.fixture
def keeper(world: World) -> World:
    """A person who wants originals deleted once they are safe."""
    world.settings["transcripts"] = {"originals": "delete"}
    return world


def say(world: World, session: int = 1, *, days: float = 2, words: str = RULE, **more: object) -> Path:
    return world.say(words, session=session, ago=dt.timedelta(days=days), **more)


def with_agents(path: Path) -> dict[Path, bytes]:
    """A session with a sub-agent and a tool result beside it; its files and their bytes."""
    made = {
        path: path.read_bytes(),
        path.with_suffix("") / "subagents" / "agent-a1.jsonl": b'{"type":"user","isSidechain":true}\n',
        path.with_suffix("") / "subagents" / "agent-a1.meta.json": b'{"agentType":"Explore"}',
        path.with_suffix("") / "tool-results" / "toolu_1.txt": b"output\n",
        path.parent / "agent-0a1b2c3d.jsonl": json.dumps({"type": "user", "sessionId": path.stem}).encode() + b"\n",
    }
    status = path.stat()
    for one, content in made.items():
        one.parent.mkdir(parents=True, exist_ok=True)
        if one != path:
            one.write_bytes(content)
            os.utime(one, ns=(status.st_mtime_ns, status.st_mtime_ns))
    return made


def dream_when_quiet(world: World) -> RunRecord:
    """Growth is seen, and when nothing more comes it is dreamt of."""
    with world.app() as app:
        app.scan()
    world.later(hours=1)
    return world.kick()


def session(world: World, number: int = 0) -> SessionRecord:
    with world.app() as app:
        app.scan()
        return app.sessions()[number]


def archived(world: World) -> list[bool]:
    with world.app() as app:
        return [one.archived_at is not None for one in app.sessions()]


def problems(world: World) -> list[Problem]:
    with world.app() as app:
        app.scan()
        return app.problems()


@pytest.fixture
def client(world: World) -> Iterator[subprocess.Popen[bytes]]:
    """A client that has the first session open; it ends when the test ends it."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        path = world.home / ".claude" / "sessions" / f"{process.pid}.json"
        path.parent.mkdir(parents=True)
        name = "00000000-0000-4000-8000-000000000001"
        path.write_text(json.dumps({"pid": process.pid, "sessionId": name, "procStart": started(process.pid)}))
        yield process
        process.terminate()


def test_a_finished_session_is_copied_with_all_that_belongs_to_it(world: World) -> None:
    files = with_agents(say(world))
    say(world, 2, days=0.5)
    world.kick()
    assert archived(world) == [True, False]
    with world.app() as app:
        record = app.sessions()[0]
        assert all(path.read_bytes() == content for path, content in files.items())
        for path in files:
            path.unlink()
        app.restore(record.id, overwrite=False)
    assert {path: path.read_bytes() for path in files} == files


def test_originals_stay_by_default(world: World) -> None:
    files = with_agents(say(world))
    world.kick()
    assert all(path.exists() for path in files)


def test_never_makes_no_copy(world: World) -> None:
    world.settings["transcripts"] = {"archive_after": "never", "originals": "delete"}
    path = say(world, days=29)
    world.kick()
    assert archived(world) == [False]
    assert path.exists()


def test_a_running_client_keeps_its_session_from_the_archive_but_not_from_learning(
    keeper: World, client: subprocess.Popen[bytes]
) -> None:
    path = say(keeper)
    assert keeper.kick().outcome is Outcome.COMMITTED
    assert session(keeper).state(keeper.clock.now(), IDLE) is SessionState.CONSOLIDATED
    assert archived(keeper) == [False]
    assert path.exists()
    client.kill()
    client.wait()
    keeper.kick()
    assert archived(keeper) == [True]
    assert not path.exists()


def test_a_client_that_came_back_keeps_a_copied_session_from_being_deleted(world: World) -> None:
    path = say(world)
    world.kick()
    assert archived(world) == [True]
    world.settings["transcripts"] = {"originals": "delete"}
    registry = world.home / ".claude" / "sessions" / f"{os.getpid()}.json"
    registry.parent.mkdir()
    registry.write_text(json.dumps({"pid": os.getpid(), "sessionId": path.stem}))
    world.kick()
    assert path.exists()
    registry.unlink()
    world.kick()
    assert not path.exists()


def test_a_deleted_original_leaves_an_archived_session_not_a_lost_one(keeper: World) -> None:
    files = with_agents(say(keeper))
    keeper.kick()
    assert not any(path.exists() for path in files)
    assert not next(iter(files)).with_suffix("").exists()
    with keeper.app() as app:
        assert app.scan().lost == 0
        (record,) = app.sessions()
        assert (record.archived_at is not None, record.lost_at) == (True, None)
        assert record.state(keeper.clock.now(), IDLE) is SessionState.CONSOLIDATED
        assert app.status()["sessions"]["lost"] == 0
        assert [event.text for event in app.session(record.id)[1]] == [RULE, "Understood."]


def test_an_unread_session_is_copied_and_stays(keeper: World) -> None:
    read, unread = say(keeper), say(keeper, 2, words="Never push without asking.")
    keeper.kick(Order(sessions=(read.stem,)))
    assert not read.exists()
    assert unread.exists()
    assert archived(keeper) == [True, True]


def test_a_session_nobody_typed_in_is_copied_and_stays(keeper: World) -> None:
    path = say(keeper, entrypoint="sdk-cli")
    keeper.kick()
    assert archived(keeper) == [True]
    assert path.exists()


def test_what_grew_since_it_was_read_stays(keeper: World) -> None:
    path = say(keeper)
    keeper.settings["transcripts"] = {"originals": "keep"}
    keeper.kick()
    keeper.settings["transcripts"] = {"originals": "delete"}
    keeper.say("Never push without asking.", ago=dt.timedelta(days=1.5))
    with keeper.app() as app:
        archive(app.shop, nobody)  # the pass alone, without the scan that a dream begins with
    assert path.exists()
    dream_when_quiet(keeper)
    assert "push" in keeper.text()
    assert path.exists()
    keeper.later(days=1)
    keeper.kick()
    assert not path.exists()


def test_a_restored_session_has_a_day_before_it_goes_again(keeper: World) -> None:
    path = say(keeper)
    keeper.kick()
    with keeper.app() as app:
        app.restore(path.stem, overwrite=False)
    now = keeper.clock.at.timestamp()
    os.utime(path, (now, now))
    keeper.kick()
    assert path.exists()
    keeper.later(hours=25)
    keeper.kick()
    assert not path.exists()


def test_a_session_that_goes_on_after_it_was_deleted_is_one_session_with_both_parts(keeper: World) -> None:
    path = say(keeper)
    before = path.read_bytes()
    keeper.kick()
    keeper.later(days=3)
    keeper.say("Never push without asking.", ago=dt.timedelta(days=2))
    after = path.read_bytes()
    assert dream_when_quiet(keeper).sessions.gathered == 1
    assert "push" in keeper.text()
    assert "pnpm" in keeper.text()
    keeper.later(days=1)
    keeper.kick()
    assert not path.exists()
    with keeper.app() as app:
        (record,) = app.sessions()
        app.restore(record.id, overwrite=False)
    assert path.read_bytes() == before + after


def test_what_its_agent_deleted_unread_is_read_from_the_copy(world: World) -> None:
    world.settings["budget"] = {"max_sessions_per_run": 1}
    say(world, days=9)
    path = say(world, 2, days=3, words="Never push without asking.")
    world.kick()
    assert archived(world) == [True, True]
    path.unlink()
    with world.app() as app:
        app.scan()
        assert app.session(path.stem)[0].state(world.clock.now(), IDLE) is SessionState.PENDING
    assert world.kick().outcome is Outcome.COMMITTED
    assert "push" in world.text()


def test_the_soonest_to_be_deleted_is_read_first(world: World) -> None:
    world.settings["budget"] = {"max_sessions_per_run": 1}
    quiet = say(world, 1, days=9, words="The staging port is 8181.")
    touched = say(world, 2, days=3, words="Never push without asking.")
    old = (world.clock.at - dt.timedelta(days=20)).timestamp()
    os.utime(touched, (old, old))
    world.kick()
    assert "push" in world.text()
    assert "8181" not in world.text()
    world.kick()
    assert "8181" in world.text()
    assert quiet.exists()


def test_a_session_its_agent_will_delete_is_copied_early(world: World) -> None:
    world.settings["transcripts"] = {"archive_after": "60d"}
    say(world, 1, days=28.5)
    say(world, 2, days=20)
    world.kick()
    assert archived(world) == [True, False]


def test_gates_that_stay_closed_do_not_keep_a_session_from_being_saved(world: World) -> None:
    say(world, 1, days=28.5)
    say(world, 2, days=20)
    dreamt = world.dream(Order(if_due=True))
    assert (dreamt.run, dreamt.closed and dreamt.closed.name) == (None, "sessions")
    assert archived(world) == [True, False]


def test_a_dream_that_waits_for_review_does_not_keep_a_session_from_being_saved(world: World) -> None:
    world.settings["memory"] = {"review": True}
    say(world, 1, days=28.5)
    assert world.kick().outcome is Outcome.WAITING
    assert archived(world) == [True]


def test_the_agents_own_term_is_known(world: World) -> None:
    world.settings["transcripts"] = {"archive_after": "60d"}
    say(world, 1, days=20)
    (world.home / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 21}')
    world.kick()
    assert archived(world) == [True]


def test_a_person_is_told_what_will_be_deleted_undreamt(world: World) -> None:
    say(world, 1, days=28)
    say(world, 2, days=31)
    say(world, 3, days=20)
    (told,) = [one for one in problems(world) if one.code == "transcripts_expiring"]
    assert "2 sessions" in told.message
    world.kick()
    assert problems(world) == []


def test_a_full_archive_lets_the_longest_quiet_copies_go(world: World) -> None:
    for number in range(1, 5):
        say(world, number, days=10 - number, words=os.urandom(20_000).hex())
    world.kick()
    assert archived(world) == [True] * 4
    with world.app() as app:
        size = app.shop.archive.total_bytes()
    world.settings["transcripts"] = {"archive_max": f"{size * 5 // 8000}KB"}
    world.kick()
    assert archived(world) == [False, False, True, True]
    world.later(days=1)
    world.kick()
    assert archived(world) == [False, False, True, True]
    with world.app() as app:
        assert app.shop.archive.total_bytes() <= size * 5 // 8


def test_unread_copies_are_kept_however_large_the_archive_is(world: World) -> None:
    world.settings["budget"] = {"max_sessions_per_run": 1}
    world.settings["transcripts"] = {"archive_max": "1B"}
    say(world, 1, days=5)
    say(world, 2, days=4, words="Never push without asking.")
    world.kick()
    assert archived(world) == [False, True]


def test_a_copy_that_was_lost_is_made_again_before_anything_is_deleted(world: World) -> None:
    path = say(world)
    world.kick()
    shutil.rmtree(world.state / "archive")
    world.settings["transcripts"] = {"originals": "delete"}
    world.kick()
    assert path.exists()
