"""PAS-14: killed at every write-class call of a commit, memory is wholly old or wholly new afterwards."""

import subprocess
import sys
from pathlib import Path

import pytest

from dreamd.errors import MemoryTreeError
from dreamd.memory.plan import ChangeKind, Reason
from dreamd.memory.recovery import RecoveryOutcome, recover

#: Forks a child for N = 1, 2, 3, … over a fresh copy of the home; each kills itself at its N-th write-class call.
CHILD = """
import os, sys, shutil
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import conftest
import dulwich.repo, dulwich.objects
from dreamd.memory.plan import ChangeKind, Reason
from test_crash import night

base = Path(sys.argv[1])
limit, seen = 0, 0

def hook(event, args):
    global seen
    if not limit:
        return
    write = event in {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.chown"}
    if event == "open":
        mode, flags = args[1], args[2]
        write = (isinstance(mode, str) and any(c in mode for c in "wax+")) or bool(flags & (os.O_WRONLY | os.O_RDWR))
    if write:
        seen += 1
        if seen == limit:
            os._exit(77)

def fsync(handle):  # counted, not done: the death of a process loses nothing that the kernel has
    global seen
    if limit:
        seen += 1
        if seen == limit:
            os._exit(77)

sys.addaudithook(hook)
os.fsync = fsync
number = 0
while True:
    number += 1
    home = base / str(number)
    shutil.copytree(base / "home", home, symlinks=True)
    link = home / "memory" / "MEMORY.md"
    link.unlink()
    link.symlink_to(home / "dotfiles" / "memory.md")
    child = os.fork()
    if child == 0:
        limit = number
        night(conftest.Desk(home, 500))
        limit = 0
        os._exit(0)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        print(number)
        break
    assert code == 77, code
"""


def night(desk):
    """A commit that changes, makes and removes files."""
    desk.dream(
        desk.change(ChangeKind.SUPERSEDE, desk.entry("use pip"), "use uv"),
        desk.change(ChangeKind.REMOVE, desk.entry("old"), reason=Reason.STALE),
        desk.add("new", "patterns/new.md"),
        desk.add("port", "projects/a.md"),
        run="R500",
    )


@pytest.fixture(scope="module")
def crashed(tmp_path_factory, make_desk):
    """The folder with one crashed home a number, and how many there are."""
    base = tmp_path_factory.mktemp("crash")
    home = base / "home"
    desk = make_desk(home)
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "memory.md").write_text("# Memory\n\n- by hand\n")
    desk.root.mkdir()
    (desk.root / "MEMORY.md").symlink_to(home / "dotfiles" / "memory.md")
    desk.dream(desk.add("use pip", section="Memory"), desk.add("old", "projects/z.md"), desk.add("x", "projects/a.md"))
    desk.write("MEMORY.md", desk.text() + "- more by hand\n")
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(base), str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return base, int(done.stdout)


def everything(home):
    return {
        str(place.relative_to(home)): place.read_bytes()
        for folder in (home / "memory", home / "dotfiles")
        for place in folder.rglob("*")
        if place.is_file()
    }


def test_a_kill_at_any_write_leaves_memory_wholly_old_or_wholly_new(crashed, make_desk):
    base, last = crashed
    old, new = everything(base / "home"), everything(base / str(last))
    assert old != new
    assert last > 40
    outcomes = set()
    for number in range(1, last):
        home = base / str(number)
        desk = make_desk(home, 700)
        concluded = []
        found = recover(root=desk.root, history=desk.history, state_dir=desk.state, on_committed=concluded.append)
        outcomes.add(found.outcome)
        committed = found.outcome is RecoveryOutcome.ROLLED_FORWARD
        now = everything(home)
        assert now in (old, new), number
        assert (desk.root / "MEMORY.md").is_symlink()
        assert sorted(place.name for place in desk.state.iterdir()) == ["history.git"], number
        assert not list(desk.history.path.rglob("*.lock"))
        assert (desk.history.head().run_id == "R500") == (now == new), number
        assert len(concluded) == committed
        if found.outcome is not RecoveryOutcome.NOTHING:
            assert found.run_id == "R500"
            assert committed == (now == new)
        again = recover(root=desk.root, history=desk.history, state_dir=desk.state)
        assert again.outcome is RecoveryOutcome.NOTHING
        if now == old and number % 20 == 0:
            night(desk)
            assert everything(home) == new, number
    assert outcomes == {RecoveryOutcome.NOTHING, RecoveryOutcome.CLEANED, RecoveryOutcome.ROLLED_FORWARD}


@pytest.fixture
def died_at_the_renames(desk, monkeypatch):
    """A commit that died with its first rename done and the index not."""
    desk.write("MEMORY.md", "# Memory\n\n- by hand\n")
    desk.dream(desk.add("use pip", section="Memory"), desk.add("x", "projects/a.md"))
    real = Path.replace

    class Died(BaseException):
        pass

    def die(self, target):
        if Path(target).name == "MEMORY.md":
            raise Died
        return real(self, target)

    monkeypatch.setattr(Path, "replace", die)
    old = desk.files()
    with pytest.raises(Died):
        desk.dream(
            desk.change(ChangeKind.SUPERSEDE, desk.entry("use pip"), "use uv"),
            desk.add("y", "projects/a.md"),
            desk.add("z", "people/b.md"),
            run="R500",
        )
    monkeypatch.undo()
    return old


def test_a_hand_edit_after_the_crash_is_kept_and_the_rest_rolled_back(desk, died_at_the_renames):
    desk.write("MEMORY.md", "# Memory\n\n- by hand\n- use pip\n- morning note\n")
    found = recover(root=desk.root, history=desk.history, state_dir=desk.state)
    assert (found.outcome, found.run_id) == (RecoveryOutcome.ROLLED_BACK, "R500")
    assert desk.files() == {**died_at_the_renames, "MEMORY.md": b"# Memory\n\n- by hand\n- use pip\n- morning note\n"}
    assert not (desk.root / "people").exists()


def test_staged_files_that_are_gone_are_made_again_from_history(desk, died_at_the_renames):
    for place in desk.root.rglob(".dreamd-*"):
        place.unlink()
    found = recover(root=desk.root, history=desk.history, state_dir=desk.state)
    assert found.outcome is RecoveryOutcome.ROLLED_FORWARD
    assert "- use uv" in desk.text()
    assert "- z" in desk.text("people/b.md")


def test_a_root_that_is_not_mounted_waits(desk, died_at_the_renames):
    away = desk.root.rename(desk.root.with_name("away"))
    with pytest.raises(MemoryTreeError):
        recover(root=desk.root, history=desk.history, state_dir=desk.state)
    away.rename(desk.root)
    assert recover(root=desk.root, history=desk.history, state_dir=desk.state).outcome is RecoveryOutcome.ROLLED_FORWARD


def test_a_commit_after_a_crash_asks_for_recovery_first(desk, died_at_the_renames):
    with pytest.raises(MemoryTreeError, match="unfinished"):
        desk.dream(desk.add("tabs"))


def test_staged_files_without_a_journal_are_swept(desk):
    desk.write("projects/a.md", "- a\n")
    desk.write("projects/.dreamd-R1-3.tmp", "x")
    desk.write(".dreamd-other", "mine")
    recover(root=desk.root, history=desk.history, state_dir=desk.state)
    assert sorted(desk.files()) == [".dreamd-other", "projects/a.md"]
