"""Whole dreams over real files: what is learned, what moves, what stays."""

import datetime as dt
import os
import subprocess
from dataclasses import replace

import pytest

from dreamd.dream.cycle import Order
from dreamd.dream.lock import dream_lock
from dreamd.errors import LockHeld, UsageError
from dreamd.state.records import SessionState
from dreamd.state.run_record import Outcome, Trigger
from world import World

HOURS = dt.timedelta(hours=1)


def test_a_rule_somebody_typed_is_remembered_and_explained(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    run = world.kick()
    assert run.outcome is Outcome.COMMITTED
    assert "pnpm" in (world.root / "projects" / "orchard.md").read_text()
    assert "[orchard](projects/orchard.md)" in world.memory()
    with world.app() as app:
        told = app.why("pnpm")
    assert [one.quote for one in told.evidence] == ["We always use pnpm in this repo, never npm."]
    assert [step.reason for step in told.history] == ["new"]


def test_a_second_dream_over_the_same_changes_nothing_and_touches_no_file(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.", "Never push without asking me first.")
    world.kick()
    before = {path: path.stat() for path in world.root.rglob("*")}
    world.later(hours=1)
    run = world.kick()
    assert (run.outcome, run.reason) == (Outcome.NO_CHANGE, "nothing_pending")
    after = {path: path.stat() for path in world.root.rglob("*")}
    assert {path: (s.st_mtime_ns, s.st_ino) for path, s in before.items()} == {
        path: (s.st_mtime_ns, s.st_ino) for path, s in after.items()
    }


def test_nothing_worth_keeping_is_a_success(world: World) -> None:
    world.say("fix the typo in the readme")
    run = world.kick()
    assert (run.outcome, run.reason) == (Outcome.NO_CHANGE, "nothing_worth_keeping")
    assert not (world.root / "MEMORY.md").exists()
    with world.app() as app:
        assert app.status()["last_success_at"] is not None


def test_undo_gives_the_old_tree_back_byte_for_byte(world: World) -> None:
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_bytes(b"# My notes\r\n\r\n* keep this\r\n")
    before = world.tree()
    world.say("We always use pnpm in this repo, never npm.", "Never push without asking me first.")
    world.kick()
    assert b"keep this\r\n" in world.tree()["MEMORY.md"]
    with world.app() as app:
        undone = app.undo(None, relearn=False)
        assert undone.outcome is Outcome.COMMITTED
        assert app.runs()[-1].undone_at is not None
    assert world.tree() == before
    assert [path.name for path in world.root.iterdir()] == ["MEMORY.md"]


def test_what_was_undone_is_not_learned_again_until_it_is_said_again(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    first = world.kick()
    with world.app() as app:
        app.undo(first.id, relearn=False)
    world.later(hours=1)
    assert world.kick().outcome is Outcome.NO_CHANGE
    world.later(hours=5)
    world.say("We always use pnpm in this repo, never npm.", session=2, ago=HOURS)
    world.kick()
    assert "pnpm" in world.text()


def test_relearn_makes_the_words_pending_again(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    first = world.kick()
    with world.app() as app:
        app.undo(first.id, relearn=True)
    world.kick()
    assert "pnpm" in world.text()


def test_an_undo_can_be_undone(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    world.kick()
    after = world.tree()
    with world.app() as app:
        undone = app.undo(None, relearn=False)
        app.undo(undone.id, relearn=False)
        assert [run.undone_at is None for run in app.runs() if run.trigger is Trigger.KICK] == [True]
    assert world.tree() == after


def test_a_dry_run_leaves_memory_alone_and_accept_applies_exactly_its_plan(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    dreamt = world.dream(Order(dry_run=True))
    assert dreamt.run is not None
    assert (dreamt.run.outcome, dreamt.run.reason) == (Outcome.WAITING, "dry_run")
    assert dreamt.plan is not None
    assert not world.root.exists()
    with world.app() as app:
        done = app.accept(dreamt.run.id)
        assert (done.outcome, done.trigger) == (Outcome.COMMITTED, Trigger.ACCEPT)
        assert [one.state(world.clock.at, HOURS) for one in app.sessions()] == [SessionState.CONSOLIDATED]
        with pytest.raises(UsageError):
            app.accept(dreamt.run.id)
    assert "pnpm" in world.text()


def test_review_waits_and_reject_keeps_the_words_out(world: World) -> None:
    world.settings["memory"] = {"review": True}
    world.say("We always use pnpm in this repo, never npm.")
    run = world.kick()
    assert (run.outcome, run.reason) == (Outcome.WAITING, "review")
    with world.app() as app:
        assert [problem.code for problem in app.problems()] == ["review_waiting"]
        assert [gate.reason for gate in app.gates() if not gate.open] == ["waiting_for_review", "too_few"]
        app.reject(run.id)
        assert app.problems() == []
    world.settings["memory"] = {"review": False}
    assert world.kick().outcome is Outcome.NO_CHANGE
    assert not (world.root / "MEMORY.md").exists()


def test_if_due_honours_the_gates_and_kick_passes_over_them(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    dreamt = world.dream(Order(trigger=Trigger.SCHEDULE, if_due=True))
    assert dreamt.run is None
    assert dreamt.closed is not None
    assert (dreamt.closed.name, dreamt.closed.have, dreamt.closed.need) == ("sessions", 1, 5)
    assert world.kick().outcome is Outcome.COMMITTED


def test_a_live_session_is_never_read(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.", ago=dt.timedelta(minutes=5))
    assert world.kick().reason == "nothing_pending"
    world.later(hours=1)
    assert world.kick().outcome is Outcome.COMMITTED


def test_what_grows_after_a_dream_is_pending_with_its_new_turns_only(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    world.kick()
    world.later(hours=2)
    world.say("Never push to main without asking me first.", ago=HOURS)
    assert world.kick().reason == "nothing_pending"  # growth was seen just now: idle counts from there
    world.later(hours=1)
    run = world.kick()
    assert run.sessions.selected == 1
    assert run.changes.added == 1
    assert "Never push" in world.text()


def test_sessions_beyond_the_run_are_deferred_and_still_pending(world: World) -> None:
    world.settings["budget"] = {"max_sessions_per_run": 2}
    for number in range(5):
        world.say(f"We always run step {number} of the release by hand, never by script.", session=number + 1)
    run = world.kick()
    assert (run.sessions.selected, run.sessions.deferred) == (2, 3)
    world.later(minutes=16)
    due = world.dream(Order(trigger=Trigger.SCHEDULE, if_due=True))
    assert due.run is not None
    assert due.run.sessions.selected == 2


def test_another_dream_holds_the_lock(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    with dream_lock(world.state, world.root, now=world.clock.at), pytest.raises(LockHeld) as caught:
        world.kick()
    assert caught.value.exit_status == 4
    assert world.kick().outcome is Outcome.COMMITTED


def test_lines_a_person_wrote_stay_and_what_they_deleted_does_not_come_back(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.", "Never push without asking me first.")
    world.kick()
    file = world.root / "projects" / "orchard.md"
    kept = [line for line in file.read_text().splitlines() if "pnpm" not in line]
    file.write_text("\n".join([*kept, "- my own note", ""]))
    world.later(hours=3)
    world.say("We always use pnpm in this repo, never npm.", session=2, ago=HOURS)
    world.say("The API runs on port 8181.", session=3, ago=HOURS)
    world.kick()
    text = file.read_text()
    assert "my own note" in text
    assert "8181" in text
    assert "pnpm" not in text


def test_memory_that_vanished_is_not_a_wish(world: World) -> None:
    world.say(
        "We always use pnpm in this repo, never npm.",
        "Never push without asking me first.",
        "The admin UI runs on port 5173.",
        "We decided to use PostgreSQL 16 instead of Redis, because one server is enough.",
        "Robin owns the deployment scripts.",
        "Always write tests before fixing a bug.",
    )
    assert world.kick().changes.added >= 5
    before = world.tree()
    for path in world.root.rglob("*.md"):
        path.unlink()
    world.later(hours=3)
    world.say("The API runs on port 8181.", session=2, ago=HOURS)
    run = world.kick()
    assert (run.outcome, run.reason) == (Outcome.REFUSED, "vanished")
    with world.app() as app:
        app.undo(None, relearn=False)
    assert world.tree() == before


def test_a_newer_value_takes_the_older_ones_place(world: World) -> None:
    world.say("The API runs on port 8181.", ago=dt.timedelta(hours=30))
    world.kick()
    world.say("The API runs on port 8282 now.", session=2)
    run = world.kick()
    assert run.changes.superseded == 1
    assert "8282" in world.text()
    assert "8181" not in world.text()


def test_what_is_another_persons_now_stands_in_both_their_files(world: World) -> None:
    world.say("Ann Berger owns the billing service.", ago=dt.timedelta(hours=30))
    world.kick()
    world.say("Ben Kowal owns the billing service now.", session=2)
    world.kick()
    assert "Ann Berger owns" not in world.text()
    people = {path.stem: path.read_text() for path in (world.root / "people").glob("*.md")}
    assert {name for name, text in people.items() if "- Ben Kowal owns the billing service" in text} == {
        "ann-berger",
        "ben-kowal",
    }
    before = world.text()
    world.kick()
    assert world.text() == before


def test_a_change_that_is_told_in_passing_counts_where_memory_holds_what_it_changes(world: World) -> None:
    world.say("The upload limit is 10 MB.", ago=dt.timedelta(hours=30))
    world.kick()
    world.say("we raised the upload limit from 10 to 25 MB, and we bumped the retry cap to 7", session=2)
    world.kick()
    assert "25 MB" in world.text()
    assert "limit is 10 MB" not in world.text()


def test_secrets_reach_neither_memory_nor_state(world: World) -> None:
    key = "sk-ant-api03-" + "Ab3" * 20
    world.say(f"Always use the key {key} for the staging server.", "We always use pnpm in this repo, never npm.")
    world.kick()
    stored = b"".join(
        path.read_bytes() for path in world.home.rglob("*") if path.is_file() and ".claude/projects" not in str(path)
    )
    assert key.encode() not in stored


@pytest.mark.parametrize("rule", [{"isolate": True}, {"engine": "offline"}])
def test_projects_that_keep_to_themselves_tell_nothing_outside_their_file(
    world: World, rule: dict[str, object]
) -> None:
    world.projects.append({"path": "/home/sam/work/orchard"} | rule)
    world.say("Always answer briefly.", "Never mention the merger in commit messages.")
    world.kick()
    assert "merger" not in world.memory()
    assert "briefly" not in world.memory()


def test_a_project_that_is_not_to_be_learned_from_is_never_read(world: World) -> None:
    world.projects.append({"path": "/home/sam/work/orchard", "learn": False})
    world.say("We always use pnpm in this repo, never npm.")
    assert world.kick().reason == "nothing_pending"


def test_history_is_a_git_repository_that_git_reads(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    run = world.kick()
    log = subprocess.run(
        ["git", "--git-dir", str(world.state / "history.git"), "log", "--format=%B"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"Run: {run.id}" in log
    assert "Session: claude-code:" in log


def test_state_is_private(world: World) -> None:
    os.umask(0o022)
    world.say("We always use pnpm in this repo, never npm.")
    world.kick()
    modes = {path.name: path.stat().st_mode & 0o777 for path in world.state.iterdir()}
    assert {mode & 0o077 for mode in modes.values()} == {0}, modes
    assert (world.root / "MEMORY.md").stat().st_mode & 0o777 == 0o600


def test_named_sessions_are_read_anew_even_after_an_undo(world: World) -> None:
    path = world.say("We always use pnpm in this repo, never npm.")
    first = world.kick()
    with world.app() as app:
        app.undo(first.id, relearn=False)
    run = world.kick(replace(Order(), sessions=(path.stem,)))
    assert run.outcome is Outcome.COMMITTED
    assert "pnpm" in world.text()


def test_what_is_too_weak_alone_counts_when_it_is_said_again_in_a_later_dream(world: World) -> None:
    weak = "the makefile uses tabs"
    world.say(weak)
    world.kick()
    assert "akefile" not in world.text()
    world.later(hours=5)
    world.say("The makefile uses tabs.", session=3, ago=HOURS)
    world.kick()
    assert "akefile" in world.text()


def test_newer_words_against_a_persons_line_stand_dated_under_it(world: World) -> None:
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text("# Memory\n\n- Indent with tabs.\n- Another line.\n")
    world.say("From now on always indent with spaces, in every project.")
    run = world.kick()
    assert run.outcome is Outcome.COMMITTED
    lines = world.memory().splitlines()
    at = lines.index("- Indent with tabs.")
    assert lines[at + 1].startswith("- Since 2026-03-10: ")
    assert lines[at + 1].endswith("; the line above is older.")
    with world.app() as app:
        assert [problem.code for problem in app.problems()] == ["lines_contradicted"]
    text = world.memory().replace("- Indent with tabs.\n", "")
    (world.root / "MEMORY.md").write_text(text)
    world.later(hours=3)
    world.say("Robin owns the deployment scripts.", session=2, ago=HOURS)
    world.kick()
    assert "the line above" not in world.memory()
    assert "spaces" in world.memory()
    with world.app() as app:
        assert app.problems() == []


def test_a_rule_told_in_two_projects_holds_in_all(world: World) -> None:
    world.say("Always use pnpm, not npm.", project="orchard")
    world.kick()
    assert "pnpm" not in world.memory().split("## Projects")[0]
    world.later(hours=3)
    world.say("Always use pnpm, not npm.", project="tidepool", session=2, ago=HOURS)
    world.kick()
    rules = world.memory().split("## Projects")[0]
    assert rules.count("pnpm") == 1
    assert world.text().count("pnpm") == 1


@pytest.mark.parametrize("rule", [{"isolate": True}, {"engine": "offline"}])
def test_rules_of_a_project_that_keeps_to_itself_never_become_general(world: World, rule: dict[str, object]) -> None:
    world.projects.append({"path": "/home/sam/work/orchard"} | rule)
    world.say("Always use pnpm, not npm.", project="orchard")
    world.say("Always use pnpm, not npm.", project="tidepool", session=2)
    world.kick()
    assert "pnpm" not in world.memory().split("## Projects")[0]
