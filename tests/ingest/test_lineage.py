"""One conversation counts once, wherever and in how many files it goes on; its turns are read once."""

import datetime as dt
import itertools
import os
import shutil
from pathlib import Path

import pytest

from dreamd.ingest.scanner import Scanner
from dreamd.sources import Source
from dreamd.state.database import Database
from dreamd.state.records import Excluded, SessionState
from dreamd.state.sessions import Sessions
from ingest.toy_agent import IDLE
from shared_material import shared
from transcripts.claude_lines import assistant, at, encode, envelope, number, user

NOW = dt.datetime(2026, 3, 10, tzinfo=dt.UTC)
OLD = dt.datetime(2026, 3, 3, tzinfo=dt.UTC).timestamp()
NAMES = tuple(f"00000000-0000-4000-8000-00000000000{digit}" for digit in range(1, 6))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "home" / ".claude" / "projects"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def scan(database: Database, root: Path):
    scanner = Scanner([Source("claude-code", root)], database, idle=IDLE)
    return lambda: scanner.scan(NOW)


def put(root: Path, name: str, *lines: dict[str, object], folder: str = "-home-sam-work-orchard") -> Path:
    path = root / folder / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(encode(*(line | {"sessionId": name} for line in lines)))
    os.utime(path, (OLD, OLD))
    return path


def compacted(count: int, before: int) -> list[dict[str, object]]:
    """A compaction: its boundary, then the summary."""
    boundary = envelope(count, "system", subtype="compact_boundary", logicalParentUuid=number(before))
    summary = user(count + 1, "This session is being continued from a previous conversation", isCompactSummary=True)
    return [boundary, summary]


ORIGIN = [user(1, "use tabs"), assistant(2, "Yes."), *compacted(10, 2), user(12, "and run ruff")]
FORK = [*compacted(10, 2), user(20, "never push")]
LATER_FORK = [*compacted(10, 2), user(12, "and run ruff"), user(21, "sign commits"), *compacted(30, 21)]
FORK_OF_FORK = [*compacted(30, 21), user(40, "ask before you delete")]
FILES = dict(zip(NAMES, (ORIGIN, FORK, LATER_FORK, FORK_OF_FORK), strict=False))


@pytest.mark.parametrize(
    "order", list(itertools.permutations(FILES)), ids=lambda order: "".join(one[-1] for one in order)
)
def test_forks_of_a_compacted_session_are_one_lineage_in_whatever_order_they_are_seen(
    root: Path, scan, sessions: Sessions, order: tuple[str, ...]
) -> None:
    for name in order:
        put(root, name, *FILES[name])
        scan()
    assert {one.lineage for one in sessions.list()} == {number(1)}
    assert sessions.pending_lineages(NOW, IDLE) == 1
    pending = sessions.pending(NOW, IDLE)
    assert sorted(turn.id for one in pending for turn in one.turns) == sorted(number(n) for n in (1, 12, 20, 21, 40))


def test_forks_found_together_are_one_lineage(root: Path, scan, sessions: Sessions) -> None:
    for name, lines in FILES.items():
        put(root, name, *lines)
    scan()
    assert {one.lineage for one in sessions.list()} == {number(1)}


def test_a_boundary_that_grows_into_a_known_session_joins_a_fork_seen_before(
    root: Path, scan, sessions: Sessions
) -> None:
    put(root, NAMES[0], *ORIGIN[:2])
    put(root, NAMES[1], *FORK)
    scan()
    assert sessions.pending_lineages(NOW, IDLE) == 2
    put(root, NAMES[0], *ORIGIN)
    scan()
    assert sessions.pending_lineages(NOW, IDLE) == 1


def test_a_resumed_session_copied_into_a_new_file_counts_once(root: Path, scan, sessions: Sessions) -> None:
    put(root, NAMES[0], user(1, "use tabs"), assistant(2, "Yes."))
    put(root, NAMES[1], user(1, "use tabs"), assistant(2, "Yes."), user(3, "and ruff"))
    scan()
    assert sessions.pending_lineages(NOW, IDLE) == 1
    assert sessions.get(NAMES[0]).excluded_because in {None, Excluded.COPY}
    assert sorted(turn.id for one in sessions.pending(NOW, IDLE) for turn in one.turns) == [number(1), number(3)]


def test_a_segment_appended_again_in_the_same_file_is_no_new_turn(root: Path, scan, sessions: Sessions) -> None:
    path = put(root, NAMES[0], user(1, "use tabs"), assistant(2, "Yes."))
    scan()
    with path.open("ab") as file:
        file.write(encode(user(1, "use tabs", gitBranch="other"), assistant(2, "Yes."), user(3, "and ruff")))
    scan()
    (session,) = sessions.list()
    assert next((turn.id, turn.offset) for turn in sessions.turns(session.row)) == (number(1), 0)
    assert session.human_turns == 2


def test_a_cleared_session_is_another_lineage(root: Path, scan, sessions: Sessions) -> None:
    put(root, NAMES[0], user(1, "use tabs"))
    put(root, NAMES[1], user(2, "<command-name>/clear</command-name>"), user(3, "use spaces there"))
    scan()
    assert sessions.pending_lineages(NOW, IDLE) == 2


def test_the_real_clients_cleared_and_continued_sessions(database: Database, sessions: Sessions) -> None:
    """/clear began the second file, --continue went on in it; the third was typed in another window."""
    root = shared("fixtures", "clients", "claude", "interactive", "home", ".claude", "projects")
    now = dt.datetime(2100, 1, 1, tzinfo=dt.UTC)
    Scanner([Source("claude-code", root)], database, idle=IDLE).scan(now)
    assert sorted(one.human_turns for one in sessions.list()) == [1, 2, 5]
    assert sessions.pending_lineages(now, IDLE) == 3


def test_a_session_whose_folder_was_moved_is_read_where_it_is_now(root: Path, scan, sessions: Sessions, dream) -> None:
    path = put(root, NAMES[0], user(1, "use tabs"), assistant(2, "Yes.", output=7))
    scan()
    path.parent.rename(root / "-home-sam-work-garden")
    moved = root / "-home-sam-work-garden" / path.name
    with moved.open("ab") as file:
        file.write(encode(user(3, "and ruff", cwd="/home/sam/work/garden")))
    report = scan()
    assert (report.new, report.lost) == (0, 0)
    (session,) = sessions.list()
    assert {turn.path for turn in sessions.turns(session.row)} == {str(moved)}
    assert (session.human_turns, session.unread, session.tokens_out) == (2, 2, 7)
    assert session.bytes == moved.stat().st_size
    assert sorted(dream(NOW)) == [number(1), number(3)]
    assert sessions.list()[0].state(NOW, IDLE) is SessionState.CONSOLIDATED


@pytest.mark.parametrize("gone", ["first", "second"])
def test_of_two_copies_of_a_file_either_may_go(root: Path, scan, sessions: Sessions, gone: str) -> None:
    first = put(root, NAMES[0], user(1, "use tabs"))
    scan()
    second = root / "-home-sam-work-garden" / first.name
    second.parent.mkdir()
    shutil.copy2(first, second)
    scan()
    leaves, stays = (first, second) if gone == "first" else (second, first)
    leaves.unlink()
    scan()
    scan()
    (session,) = sessions.list()
    assert [turn.path for turn in sessions.turns(session.row)] == [str(stays)]
    assert (session.path, session.human_turns, session.lost_at) == (str(stays), 1, None)


def test_a_project_that_moved_goes_on_in_its_old_file(root: Path, scan, sessions: Sessions) -> None:
    """`--resume ID` from the new place appends to the old folder's file."""
    path = put(root, NAMES[0], user(1, "use tabs"))
    scan()
    with path.open("ab") as file:
        file.write(encode(user(2, "and ruff", cwd="/home/sam/work/elsewhere", timestamp=at(2))))
    scan()
    (session,) = sessions.list()
    assert (session.cwd, session.human_turns) == ("/home/sam/work/orchard", 2)
