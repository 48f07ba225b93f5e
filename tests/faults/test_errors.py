"""A disk that fails in the middle of any command: a clear error, the old bytes intact, and the next command goes on."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable
from typing import NamedTuple

import pytest

from faults.conftest import Walk, Walker
from faults.test_crash import RECOVER, ended
from world import World


class Fault(NamedTuple):
    """What the system says, whether it goes on saying so, and whether it takes half of a write first."""

    error: int
    sticky: bool
    cut: bool = False


FAULTS = {
    "full": Fault(errno.ENOSPC, sticky=True),
    "filled_up": Fault(errno.ENOSPC, sticky=True, cut=True),
    "cut_once": Fault(errno.ENOSPC, sticky=False, cut=True),
    "quota": Fault(errno.EDQUOT, sticky=True),
    "read_only": Fault(errno.EROFS, sticky=True),
    "forbidden": Fault(errno.EACCES, sticky=True),
    "broken_once": Fault(errno.EIO, sticky=False),
    "other_disk": Fault(errno.EXDEV, sticky=False),
}


def clear(walk: Walk, *, codes: set[str]) -> None:
    """Every run ended with a status of the contract and an error that can be explained, and left old or new."""
    assert len(walk.struck) > 5
    for row in walk.struck:
        where = f"struck at write {row['number']}: {row['err'][-400:]} {row['out'][:300]}"
        assert row["status"] in (0, 1), where
        assert "Traceback" not in row["err"], where
        if row["status"]:
            error = json.loads(row["out"])["error"]
            assert error["code"] in codes, where
            assert error["message"], where
            assert error["hint"], where
        memory = {
            name: digest for name, digest in row["middle"].items() if not name.rpartition("/")[2].startswith(".dreamd-")
        }
        assert memory in (walk.before, walk.after), where
        assert row["tree"] in (walk.before, walk.done["tree"]), where
        assert row["left"] == [], where
        assert [one["status"] for one in row["after"]] == [0] * len(row["after"]), (where, row["after"])


@pytest.mark.parametrize("fault", FAULTS)
def test_mem_08_a_dream_on_a_failing_disk_changes_nothing_and_the_next_one_does_it(
    spoken: World, walker: Callable[[World], Walker], fault: str
) -> None:
    walk = walker(spoken).walk(["kick", "--json"], RECOVER, **FAULTS[fault]._asdict())
    clear(walk, codes={"state", "memory"})
    for row in walk.struck:
        assert row["tree"] == walk.after
        assert all(run["outcome"] for run in json.loads(row["after"][1]["out"]))


@pytest.mark.parametrize("fault", ["full", "filled_up", "broken_once"])
@pytest.mark.parametrize(
    "command", [["undo"], ["forget", "--line", "cormorant", "--purge-history", "--yes"]], ids=["undo", "forget"]
)
def test_taking_back_on_a_failing_disk_is_done_or_not_done(
    spoken: World, walker: Callable[[World], Walker], command: list[str], fault: str
) -> None:
    ended(spoken.home, "kick")
    clear(
        walker(spoken).walk([*command, "--json"], RECOVER, **FAULTS[fault]._asdict()),
        codes={"state", "memory", "transcript", "index"},
    )


@pytest.mark.parametrize("fault", ["full", "filled_up", "broken_once"])
def test_moving_on_a_failing_disk_is_done_or_not_done(
    spoken: World, walker: Callable[[World], Walker], fault: str
) -> None:
    ended(spoken.home, "kick")
    ended(spoken.home, "export", "../all.dreamd")
    shutil.rmtree(spoken.state)
    shutil.rmtree(spoken.root)
    again = [["runs", "--json"], ["export", "again.dreamd", "--json"]]
    walk = walker(spoken).walk(["import", "../all.dreamd", "--json"], again, **FAULTS[fault]._asdict())
    for row in walk.struck:
        where = f"struck at write {row['number']}: {row['err'][-400:]} {row['out'][:300]}"
        assert row["status"] in (0, 1), where
        assert "Traceback" not in row["err"], where
        assert row["tree"] in (walk.before, walk.after), where
        assert row["left"] == [], where
        assert [one["status"] for one in row["after"]] == [0, 0], (where, row["after"])
