"""Public bug reports about which sessions count, with their right values, through the real reader."""

import datetime as dt
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dreamd.ingest.scanner import Scanner
from dreamd.sources import Source
from dreamd.state.database import Database
from dreamd.state.records import Excluded
from dreamd.state.sessions import Sessions
from ingest.toy_agent import IDLE
from shared_material import shared

NOW = dt.datetime(2100, 1, 1, tzinfo=dt.UTC)
PROJECTS = Path("home/.claude/projects")


def scanner(database: Database, home: Path) -> Scanner:
    return Scanner([Source("claude-code", home / PROJECTS)], database, idle=IDLE)


def test_subagent_transcripts_are_no_sessions(database, sessions):
    """GAT-01."""
    report = scanner(database, shared("cases", "GAT-01")).scan(NOW)
    assert report.new == 1
    assert len(sessions.list()) == 1
    assert sessions.pending_lineages(NOW, IDLE) == 1


def test_touched_transcripts_are_not_new_and_an_edit_is_noticed_once(database, sessions, dream, tmp_path):
    """GAT-04."""
    build = shared("cases", "GAT-04", "build.py")

    def step(name: str) -> None:
        subprocess.run([sys.executable, str(build), name], cwd=tmp_path, check=True)

    step("make")
    scan = scanner(database, tmp_path).scan
    assert scan(NOW).new == 6
    dream(NOW)
    step("touch")
    assert (scan(NOW).changed, sessions.pending_lineages(NOW, IDLE)) == (0, 0)
    assert scan(NOW).bytes_read == 0
    step("edit")
    assert scan(NOW).changed == 1
    assert scan(NOW).changed == 0


def test_machine_text_makes_no_work(database, sessions):
    """GAT-05."""
    scanner(database, shared("cases", "GAT-05")).scan(NOW)
    found = {one.id[-3:]: (one.human_turns, one.excluded_because) for one in sessions.list()}
    assert found == {"301": (0, Excluded.EMPTY), "302": (1, None)}


def test_projects_that_share_a_folder_stay_apart(database, sessions):
    """GAT-06."""
    scanner(database, shared("cases", "GAT-06")).scan(NOW)
    stems = {one.project.stem for one in sessions.list() if one.project}
    assert stems == {"my-app", "my_app", "蓝图", "草稿"}


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git to make a worktree")
def test_worktree_belongs_to_its_checkout_even_when_it_is_gone(database, sessions: Sessions, tmp_path):
    """GAT-08."""
    subprocess.run(["sh", str(shared("cases", "GAT-08", "build.sh"))], cwd=tmp_path, check=True)
    scan = scanner(database, tmp_path).scan
    scan(NOW)

    def projects() -> set[str]:
        return {one.project.root for one in sessions.list() if one.project}

    checkout = tmp_path / "work" / "orchard"
    assert projects() == {str(checkout)}
    subprocess.run(["git", "-C", str(checkout), "worktree", "remove", "--force", ".claude/worktrees/feat"], check=True)
    scan(NOW)
    assert projects() == {str(checkout)}
    assert sessions.pending_lineages(NOW, IDLE) == 2


def test_forked_session_of_the_real_client_counts_once(database, sessions):
    found = sorted(shared("fixtures", "clients", "claude", "resume").glob("home/.claude/projects"))
    if not found:
        pytest.skip("the fixture has no transcripts")
    Scanner([Source("claude-code", found[0])], database, idle=IDLE, headless=True).scan(NOW)
    turns = [turn.id for one in sessions.pending(NOW, IDLE) for turn in one.turns]
    assert len(turns) == len(set(turns))
    assert sessions.pending_lineages(NOW, IDLE) < len(sessions.list())
