"""kill -9 at random moments of a service's life: every next start is clean, and nothing is lost or written twice."""

from __future__ import annotations

import os
import random
import time

from service.conftest import PATIENCE, Start, alive, children, until
from service.test_daemon import five_sessions, heavy_session
from world import World, dreamd

TIMES = int(os.environ.get("DREAMD_KILLS", "6"))  # 50 for the whole proof (minutes)


def test_every_start_after_a_kill_is_clean(world: World, start: Start) -> None:
    reference = World(world.home.parent / "reference")
    for one in (world, reference):
        one.clock.at = world.clock.at
        one.said = 0
        five_sessions(one)
        heavy_session(one, 30)
    assert dreamd(reference.home, "kick", DREAMD_GATES__IDLE="1s").returncode == 0
    chance = random.Random(7)
    for _ in range(TIMES):
        service = start(ready=False)
        time.sleep(chance.uniform(0.2, 2.5))
        child = children(service.process.pid)
        service.process.kill()
        service.process.wait()
        assert until(lambda pids=child: not any(alive(pid) for pid in pids))
    service = start()
    assert until(lambda: "pnpm" in world.text(), 3 * PATIENCE)  # a heavy session, on a busy machine
    assert until(lambda: all(run["outcome"] is not None for run in service.runs()))
    assert service.stop() == 0
    assert {run["outcome"] for run in service.runs()} <= {"committed", "interrupted", "no_change"}
    assert world.tree() == reference.tree()
    left = [
        path.name
        for path in world.home.rglob("*")
        if ".tmp" in path.name or path.name.startswith((".dreamd-", ".service"))
    ]
    assert left == []
