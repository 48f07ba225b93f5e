"""The past is kept in few files: packed after many dreams, without a moment at which anything is missing."""

import datetime as dt
import os
import shutil
import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from dulwich.repo import Repo

from dreamd.errors import StateError
from dreamd.memory.history import History
from dreamd.memory.purge import purge
from dreamd.memory.repository import Repository

NOW = dt.datetime(2026, 3, 2, 4, 0, tzinfo=dt.UTC)
MAIN = "refs/heads/main"


def grow(history, commits, first=0):
    """Commits on main, each of which changes a line of a longer file; their ids."""
    made = []
    parent = history.head_id()
    for number in range(first, first + commits):
        words = (f"{line} {number if line == number % 40 else 0}".encode() for line in range(40))
        text = "\n".join(f"- rule {sha256(one).hexdigest()}" for one in words)
        files = {"MEMORY.md": text.encode(), f"projects/p{number % 3}.md": f"- port {number}\n".encode()}
        commit = history.record(files, (), None, message="a dream", when=NOW, parent=parent)
        assert history.advance(commit, parent)
        made.append(commit)
        parent = commit
    return made


def loose(history):
    return {f.parent.name + f.name for f in history.path.glob("objects/??/*") if len(f.name) == 38}


def packs(history):
    return sorted(history.path.glob("objects/pack/*.pack"))


def words(path):
    """All bytes of every object, loose or packed."""
    with Repo(str(path), bare=True) as repo:
        return b"\n".join(repo.object_store[one].as_raw_string() for one in repo.object_store)


def fsck(path):
    if shutil.which("git"):
        done = subprocess.run(
            ["git", "--git-dir", path, "fsck", "--full", "--strict", "--no-dangling"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, ""), done.stderr


def age(history, days):
    then = dt.datetime.now(dt.UTC).timestamp() - days * 86400
    for file in history.path.glob("objects/??/*"):
        os.utime(file, (then, then))


def test_few_loose_objects_are_left_alone(desk):
    grow(desk.history, 20)
    before = loose(desk.history)
    assert desk.history.tidy((), NOW) == (0, 0)
    assert loose(desk.history) == before


def test_a_history_of_many_files_becomes_one_pack_and_reads_the_same(desk):
    commits = grow(desk.history, 100)
    seen = [desk.history.at(one) for one in commits]
    count = len(loose(desk.history))
    size = sum(file.stat().st_size for file in desk.history.path.glob("objects/??/*"))
    assert count > 500
    assert desk.history.tidy((), dt.datetime.now(dt.UTC)) == (count, 0)
    assert loose(desk.history) == set()
    (pack,) = packs(desk.history)
    assert pack.stat().st_size < size / 3
    assert [desk.history.at(one) for one in commits] == seen
    assert [one.commit for one in desk.history.log()] == commits[::-1]
    fsck(desk.history.path)
    more = grow(desk.history, 3, first=100)
    assert desk.history.head().commit == more[-1]
    assert desk.history.at(commits[0]) == seen[0]
    fsck(desk.history.path)


def test_a_packed_history_is_for_its_owner_alone(desk):
    grow(desk.history, 5)
    Repository(desk.history.path).pack(MAIN, (), NOW)
    assert packs(desk.history)
    for place in [desk.history.path, *desk.history.path.rglob("*")]:
        assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0, place
    assert {stat.S_IMODE(file.stat().st_mode) for file in desk.history.path.glob("objects/pack/*")} == {0o400}


def test_waiting_plans_and_the_commits_that_runs_show_stay_and_old_orphans_go(desk):
    (head, *_), now = grow(desk.history, 4)[::-1], dt.datetime.now(dt.UTC)

    def beside(text):
        return desk.history.record({"MEMORY.md": text}, (), None, message="a plan", when=NOW, parent=head)

    parked, shown, orphan = beside(b"- parked\n"), beside(b"- shown\n"), beside(b"- orphan\n")
    desk.history.park("R1", parked)
    repository = Repository(desk.history.path)
    week = now - dt.timedelta(days=7)
    assert repository.pack(MAIN, {shown, "f" * 40}, week)[1] == 0  # all of it is new
    assert b"- orphan" in words(desk.history.path)
    age(desk.history, 8)
    assert repository.pack(MAIN, {shown, "f" * 40}, week) == (0, 3)  # its commit, tree and file
    assert b"- orphan" not in words(desk.history.path)
    assert orphan not in loose(desk.history)
    assert desk.history.parked("R1").files == {"MEMORY.md": b"- parked\n"}
    assert desk.history.at(shown).files == {"MEMORY.md": b"- shown\n"}
    desk.history.unpark("R1")
    age(desk.history, 8)
    assert repository.pack(MAIN, (), week)[1] == 6
    assert b"- parked" not in words(desk.history.path)
    fsck(desk.history.path)


def test_a_history_with_something_missing_loses_nothing_more(desk):
    commits = grow(desk.history, 4)
    age(desk.history, 90)
    (desk.history.path / "objects" / commits[1][:2] / commits[1][2:]).unlink()
    before = loose(desk.history)
    with pytest.raises(StateError):
        Repository(desk.history.path).pack(MAIN, (), dt.datetime.now(dt.UTC))
    assert loose(desk.history) == before


def test_a_purge_of_a_packed_history_leaves_none_of_its_words(desk):
    first = desk.history.record({"MEMORY.md": b"- cormorant\n"}, (), None, message="a dream", when=NOW, parent="")
    desk.history.advance(first, "")
    head = grow(desk.history, 3)[-1]
    kept = desk.history.at(head).files
    Repository(desk.history.path).pack(MAIN, (), NOW)
    assert loose(desk.history) == set()
    assert b"cormorant" in words(desk.history.path)
    purge(desk.history, lambda _record: True, NOW)
    assert packs(desk.history) == []
    assert b"cormorant" not in words(desk.history.path)
    assert [place.name for place in desk.state.iterdir()] == ["history.git"]
    assert desk.history.head().files == kept


#: Forks a child for N = 1, 2, 3, … over a fresh copy; each kills itself at its N-th write-class call while it packs.
CHILD = """
import datetime as dt, os, shutil, sys
from pathlib import Path
import dulwich.repo, dulwich.objects, dulwich.pack
from dreamd.memory.repository import Repository

base = Path(sys.argv[1])
limit, seen = 0, 0

def count():
    global seen
    if limit:
        seen += 1
        if seen == limit:
            os._exit(77)

def hook(event, args):
    write = event in {"os.rename", "os.remove", "os.mkdir", "os.chmod", "os.truncate"}
    if event == "open":
        mode, flags = args[1], args[2]
        write = (isinstance(mode, str) and any(c in mode for c in "wax+")) or bool(flags & (os.O_WRONLY | os.O_RDWR))
    if write:
        count()

sys.addaudithook(hook)
os.fsync = lambda handle: count()  # counted, not done: the death of a process loses nothing that the kernel has
number = 0
while True:
    number += 1
    copy = base / str(number)
    shutil.copytree(base / "history.git", copy)
    child = os.fork()
    if child == 0:
        limit = number
        Repository(copy).pack("refs/heads/main", (), dt.datetime.now(dt.UTC))
        limit = 0
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 0:
        print(number)
        break
    assert code == 77, code
"""


def packed_often(history, times):
    """Commits of which each is in a pack of its own."""
    made = []
    for number in range(times):
        made += grow(history, 1, first=number)
        Repository(history.path).pack(MAIN, (), dt.datetime.now(dt.UTC))
    return made


def test_many_packs_become_one_that_reads_the_same(desk):
    commits = packed_often(desk.history, 10)
    seen = [desk.history.at(one) for one in commits]
    assert len(packs(desk.history)) == 10
    size = sum(pack.stat().st_size for pack in packs(desk.history))
    commits += packed_often(History(desk.history.path), 1)
    (pack,) = packs(desk.history)
    assert pack.stat().st_size < size * 2
    assert [desk.history.at(one) for one in commits[:10]] == seen
    assert [one.commit for one in desk.history.log()] == commits[::-1]
    assert {stat.S_IMODE(file.stat().st_mode) for file in pack.parent.iterdir()} == {0o400}
    assert {file.suffix for file in pack.parent.iterdir()} == {".pack", ".idx"}
    fsck(desk.history.path)


def test_the_versions_of_a_file_stay_small_when_packs_are_merged(desk):
    for number in range(11):
        before = sum(pack.stat().st_size for pack in packs(desk.history))
        grow(desk.history, 6, first=number * 6)
        Repository(desk.history.path).pack(MAIN, (), dt.datetime.now(dt.UTC))
    (pack,) = packs(desk.history)
    assert pack.stat().st_size < before * 1.2
    fsck(desk.history.path)


def test_a_reader_from_before_the_merge_still_finds_everything(desk):
    commits = packed_often(desk.history, 10)
    with Repo(str(desk.history.path), bare=True) as reader:
        assert commits[0].encode() in reader.object_store
        grow(desk.history, 1, first=10)
        Repository(desk.history.path).pack(MAIN, (), dt.datetime.now(dt.UTC))
        assert len(packs(desk.history)) == 1
        for one in commits:
            tree = reader.object_store[one.encode()].tree
            assert [reader.object_store[entry.sha] for entry in reader.object_store.iter_tree_contents(tree)]


@pytest.mark.parametrize("before", [0, 10], ids=["packing", "merging"])
def test_killed_at_any_write_of_packing_the_history_still_reads(tmp_path, before):
    history = History(tmp_path / "history.git")
    commits = packed_often(history, before) + grow(history, 4, first=before)
    plan = history.record({"MEMORY.md": b"- plan\n"}, (), None, message="a plan", when=NOW, parent=commits[-1])
    history.park("R1", plan)
    seen = [history.at(one) for one in (*commits, plan)]
    done = subprocess.run([sys.executable, "-c", CHILD, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    last = int(done.stdout)
    assert last > 20
    for number in range(1, last + 1):
        found = History(tmp_path / str(number))
        assert [found.at(one) for one in (*commits, plan)] == seen, number
        fsck(found.path)
        found.recover()
        assert [found.at(one) for one in (*commits, plan)] == seen, number
        fsck(found.path)
        assert not list(found.path.rglob("*.lock"))
        Repository(found.path).pack(MAIN, (), dt.datetime.now(dt.UTC))
        assert len(packs(found)) <= max(before, 1), number  # what a killed merge left double goes with the next one
        assert [found.at(one) for one in (*commits, plan)] == seen, number
        assert {path.suffix for path in Path(found.path, "objects/pack").iterdir()} == {".pack", ".idx"}, number
