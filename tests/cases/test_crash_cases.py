"""A dream killed at any write leaves memory wholly old or wholly new, and loses no session."""

import datetime as dt
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from world import World, dreamd

CHILD = Path(__file__).with_name("crash_child.py")
EVERY = int(os.environ.get("DREAMD_CRASH_EVERY", "17"))  # 1: every single write (minutes)


def prepared(home: Path) -> World:
    world = World(home)
    world.clock.at = dt.datetime.now(dt.UTC)
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text("# Memory\n\n- Mine.\n")
    world.say("We always use pnpm in this repo, never npm.", "Never push without asking me first.")
    world.say("The API runs on port 8181.", "Robin owns the deployment scripts.", project="tidepool", session=2)
    return world


def killed_at(home: Path, number: int) -> bool:
    """Runs a dream that dies at its N-th write; False where it ended by itself."""
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "TZ": "UTC"}
    done = subprocess.run(
        [sys.executable, str(CHILD), str(number), "kick"], env=environ, capture_output=True, check=False, timeout=120
    )
    assert done.returncode in (0, -9), done.stderr.decode()
    return done.returncode == -9


def without_ids(tree: dict[str, bytes]) -> dict[str, bytes]:
    return dict(tree)


@pytest.mark.parametrize("lane", range(2))
def test_pas_14_killed_at_any_write_memory_is_wholly_old_or_wholly_new(tmp_path: Path, lane: int) -> None:
    base = prepared(tmp_path / "base")
    old = base.tree()
    reference = World(tmp_path / "reference")
    shutil.copytree(base.home, reference.home)
    assert dreamd(reference.home, "kick").returncode == 0
    new = reference.tree()
    assert new != old
    number, ended = 1 + lane * EVERY, False
    while not ended:
        world = World(tmp_path / f"n{number}")
        shutil.copytree(base.home, world.home)
        ended = not killed_at(world.home, number)
        again = dreamd(world.home, "kick")
        assert again.returncode == 0, again.stderr
        assert world.tree() == new, f"killed at write {number}"
        runs = dreamd(world.home, "runs", "--json").stdout
        assert '"outcome": null' not in runs
        shutil.rmtree(world.home)
        number += 2 * EVERY
