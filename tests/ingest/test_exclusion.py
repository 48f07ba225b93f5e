"""What is not learned from: by rules, by what a session is, by what it copies."""

import pytest

from dreamd.state.records import Excluded, SessionState
from ingest.toy_agent import DAY, IDLE, T0, append, say, write

NOW = T0 + DAY


def why(sessions, name):
    return sessions.get(name).excluded_because


def test_session_nobody_typed_in_is_headless_unless_opted_in(root, scanner, sessions):
    write(root, "s1", say("a", headless=True, session_headless=True))
    scanner().scan(NOW)
    assert (why(sessions, "s1"), sessions.get("s1").human_turns) == (Excluded.HEADLESS, 0)
    scanner(headless=True).scan(NOW)
    assert (why(sessions, "s1"), sessions.get("s1").human_turns, sessions.get("s1").unread) == (None, 1, 1)
    assert [turn.headless for turn in sessions.turns(sessions.get("s1").row, unread=True)] == [True]
    scanner().scan(NOW)
    assert sessions.pending_lineages(NOW, IDLE) == 0


def test_headless_session_gone_on_with_by_a_person_counts_what_was_typed(root, scanner, sessions):
    path = write(root, "s1", say("a", headless=True, session_headless=True))
    scanner().scan(NOW)
    append(path, say("b"))
    scanner().scan(NOW)
    assert (why(sessions, "s1"), sessions.get("s1").human_turns) == (None, 1)


def test_session_without_a_persons_turn_is_empty_until_one_comes(root, scanner, sessions):
    path = write(root, "s1", {"type": "meta", "cwd": "/x", "at": T0.isoformat()})
    scanner().scan(NOW)
    assert why(sessions, "s1") is Excluded.EMPTY
    append(path, say("a"))
    scanner().scan(NOW)
    assert why(sessions, "s1") is None


def test_own_session_is_never_learned_from(root, scanner, sessions):
    write(root, "s1", say("a", own=True))
    scanner(headless=True).scan(NOW)
    assert (why(sessions, "s1"), sessions.get("s1").unread) == (Excluded.OWN, 0)


def test_unlearned_project_is_never_read_beyond_its_head(root, scanner, sessions, agent, tmp_path):
    client = tmp_path / "client"
    path = write(root, "s1", say("a", cwd=str(client / "deep")))
    write(root, "agent-s1-x", {"type": "answer"})
    write(root, "s2", say("b", cwd=str(tmp_path / "clients")))
    scan = scanner(unlearned=[client])
    report = scan.scan(NOW)
    assert report.new == 2
    assert agent.opened == ["s2.jsonl"]
    assert (why(sessions, "s1"), why(sessions, "s2")) == (Excluded.PROJECT, None)
    append(path, say("c"))
    agent.read_heads.clear()
    assert scan.scan(NOW).unchanged == 2
    assert agent.opened == ["s2.jsonl"]
    assert agent.read_heads == []


def test_lifted_rule_brings_the_project_back(root, scanner, sessions, tmp_path):
    client = tmp_path / "client"
    write(root, "s1", say("a", cwd=str(client)))
    scanner(unlearned=[client]).scan(NOW)
    scanner().scan(NOW)
    assert (why(sessions, "s1"), sessions.get("s1").unread) == (None, 1)


def test_new_rule_excludes_what_was_read_before(root, scanner, sessions, tmp_path):
    write(root, "s1", say("a", cwd=str(tmp_path / "client")))
    scanner().scan(NOW)
    scanner(unlearned=[tmp_path / "client"]).scan(NOW)
    assert (why(sessions, "s1"), sessions.pending(NOW, IDLE)) == (Excluded.PROJECT, ())


def test_unlearned_path_through_a_link_is_its_target_too(root, scanner, sessions, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(root, "s1", say("a", cwd=str(tmp_path / "real" / "x")))
    scanner(unlearned=[tmp_path / "link"]).scan(NOW)
    assert why(sessions, "s1") is Excluded.PROJECT


def test_learned_directory_wins_inside_an_unlearned_one(root, scanner, sessions, tmp_path):
    write(root, "s1", say("a", cwd=str(tmp_path / "work" / "mine" / "x")))
    write(root, "s2", say("b", cwd=str(tmp_path / "work" / "theirs")))
    scanner(unlearned=[tmp_path / "work"], learned=[tmp_path / "work" / "mine"]).scan(NOW)
    assert (why(sessions, "s1"), why(sessions, "s2")) == (None, Excluded.PROJECT)


@pytest.mark.parametrize("glob", ["s1", "s*", "-home-sam-*", "*/s-client", "-home-sam-work/s-client"])
def test_globs_match_session_id_and_directory(root, scanner, sessions, agent, glob):
    write(root, "s1", say("a"), folder="-home-sam-work/s-client")
    scanner(exclude=(glob,)).scan(NOW)
    assert why(sessions, "s1") is Excluded.GLOB
    assert agent.opened == []


def test_fork_counts_once_and_its_whole_copy_is_excluded(root, scanner, sessions, dream):
    lineage = {"lineage": "a"}
    write(root, "s1", say("a", **lineage), say("b"))
    scanner().scan(NOW)
    write(root, "s2", say("a", **lineage), say("b"))
    write(root, "s3", say("a", **lineage), say("b"), say("c"))
    scanner().scan(NOW)
    assert [why(sessions, name) for name in ("s1", "s2", "s3")] == [None, Excluded.COPY, None]
    assert sessions.pending_lineages(NOW, IDLE) == 1
    (pending,) = sessions.pending(NOW, IDLE)
    assert pending.session.id == "s3"
    assert [turn.id for turn in pending.turns] == ["a", "b", "c"]
    assert {turn.path for turn in pending.turns} == {pending.session.path}
    dream(NOW)
    assert sessions.get("s1").state(NOW, IDLE) is SessionState.CONSOLIDATED
    assert sessions.pending(NOW, IDLE) == ()


def test_sibling_forks_are_both_read_without_a_turn_twice(root, scanner, sessions):
    write(root, "s1", say("a", lineage="a"))
    write(root, "s2", say("a", lineage="a"), say("b"))
    write(root, "s3", say("a", lineage="a"), say("c"))
    scanner().scan(NOW)
    assert sessions.pending_lineages(NOW, IDLE) == 1
    pending = sessions.pending(NOW, IDLE)
    assert sorted(turn.id for one in pending for turn in one.turns) == ["a", "b", "c"]
    assert len(pending) == 2


def test_copy_counts_again_when_its_original_is_lost(root, scanner, sessions):
    original = write(root, "s1", say("a", lineage="a"))
    scanner().scan(NOW)
    write(root, "s2", say("a", lineage="a"))
    scanner().scan(NOW)
    assert why(sessions, "s2") is Excluded.COPY
    original.unlink()
    scanner().scan(NOW)
    assert (why(sessions, "s2"), sessions.get("s2").unread) == (None, 1)


def test_copy_counts_again_when_its_original_is_written_anew(root, scanner, sessions):
    original = write(root, "s1", say("a", lineage="a"))
    scanner().scan(NOW)
    write(root, "s2", say("a", lineage="a"))
    scanner().scan(NOW)
    original.unlink()
    write(root, "s1", say("z"))
    scanner().scan(NOW)
    assert why(sessions, "s2") is None
    assert [turn.id for turn in sessions.turns(sessions.get("s1").row)] == ["z"]


def test_copy_of_consolidated_turns_is_not_pending(root, scanner, sessions, dream):
    write(root, "s1", say("a", lineage="a"))
    scanner().scan(NOW)
    dream(NOW)
    write(root, "s2", say("a", lineage="a"), say("b"))
    scanner().scan(NOW)
    (pending,) = sessions.pending(NOW, IDLE)
    assert [turn.id for turn in pending.turns] == ["b"]
