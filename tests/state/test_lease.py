"""A dead owner's lease is void at once, a living one's never."""

import subprocess
import sys
from dataclasses import replace

import pytest

from dreamd.errors import LockHeld
from dreamd.processes import started
from dreamd.state.database import Database
from dreamd.state.lease import FOREIGN_SILENCE, Lease
from dreamd.state.process import Life, Owner
from state.state_data import HOUR, T0, start

ME = Owner.current()

OTHER = """
import sys
from pathlib import Path
from dreamd.state.database import Database
from dreamd.state.lease import Lease
import datetime as dt
Lease(Database.open(Path(sys.argv[1]))).acquire("THEIRS", dt.datetime.fromisoformat(sys.argv[2]))
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def other(database: Database, path):
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(path), T0.isoformat()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_living_process_keeps_its_lease(database, other):
    lease = Lease(database)
    with pytest.raises(LockHeld, match=str(other.pid)):
        lease.acquire("MINE", T0 + 100 * HOUR)
    holder = lease.holder(T0 + 100 * HOUR)
    assert holder is not None
    assert (holder.run_id, holder.owner.pid) == ("THEIRS", other.pid)


def test_killed_process_has_lost_it_at_once(database, other):
    other.kill()
    other.wait()
    lease = Lease(database)
    assert lease.holder(T0) is None
    lease.acquire("MINE", T0)
    assert lease.confirm("MINE")


def test_zombie_is_dead(database, other):
    other.kill()
    # Not waited for: the pid is still there, the process is not.
    while started(other.pid) is not None:
        pass
    assert Lease(database).holder(T0) is None


def test_run_of_a_living_process_is_not_recovered(database, runs, other):
    from dreamd.state.run_record import Outcome, RunRecord, Trigger

    runs.start(RunRecord("THEIRS", Trigger.KICK, "offline", T0))
    stray = start(database, at=T0)
    assert Lease(database).recover(T0 + HOUR) == (stray.id,)
    assert runs.get("THEIRS").outcome is None
    other.kill()
    other.wait()
    assert Lease(database).recover(T0 + HOUR) == ("THEIRS",)
    assert runs.get("THEIRS").outcome is Outcome.INTERRUPTED
    assert Lease(database).recover(T0 + HOUR) == ()


@pytest.mark.parametrize(
    ("owner", "life"),
    [
        (ME, Life.ALIVE),
        (replace(ME, started="0"), Life.DEAD),  # the pid was given away again
        (replace(ME, pid=4_194_300), Life.DEAD),
        (replace(ME, boot="another"), Life.DEAD),
        (replace(ME, boot="another", host="elsewhere"), Life.UNKNOWN),
        (replace(ME, namespace="pid:[1]"), Life.UNKNOWN),
    ],
)
def test_life_of_an_owner(owner, life):
    assert owner.life(ME) is life


def test_other_machine_holds_it_until_it_falls_silent(database):
    foreign = Lease(database, replace(ME, boot="another", host="elsewhere"))
    foreign.acquire("THEIRS", T0)
    mine = Lease(database)
    assert foreign.heartbeat("THEIRS", T0 + HOUR)
    with pytest.raises(LockHeld):
        mine.acquire("MINE", T0 + HOUR + FOREIGN_SILENCE / 2)
    mine.acquire("MINE", T0 + HOUR + FOREIGN_SILENCE)
    assert not foreign.heartbeat("THEIRS", T0 + 2 * HOUR)
    assert not foreign.confirm("THEIRS")
    assert not foreign.release("THEIRS")
    assert mine.confirm("MINE")


def test_lease_is_had_once_and_given_back(database):
    lease = Lease(database)
    lease.acquire("A", T0)
    with pytest.raises(LockHeld):
        Lease(database).acquire("B", T0)
    assert lease.heartbeat("A", T0 + HOUR)
    assert not lease.confirm("B")
    assert lease.release("A")
    assert lease.holder(T0) is None
    lease.acquire("B", T0)
