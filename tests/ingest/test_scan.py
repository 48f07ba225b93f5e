"""A scan finds, counts, and never reads twice."""

import datetime as dt
import os
import shutil

from dreamd.ingest.report import ScanProblem
from dreamd.state.records import SessionState
from ingest.toy_agent import DAY, HOUR, IDLE, T0, append, say, write


def test_first_sight_counts_turns_and_is_no_growth(root, scanner, sessions):
    write(root, "s1", say("a"), {"type": "answer", "message": "m", "out": 7, "at": (T0 + HOUR).isoformat()}, say("b"))
    report = scanner().scan(T0 + DAY)
    assert (report.new, report.changed, report.unchanged, report.damaged, report.lost) == (1, 0, 0, 0, 0)
    assert report.bytes_read == (root / "one" / "s1.jsonl").stat().st_size
    session = sessions.get("s1")
    assert (session.human_turns, session.unread, session.tokens_out, session.tokens_in) == (2, 2, 7, 10)
    assert (session.first_at, session.last_at, session.grown_at) == (T0, T0 + HOUR, None)
    assert session.project is not None
    assert session.project.stem == "orchard"
    assert session.state(T0 + DAY, IDLE) is SessionState.PENDING


def test_second_scan_reads_nothing(root, scanner, agent):
    write(root, "s1", say("a"))
    scanner().scan(T0)
    agent.opened.clear()
    report = scanner().scan(T0 + HOUR)
    assert (report.new, report.changed, report.unchanged, report.bytes_read) == (0, 0, 1, 0)
    assert agent.opened == []


def test_growth_reads_only_new_bytes_and_makes_live(root, scanner, sessions):
    path = write(root, "s1", say("a"))
    scanner().scan(T0 + DAY)
    before = path.stat().st_size
    append(path, say("b"))
    report = scanner().scan(T0 + 2 * DAY)
    assert (report.changed, report.bytes_read) == (1, path.stat().st_size - before)
    session = sessions.get("s1")
    assert (session.human_turns, session.grown_at) == (2, T0 + 2 * DAY)
    assert session.state(T0 + 2 * DAY, IDLE) is SessionState.LIVE
    assert session.state(T0 + 2 * DAY + IDLE, IDLE) is SessionState.PENDING


def test_growth_after_consolidation_is_pending_with_its_new_turns_only(root, scanner, sessions, dream):
    path = write(root, "s1", say("a"), say("b"))
    scanner().scan(T0 + DAY)
    assert dream(T0 + DAY) == ("a", "b")
    assert sessions.get("s1").state(T0 + DAY, IDLE) is SessionState.CONSOLIDATED
    append(path, say("c"))
    scanner().scan(T0 + 2 * DAY)
    assert sessions.pending(T0 + 2 * DAY, IDLE) == ()
    (pending,) = sessions.pending(T0 + 3 * DAY, IDLE)
    assert [turn.id for turn in pending.turns] == ["c"]
    assert (pending.session.human_turns, pending.session.unread) == (3, 1)


def test_touched_file_is_unchanged_and_looked_into_once(root, scanner, sessions, agent, dream):
    path = write(root, "s1", say("a"))
    scanner().scan(T0 + DAY)
    dream(T0 + DAY)
    os.utime(path, ns=(1, 1))
    agent.opened.clear()
    assert scanner().scan(T0 + 2 * DAY).unchanged == 1
    assert scanner().scan(T0 + 2 * DAY).unchanged == 1
    assert agent.opened == ["s1.jsonl"]
    assert sessions.get("s1").grown_at is None
    assert sessions.pending_lineages(T0 + 2 * DAY, IDLE) == 0


def test_edit_of_same_size_with_older_mtime_is_noticed(root, scanner):
    path = write(root, "s1", say("a", title="x"))
    scanner().scan(T0)
    path.write_text(path.read_text().replace('"title": "x"', '"title": "y"'))
    os.utime(path, ns=(1, 1))
    assert scanner().scan(T0 + HOUR).changed == 1
    assert scanner().scan(T0 + HOUR).changed == 0


def test_rewritten_file_replaces_its_counts_and_keeps_what_was_dreamt(root, scanner, sessions, dream):
    path = write(root, "s1", say("a"), say("b"), {"type": "answer", "message": "m", "out": 7})
    scanner().scan(T0 + DAY)
    dream(T0 + DAY)
    path.unlink()
    write(root, "s1", say("b"), say("c"), {"type": "odd"})
    report = scanner().scan(T0 + 2 * DAY)
    assert (report.changed, dict(report.unknown_types)) == (1, {"odd": 1})
    session = sessions.get("s1")
    assert (session.human_turns, session.unread, session.tokens_out) == (2, 1, 0)
    assert dict(session.unknown_types) == {"odd": 1}
    assert [turn.id for turn in sessions.turns(session.row)] == ["b", "c"]
    assert [turn.id for turn in sessions.turns(session.row, unread=True)] == ["c"]


def test_message_spread_over_two_scans_counts_its_largest_tokens(root, scanner, sessions):
    path = write(root, "s1", say("a"), {"type": "answer", "message": "m", "out": 40})
    scanner().scan(T0)
    append(path, {"type": "answer", "message": "m", "out": 211}, {"type": "answer", "message": "n", "out": 90})
    scanner().scan(T0 + HOUR)
    session = sessions.get("s1")
    assert (session.tokens_out, session.tokens_in) == (301, 20)


def test_subagent_files_make_no_session_but_belong_to_theirs(root, scanner, sessions):
    write(root, "agent-s1-x", {"type": "answer", "message": "m", "out": 5, "at": T0.isoformat()}, folder="one/s1")
    write(root, "agent-s9-x", say("z"), folder="one")
    path = write(root, "s1", say("a"))
    report = scanner().scan(T0 + DAY)
    assert (report.new, report.unchanged) == (1, 0)
    (session,) = sessions.list()
    assert (session.id, session.tokens_out, session.human_turns) == ("s1", 5, 1)
    assert [one.kind for one in sessions.files(session.row)] == ["main", "subagent"]
    assert session.path == str(path)
    append(root / "one" / "s1" / "agent-s1-x.jsonl", {"type": "answer", "message": "n", "out": 6})
    assert scanner().scan(T0 + 2 * DAY).changed == 1
    assert sessions.get("s1").state(T0 + 2 * DAY, IDLE) is SessionState.LIVE


def test_subagent_file_seen_first_is_linked_when_its_session_appears(root, scanner, sessions):
    write(root, "agent-s1-x", {"type": "answer", "message": "m", "out": 5})
    assert scanner().scan(T0).new == 0
    write(root, "s1", say("a"))
    assert scanner().scan(T0 + HOUR).new == 1
    assert sessions.get("s1").tokens_out == 5


def test_vanished_file_is_lost_until_it_returns(root, scanner, sessions, tmp_path):
    path = write(root, "s1", say("a"))
    scanner().scan(T0 + DAY)
    shutil.move(path, tmp_path / "aside")
    report = scanner().scan(T0 + 2 * DAY)
    assert (report.lost, report.unchanged) == (1, 0)
    assert sessions.get("s1").state(T0 + 2 * DAY, IDLE) is SessionState.LOST
    assert sessions.pending_lineages(T0 + 2 * DAY, IDLE) == 0
    assert scanner().scan(T0 + 2 * DAY).lost == 0
    shutil.move(tmp_path / "aside", path)
    scanner().scan(T0 + 3 * DAY)
    assert sessions.get("s1").state(T0 + 3 * DAY, IDLE) is SessionState.PENDING


def test_vanished_file_of_an_archived_session_stays_pending(root, scanner, sessions):
    path = write(root, "s1", say("a"))
    scanner().scan(T0 + DAY)
    sessions.archived(sessions.get("s1").row, path="a.zst", digest="d", now=T0 + DAY)
    path.unlink()
    scanner().scan(T0 + 2 * DAY)
    assert sessions.get("s1").state(T0 + 2 * DAY, IDLE) is SessionState.PENDING


def test_missing_root_loses_nothing(root, scanner, sessions, tmp_path):
    write(root, "s1", say("a"))
    scanner().scan(T0 + DAY)
    shutil.move(root, tmp_path / "unmounted")
    report = scanner().scan(T0 + 2 * DAY)
    assert report.lost == 0
    assert report.problems == (ScanProblem(str(root), "ENOENT"),)
    assert sessions.get("s1").lost_at is None


def test_damaged_file_counts_and_the_others_are_read(root, scanner, sessions):
    write(root, "s1", say("a"), {"type": "say", "id": "x", "crash": True})
    (root / "one" / "s2.jsonl").write_text('{"type": "say", "id": "b", "at": "2026-03-02T09:00:00Z"}\n{half\n')
    write(root, "s3", say("c"))
    report = scanner().scan(T0 + DAY)
    assert (report.new, report.damaged) == (2, 2)
    assert [one.code for one in report.problems] == ["RuntimeError"]
    assert sessions.get("s2").bad_lines == 1


def test_unfinished_tail_is_settled_once_when_the_file_is_idle(root, scanner, sessions, agent):
    path = write(root, "s1", say("a"))
    with path.open("a") as file:
        file.write('{"type": "say", "id": "b", "at": "2026-03-02T09:00:00Z"}')
    scanner().scan(T0)
    assert sessions.get("s1").human_turns == 1
    scanner().scan(T0 + DAY)
    session = sessions.get("s1")
    assert (session.human_turns, session.grown_at) == (2, None)
    agent.opened.clear()
    scanner().scan(T0 + 2 * DAY)
    assert agent.opened == []


def test_broken_tail_is_looked_at_once(root, scanner, agent):
    path = write(root, "s1", say("a"))
    with path.open("a") as file:
        file.write('{"type": "say", "id"')
    scanner().scan(T0)
    scanner().scan(T0 + DAY)
    agent.opened.clear()
    scanner().scan(T0 + 2 * DAY)
    assert agent.opened == []


def test_line_from_the_future_does_not_keep_a_session_live(root, scanner, sessions):
    write(root, "s1", say("a", at=T0 + 1000 * DAY))
    scanner().scan(T0)
    assert sessions.get("s1").state(T0 + HOUR, IDLE) is SessionState.PENDING


def test_lines_without_time_wait_from_first_sight(root, scanner, sessions):
    write(root, "s1", {"type": "say", "id": "a"})
    scanner().scan(T0)
    assert sessions.get("s1").state(T0, IDLE) is SessionState.LIVE
    assert sessions.get("s1").state(T0 + IDLE, IDLE) is SessionState.PENDING


def test_look_reads_hinted_files_and_names_unknown_ones(root, scanner, sessions):
    path = write(root, "s1", say("a"))
    scan = scanner()
    scan.scan(T0)
    append(path, say("b"))
    report = scan.look([str(path), "/nowhere/s2.jsonl"], T0 + HOUR)
    assert (report.changed, report.unknown_paths) == (1, ("/nowhere/s2.jsonl",))
    assert sessions.get("s1").human_turns == 2


def test_session_that_began_in_a_removed_directory_keeps_its_project(root, scanner, sessions, tmp_path):
    from dreamd.transcripts.project import ProjectRef

    tree = tmp_path / "tree"
    tree.mkdir()

    def find(cwd, repository=None):
        main = str(tmp_path / "orchard") if tree.is_dir() else cwd
        return ProjectRef(main, "orchard", main, None)

    write(root, "s1", say("a", cwd=str(tree)))
    scanner(locate=find).scan(T0)
    tree.rmdir()
    write(root, "s2", say("b", cwd=str(tree)))
    scanner(locate=find).scan(T0)
    assert sessions.get("s1").project == sessions.get("s2").project


def test_remote_seen_later_renames_the_project_of_its_root(root, scanner, sessions):
    path = write(root, "s1", say("a"))
    scanner().scan(T0)
    append(path, say("b", repository="sam/orchard"))
    scanner().scan(T0 + dt.timedelta(hours=1))
    project = sessions.get("s1").project
    assert project is not None
    assert (project.key, project.stem) == ("sam/orchard", "orchard")


def test_name_that_is_no_text_is_a_problem_not_a_crash(root, scanner):
    write(root, "s1", say("a"))
    (root / "one" / os.fsdecode(b"\xff.jsonl")).write_text("{}\n")
    report = scanner().scan(T0)
    assert (report.new, [one.code for one in report.problems]) == (1, ["EILSEQ"])
