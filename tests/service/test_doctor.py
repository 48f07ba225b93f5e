"""The doctor names each fault by an observed fact, and rebuilds what was lost without learning anything twice."""

import dataclasses
import datetime as dt
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamd.doctor.bench import Bench, Key, Past, Right, Root
from dreamd.doctor.check import Level
from dreamd.doctor.examine import examine, judge
from dreamd.doctor.observe import _key as service_key
from dreamd.doctor.observe import observe
from dreamd.errors import LockHeld
from dreamd.integrations.claude_code.connection import Connection, Mode
from dreamd.rebuild import rebuild
from dreamd.search.file import Condition as IndexCondition
from dreamd.service.condition import Condition as ServiceCondition
from dreamd.service.spec import spec_of
from dreamd.settings import Config
from dreamd.state.condition import DatabaseCondition, database_condition
from dreamd.state.run_record import Outcome
from shared_material import shared
from world import NOW, World, dreamd

DAY = dt.timedelta(days=1)
SERVICE = ServiceCondition("systemd", True, Path("/u"), True, True, True, pid=7, linger=True, current=True)
PAST = Past(NOW - DAY, NOW - DAY, 0, None, 2, 0, "c1", 3, (), None)
WELL = Bench(
    now=NOW,
    python=(3, 11),
    sqlite=(3, 40, 0),
    config_file=Path("/c"),
    config_exists=True,
    rights=(),
    missing=(),
    memory_root=Path("/m"),
    memory_fault="",
    over=(),
    roots=(Root("claude-code", Path("/t"), True, True, 10, 30 * DAY),),
    unread=(),
    unsupported={},
    max_watches=10_000,
    min_interval=DAY,
    min_sessions=5,
    scheduled=True,
    engine="offline",
    key=Key(needed=False),
    service=SERVICE,
    living=7,
    unreached=(),
    free=((Path("/"), 10**10),),
    database=DatabaseCondition.GOOD,
    index=IndexCondition.READY,
    history_fault="",
    history_head="c1",
    past=PAST,
    backups=(),
    left_lock=None,
    import_line="@~/.claude/memory/MEMORY.md",
    import_file=Path("/CLAUDE.md"),
    connection=Connection(found=True, imported=True),
)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")  # no manager of this machine has a say
    made = World(tmp_path)
    for number, words in enumerate(
        ("Never use tabs in YAML files, always two spaces.", "We use pnpm in this repo, never npm."), start=1
    ):
        made.say(words, session=number)
    return made


def past(**changes: object) -> dict[str, object]:
    return {"past": dataclasses.replace(PAST, **changes)}


def service(**changes: object) -> dict[str, object]:
    return {"service": dataclasses.replace(SERVICE, **changes), "living": None}


def test_all_is_well_where_all_is_well() -> None:
    checks = judge(WELL)
    assert [one for one in checks if not one.ok] == []
    assert len({one.name for one in checks}) == len(checks)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"python": (3, 10)}, ("python", "error", "too_old")),
        ({"sqlite": (3, 34, 1)}, ("sqlite", "error", "too_old")),
        ({"rights": (Right(Path("/s/state.db"), 0o644, 0o600),)}, ("rights", "error", "open_to_others")),
        ({"memory_fault": "Read-only file system"}, ("memory", "error", "not_writable")),
        ({"backups": (Path("/s/before-import-1.dreamd"),)}, ("backups", "warning", "left_behind")),
        ({"over": ("MEMORY.md",)}, ("caps", "warning", "over_cap")),
        ({"roots": ()}, ("transcripts", "warning", "not_found")),
        ({"roots": (Root("claude-code", Path("/t"), True, False, 0, None),)}, ("transcripts", "error", "not_readable")),
        ({"roots": (Root("claude-code", Path("/t"), True, True, 1, DAY),)}, ("retention", "warning", "soon_deleted")),
        (past(expiring=2), ("retention", "warning", "soon_deleted")),
        ({"max_watches": 12}, ("watches", "warning", "too_many")),
        (past(last_success_at=NOW + DAY), ("clock", "warning", "in_the_future")),
        ({"free": ((Path("/"), 5 * 10**8),)}, ("disk", "warning", "nearly_full")),
        ({"free": ((Path("/"), 10**7), (Path("/m"), 10**12))}, ("disk", "error", "nearly_full")),
        ({"key": Key(needed=True)}, ("key", "error", "missing")),
        ({"key": Key(needed=True, where="/env", open_to_others=True)}, ("key", "error", "open_to_others")),
        ({"connection": Connection(found=True)}, ("reading", "warning", "missing")),
        (
            {"connection": Connection(found=True, mode=Mode.HOOK, gone="/gone/dreamd context --hook")},
            ("reading", "warning", "outdated"),
        ),
        (service(active=False, result="exit-code"), ("service", "error", "not_running")),
        (service(installed=False, active=False), ("service", "warning", "not_installed")),
        (service(enabled=False), ("service", "warning", "not_enabled")),
        (service(current=False), ("service", "warning", "outdated")),
        (service(linger=False), ("linger", "warning", "stops_at_logout")),
        ({"unreached": (Path("/m"),)}, ("reach", "error", "not_writable")),
        ({"database": DatabaseCondition.DAMAGED}, ("database", "error", "damaged")),
        ({"database": DatabaseCondition.LOST}, ("database", "error", "lost")),
        ({"database": DatabaseCondition.BUSY}, ("database", "warning", "busy")),
        ({"database": DatabaseCondition.UNREADABLE}, ("database", "error", "not_readable")),
        (past(rebuilt_at=NOW), ("database", "warning", "rebuilt")),
        ({"index": IndexCondition.DAMAGED}, ("index", "warning", "damaged")),
        ({"history_fault": "history.git cannot be read"}, ("history", "error", "not_readable")),
        ({"history_head": "c2"}, ("history", "error", "differs")),
        (past(damaged=("4d56",)), ("archive", "error", "damaged")),
        (past(failures=5, last_error="engine"), ("dreams", "error", "failing")),
        (past(pending=12, last_success_at=None), ("dreams", "warning", "never")),
        (past(pending=5, last_success_at=NOW - 6 * DAY), ("dreams", "error", "overdue")),
        ({"left_lock": 4711}, ("lock", "warning", "left_behind")),
    ],
)
def test_a_fault_is_named_and_says_what_to_do(facts: dict[str, object], expected: tuple[str, str, str]) -> None:
    wrong = [one for one in judge(dataclasses.replace(WELL, **facts)) if not one.ok]
    assert [(one.name, one.level.value, one.why.value) for one in wrong] == [expected]
    assert wrong[0].hint


def test_no_service_is_no_fault_where_dreams_come_only_when_told_to() -> None:
    off = judge(dataclasses.replace(WELL, scheduled=False, **service(installed=False, active=False)))
    assert all(one.ok for one in off)


def test_what_is_observed_is_what_is_there(world: World) -> None:
    run = world.kick()
    assert run.outcome is Outcome.COMMITTED
    (world.home / ".claude" / "CLAUDE.md").write_text(f"Be brief.\n@{world.root}/MEMORY.md\n")
    bench = observe(world.loaded(), world.clock)
    assert bench.database is DatabaseCondition.GOOD
    assert bench.past is not None
    assert bench.past.head == bench.history_head == run.commit
    assert bench.rights == ()
    assert bench.memory_fault == ""
    assert bench.connection.imported
    assert bench.import_line == "@~/.claude/memory/MEMORY.md"
    assert bench.roots[0].directories == 2
    assert bench.roots[0].retention == 30 * DAY
    assert not [one for one in judge(bench) if one.level is Level.ERROR]
    assert sorted(path.name for path in world.root.iterdir()) == ["MEMORY.md", "projects"]


def test_rights_are_mended(world: World) -> None:
    world.kick()
    world.state.chmod(0o755)
    (world.state / "state.db").chmod(0o644)
    visit = examine(world.loaded(), world.clock, fix=True)
    assert len(visit.mended) == 2
    assert world.state.stat().st_mode & 0o777 == 0o700
    assert (world.state / "state.db").stat().st_mode & 0o777 == 0o600


def test_the_key_is_looked_for_where_the_service_would_find_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """SVC-01: a key of the shell's is none of the service's."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-made-up")
    spec = spec_of(world.loaded())
    config = Config.model_validate({"engine": {"name": "claude"}})
    assert service_key(config, spec, None) == Key(needed=True)
    spec.key_file.parent.mkdir(parents=True)
    spec.key_file.write_text("# a comment\n# ANTHROPIC_API_KEY=\n")
    assert service_key(config, spec, None) == Key(needed=True)
    spec.key_file.write_text("ANTHROPIC_API_KEY=sk-ant-made-up\n")
    assert service_key(config, spec, None) == Key(needed=True, where=str(spec.key_file))
    named = world.home / "key"
    named.write_text("sk-ant-made-up\n")
    named.chmod(0o644)
    filed = Config.model_validate({"engine": {"name": "claude", "api_key_file": str(named)}})
    assert service_key(filed, spec, None) == Key(needed=True, where=str(named), open_to_others=True)
    assert service_key(Config(), spec, None) == Key(needed=False)


def test_a_lock_that_a_dead_process_left_is_seen(world: World) -> None:
    world.kick()
    lock = next(world.state.glob("dream-*.lock"))
    lock.write_text("999999\n")
    assert observe(world.loaded(), world.clock).left_lock == 999999
    lock.write_text(f"{os.getpid()}\n")
    assert observe(world.loaded(), world.clock).left_lock is None


def test_a_damaged_archive_and_history_are_seen(world: World) -> None:
    world.clock.at += 2 * DAY
    world.kick()
    copies = list((world.state / "archive").rglob("*.tar.zst"))
    assert copies
    copies[0].write_bytes(copies[0].read_bytes()[:-20])
    bench = observe(world.loaded(), world.clock)
    assert bench.past is not None
    assert len(bench.past.damaged) == 1
    objects = [path for path in (world.state / "history.git" / "objects").rglob("*") if path.is_file()]
    for path in objects:
        path.unlink()
    assert observe(world.loaded(), world.clock).history_fault


def page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = max(4096, len(data) // 2 // 4096 * 4096)
    data[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize(
    ("spoil", "condition"),
    [
        (lambda path: path.write_bytes(b"this is not a database\n" * 200), DatabaseCondition.DAMAGED),
        (page, DatabaseCondition.DAMAGED),
        (empty, DatabaseCondition.LOST),
        (lambda path: path.unlink(), DatabaseCondition.LOST),
    ],
    ids=["text", "page", "empty", "gone"],
)
def test_a_lost_database_is_rebuilt_and_nothing_is_learned_twice(
    world: World, spoil: Callable[[Path], object], condition: DatabaseCondition
) -> None:
    """SVC-11."""
    first = world.kick()
    memory = world.tree()
    world.say("We use port 8282 for the api server.", session=3, ago=dt.timedelta(hours=1))
    database = world.state / "state.db"
    spoil(database)
    (world.state / "state.db-wal").write_bytes(b"old")
    assert database_condition(world.loaded().places) is condition
    world.later(hours=1)
    visit = examine(world.loaded(), world.clock, fix=True)
    assert {one.name: one.why.value for one in visit.checks}["database"] == "rebuilt"
    assert "read again" in visit.mended[-1]
    assert world.tree() == memory
    aside = sorted(path.name for path in world.state.glob("state.db.damaged-*"))
    assert aside[-1] == "state.db.damaged-20260310T130000Z-wal"
    with world.app() as app:
        states = [one.state(world.clock.at, dt.timedelta(minutes=30)).value for one in app.sessions()]
        assert sorted(states) == ["consolidated", "consolidated", "pending"]
        known = app.runs()
        assert [(run.id, run.commit, run.outcome) for run in known] == [(first.id, first.commit, Outcome.COMMITTED)]
        assert app.shop.marks.time("last_success_at") == known[0].ended_at
    again = world.kick()
    assert again.sessions.selected == 1
    assert "8282" in world.text()


def test_a_database_that_never_was_is_no_loss(world: World) -> None:
    assert database_condition(world.loaded().places) is DatabaseCondition.NEW
    assert not (world.state / "state.db").exists()


def test_a_rebuilt_dream_can_be_taken_back(world: World) -> None:
    world.kick()
    assert "pnpm" in world.text()
    (world.state / "state.db").unlink()
    rebuild(world.loaded(), world.clock)
    with world.app() as app:
        assert app.undo(None, relearn=False).outcome is Outcome.COMMITTED
    assert "pnpm" not in world.text()


def test_a_database_is_not_rebuilt_under_a_running_dream(world: World) -> None:
    world.kick()
    from dreamd.dream.lock import dream_lock

    places = world.loaded().places
    (world.state / "state.db").write_bytes(b"x" * 5000)
    with (
        dream_lock(places.default_state_dir, places.memory_root, now=world.clock.at),
        pytest.raises(LockHeld),
    ):
        rebuild(world.loaded(), world.clock)
    assert (world.state / "state.db").read_bytes() == b"x" * 5000


def test_the_command_exits_with_six_where_an_error_stands(tmp_path: Path) -> None:
    World(tmp_path).say("Never use tabs in YAML files, always two spaces.")
    assert dreamd(tmp_path, "doctor").returncode == 0
    assert dreamd(tmp_path, "kick").returncode == 0
    (tmp_path / ".local/state/dreamd/state.db").write_bytes(b"this is not a database\n" * 200)
    bad = dreamd(tmp_path, "doctor", "--json")
    assert bad.returncode == 6
    told = json.loads(bad.stdout)
    assert not told["ok"]
    assert next(one for one in told["checks"] if one["name"] == "database")["reason"] == "damaged"
    fixed = dreamd(tmp_path, "doctor", "--fix")
    assert fixed.returncode == 0, fixed.stdout + fixed.stderr
    assert "set the damaged database aside" in fixed.stdout
    assert dreamd(tmp_path, "status", "--json").returncode == 0


def test_a_wrong_configuration_ends_the_visit_with_every_problem(tmp_path: Path) -> None:
    (tmp_path / ".config/dreamd").mkdir(parents=True)
    (tmp_path / ".config/dreamd/config.toml").write_text('[gates]\nidel = "5m"\nmin_sessions = 0\n')
    done = dreamd(tmp_path, "doctor")
    assert done.returncode == 3
    assert "gates.idel" in done.stderr
    assert "gates.min_sessions" in done.stderr


def test_the_three_forms_of_the_case_are_seen(world: World) -> None:
    """SVC-11's own builder."""
    builder = shared("cases", "SVC-11", "build.py")
    world.kick()
    database = world.state / "state.db"
    subprocess.run([sys.executable, str(builder), str(database)], check=True, capture_output=True)
    for form, condition in (("text", "damaged"), ("page", "damaged"), ("empty", "lost")):
        shutil.copyfile(f"{database}.{form}", database)
        for companion in ("-wal", "-shm"):
            database.with_name(database.name + companion).unlink(missing_ok=True)
        assert database_condition(world.loaded().places) == condition
