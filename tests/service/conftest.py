"""A real service in a home of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from world import World, dreamd

IDLE = {"DREAMD_GATES__IDLE": "1s"}  # a session seen while it is written would be live for half an hour
PATIENCE = 30.0  # seconds that anything may take on a loaded machine


def until(condition: Callable[[], bool], seconds: float = PATIENCE, every: float = 0.05) -> bool:
    """Waits for a condition; False where it never came."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(every)
    return condition()


@dataclass
class Service:
    """`dreamd run` as a process."""

    world: World
    process: subprocess.Popen[bytes]
    log: Path

    def status(self) -> dict[str, object]:
        value: dict[str, object] = json.loads(dreamd(self.world.home, "status", "--json", **IDLE).stdout)
        return value

    def runs(self) -> list[dict[str, object]]:
        value: list[dict[str, object]] = json.loads(dreamd(self.world.home, "runs", "--json").stdout)
        return value

    def events(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def said(self, event: str) -> bool:
        return any(one["event"] == event for one in self.events())

    def stop(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


Start = Callable[..., Service]


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A home whose clock is the computer's."""
    import datetime as dt

    made = World(tmp_path / "home")
    made.clock.at = dt.datetime.now(dt.UTC)
    made.home.mkdir()
    return made


@pytest.fixture
def start(world: World) -> Iterator[Start]:
    """Starts services and ends them all."""
    services: list[Service] = []

    def begin(*, ready: bool = True, **settings: str) -> Service:
        log = world.home / f"service{len(services)}.log"
        environ = {
            "HOME": str(world.home),
            "PATH": "/usr/bin:/bin",
            "TZ": "UTC",
            "DREAMD_SCHEDULE__CHECK_EVERY": "1s",
        } | IDLE
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [str(Path(sys.executable).with_name("dreamd")), "run"],
                env=environ | settings,
                cwd=world.home,
                stdout=stream,
                stderr=stream,
            )
        service = Service(world, process, log)
        services.append(service)
        if ready:
            assert until(lambda: service.said("service.started")), log.read_text()
        return service

    yield begin
    for service in services:
        if service.process.poll() is None:
            service.process.kill()
        service.process.wait()


def children(pid: int) -> list[int]:
    """Living children of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
