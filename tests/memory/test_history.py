import datetime as dt
import stat
import subprocess

import pytest

from dreamd.errors import MemoryTreeError, StateError, UsageError
from dreamd.memory.codec import decode_entries, decode_plan, encode_entries, encode_plan
from dreamd.memory.history import History, Snapshot
from dreamd.memory.plan import Carry, ChangeKind, Made, Plan, Restore

NOW = dt.datetime(2026, 3, 2, 4, 0, tzinfo=dt.UTC)


def git(history, *words):
    done = subprocess.run(["git", "--git-dir", history.path, *words], capture_output=True, text=True, check=True)
    return done.stdout


def put(history, text="- a\n", parent="", plan=None, **more):
    return history.record({"MEMORY.md": text.encode()}, (), plan, message="a dream", when=NOW, parent=parent, **more)


def test_an_empty_history_has_an_empty_head(desk):
    assert desk.history.head() == Snapshot()
    assert not desk.history.path.exists()
    assert list(desk.history.log()) == []
    assert desk.history.parked("R1") is None


def test_a_commit_is_given_back_as_it_was_recorded(desk):
    record = desk.record("use uv", last_at=NOW)
    plan = desk.plan(desk.add("use uv"), sessions=("claude-code:s1",))
    files = {"MEMORY.md": b"- use uv\n", "projects/a.md": b"\xff\r\n"}
    made = Made(frozenset({"projects/a.md"}), frozenset({("MEMORY.md", "Rules")}))
    commit = desk.history.record(files, (record,), plan, message="a dream", when=NOW, parent="", made=made)
    seen = desk.history.at(commit)
    assert seen == Snapshot(commit, (), files, (record,), plan, plan.run_id, NOW, made)
    desk.history.advance(commit, "")
    assert desk.history.at(commit[:9]) == seen


def test_recording_moves_no_ref_and_advancing_compares(desk):
    first = put(desk.history)
    assert desk.history.head().commit == ""
    assert desk.history.advance(first, "")
    second = put(desk.history, "- b\n", first)
    third = put(desk.history, "- c\n", first)
    assert desk.history.advance(second, first)
    assert not desk.history.advance(third, first)
    assert desk.history.advance(second, first)
    assert desk.history.head().commit == second
    assert desk.history.at(second[:10]).commit == second


def test_an_unknown_commit_is_a_usage_error(desk):
    put(desk.history)
    for unknown in ("f" * 40, "abc"):
        with pytest.raises(UsageError):
            desk.history.at(unknown)


def test_git_itself_reads_the_history(desk):
    run = desk.dream(desk.add("use uv"), sessions=("claude-code:s1", "codex:s2"), notes=())
    assert git(desk.history, "fsck", "--strict") == ""
    log = git(desk.history, "log", "--format=%B", "main")
    assert "Session: claude-code:s1\nSession: codex:s2\n" in log
    assert f"Run: {run}" in log
    assert "Findings: F1" in log
    assert "use uv" not in log
    assert "+- use uv" in git(desk.history, "show", "main", "--", "MEMORY.md")
    assert git(desk.history, "show", "main:MEMORY.md") == desk.text()
    trailers = git(desk.history, "log", "-1", "--format=%(trailers:key=Run,valueonly)", "main")
    assert trailers.strip() == run


def test_everything_in_the_history_is_for_its_owner_alone(desk):
    put(desk.history)
    for place in [desk.history.path, *desk.history.path.rglob("*")]:
        assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0, place


def test_plans_are_parked_and_let_go(desk):
    plan = desk.plan(desk.add("use uv"), run="R1")
    commit = put(desk.history, plan=plan)
    desk.history.park("R1", commit)
    assert desk.history.parked("R1").plan == plan
    assert desk.history.parked_runs() == ("R1",)
    desk.history.unpark("R1")
    desk.history.unpark("R1")
    assert desk.history.parked("R1") is None
    with pytest.raises(UsageError):
        desk.history.park("../../heads/main", commit)


def test_stale_locks_of_a_killed_writer_are_taken_away(desk):
    first = put(desk.history)
    desk.history.advance(first, "")
    (desk.history.path / "refs" / "heads" / "main.lock").touch()
    second = put(desk.history, "- b\n", first)
    with pytest.raises(StateError):
        desk.history.advance(second, first)
    desk.history.recover()
    assert desk.history.advance(second, first)


def test_a_truncated_object_is_written_again(desk):
    put(desk.history)
    blob = git(desk.history, "hash-object", "--stdin", "-w").strip()
    assert blob
    victims = list((desk.history.path / "objects").glob("??/*"))
    for place in victims:
        place.chmod(0o600)
        place.write_bytes(place.read_bytes()[:5])
    commit = put(desk.history)
    assert desk.history.at(commit).files == {"MEMORY.md": b"- a\n"}


def test_a_damaged_history_is_a_state_error(desk):
    first = put(desk.history)
    desk.history.advance(first, "")
    place = desk.history.path / "objects" / first[:2] / first[2:]
    place.chmod(0o600)
    place.write_bytes(b"")
    with pytest.raises(StateError) as caught:
        desk.history.head()
    assert caught.value.hint


def test_a_half_made_repository_is_no_hindrance(desk):
    (desk.state / "history.git.new" / "objects").mkdir(parents=True)
    assert put(desk.history)
    History(desk.history.path).recover()


def test_plans_and_entries_survive_their_json(desk):
    record = desk.record("use uv", last_at=NOW, findings=("F1", "F2"))
    change = desk.change(ChangeKind.MOVE, record, file="projects/a.md")
    plan = Plan(
        "R1",
        "",
        "d",
        (change,),
        (record,),
        carries=(Carry("k", "a", "b", "s"),),
        restores=(Restore("a", b"\xff"), Restore("b", None)),
    )
    assert decode_plan(encode_plan(plan)) == plan
    assert decode_entries(encode_entries([record])) == (record,)
    with pytest.raises(MemoryTreeError):
        decode_plan(b"{}")
    with pytest.raises(MemoryTreeError):
        decode_entries(b"nothing\n")
