"""`dreamd restore` as a person calls it: what comes back is what was there, where the agent finds it, with a new term."""

import datetime as dt
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from world import World, dreamd

SHORT = "00000000-0000-4000-8000-0000000000"


@dataclass(frozen=True)
class Kept:
    """A session that was archived long after its last word: its files as they were."""

    world: World
    main: Path
    files: dict[Path, bytes]

    def restore(self, *arguments: str) -> tuple[int, dict[str, object], str]:
        done = dreamd(self.world.home, "restore", self.main.stem, "--json", *arguments)
        return done.returncode, json.loads(done.stdout), done.stderr

    def now(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.world.transcripts.rglob("*") if path.is_file()}


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    world = World(tmp_path / "home")
    world.clock.at = dt.datetime.now(dt.UTC)
    main = world.say("We always use pnpm in this repo, never npm.", "Caf\u00e9 \N{ROCKET}", ago=dt.timedelta(days=20))
    with main.open("ab") as file:
        file.write(b'\0\0{"type":"mode"}\n{"type":"user","uuid":"torn\xff')
    beside = {
        "subagents/agent-a1.jsonl": b'{"type":"user","isSidechain":true}\n',
        "subagents/agent-a1.meta.json": b"{}",
        "subagents/workflows/run1/agent-c3.jsonl": b'{"type":"user","isSidechain":true}\n',
        "tool-results/toolu_1.txt": bytes(range(256)) * 400,
    }
    for name, content in beside.items():
        path = main.with_suffix("") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    old = (world.clock.at - dt.timedelta(days=20)).timestamp()
    files = {path: path.read_bytes() for path in world.transcripts.rglob("*") if path.is_file()}
    for path in files:
        os.utime(path, (old, old))
    assert dreamd(world.home, "kick").returncode == 0
    return Kept(world, main, files)


def test_a_deleted_session_comes_back_byte_for_byte_with_its_sub_agents(kept: Kept) -> None:
    for path in kept.files:
        path.unlink()
    assert dreamd(kept.world.home, "scan").returncode == 0
    began = time.time()
    status, told, _ = kept.restore()
    assert status == 0
    assert kept.now() == kept.files
    assert told["files"] == [str(kept.main), *sorted(str(path) for path in kept.files if path != kept.main)]
    assert told["cwd"] == "/home/sam/work/orchard"
    for path in kept.files:
        found = path.stat()
        assert found.st_mtime >= began - 1
        assert found.st_mode & 0o777 == 0o600
    (session,) = json.loads(dreamd(kept.world.home, "sessions", "--json").stdout)
    assert (session["state"], session["archived"], session["human_turns"]) == ("consolidated", True, 2)


def test_a_session_that_is_still_there_only_gets_a_new_term(kept: Kept) -> None:
    inodes = {path: path.stat().st_ino for path in kept.files}
    began = time.time()
    status, _, _ = kept.restore()
    assert status == 0
    assert kept.now() == kept.files
    assert all(path.stat().st_mtime >= began - 1 for path in kept.files)
    assert {path: path.stat().st_ino for path in kept.files} == inodes


def test_a_session_that_grew_is_left_alone_whole(kept: Kept) -> None:
    agent = kept.main.with_suffix("") / "subagents" / "agent-a1.jsonl"
    agent.unlink()
    with kept.main.open("ab") as file:
        file.write(b"\nmore\n")
    status, told, _ = kept.restore()
    assert status == 1
    assert told["error"]["code"] == "transcript"  # type: ignore[index]
    assert "--overwrite" in told["error"]["hint"]  # type: ignore[index]
    assert kept.main.read_bytes().endswith(b"more\n")
    assert not agent.exists()
    status, _, _ = kept.restore("--overwrite")
    assert status == 0
    assert kept.now() == kept.files


def test_a_session_that_was_cut_short_is_made_whole(kept: Kept) -> None:
    older = time.time() - 30 * 86_400
    kept.main.write_bytes(kept.files[kept.main][:100])
    os.utime(kept.main, (older, older))
    status, _, _ = kept.restore()
    assert status == 0
    assert kept.now() == kept.files


def test_a_restored_session_goes_on_and_is_counted_on(kept: Kept) -> None:
    for path in kept.files:
        path.unlink()
    dreamd(kept.world.home, "scan")
    kept.restore()
    kept.world.clock.at = dt.datetime.now(dt.UTC)
    with kept.main.open("ab") as file:
        file.write(b"\n")
    kept.world.say("Never push without asking.", ago=dt.timedelta(0))
    (session,) = json.loads(dreamd(kept.world.home, "sessions", "--json").stdout)
    assert (session["human_turns"], session["unread_turns"], session["state"]) == (3, 1, "live")


def test_an_unknown_session_and_one_without_a_copy_are_wrong_usage(kept: Kept) -> None:
    assert dreamd(kept.world.home, "restore", "ffff").returncode == 2
    kept.world.say("Never push without asking.", session=2, ago=dt.timedelta(hours=1))
    dreamd(kept.world.home, "scan")
    done = dreamd(kept.world.home, "restore", SHORT + "02", "--json")
    assert done.returncode == 2
    assert "no archived copy" in json.loads(done.stdout)["error"]["message"]


def test_a_damaged_copy_is_an_error_and_touches_nothing(kept: Kept) -> None:
    (copy,) = (kept.world.state / "archive").rglob("*.tar.zst")
    copy.write_bytes(copy.read_bytes()[:-30])
    kept.main.unlink()
    status, told, _ = kept.restore()
    assert status == 1
    assert "damaged" in told["error"]["message"]  # type: ignore[index]
    assert not kept.main.exists()


def test_people_are_told_how_to_go_on(kept: Kept) -> None:
    done = dreamd(kept.world.home, "restore", kept.main.stem)
    assert f"cd /home/sam/work/orchard && claude --resume {kept.main.stem}" in done.stdout
