"""Everything moves to another machine in one file, wholly or not at all, and goes on there as if nothing had happened."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import json
import os
import shutil
import stat
import tarfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard

from dreamd.archive.packed import MANIFEST, opened
from dreamd.moving.bundle import ABOUT, About
from dreamd.moving.lodging import moves
from dreamd.standing.beacon import instance_lock
from dreamd.state.resettlement import moved
from world import World, dreamd

DAY = dt.timedelta(days=1)


def told(home: Path, *arguments: str, status: int = 0) -> Any:
    """A command's JSON; its exit status must be what is expected."""
    done = dreamd(home, *arguments, "--json")
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout)


def new_home(tmp_path: Path, name: str) -> World:
    world = World(tmp_path / name, said=len(name) * 1000)
    world.clock.at = dt.datetime.now(dt.UTC)
    world.home.mkdir()
    return world


def at_home(world: World, path: Path) -> None:
    """Lets a session have taken place below the home, in the directory that the client names after it."""
    path.write_text(path.read_text().replace("/home/sam/work/", f"{world.home}/work/"))
    old = world.clock.at.timestamp() - 2 * 86400
    os.utime(path, (old, old))
    cwd = f"{world.home}/work/{path.parent.name.rpartition('-')[2]}"
    folder = world.transcripts / "".join(char if char.isascii() and char.isalnum() else "-" for char in cwd)
    folder.mkdir(exist_ok=True)
    path.rename(folder / path.name)
    path.parent.rmdir()


@pytest.fixture
def dreamt(tmp_path: Path) -> World:
    """A home whose two sessions were dreamt of; work is a place below it."""
    world = new_home(tmp_path, "sam")
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text("# Memory\n\n- Bring biscuits.\n")
    (world.root / "plans.txt").write_text("mine\n")
    world.say("We always use pnpm in this repo, never npm.", "Never push without asking me first.", ago=2 * DAY)
    world.say("The cormorant API runs on port 8181.", session=2, project="tidepool", ago=2 * DAY)
    for path in list(world.transcripts.rglob("*.jsonl")):
        at_home(world, path)
    told(world.home, "kick")
    return world


def test_a_round_trip_to_an_empty_home_loses_nothing(tmp_path: Path, dreamt: World) -> None:
    (dreamt.root / "MEMORY.md").chmod(0o640)
    transcripts = {path.stem: path.read_bytes() for path in dreamt.transcripts.rglob("*.jsonl")}
    file = tmp_path / "all.dreamd"
    done = told(dreamt.home, "export", str(file))
    assert (done["sessions"], done["copies"], done["runs"], done["without_copy"]) == (2, 2, 1, 0)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    there = new_home(tmp_path, "robin")
    assert told(there.home, "import", str(file))["backup"] is None
    assert there.tree() == dreamt.tree()
    assert stat.S_IMODE((there.root / "MEMORY.md").stat().st_mode) == 0o640
    assert told(there.home, "kick")["outcome"] == "no_change"
    assert {hit["where"] for hit in told(there.home, "search", "cormorant")["hits"]} == {"memory", "session"}
    why = told(there.home, "why", "cormorant")
    assert why["evidence"][0]["quote"] == "The cormorant API runs on port 8181."
    sessions = told(there.home, "sessions")
    assert {one["state"] for one in sessions} == {"consolidated"}
    assert all(one["cwd"].startswith(str(there.home)) for one in sessions)
    assert all(one["path"].startswith(str(there.transcripts)) for one in sessions)
    for one in sessions:
        put_back = told(there.home, "restore", one["id"])
        path = Path(put_back["files"][0])
        assert path.read_bytes() == transcripts[one["id"]]
        folder = "".join(char if char.isascii() and char.isalnum() else "-" for char in one["cwd"])
        assert path.parent == there.transcripts / folder
    assert told(there.home, "kick")["outcome"] == "no_change"
    assert told(there.home, "undo")["outcome"] == "committed"
    assert there.memory() == "# Memory\n\n- Bring biscuits.\n"
    assert told(there.home, "doctor", status=told_status(there.home))["checks"]


def told_status(home: Path) -> int:
    return dreamd(home, "doctor", "--json").returncode


def test_a_project_named_by_its_path_is_the_same_project_there(tmp_path: Path, dreamt: World) -> None:
    told(dreamt.home, "export", str(tmp_path / "all.dreamd"))
    there = new_home(tmp_path, "robin")
    told(there.home, "import", str(tmp_path / "all.dreamd"))
    there.say("The cormorant API runs on port 9191 now.", session=5, project="tidepool")
    at_home(there, next(there.transcripts.rglob("*.jsonl")))
    assert told(there.home, "kick")["outcome"] == "committed"
    assert sorted(name for name in there.tree() if name.startswith("projects/")) == [
        "projects/orchard.md",
        "projects/tidepool.md",
    ]
    topic = (there.root / "projects/tidepool.md").read_text()
    assert "9191" in topic
    assert "8181" not in topic


def test_a_plan_that_waits_is_accepted_there_for_the_project_as_it_is_called_there(
    tmp_path: Path, dreamt: World
) -> None:
    dreamt.say("The cormorant API is written in Zig.", session=7, project="tidepool")
    at_home(dreamt, next(dreamt.transcripts.rglob(f"*{7:012}.jsonl")))
    assert told(dreamt.home, "kick", "--dry-run")["outcome"] == "waiting"
    told(dreamt.home, "export", str(tmp_path / "all.dreamd"))
    there = new_home(tmp_path, "robin")
    told(there.home, "import", str(tmp_path / "all.dreamd"))
    assert "Zig" not in there.text()
    assert any("Zig" in str(change) for change in told(there.home, "runs", "show", "last")["plan"])
    assert told(there.home, "accept", "last")["outcome"] == "committed"
    there.say("The cormorant API is written in Rust now, no longer in Zig.", session=8, project="tidepool")
    at_home(there, next(there.transcripts.rglob(f"*{8:012}.jsonl")))
    told(there.home, "kick")
    with there.app() as app:
        entries = app.shop.history.head().entries
    assert {one.project_key for one in entries if one.file == "projects/tidepool.md"} == {f"{there.home}/work/tidepool"}
    assert told(there.home, "undo")["outcome"] == "committed"


def test_a_plan_that_waits_is_rejected_there_for_good(tmp_path: Path, dreamt: World) -> None:
    dreamt.say("The cormorant API is written in Zig.", session=7, project="tidepool")
    at_home(dreamt, next(dreamt.transcripts.rglob(f"*{7:012}.jsonl")))
    assert told(dreamt.home, "kick", "--dry-run")["outcome"] == "waiting"
    told(dreamt.home, "export", str(tmp_path / "all.dreamd"))
    there = new_home(tmp_path, "robin")
    told(there.home, "import", str(tmp_path / "all.dreamd"))
    assert told(there.home, "reject", "last")["outcome"] == "rejected"
    told(there.home, "kick")
    assert "Zig" not in there.text()


def test_what_was_forgotten_stays_forgotten_on_the_other_machine(tmp_path: Path, dreamt: World) -> None:
    told(dreamt.home, "forget", "--line", "cormorant")
    told(dreamt.home, "export", str(tmp_path / "all.dreamd"))
    there = new_home(tmp_path, "robin")
    told(there.home, "import", str(tmp_path / "all.dreamd"))
    there.say("The cormorant API runs on port 8181.", session=5, project="tidepool")
    told(there.home, "kick")
    assert "cormorant" not in there.text()


def test_nothing_that_is_there_is_replaced_without_force_and_then_it_is_kept(tmp_path: Path, dreamt: World) -> None:
    file = tmp_path / "all.dreamd"
    told(dreamt.home, "export", str(file))
    there = new_home(tmp_path, "robin")
    there.say("The heron service listens on port 7171.")
    told(there.home, "kick")
    before = there.tree()
    assert told(there.home, "import", str(file), status=2)["error"]["hint"].startswith("--force")
    assert there.tree() == before
    backup = told(there.home, "import", str(file), "--force")["backup"]
    assert there.tree() == dreamt.tree()
    assert "heron" not in there.text()
    told(there.home, "kick")
    assert "heron" in there.text(), "its session is still here, and the imported memory did not know it"
    told(there.home, "import", backup, "--force")
    assert there.tree() == before | {"plans.txt": b"mine\n"}, "a file that is no part of memory stays"
    assert told(there.home, "kick")["outcome"] == "no_change"


def test_a_persons_notes_alone_are_not_replaced_either(tmp_path: Path, dreamt: World) -> None:
    told(dreamt.home, "export", str(tmp_path / "all.dreamd"))
    there = new_home(tmp_path, "robin")
    there.root.mkdir(parents=True)
    (there.root / "MEMORY.md").write_text("- mine\n")
    told(there.home, "import", str(tmp_path / "all.dreamd"), status=2)
    assert there.memory() == "- mine\n"


def test_of_the_backups_that_imports_make_the_newest_three_stay_and_the_doctor_names_old_ones(
    tmp_path: Path, dreamt: World
) -> None:
    file = tmp_path / "all.dreamd"
    told(dreamt.home, "export", str(file))
    old = [dreamt.state / f"before-import-2026010{day}T000000Z.dreamd" for day in range(1, 6)]
    for path in old:
        shutil.copy(file, path)
    long_ago = dreamt.clock.at.timestamp() - 40 * 86400
    os.utime(old[4], (long_ago, long_ago))
    mine = told(dreamt.home, "import", str(old[0]), "--force")
    left = sorted(dreamt.state.glob("before-import-*"))
    assert left == [old[0], old[3], old[4], Path(mine["backup"])]  # and the one that was just imported
    checks = json.loads(dreamd(dreamt.home, "doctor", "--json").stdout)["checks"]
    (check,) = [one for one in checks if one["name"] == "backups"]
    assert (check["level"], check["reason"]) == ("warning", "left_behind")
    assert str(old[4]) in check["message"]
    assert str(old[3]) not in check["message"]
    old[4].unlink()
    checks = json.loads(dreamd(dreamt.home, "doctor", "--json").stdout)["checks"]
    assert next(one["ok"] for one in checks if one["name"] == "backups")


def test_an_existing_file_is_not_overwritten_without_force(tmp_path: Path, dreamt: World) -> None:
    file = tmp_path / "all.dreamd"
    file.write_text("precious")
    assert told(dreamt.home, "export", str(file), status=2)["error"]["code"] == "usage"
    assert file.read_text() == "precious"
    told(dreamt.home, "export", str(file), "--force")
    told(dreamt.home, "export", str(dreamt.root / "x"), status=2)
    told(dreamt.home, "export", str(tmp_path / "no" / "x"), status=2)


def rewritten(file: Path, change: dict[str, bytes | None], about: dict[str, object] | None = None) -> None:
    """The same file with other members; the manifest is made to fit, as somebody who forges one would."""
    out = file.with_suffix(".forged")
    members: list[tuple[str, bytes]] = []
    with opened(file) as tar:
        for info in tar:
            source = tar.extractfile(info)
            assert source is not None
            members.append((info.name, source.read()))
    listed = {str(one[0]): one for one in json.loads(dict(members)[MANIFEST])["files"]}
    with (
        out.open("wb") as plain,
        zstandard.ZstdCompressor().stream_writer(plain, closefd=False) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, data in [*((n, d) for n, d in members if n != MANIFEST), *((n, d) for n, d in change.items() if d)]:
            content = json.dumps(json.loads(data) | about).encode() if name == ABOUT and about else data
            listed[name] = [name, len(content), hashlib.sha256(content).hexdigest(), 0]
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        data = json.dumps({"version": 1, "files": list(listed.values())}).encode()
        info = tarfile.TarInfo(MANIFEST)
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    out.replace(file)


@pytest.mark.parametrize(
    ("change", "about", "says"),
    [
        ({"../../evil": b"x"}, None, "leads out"),
        ({"/tmp/evil": b"x"}, None, "leads out"),
        ({"config.toml": b"x"}, None, "what no export"),
        ({}, {"format": 2, "shape": "new"}, "newer dreamd"),
        ({}, {"schema": "9999"}, "newer dreamd"),
        ({"history.git/refs/heads/main": b"junk\n"}, None, "history.git"),
    ],
    ids=["up", "absolute", "stranger", "layout", "schema", "history"],
)
def test_a_file_that_is_not_an_export_of_this_dreamd_changes_nothing(
    tmp_path: Path, dreamt: World, change: dict[str, bytes | None], about: dict[str, object] | None, says: str
) -> None:
    file = tmp_path / "all.dreamd"
    told(dreamt.home, "export", str(file))
    rewritten(file, change, about)
    there = new_home(tmp_path, "robin")
    assert says in told(there.home, "import", str(file), status=1)["error"]["message"]
    assert not there.root.exists()
    assert not (there.state / "history.git").exists()
    assert [path.name for path in there.state.glob("import*")] == []
    assert not (tmp_path / "evil").exists()
    assert told(there.home, "kick")["outcome"] == "no_change"


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text", "missing"])
def test_a_damaged_file_changes_nothing(tmp_path: Path, dreamt: World, damage: str) -> None:
    file = tmp_path / "all.dreamd"
    told(dreamt.home, "export", str(file))
    data = bytearray(file.read_bytes())
    if damage == "flipped":
        data[len(data) // 2] ^= 0xFF
    file.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "text": b"# notes\n"}.get(damage, bytes(data)))
    if damage == "missing":
        file.unlink()
    there = new_home(tmp_path, "robin")
    error = told(there.home, "import", str(file), status=1)["error"]
    assert error["code"] == "state"
    assert error["hint"]
    assert not there.root.exists()
    assert not (there.state / "history.git").exists()


def test_an_import_waits_for_no_service_and_breaks_none(tmp_path: Path, dreamt: World) -> None:
    told(dreamt.home, "export", str(tmp_path / "all.dreamd"))
    there = new_home(tmp_path, "robin")
    with instance_lock(there.state):
        told(there.home, "import", str(tmp_path / "all.dreamd"), status=4)


def test_an_export_holds_no_copy_of_a_session_that_is_still_going_on_and_says_so(tmp_path: Path, dreamt: World) -> None:
    dreamt.say("We deploy on Fridays.", session=9, ago=dt.timedelta(minutes=1))
    assert told(dreamt.home, "export", str(tmp_path / "all.dreamd"))["without_copy"] == 1


def test_memory_that_vanished_is_not_exported_as_empty(tmp_path: Path, dreamt: World) -> None:
    shutil.rmtree(dreamt.root)
    assert told(dreamt.home, "export", str(tmp_path / "all.dreamd"), status=5)["error"]["code"] == "refused"
    assert not (tmp_path / "all.dreamd").exists()


def test_links_in_memory_stay_links_when_their_content_is_replaced(tmp_path: Path, dreamt: World) -> None:
    told(dreamt.home, "export", str(tmp_path / "all.dreamd"))
    there = new_home(tmp_path, "robin")
    dotfiles = there.home / "dotfiles.md"
    dotfiles.write_text("- mine\n")
    there.root.mkdir(parents=True)
    (there.root / "MEMORY.md").symlink_to(dotfiles)
    told(there.home, "import", str(tmp_path / "all.dreamd"), "--force")
    assert (there.root / "MEMORY.md").is_symlink()
    assert "biscuits" in dotfiles.read_text()


def test_places_lead_where_this_machine_keeps_the_same() -> None:
    about = About(
        1,
        "0",
        "0001",
        dt.datetime.now(dt.UTC),
        "/home/a",
        "",
        (("claude-code", "/home/a/.claude/projects"), ("codex", "/x/sessions")),
        0,
    )
    here = [("claude-code", "/mnt/claude/projects"), ("codex", "/y/sessions"), ("codex", "/y/archived_sessions")]
    found = moves(about, here, "/home/b")
    assert moved("/home/a/.claude/projects/p/1.jsonl", found) == "/mnt/claude/projects/p/1.jsonl"
    assert moved("/x/sessions/2.jsonl", found) == "/y/sessions/2.jsonl"
    assert moved("/home/a/work", found) == "/home/b/work"
    assert moved("/home/ab/work", found) == "/home/ab/work"
    assert moves(about, [("claude-code", "/home/a/.claude/projects")], "/home/a") == []
    assert msgspec.json.decode(msgspec.json.encode(about), type=About) == about
