"""A walker for each test: one command over and over, a different write-class call of it struck each time."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from world import World

MEMORY = ".claude/memory"
#: DREAMD_FAULT_EVERY: which calls are struck, every so many of them. 1: every single one (hours for all of it).
EVERY = int(os.environ.get("DREAMD_FAULT_EVERY", "0"))
WALKS = 6  # about so many runs a test otherwise


@dataclass(frozen=True)
class Walk:
    """What came of striking one command at many places."""

    before: dict[str, str]  # the memory files' digests
    done: dict[str, Any]  # the run that nothing struck
    struck: list[dict[str, Any]] = field(default_factory=list)

    @property
    def after(self) -> dict[str, str]:
        return self.done["middle"]


@dataclass(frozen=True)
class Walker:
    """Strikes commands that run over copies of one home."""

    place: Path
    shim: Path
    world: World

    def walk(
        self,
        command: list[str],
        after: list[list[str]],
        *,
        error: int = 0,
        sticky: bool = False,
        cut: bool = False,
        runs: int = WALKS,
        word: str = "",
    ) -> Walk:
        """`error` 0: the process is killed there; else the call fails with it, and with `sticky` every later one too.

        `cut`: a write that is struck takes half of its bytes and says so; then comes the error.
        """
        base = self.place / "base"
        if not base.exists():
            shutil.copytree(self.world.home, base, symlinks=True)
        before = self._run(command, after, (error, sticky, cut), word, first=1 << 30, step=1)[-1]
        step = EVERY or max(1, before["seen"] // runs)
        rows = self._run(command, after, (error, sticky, cut), word, first=1 + before["number"] % step, step=step)
        return Walk(self._tree(base), before, [row for row in rows if row["fired"]])

    def _run(
        self,
        command: list[str],
        after: list[list[str]],
        fault: tuple[int, bool, bool],
        word: str,
        *,
        first: int,
        step: int,
    ) -> list[dict[str, Any]]:
        job = {
            "base": str(self.place / "base"),
            "home": str(self.world.home),
            "command": command,
            "after": after,
            "memory": MEMORY,
            "first": first,
            "step": step,
            "fault": fault,
            "word": word,
        }
        environ = {"PATH": "/usr/bin:/bin", "TZ": "UTC", "LD_PRELOAD": str(self.shim), "HOME": str(self.world.home)}
        done = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("walker.py"))],
            input=json.dumps(job),
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=7200,
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def _tree(self, home: Path) -> dict[str, str]:
        from hashlib import sha256

        root = home / MEMORY
        files = [path for path in sorted(root.rglob("*")) if path.is_file()]
        return {str(path.relative_to(root)): sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The preloaded library, compiled."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("faults are injected by a preloaded library: needs Linux and a C compiler")
    target = tmp_path_factory.mktemp("shim") / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(target), str(source), "-ldl"], check=True)
    return target


@pytest.fixture
def walker(tmp_path: Path, shim: Path) -> Callable[[World], Walker]:
    """Makes a walker for a world that stands as the command shall find it."""
    return lambda world: Walker(tmp_path, shim, world)


@pytest.fixture
def spoken(tmp_path: Path) -> World:
    """Two finished sessions and a line of the person's own, at the real time."""
    world = World(tmp_path / "home")
    world.clock.at = dt.datetime.now(dt.UTC)
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text("# Memory\n\n- Mine.\n")
    days = dt.timedelta(days=2)
    world.say("We always use pnpm in this repo, never npm.", "Never push without asking me first.", ago=days)
    world.say(
        "The cormorant API runs on port 8181.",
        "Robin owns the deployment scripts.",
        project="tidepool",
        session=2,
        ago=days,
    )
    return world
