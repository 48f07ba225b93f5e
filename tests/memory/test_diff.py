import shutil
import subprocess

from dreamd.memory.diff import DiffStat, diff, diff_stat
from dreamd.memory.history import Snapshot
from dreamd.memory.plan import ChangeKind, Reason


def test_each_change_says_why(desk):
    desk.dream(*(desk.add(f"rule {n}") for n in range(12)))
    before = desk.history.head()
    desk.dream(
        desk.change(ChangeKind.SUPERSEDE, desk.entry("rule 0"), "rule zero"),
        desk.change(ChangeKind.REMOVE, desk.entry("rule 11"), reason=Reason.STALE, findings=()),
        desk.add("port", "projects/a.md"),
    )
    after = desk.history.head()
    text = diff(before, after)
    lines = text.splitlines()
    assert lines[:4] == [
        "# line 5: supersede (newer_value), 1 finding: rule zero",
        "# old line 16: remove (stale): rule 11",
        "--- a/MEMORY.md",
        "+++ b/MEMORY.md",
    ]
    assert "--- /dev/null" in lines
    assert "# line 11: add (new), 1 finding: port" in lines
    assert diff_stat(before, after) == DiffStat(files=2, added=12, removed=2)


def test_git_can_apply_it(desk, tmp_path):
    desk.write("MEMORY.md", "# Memory\n\n- by hand")
    desk.dream()
    before = desk.history.head()
    desk.dream(*(desk.add(f"rule {n}") for n in range(3)), desk.add("port", "projects/a.md"))
    after = desk.history.head()
    copy = tmp_path / "copy"
    for path, data in before.files.items():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_bytes(data)
    subprocess.run(["git", "apply", "-"], cwd=copy, input=diff(before, after).encode(), check=True)
    assert {str(p.relative_to(copy)): p.read_bytes() for p in copy.rglob("*") if p.is_file()} == after.files
    shutil.rmtree(copy)


def test_nothing_changed_is_an_empty_diff():
    assert diff(Snapshot(), Snapshot()) == ""
    assert diff_stat(Snapshot(), Snapshot()) == DiffStat(0, 0, 0)
