import datetime as dt
import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dreamd.errors import MemoryTreeError
from dreamd.memory.commit import TreeChanged, commit
from dreamd.memory.draft import draft
from dreamd.memory.plan import ChangeKind
from dreamd.memory.recovery import RecoveryOutcome, recover

NOW = dt.datetime(2026, 3, 2, 4, 0, tzinfo=dt.UTC)


def mode(place):
    return stat.S_IMODE(os.lstat(place).st_mode)


def test_links_and_modes_stay(desk, tmp_path):
    """MEM-05."""
    dot = tmp_path / "dotfiles" / "memory.md"
    dot.parent.mkdir()
    dot.write_text("# Memory\n- Queue: tern\n")
    dot.chmod(0o640)
    desk.write("projects/private.md", "- private\n")
    (desk.root / "projects" / "private.md").chmod(0o600)
    (desk.root / "MEMORY.md").symlink_to(dot)
    old = os.umask(0o022)
    try:
        desk.dream(
            desk.add("use uv", section="Memory"), desk.add("x", "projects/private.md"), desk.add("y", "people/new.md")
        )
    finally:
        os.umask(old)
    assert (desk.root / "MEMORY.md").is_symlink()
    assert dot.read_text() == "# Memory\n- Queue: tern\n- use uv\n"
    assert mode(dot) == 0o640
    assert mode(desk.root / "projects" / "private.md") == 0o600
    assert mode(desk.root / "people" / "new.md") == 0o600
    assert mode(desk.root / "people") == 0o700
    assert [place.name for place in dot.parent.iterdir()] == ["memory.md"]


def test_a_link_to_another_file_system_is_written_there(desk):
    """MEM-06."""
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == desk.state.stat().st_dev:
        pytest.skip("no second file system here")
    folder = other / f"dreamd-test-{os.getpid()}"
    folder.mkdir()
    try:
        (folder / "MEMORY.md").write_text("# Memory\n- Queue: tern\n")
        desk.root.mkdir()
        (desk.root / "MEMORY.md").symlink_to(folder / "MEMORY.md")
        desk.dream(desk.add("use uv", section="Memory"))
        assert (folder / "MEMORY.md").read_text() == "# Memory\n- Queue: tern\n- use uv\n"
        assert (desk.root / "MEMORY.md").is_symlink()
        assert [place.name for place in folder.iterdir()] == ["MEMORY.md"]
    finally:
        shutil.rmtree(folder)


def test_a_missing_root_is_made_for_its_owner_alone(desk):
    desk.dream(desk.add("use uv"))
    assert mode(desk.root) == 0o700
    assert mode(desk.root / "MEMORY.md") == 0o600


def test_nothing_but_the_memory_files_is_left(desk):
    desk.dream(desk.add("use uv"), desk.add("x", "projects/a.md"))
    assert sorted(desk.files()) == ["MEMORY.md", "projects/a.md"]
    assert sorted(place.name for place in desk.state.iterdir()) == ["history.git"]


def test_what_was_there_before_is_a_commit_of_its_own(desk):
    desk.write("MEMORY.md", "# M\n\n- by hand\n")
    run = desk.dream(desk.add("use uv"))
    after = desk.history.at(desk.history.commit_of(run))
    before = desk.history.at(after.parents[0])
    assert before.files == {"MEMORY.md": b"# M\n\n- by hand\n"}
    assert before.plan is None
    run = desk.dream(desk.add("tabs"))
    assert desk.history.at(desk.history.commit_of(run)).parents == (after.commit,)


@pytest.mark.parametrize("when", ["before", "at the last moment"])
def test_a_hand_edit_in_between_is_seen_by_content(desk, when):
    """MEM-04: nothing is written, and the caller makes the draft again on what is there."""
    desk.write("MEMORY.md", "# Memory\n\n- by hand\n")
    plan = desk.plan(desk.add("use uv", section="Memory"))
    tree, found = desk.look()
    made = draft(tree, found, plan)
    place = desk.root / "MEMORY.md"
    times = (place.stat().st_atime_ns, place.stat().st_mtime_ns)

    def edit():
        place.write_text("# Memory\n\n- by hanD\n")
        os.utime(place, ns=times)
        desk.write("projects/new.md", "- new topic\n")

    if when == "before":
        edit()
    with pytest.raises(TreeChanged):
        commit(
            tree=tree,
            survey=found,
            plan=plan,
            draft=made,
            history=desk.history,
            state_dir=desk.state,
            now=NOW,
            confirm=edit,
        )
    assert desk.text() == "# Memory\n\n- by hanD\n"
    assert desk.history.head_id() == ""
    assert sorted(desk.files()) == ["MEMORY.md", "projects/new.md"]
    desk.apply(plan)
    assert desk.text() == "# Memory\n\n- by hanD\n- use uv\n"
    assert desk.text("projects/new.md") == "- new topic\n"


def test_a_history_that_moved_on_is_a_change_too(desk):
    tree, found = desk.look()
    plan = desk.plan(desk.add("use uv", "projects/a.md"))
    made = draft(tree, found, plan)
    desk.dream()
    with pytest.raises(TreeChanged):
        commit(tree=tree, survey=found, plan=plan, draft=made, history=desk.history, state_dir=desk.state, now=NOW)


def test_a_refusal_at_the_last_moment_leaves_everything_old(desk):
    desk.write("MEMORY.md", "- by hand\n")

    def lost():
        raise MemoryTreeError("lease lost")

    with pytest.raises(MemoryTreeError, match="lease lost"):
        desk.apply(desk.plan(desk.add("use uv"), desk.add("x", "projects/a.md")), confirm=lost)
    assert desk.files() == {"MEMORY.md": b"- by hand\n"}
    assert not (desk.root / "projects").exists()
    assert desk.history.head_id() == ""


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_cannot_be_written_leaves_the_old_bytes(desk, monkeypatch, code):
    """MEM-08."""
    desk.dream(desk.add("use uv"), desk.add("x", "projects/a.md"))
    old = desk.files()
    plan = desk.plan(desk.add("tabs"), desk.add("y", "projects/a.md"), desk.add("z", "projects/b.md"))
    real = os.fsync

    def full(handle):
        name = Path(f"/proc/self/fd/{handle}").readlink().name
        if name.startswith(".dreamd-") and name.endswith("-2.tmp"):
            raise OSError(code, os.strerror(code))
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MemoryTreeError) as caught:
        desk.apply(plan)
    assert errno.errorcode[code] in caught.value.message
    assert caught.value.hint
    assert desk.files() == old
    monkeypatch.undo()
    desk.apply(plan)
    assert "- tabs" in desk.text()


def test_a_rename_that_fails_half_way_is_taken_back(desk, monkeypatch):
    desk.dream(desk.add("use uv"), desk.add("x", "projects/a.md"))
    old = desk.files()
    plan = desk.plan(desk.add("tabs"), desk.add("y", "projects/a.md"), desk.add("z", "people/b.md"))
    real = Path.replace

    def stuck(self, target):
        if Path(target).name == "MEMORY.md":
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", stuck)
    with pytest.raises(MemoryTreeError):
        desk.apply(plan)
    assert desk.files() == old
    assert not (desk.root / "people").exists()
    assert sorted(place.name for place in desk.state.iterdir()) == ["history.git"]


def test_a_failed_callback_is_called_again_by_recover(desk):
    def broken(done):
        raise RuntimeError("database is full")

    with pytest.raises(RuntimeError):
        desk.apply(desk.plan(desk.add("use uv"), run="R9"), on_committed=broken)
    assert "use uv" in desk.text()
    seen = []
    found = recover(root=desk.root, history=desk.history, state_dir=desk.state, on_committed=seen.append)
    assert (found.outcome, found.run_id) == (RecoveryOutcome.ROLLED_FORWARD, "R9")
    assert found.commit == desk.history.head_id()
    assert seen == [found]
    assert recover(root=desk.root, history=desk.history, state_dir=desk.state).outcome is RecoveryOutcome.NOTHING


def test_readers_never_see_an_index_that_points_to_a_missing_topic(desk, monkeypatch):
    desk.dream(desk.add("x", "projects/a.md"), desk.add("old", "projects/z.md"), desk.add("pointer z"))
    order = []
    real = Path.replace

    def seen(self, target):
        if desk.root in Path(target).parents:
            order.append(Path(target).name)
        return real(self, target)

    monkeypatch.setattr(Path, "replace", seen)
    real_unlink = Path.unlink
    monkeypatch.setattr(
        Path,
        "unlink",
        lambda self, **more: (
            order.append(f"-{self.name}") if self.name == "z.md" else None,
            real_unlink(self, **more),
        )[1],
    )
    desk.dream(
        desk.change(ChangeKind.REMOVE, desk.entry("old")),
        desk.change(ChangeKind.SUPERSEDE, desk.entry("pointer z"), "pointer b"),
        desk.add("y", "projects/b.md"),
    )
    assert order == ["b.md", "MEMORY.md", "-z.md"]


def test_a_small_disk_that_fills_up_is_survived(desk, tmp_path):
    """MEM-08 with a wrapper that lets 40 bytes through, in a process of its own."""
    script = (
        "import sys, io, os, builtins, errno\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from pathlib import Path\n"
        "import conftest\n"
        "real = io.open\n"
        "class Full:\n"
        "    def __init__(self, f): self.f, self.left = f, 40\n"
        "    def write(self, s):\n"
        "        self.left -= len(s)\n"
        "        if self.left < 0: raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "        return self.f.write(s)\n"
        "    def __enter__(self): self.f.__enter__(); return self\n"
        "    def __exit__(self, *a): return self.f.__exit__(*a)\n"
        "    def __getattr__(self, n): return getattr(self.f, n)\n"
        "def fake(file, mode='r', *a, **k):\n"
        "    f = real(file, mode, *a, **k)\n"
        "    where = os.path.realpath(f'/proc/self/fd/{f.fileno()}')\n"
        "    return Full(f) if any(c in mode for c in 'wax+') and '/memory/' in where else f\n"
        "builtins.open = io.open = fake\n"
        "from dreamd.errors import MemoryTreeError\n"
        "desk = conftest.Desk(Path(sys.argv[1]), 500)\n"
        "try: desk.dream(desk.add('a long rule ' * 10))\n"
        "except MemoryTreeError as error: print(error.message)\n"
    )
    desk.dream(desk.add("use uv"))
    old = desk.files()
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "ENOSPC" in done.stdout
    assert desk.files() == old
    desk.dream(desk.add("a long rule " * 10))
    assert "a long rule" in desk.text()
