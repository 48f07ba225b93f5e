"""SCH-01 with a clock that is not the computer's: a night of sleep, a clock set back, a clock set forward."""

from __future__ import annotations

import datetime as dt
import os
import signal
import time
from pathlib import Path

import pytest

from service.conftest import Service, Start, until
from world import World, dreamd

LIBRARY = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
pytestmark = pytest.mark.skipif(LIBRARY is None, reason="a false clock takes libfaketime (Debian: faketime)")


class Clock:
    """What `time()` answers in every process that has these variables; the monotonic clock stays real."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.environ = {
            "LD_PRELOAD": str(LIBRARY),
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, moment: str) -> None:
        beside = self.file.with_suffix(".new")
        beside.write_text(f"@{moment}\n")
        beside.replace(self.file)


@pytest.fixture
def night(world: World, tmp_path: Path) -> Clock:
    """A dream at three in the morning of 9 March; five sessions since, all finished."""
    clock = Clock(tmp_path / "clock")
    world.home.joinpath(".config", "dreamd").mkdir(parents=True)
    settings = '[schedule]\ncheck_every = "1s"\ncron = "0 3 * * *"\ntimezone = "UTC"\n'
    world.home.joinpath(".config", "dreamd", "config.toml").write_text(settings)
    world.clock.at = dt.datetime(2026, 3, 8, 9, 0, tzinfo=dt.UTC)
    made = [world.say("We always use pnpm in this repo, never npm.", session=9)]
    clock.set("2026-03-09 03:00:00")
    os.utime(made[0], (world.clock.at.timestamp(),) * 2)
    assert dreamd(world.home, "kick", **clock.environ).returncode == 0
    world.clock.at = dt.datetime(2026, 3, 9, 12, 0, tzinfo=dt.UTC)
    for number in range(5):
        made.append(world.say("please look at the parser", session=20 + number))
        os.utime(made[-1], (world.clock.at.timestamp(),) * 2)
    return clock


def settled(service: Service, event: str, number: int) -> bool:
    return until(lambda: sum(one["event"] == event for one in service.events()) >= number)


def test_sch_01_a_night_asleep_is_one_dream_that_says_how_late_it_is(world: World, start: Start, night: Clock) -> None:
    night.set("2026-03-10 02:50:00")
    service = start(DREAMD_GATES__IDLE="30m", **night.environ)
    assert settled(service, "gate.closed", 1)
    service.process.send_signal(signal.SIGSTOP)
    night.set("2026-03-10 08:40:00")
    time.sleep(2)
    service.process.send_signal(signal.SIGCONT)
    assert settled(service, "dream.ended", 1)
    assert settled(service, "gate.closed", 2)
    time.sleep(3)  # no second one follows
    (begun,) = [one for one in service.events() if one["event"] == "dream.started"]
    assert begun["trigger"] == "catch_up"
    assert abs(int(str(begun["missed_by"])) - 20_400) < 60
    assert service.stop() == 0


def test_sch_01_a_clock_set_back_and_forward_starts_no_burst(world: World, start: Start, night: Clock) -> None:
    night.set("2026-03-10 03:00:30")
    service = start(DREAMD_GATES__IDLE="30m", **night.environ)
    assert settled(service, "dream.ended", 1)
    for moment in ("2026-03-08 03:00:00", "2026-03-17 12:00:00", "2026-03-10 04:00:00"):
        night.set(moment)
        time.sleep(3)
        assert service.process.poll() is None
    assert sum(one["event"] == "dream.started" for one in service.events()) == 1
    assert service.stop() == 0
