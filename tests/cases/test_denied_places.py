"""SVC-05's variants and LCK-05: what the file system denies is observed and told, and nothing else breaks over it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from world import World

#: Root passes every check of rights; without its capabilities it is a person like others.
SETPRIV = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
pytestmark = pytest.mark.skipif(
    bool(SETPRIV) and shutil.which("setpriv") is None, reason="root needs setpriv(1) to be denied anything"
)


def dreamd(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The installed command with no more rights than the files' modes give."""
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "TZ": "UTC"} | more
    program = str(Path(sys.executable).with_name("dreamd"))
    return subprocess.run([*SETPRIV, program, *arguments], env=environ, capture_output=True, text=True, check=False)


@pytest.fixture
def dreamt(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "home")
    world.say("We always use pnpm in this repo, never npm.")
    assert dreamd(world.home, "kick").returncode == 0
    assert dreamd(world.home, "status", "--check").returncode == 0
    yield world
    for path in [world.home, *world.home.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)


@pytest.mark.parametrize(
    ("place", "mode", "code"),
    [
        (".local/state/dreamd/state.db", 0o400, "state_unwritable"),
        (".local/state/dreamd/history.git", 0o500, "state_unwritable"),
        (".local/state/dreamd/archive", 0o500, "archive_unwritable"),
        (".claude/memory", 0o500, "memory_unwritable"),
        (".claude/memory/projects", 0o500, "memory_unwritable"),
        (".claude/memory", 0o000, "memory_unreadable"),
        (".claude/memory/projects", 0o000, "memory_unreadable"),
        (".claude/memory/MEMORY.md", 0o000, "memory_unreadable"),
        (".claude/projects", 0o000, "transcripts_unreadable"),
    ],
)
def test_svc_05_a_place_that_denies_is_named_and_all_is_well_again_when_it_does_not(
    dreamt: World, place: str, mode: int, code: str
) -> None:
    path = dreamt.home / place
    before = path.stat().st_mode & 0o7777
    path.chmod(mode)
    done = dreamd(dreamt.home, "status", "--check", "--json")
    path.chmod(before)
    assert done.returncode == 6, done.stderr
    (problem,) = json.loads(done.stdout)["problems"]
    assert problem["code"] == code
    assert str(path) in problem["message"]
    assert dreamd(dreamt.home, "status", "--check").returncode == 0


def test_svc_05_a_state_directory_that_cannot_be_written_is_named(dreamt: World) -> None:
    """SQLite cannot even read a database there without its side files, so this is all that can be said."""
    dreamt.state.chmod(0o500)
    done = dreamd(dreamt.home, "status", "--check", "--json")
    dreamt.state.chmod(0o700)
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "state"
    assert "writable" in json.loads(done.stdout)["error"]["hint"]
    assert dreamd(dreamt.home, "status", "--check").returncode == 0


def test_an_unreadable_root_is_told_by_a_scan_and_loses_no_session(dreamt: World) -> None:
    dreamt.transcripts.chmod(0o000)
    done = dreamd(dreamt.home, "scan", "--json")
    dreamt.transcripts.chmod(0o700)
    told = json.loads(done.stdout)
    assert (done.returncode, told["lost"]) == (0, 0)
    assert told["problems"] == [{"path": str(dreamt.transcripts), "code": "EACCES"}]


@pytest.mark.parametrize("number", ["37", "38"])
def test_lck_05_a_mount_without_locks_is_seen_in_status(dreamt: World, tmp_path: Path, number: str) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        f"import fcntl, os\ndef broken(*_): raise OSError({number}, os.strerror({number}))\nfcntl.flock = fcntl.lockf = broken\n"
    )
    done = dreamd(dreamt.home, "status", "--check", "--json", PYTHONPATH=str(site))
    assert done.returncode == 6, done.stderr
    assert [one["code"] for one in json.loads(done.stdout)["problems"]] == ["locks_unusable"]
    refused = dreamd(dreamt.home, "kick", PYTHONPATH=str(site))
    assert refused.returncode == 1
    assert "local disk" in refused.stderr
