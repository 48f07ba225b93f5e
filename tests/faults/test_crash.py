"""Killed at any write of any command, memory is wholly old or wholly new afterwards, and nothing half-done stays."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faults.conftest import Walk, Walker
from world import World, dreamd

RECOVER = [["kick", "--json"], ["runs", "--json"]]


def ended(home: Path, *arguments: str) -> Any:
    done = dreamd(home, *arguments, "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)


def whole(walk: Walk) -> None:
    """Old or new, byte for byte, before and after the next command; nothing left behind; every run has ended."""
    assert walk.before != walk.after
    assert len(walk.struck) > 5
    for row in walk.struck:
        where = f"killed at write {row['number']}"
        assert row["status"] == -9, (where, row["err"], row["out"])
        assert row["tree"] in (walk.before, walk.done["tree"]), where
        assert row["left"] == [], where
        assert [one["status"] for one in row["after"]] == [0] * len(row["after"]), (where, row["after"])
        runs = json.loads(row["after"][1]["out"])
        assert all(run["outcome"] for run in runs), where
        assert {run["outcome"] for run in runs} <= {"committed", "no_change", "interrupted"}, where


def test_pas_14_a_dream_killed_at_any_write_is_concluded_by_the_next(
    spoken: World, walker: Callable[[World], Walker]
) -> None:
    walk = walker(spoken).walk(["kick", "--json"], RECOVER)
    whole(walk)
    for row in walk.struck:
        assert row["tree"] == walk.after
        newest, *older = json.loads(row["after"][1]["out"])
        assert [run["outcome"] for run in older] in ([], ["interrupted"], ["committed"])
        assert newest["outcome"] == ("no_change" if older and older[0]["outcome"] == "committed" else "committed")


def test_an_undo_killed_at_any_write_is_taken_back_or_done(spoken: World, walker: Callable[[World], Walker]) -> None:
    ended(spoken.home, "kick")
    whole(walker(spoken).walk(["undo", "--json"], RECOVER))


@pytest.mark.parametrize("purge", [[], ["--purge-history", "--yes"]], ids=["kept", "purged"])
def test_forgetting_killed_at_any_write_is_carried_through_once_memory_is_without_it(
    spoken: World, walker: Callable[[World], Walker], purge: list[str]
) -> None:
    ended(spoken.home, "kick")
    after = [*RECOVER, ["search", "cormorant", "--json"]]
    walk = walker(spoken).walk(["forget", "--line", "cormorant", *purge, "--json"], after, word="cormorant")
    whole(walk)
    for row in walk.struck:
        gone = row["tree"] == walk.after
        hits = json.loads(row["after"][2]["out"])["hits"]
        assert any(hit["where"] == "memory" for hit in hits) is not gone, row["number"]
        held = [name for name in row["holding"] if "search.db" not in name]  # what was said in the session may be found
        if gone:
            assert all(name.startswith("history.git/") for name in held), (row["number"], held)
            assert not (purge and held), row["number"]


def test_an_export_killed_at_any_write_leaves_no_half_a_file(spoken: World, walker: Callable[[World], Walker]) -> None:
    ended(spoken.home, "kick")
    walk = walker(spoken).walk(
        ["export", "all.dreamd"], [["export", "all.dreamd", "--force", "--json"], ["doctor", "--json"]]
    )
    for row in walk.struck:
        assert row["status"] == -9
        assert row["after"][0]["status"] == 0, row["after"]
        assert row["left"] == []
        assert row["tree"] == walk.before


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["fresh", "forced"])
def test_an_import_killed_at_any_write_is_taken_back_or_done(
    spoken: World, walker: Callable[[World], Walker], force: list[str]
) -> None:
    ended(spoken.home, "kick")
    ended(spoken.home, "export", "../all.dreamd")
    if force:
        ended(spoken.home, "undo")
        ended(spoken.home, "memory", "add", "Prefer short functions.")
    else:
        shutil.rmtree(spoken.state)
        shutil.rmtree(spoken.root)
    walk = walker(spoken).walk(["import", "../all.dreamd", "--json", *force], [["runs", "--json"], ["runs", "--json"]])
    assert walk.before != walk.after
    runs = {json.dumps(one) for one in (row["after"][1]["out"] for row in walk.struck)}
    for row in walk.struck:
        assert row["status"] == -9
        assert row["after"][1]["status"] == 0, row["after"]
        assert row["tree"] in (walk.before, walk.after), row["number"]
        assert row["left"] == []
        known = json.loads(row["after"][1]["out"])
        assert (len(known) == len(json.loads(walk.done["after"][1]["out"]))) == (row["tree"] == walk.after) or force
    assert len(runs) <= 2 + len(force)


def test_a_restore_killed_at_any_write_leaves_the_whole_transcript_or_none(
    spoken: World, walker: Callable[[World], Walker]
) -> None:
    ended(spoken.home, "kick")
    transcript = next(spoken.transcripts.rglob("*.jsonl"))
    name = transcript.stem
    content = transcript.read_bytes()
    transcript.unlink()
    walk = walker(spoken).walk(["restore", name], [["restore", name, "--json"], ["kick", "--json"]])
    for row in walk.struck:
        assert row["status"] == -9
        assert [one["status"] for one in row["after"]] == [0, 0], row["after"]
        assert row["left"] == []
        assert row["tree"] == walk.before
    assert transcript.read_bytes() == content
    assert [path.name for path in transcript.parent.iterdir() if path.name.startswith(".")] == []


def an_older_schema(database: Path) -> None:
    """The file as the first schema has it: without what the later migrations add."""
    with contextlib.closing(sqlite3.connect(database)) as opened, opened:
        for table in ("letters", "batches", "models"):
            opened.execute(f"DROP TABLE {table}")
        opened.execute("ALTER TABLE turns DROP COLUMN size")
        opened.execute("UPDATE alembic_version SET version_num = '0001'")


def test_a_migration_killed_at_any_write_leaves_the_old_schema_or_the_new(
    spoken: World, walker: Callable[[World], Walker]
) -> None:
    ended(spoken.home, "kick")
    an_older_schema(spoken.state / "state.db")
    walk = walker(spoken).walk(["runs", "--json"], [["runs", "--json"], ["kick", "--json"], ["doctor", "--json"]])
    assert len(walk.struck) > 2
    for row in walk.struck:
        where = f"killed at write {row['number']}"
        assert row["status"] == -9, where
        assert row["tree"] == walk.before, where
        assert row["left"] == [], where
        assert [one["status"] for one in row["after"][:2]] == [0, 0], (where, row["after"])
        assert row["after"][0]["out"] == walk.done["after"][0]["out"], where  # every run is still known
        assert json.loads(row["after"][1]["out"])["outcome"] == "no_change", where  # and every session still read
