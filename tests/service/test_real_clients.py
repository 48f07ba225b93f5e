"""The real Codex, Gemini CLI and OpenCode, driven once each: what they write is seen by the running service while they run; older ones too.

Only where DREAMD_REAL_CLIENTS names a directory for them; npm installs what is not there yet. They run in a network namespace of their own,
against a scripted server on its loopback.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.event import Cursor
from service.conftest import Start, until
from shared_material import shared
from world import World, dreamd

pytestmark = pytest.mark.real_client
PLACE = os.environ.get("DREAMD_REAL_CLIENTS", "")
PACKAGES = {"codex": "@openai/codex", "gemini": "@google/gemini-cli", "opencode": "opencode-ai"}
NEWEST = {"codex": "0.171.0", "gemini": "0.61.0", "opencode": "1.18.33"}  # that these tests were seen to pass with
ROOTS = {"codex": ".codex/sessions", "gemini": ".gemini/tmp", "opencode": ".local/share/opencode"}
#: What the shared scripts have each client do: turns in how many sessions.
TURNS = {"codex": [2, 1], "gemini": [2, 1], "opencode": [2, 3]}
SOON = 5.0  # seconds, on a loaded machine; the next scan would be an hour later


def installed(name: str, version: str = "") -> Path:
    """Where a client lies, installed if need be; skips where that is impossible."""
    if not PLACE:
        pytest.skip("DREAMD_REAL_CLIENTS does not name a directory for the real clients")
    if os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("npm") is None:
        pytest.skip("needs npm, unshare and root, for a network namespace")
    directory = Path(PLACE, "npm", f"{name}@{version}" if version else name).absolute()
    if not (directory / "node_modules" / ".bin" / name).exists():
        directory.mkdir(parents=True, exist_ok=True)
        package = f"{PACKAGES[name]}@{version or NEWEST[name]}"
        command = ["npm", "install", "--no-fund", "--no-audit", package]
        if subprocess.run(command, cwd=directory, capture_output=True, check=False).returncode:
            pytest.skip("npm cannot be reached")
    return directory


@pytest.fixture(params=PACKAGES)
def agent(request: pytest.FixtureRequest) -> str:
    """An agent whose newest client is installed."""
    installed(request.param)
    return str(request.param)


@dataclass
class Lookout:
    """Looks at the client's files and at the service's database again and again, and notes when either knew how many turns."""

    agent: str
    root: Path
    database: Path
    written: dict[int, float] = field(default_factory=dict)
    counted: dict[int, float] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        thread = threading.Thread(target=self._look)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _look(self) -> None:
        adapter = type(ADAPTERS[self.agent])()
        while not self._over.wait(0.1):
            found = 0
            with contextlib.suppress(OSError):
                for file in adapter.discover(self.root):
                    reading = adapter.scan(file, Cursor())
                    found += len(reading.turns) + len(reading.headless_turns)
            self.written.setdefault(found, time.monotonic())
            self.counted.setdefault(sum(turns(self.database)), time.monotonic())

    def lags(self) -> list[float]:
        """For each turn how long after it was in the client's files it was in the service's database."""
        return [max(0.0, self.counted[number] - at) for number, at in self.written.items() if number in self.counted]


def turns(database: Path) -> list[int]:
    try:
        with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT human_turns FROM sessions ORDER BY first_at")
            return [number for (number,) in rows]
    except sqlite3.OperationalError:
        return []


@dataclass
class Driven:
    """Where a client was driven, and how to call it again there."""

    place: Path
    client: Path

    @property
    def home(self) -> Path:
        return self.place / "home"

    def call(self, *arguments: str) -> str:
        keep = {"HOME": str(self.home), "PATH": os.environ["PATH"], "OPENCODE_DISABLE_AUTOUPDATE": "1"}
        more = {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"}
        done = subprocess.run(
            ["unshare", "-n", str(self.client), *arguments],
            cwd=self.place / "proj",
            env=keep | more,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=90,
        )
        return done.stdout


def drive(agent: str, place: Path, version: str = "") -> Driven:
    """Where the client is going to run; `run` below runs it."""
    (place / "npm").mkdir()
    (place / "npm" / agent).symlink_to(installed(agent, version))
    return Driven(place / "w" / agent / "basic", place / "npm" / agent / "node_modules" / ".bin" / agent)


def run(agent: str, place: Path) -> None:
    script = shared("tools", "clients", f"run_{agent}.sh")
    environ = {"RC": str(place), "PATH": os.environ["PATH"], "TMPDIR": str(place)}
    done = subprocess.run(["bash", str(script), "basic"], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_the_real_client_writes_is_seen_while_it_runs(
    agent: str, world: World, start: Start, tmp_path: Path
) -> None:
    place = tmp_path / "rc"
    place.mkdir()
    driven = drive(agent, place)
    root = driven.home / ROOTS[agent]
    config = world.home / ".config" / "dreamd" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[[sources]]\nagent = "{agent}"\nroot = "{root}"\n\n[gates]\nheadless = true\n')
    service = start(DREAMD_SCHEDULE__CHECK_EVERY="1h", DREAMD_SCHEDULE__ENABLED="false")
    lookout = Lookout(agent, root, world.state / "state.db")
    with lookout.looking():
        run(agent, place)
        assert until(lambda: turns(world.state / "state.db") == TURNS[agent], SOON), service.log.read_text()
    lags = lookout.lags()
    logging.getLogger(__name__).info(
        "%s: counted %s s after it was written", agent, ", ".join(f"{one:.2f}" for one in lags)
    )
    assert max(lags) < SOON
    [watched] = service.status()["daemon"]["watching"]  # type: ignore[index]
    assert watched == {"agent": agent, "root": str(root), "mode": "events", "problem": None}
    sessions = json.loads(dreamd(world.home, "sessions", "--json").stdout)
    assert {(one["agent"], one["bad_lines"]) for one in sessions} == {(agent, 0)}
    assert {one["cwd"] for one in sessions} == {str(driven.place / "proj")}


def test_a_session_that_was_taken_away_is_one_that_the_real_client_knows_again(
    agent: str, world: World, tmp_path: Path
) -> None:
    if agent == "gemini":
        pytest.skip("without a server to answer it, this client lists nothing")
    place = tmp_path / "rc"
    place.mkdir()
    driven = drive(agent, place)
    run(agent, place)
    config = world.home / ".config" / "dreamd" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        f'[[sources]]\nagent = "{agent}"\nroot = "{driven.home / ROOTS[agent]}"\n\n'
        '[gates]\nheadless = true\nidle = "1s"\n\n[transcripts]\narchive_after = "1s"\n'
    )
    time.sleep(1.5)  # then it is idle
    assert dreamd(world.home, "kick").returncode == 0
    sessions = json.loads(dreamd(world.home, "sessions", "--json").stdout)
    assert {one["archived"] for one in sessions} == {True}
    name, path = sessions[0]["id"], Path(sessions[0]["path"])
    ask = ("export", name) if agent == "opencode" else ("archive", name)
    before = driven.call(*ask) if agent == "opencode" else f"Archived session {name}.\n"
    assert name in before
    if agent == "opencode":
        driven.call("session", "delete", name)
    else:
        path.unlink()
    assert name not in driven.call(*ask)
    restored = dreamd(world.home, "restore", name)
    assert restored.returncode == 0, restored.stderr
    assert name in restored.stdout.splitlines()[-1]
    assert driven.call(*ask) == before


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("codex", "0.29.0", [1, 1]),  # bare items, nothing that tells a script
        ("gemini", "0.20.0", [1, 2]),  # whole documents, in a folder named by a digest
        ("opencode", "1.1.65", [2, 3]),  # a small file for each message and part
    ],
)
def test_what_an_older_client_writes_is_read(
    name: str, version: str, expected: list[int], world: World, tmp_path: Path
) -> None:
    place = tmp_path / "rc"
    place.mkdir()
    driven = drive(name, place, version)
    run(name, place)
    root = driven.home / ROOTS[name]
    before = {path: path.read_bytes() for path in root.rglob("*.json*")}
    config = world.home / ".config" / "dreamd" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[[sources]]\nagent = "{name}"\nroot = "{root}"\n\n[gates]\nheadless = true\n')
    report = json.loads(dreamd(world.home, "scan", "--json").stdout)
    assert (report["damaged"], report["unknown_types"], report["problems"]) == (0, {}, [])
    sessions = json.loads(dreamd(world.home, "sessions", "--json").stdout)
    assert sorted(one["human_turns"] for one in sessions) == expected
    known = {None} if name == "gemini" else {str(driven.place / "proj")}
    assert {one["cwd"] for one in sessions} == known
    said = [
        turn["text"]
        for one in sessions
        for turn in json.loads(dreamd(world.home, "sessions", "show", one["id"], "--json").stdout)["turns"]
        if turn["role"] == "human"
    ]
    fix = "use tools please: fix calc.py (\u65e5\u672c\u8a9e \U0001f64f)"
    assert set(said) <= {fix, "say beta", "say gamma, a new session", "say gamma in a fork"}
    assert {path: path.read_bytes() for path in root.rglob("*.json*")} == before
