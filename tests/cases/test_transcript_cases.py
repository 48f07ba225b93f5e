"""Public bug reports about transcripts, gates and archives, through the whole product; each test bears its case's id."""

import datetime as dt
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dreamd.dream.cycle import Order
from dreamd.dream.gates import Gate
from dreamd.state.run_record import Outcome
from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.event import Role
from shared_material import shared
from world import World, dreamd

ORCHARD = "-home-sam-work-orchard"
HERE = Path(__file__).parent


def gate(world: World, name: str) -> Gate:
    with world.app() as app:
        return next(one for one in app.gates() if one.name == name)


def replay(world: World, case: str, *arguments: str, script: str = "build.py") -> None:
    """Runs a case's build script in the directory above the home."""
    world.home.mkdir(parents=True, exist_ok=True)
    interpreter = sys.executable if script.endswith(".py") else "sh"
    subprocess.run([interpreter, shared("cases", case, script), *arguments], cwd=world.home.parent, check=True)


def seen(world: World) -> list[tuple[str, int, str]]:
    """Each session's last three digits, its turns of a person, why it is excluded."""
    with world.app() as app:
        app.scan()
        return [(one.id[-3:], one.human_turns, one.excluded_because or "") for one in app.sessions()]


def test_par_01_what_is_glued_and_cut_reaches_the_engine(world: World) -> None:
    world.case(shared("cases", "PAR-01"))
    assert [one[1:] for one in seen(world)] == [(3, "")]
    with world.app() as app:
        record = app.sessions()[0]
        told = " ".join(event.text for event in app.session(record.id)[1])
    assert record.bad_lines == 2
    assert "port 8181" in told
    assert "that is all" in told


def test_par_06_a_null_nobody_reads_loses_nothing(world: World) -> None:
    world.case(shared("cases", "PAR-06"))
    with world.app() as app:
        app.scan()
        (record,) = app.sessions()
        said = [event for event in app.session(record.id)[1] if event.role is Role.ASSISTANT]
    assert (record.tokens_out, record.bad_lines, len(said)) == (443, 0, 2)


def test_par_07_a_tools_result_of_any_shape_is_nobodys_prompt(world: World) -> None:
    world.case(shared("cases", "PAR-07"))
    assert [one[1:] for one in seen(world)] == [(1, "")]


def test_par_10_a_half_line_waits_whoever_reads_it(tmp_path: Path) -> None:
    """A process for each scan, so every one starts anew."""
    world = World(tmp_path / "home")
    path = world.transcripts / ORCHARD / "00000000-0000-4000-8000-000000000101.jsonl"
    path.parent.mkdir(parents=True)

    def scanned(step: str) -> tuple[int, int]:
        with path.open("ab") as file:
            file.write(shared("cases", "PAR-10", f"{step}.bytes").read_bytes())
        assert dreamd(world.home, "scan").returncode == 0
        (session,) = json.loads(dreamd(world.home, "sessions", "--json", "--no-scan").stdout)
        return session["human_turns"], session["bad_lines"]

    counts = [scanned(step) for step in ("step1", "step2", "step3")]
    assert {bad for _, bad in counts} == {0}
    assert counts[1][0] - counts[0][0] == 1
    long_ago = time.time() - 86_400
    os.utime(path, (long_ago, long_ago))
    (session,) = json.loads(dreamd(world.home, "sessions", "--json").stdout)
    turns = json.loads(dreamd(world.home, "sessions", "show", session["id"], "--json").stdout)["turns"]
    assert len(turns) == 3
    assert ["heron" in turn["text"] for turn in turns if turn["role"] == "human"].count(True) == 1
    assert session["bad_lines"] == 0


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel tells no peak memory here")
@pytest.mark.parametrize("size", [40, 120])
def test_par_12_a_giant_transcript_is_read_in_flat_memory(world: World, size: int) -> None:
    """The case has 300 and 900 MB; the shape is the same, and so is the peak."""
    replay(world, "PAR-12", str(size))
    program = (
        "import sys, datetime as dt; from pathlib import Path; sys.path.insert(0, sys.argv[2]); from world import World;"
        "world = World(Path(sys.argv[1]));\n"
        "with world.app() as app: read = app.scan().bytes_read; again = app.scan().bytes_read; "
        "(one,) = app.sessions(); said = app.session(one.id)[1]\n"
        "peak = int(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]);"
        "print(read, again, one.human_turns, len(said), sum(len(event.text) for event in said), peak)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, world.home, HERE.parent], capture_output=True, text=True, check=True
    )
    read, again, human, said, characters, peak = map(int, done.stdout.split())
    assert read >= size * 1_000_000
    assert (again, human, said) == (0, 20, 40)
    assert characters < 64_000
    assert peak < 150_000


def test_par_19_an_api_error_is_no_statement(world: World) -> None:
    world.case(shared("cases", "PAR-19"))
    with world.app() as app:
        app.scan()
        said = [event.text for event in app.session(app.sessions()[0].id)[1] if event.role is Role.ASSISTANT]
    assert len(said) == 1
    assert "green lane" in said[0]
    world.kick()
    assert "API Error" not in world.text()


def test_gat_01_sub_agents_are_not_counted_as_sessions(world: World) -> None:
    world.case(shared("cases", "GAT-01"))
    assert len(seen(world)) == 1
    sessions = gate(world, "sessions")
    assert (sessions.have, sessions.need, sessions.open) == (1, 5, False)
    with world.app() as app:
        files = app.shop.sessions.files(app.sessions()[0].row)
        said = [event.text for event in app.session(app.sessions()[0].id)[1] if event.role is Role.HUMAN]
    assert sorted(file.kind for file in files) == ["main", *["subagent"] * 4]
    inlined = [
        json.loads(line)["message"]["content"]
        for line in Path(files[0].path).read_text().splitlines()
        if json.loads(line).get("isSidechain")
    ]
    assert not set(said) & {text for text in inlined if isinstance(text, str)}


def test_gat_02_a_killed_dream_does_not_put_off_the_next_one(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    now = world.clock.at
    world.clock.at = now - dt.timedelta(hours=30)
    world.say("We always use pnpm in this repo, never npm.")
    assert world.kick().outcome is Outcome.COMMITTED
    world.clock.at = now
    for number in range(2, 8):
        world.say(f"The port of service {number} is 81{number}0.", session=number, ago=dt.timedelta(hours=5))
    began = now - dt.timedelta(hours=1)
    command = [sys.executable, HERE / "silent_engine_child.py", world.home, began.isoformat()]
    environ = os.environ | {"PYTHONPATH": str(HERE.parent)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as child:
        assert child.stdout is not None
        assert any("asked" in line for line in child.stdout)
        child.send_signal(signal.SIGKILL)
    time_gate, backoff = gate(world, "time"), gate(world, "backoff")
    assert (time_gate.open, time_gate.have) == (True, 30 * 3600)
    assert backoff.open
    with world.app() as app:
        status = app.status()
    assert status["last_success_at"] == "2026-03-09T06:00:00.000Z"
    assert status["last_attempt_at"] == "2026-03-10T11:00:00.000Z"
    assert isinstance(status["last_run"], dict)
    assert status["last_run"]["outcome"] == "interrupted"
    run = world.dream(Order(if_due=True)).run
    assert run is not None
    assert run.outcome is Outcome.COMMITTED
    with world.app() as app:
        assert [one.outcome for one in app.runs()] == [Outcome.COMMITTED, Outcome.INTERRUPTED, Outcome.COMMITTED]


def test_gat_04_touched_transcripts_are_not_new_and_an_edit_is(world: World) -> None:
    world.clock.at = dt.datetime.now(dt.UTC) + dt.timedelta(hours=2)
    replay(world, "GAT-04", "make")
    world.kick()
    replay(world, "GAT-04", "touch")
    with world.app() as app:
        report = app.scan()
        assert (report.new, report.changed, app.scan().bytes_read) == (0, 0, 0)
    assert gate(world, "sessions").have == 0
    replay(world, "GAT-04", "edit")
    with world.app() as app:
        assert app.scan().changed == 1
        assert app.scan().bytes_read == 0


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git to make a worktree")
def test_gat_08_a_worktrees_sessions_are_its_projects(world: World) -> None:
    world.clock.at = dt.datetime(2026, 3, 10, 12, tzinfo=dt.UTC)
    replay(world, "GAT-08", script="build.sh")
    checkout = world.home.parent / "work" / "orchard"

    def projects() -> set[str]:
        with world.app() as app:
            app.scan()
            return {one.project.root for one in app.sessions() if one.project}

    assert projects() == {str(checkout)}
    subprocess.run(["git", "-C", checkout, "worktree", "remove", "--force", ".claude/worktrees/feat"], check=True)
    assert projects() == {str(checkout)}
    shutil.rmtree(checkout)
    world.state.joinpath("state.db").unlink()
    assert projects() == {str(checkout)}
    world.kick()
    assert [path for path in world.tree() if path.startswith("projects/")] in ([], ["projects/orchard.md"])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are listed in /proc here")
def test_pas_12_only_what_is_finished_read_and_closed_is_moved(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.clock.at = dt.datetime.now(dt.UTC)
    world.settings["transcripts"] = {"originals": "delete"}
    replay(world, "PAS-12")
    live, idle, torn, unread, opened = (
        world.transcripts / ORCHARD / f"00000000-0000-4000-8000-{number:012d}.jsonl" for number in range(1, 6)
    )
    agent = idle.with_suffix("") / "subagents" / "agent-a1.jsonl"
    agent.parent.mkdir(parents=True)
    agent.write_text('{"type":"user","isSidechain":true}\n')
    os.utime(agent, ns=(idle.stat().st_mtime_ns, idle.stat().st_mtime_ns))
    before = {path: path.read_bytes() for path in (live, idle, torn, unread, opened, agent)}
    with subprocess.Popen(["tail", "-f", opened], stdout=subprocess.DEVNULL) as reader:
        world.kick(Order(sessions=(idle.stem, torn.stem, opened.stem)))
        assert {path for path in before if path.exists()} == {live, unread, opened}
        reader.terminate()
    for session in (idle, torn):
        assert dreamd(world.home, "restore", session.stem).returncode == 0
    assert {path: path.read_bytes() for path in before} == before
    world.kick()
    assert not opened.exists()


def test_pas_12_what_is_appended_to_a_moved_session_is_joined_to_it(world: World) -> None:
    world.settings["transcripts"] = {"originals": "delete"}
    path = world.say("We always use pnpm in this repo, never npm.", ago=dt.timedelta(days=40))
    first = path.read_bytes()
    world.kick()
    assert not path.exists()
    world.say("Never push without asking.", ago=dt.timedelta(minutes=5))
    second = path.read_bytes()
    with world.app() as app:
        app.scan()
        (record,) = app.sessions()
    assert (record.human_turns, record.unread) == (1, 1)
    world.later(days=2)
    world.kick()
    with world.app() as app:
        app.restore(record.id, overwrite=True)
    assert path.read_bytes() == first + second


@pytest.mark.parametrize("deletion", [1, 2, 3])
def test_a_dream_killed_between_copy_and_deletion_loses_nothing(tmp_path: Path, deletion: int) -> None:
    world = World(tmp_path / "home")
    world.clock.at = dt.datetime.now(dt.UTC)
    main = world.say("We always use pnpm in this repo, never npm.", ago=dt.timedelta(days=3))
    for name in ("subagents/agent-a1.jsonl", "tool-results/one.txt"):
        path = main.with_suffix("") / name
        path.parent.mkdir(parents=True)
        path.write_text('{"type":"user","isSidechain":true}\n')
        os.utime(path, ns=(main.stat().st_mtime_ns, main.stat().st_mtime_ns))
    before = {path: path.read_bytes() for path in world.transcripts.rglob("*") if path.is_file()}
    delete = {"DREAMD_TRANSCRIPTS__ORIGINALS": "delete"}
    environ = {"HOME": str(world.home), "PATH": "/usr/bin:/bin", "TZ": "UTC"} | delete
    killed = subprocess.run(
        [sys.executable, HERE / "deleting_child.py", str(deletion), "kick"],
        env=environ,
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert main.exists()
    (session,) = json.loads(dreamd(world.home, "sessions", "--json").stdout)
    assert (session["state"], session["archived"]) == ("consolidated", True)
    assert dreamd(world.home, "kick", **delete).returncode == 0
    assert not any(path.exists() for path in before)
    assert dreamd(world.home, "restore", session["id"]).returncode == 0
    assert {path: path.read_bytes() for path in before} == before


def test_wat_04_replaced_by_renaming_counts_once_and_moved_away_is_missing(world: World) -> None:
    folder = world.transcripts / ORCHARD
    folder.mkdir(parents=True)
    path = folder / "00000000-0000-4000-8000-000000000555.jsonl"
    counts = []
    for version in ("v1", "v2"):
        shutil.copyfile(shared("cases", "WAT-04", f"{version}.jsonl"), folder / ".tmp-x")
        assert len(seen(world)) == len(counts)
        (folder / ".tmp-x").replace(path)
        counts.append(seen(world))
    (session,) = counts[-1]
    turns = {json.loads(line)["uuid"] for line in path.read_text().splitlines() if '"user"' in line}
    assert session[1] == len(turns)
    path.rename(world.home / "away.jsonl")
    with world.app() as app:
        assert app.scan().lost == 1
        assert app.status()["sessions"]["lost"] == 1
    assert list(ClaudeCode().discover(world.transcripts)) == []


def test_the_originals_of_a_whole_dream_keep_their_bytes_and_times(world: World) -> None:
    """Nothing but `originals = "delete"` ever touches a transcript."""
    world.say("We always use pnpm in this repo, never npm.", ago=dt.timedelta(days=3))
    path = world.say("Never push without asking.", session=2, ago=dt.timedelta(days=29))
    before = {
        one: (hashlib.sha256(one.read_bytes()).digest(), one.stat().st_mtime_ns)
        for one in world.transcripts.rglob("*.jsonl")
    }
    world.kick()
    after = {
        one: (hashlib.sha256(one.read_bytes()).digest(), one.stat().st_mtime_ns)
        for one in world.transcripts.rglob("*.jsonl")
    }
    assert path in before
    assert after == before
