"""Only success moves the cursor; what was paid for is booked and kept."""

import datetime as dt

import pytest

from dreamd.errors import StateError, UsageError
from dreamd.state.findings import Findings
from dreamd.state.lease import Lease
from dreamd.state.marks import Mark, Marks
from dreamd.state.records import FindingStatus, SessionState
from dreamd.state.run_record import ChangeTally, Outcome, PassTime, RunRecord, SessionTally, Trigger
from dreamd.state.runs import Conclusion
from dreamd.usage import Usage
from state.state_data import DAY, HOUR, IDLE, T0, dream, ended, finding, see, sighting, start

NOW = T0 + DAY
FREE = Usage()


def unread(sessions, name):
    return [turn.id for turn in sessions.turns(sessions.get(name).row, unread=True)]


def test_success_consolidates_what_was_selected_and_marks_the_time(database, sessions, runs):
    see(database, sighting("s1", ["a", "b"]))
    record = start(database, at=NOW)
    done = runs.conclude(ended(record, Outcome.COMMITTED), Conclusion())
    assert done.outcome is Outcome.COMMITTED
    assert unread(sessions, "s1") == []
    session = sessions.get("s1")
    assert session.state(NOW, IDLE) is SessionState.CONSOLIDATED
    assert session.consolidated_at == NOW + HOUR
    assert Marks(database).time(Mark.LAST_SUCCESS_AT) == NOW + HOUR
    assert Marks(database).time(Mark.LAST_ATTEMPT_AT) == NOW


def test_growth_during_a_dream_stays_pending(database, sessions, runs):
    first = sighting("s1", ["a"])
    see(database, first)
    record = start(database, at=NOW)
    see(database, sighting("s1", ["b"], before=first.reading.cursor), now=NOW + HOUR)
    runs.conclude(ended(record, Outcome.COMMITTED), Conclusion())
    assert unread(sessions, "s1") == ["b"]
    assert sessions.get("s1").state(NOW + DAY, IDLE) is SessionState.PENDING


def test_sessions_not_reached_stay_pending(database, sessions, runs):
    see(database, sighting("s1", ["a"]), sighting("s2", ["b"]))
    record = start(database, at=NOW)
    runs.conclude(ended(record, Outcome.COMMITTED), Conclusion(sessions=[sessions.get("s1").row], success=False))
    assert (unread(sessions, "s1"), unread(sessions, "s2")) == ([], ["b"])
    assert Marks(database).time(Mark.LAST_SUCCESS_AT) is None


@pytest.mark.parametrize(
    "outcome", [Outcome.FAILED, Outcome.INCOMPLETE, Outcome.CANCELLED, Outcome.REFUSED, Outcome.WAITING]
)
def test_other_outcomes_move_nothing(database, sessions, runs, outcome):
    see(database, sighting("s1", ["a"]))
    dream_before = Marks(database).time(Mark.LAST_SUCCESS_AT)
    runs.finish(ended(start(database, at=NOW), outcome))
    assert unread(sessions, "s1") == ["a"]
    assert Marks(database).time(Mark.LAST_SUCCESS_AT) == dream_before


def test_killed_run_is_interrupted_and_the_last_success_stands(database, sessions, runs):
    """Last success 30 h ago, a run killed an hour ago: the time gate measures from the success."""
    see(database, sighting("s0", ["z"]))
    dream(database, NOW)
    success = Marks(database).time(Mark.LAST_SUCCESS_AT)
    see(database, sighting("s1", ["a"], at=NOW))
    record = start(database, trigger=Trigger.SCHEDULE, at=NOW + 29 * HOUR)
    assert Lease(database).recover(NOW + 30 * HOUR) == (record.id,)
    assert runs.get(record.id).outcome is Outcome.INTERRUPTED
    assert runs.running() == ()
    assert Marks(database).time(Mark.LAST_SUCCESS_AT) == success
    assert Marks(database).time(Mark.LAST_ATTEMPT_AT) == NOW + 29 * HOUR
    assert unread(sessions, "s1") == ["a"]
    assert runs.failures() == (1, NOW + 30 * HOUR)


def test_run_taken_for_dead_cannot_conclude(database, sessions, runs):
    see(database, sighting("s1", ["a"]))
    record = start(database, at=NOW)
    Lease(database).recover(NOW)
    with pytest.raises(StateError, match="over already"):
        runs.conclude(ended(record, Outcome.COMMITTED), Conclusion())
    assert unread(sessions, "s1") == ["a"]


def test_accepted_run_consolidates_what_the_waiting_one_selected(database, sessions, runs):
    first = sighting("s1", ["a"])
    see(database, first)
    waiting = runs.finish(ended(start(database, at=NOW), Outcome.WAITING))
    see(database, sighting("s1", ["b"], before=first.reading.cursor), now=NOW + HOUR)
    accept = runs.start(RunRecord("01ACCEPT", Trigger.ACCEPT, "offline", NOW + DAY, about=waiting.id))
    runs.conclude(ended(accept, Outcome.COMMITTED), Conclusion(selected_by=waiting.id))
    assert runs.reoutcome(waiting.id, expect=Outcome.WAITING, outcome=Outcome.COMMITTED)
    assert not runs.reoutcome(waiting.id, expect=Outcome.WAITING, outcome=Outcome.REJECTED)
    assert unread(sessions, "s1") == ["b"]


def test_undone_run_can_be_learned_anew(database, sessions, runs):
    see(database, sighting("s1", ["a"]))
    record = start(database, at=NOW)
    session = sessions.get("s1")
    (found,) = store(database, record, session, ["a"])
    done = runs.conclude(ended(record, Outcome.COMMITTED), Conclusion(used=[found.id]))
    runs.undone(done.id, NOW + DAY)
    assert unread(sessions, "s1") == []
    assert runs.newest(outcomes=[Outcome.COMMITTED], undone=False) is None
    runs.undone(done.id, NOW + DAY, relearn=True)
    assert unread(sessions, "s1") == ["a"]
    assert [one.id for one in Findings(database).open()] == [found.id]
    assert runs.get(done.id).undone_at == NOW + DAY


def store(database, record, session, turn_ids, cost=FREE, **more):
    turns = {turn.id: turn.row for turn in _turns(database, session)}
    return Findings(database).store(
        session.row,
        [finding(session, turn, **more) for turn in turn_ids],
        engine="offline",
        version="1",
        run_id=record.id,
        turns_read=[turns[turn] for turn in turn_ids],
        cost=cost,
        now=record.started_at,
    )


def _turns(database, session):
    from dreamd.state.sessions import Sessions

    return Sessions(database).turns(session.row)


def test_paid_findings_survive_a_killed_run_and_are_not_paid_twice(database, sessions, runs):
    see(database, sighting("s1", ["a", "b"]))
    record = start(database, at=NOW)
    session = sessions.get("s1")
    (found,) = store(database, record, session, ["a"], Usage(100, 10, usd=0.5))
    Lease(database).recover(NOW + HOUR)
    findings = Findings(database)
    covered = findings.covered(session.row, engine="offline", version="1")
    assert [turn.id for turn in sessions.turns(session.row) if turn.row in covered] == ["a"]
    assert findings.covered(session.row, engine="offline", version="2") == frozenset()
    assert findings.open([session.row]) == (found,)
    assert sessions.get("s1").state(NOW + DAY, IDLE) is SessionState.PENDING
    again = start(database, at=NOW + DAY)
    assert store(database, again, session, ["a"]) == ()
    store(database, again, session, ["b"], Usage(1, 1))
    assert sessions.get("s1").state(NOW + DAY, IDLE) is SessionState.GATHERED
    assert runs.get(record.id).cost == Usage(100, 10, usd=0.5)
    assert runs.spent(NOW) == Usage(101, 11, usd=0.5)
    assert runs.spent(NOW + HOUR) == Usage(1, 1)


def test_findings_end_used_or_dropped_with_their_run(database, sessions, runs):
    see(database, sighting("s1", ["a", "b"]))
    record = start(database, at=NOW)
    used, dropped = store(database, record, sessions.get("s1"), ["a", "b"])
    runs.conclude(ended(record, Outcome.COMMITTED), Conclusion(used=[used.id], dropped={dropped.id: "weak"}))
    found = Findings(database).of_run(record.id)
    assert [(one.status, one.drop_reason, one.used_run) for one in found] == [
        (FindingStatus.USED, "", record.id),
        (FindingStatus.DROPPED, "weak", record.id),
    ]
    assert Findings(database).open() == ()


def test_finding_comes_back_as_it_was_stored(database, sessions):
    see(database, sighting("s1", ["a"]))
    record = start(database, at=NOW)
    made = {"happened": dt.date(2026, 3, 1), "weight": 2.5, "slot": "port", "value": "8181", "offset": 7}
    (found,) = store(database, record, sessions.get("s1"), ["a"], **made)
    (read,) = Findings(database).get([found.id])
    assert read.session_id == "s1"
    from dataclasses import replace

    assert read == replace(found, session_id="s1")
    assert Findings(database).find(found.id[:20].lower()) == read


def test_failures_count_up_to_the_last_success(database, runs):
    for hour, outcome in enumerate(
        [Outcome.FAILED, Outcome.NO_CHANGE, Outcome.FAILED, Outcome.REFUSED, Outcome.INCOMPLETE]
    ):
        runs.finish(ended(start(database, at=NOW + hour * DAY), outcome, reason="engine"))
    runs.start(RunRecord("01RUNNING", Trigger.SCHEDULE, "offline", NOW + 9 * DAY))
    assert runs.failures() == (2, NOW + 4 * DAY + HOUR)
    assert runs.attempts(NOW + 3 * DAY) == 3
    assert Marks(database).text(Mark.LAST_ERROR) == "engine"


def test_undo_is_no_attempt_and_no_failure(database, runs):
    record = runs.start(RunRecord("01UNDO", Trigger.UNDO, "offline", NOW))
    runs.finish(ended(record, Outcome.FAILED))
    assert Marks(database).time(Mark.LAST_ATTEMPT_AT) is None
    assert runs.failures() == (0, None)
    assert runs.attempts(T0) == 0


def test_run_is_found_by_prefix_and_as_last(database, runs):
    with pytest.raises(UsageError, match="no run yet"):
        runs.get("last")
    first = start(database, at=NOW)
    second = start(database, at=NOW + HOUR)
    assert runs.get("last") == second
    assert runs.get(first.id.lower()) == first
    assert [one.id for one in runs.list()] == [second.id, first.id]
    with pytest.raises(UsageError, match="several"):
        runs.get(first.id[:3])
    with pytest.raises(UsageError, match="no run ZZ"):
        runs.get("ZZ")
    with pytest.raises(UsageError):
        runs.get("%")


def test_run_comes_back_whole_and_prints_the_documented_shape(database, runs):
    record = start(database, at=NOW)
    runs.charge(record.id, Usage(1, 2, 3, 4, 0.25), NOW, purpose="consolidate")
    done = runs.finish(
        ended(
            record,
            Outcome.COMMITTED,
            reason="done",
            passes=(PassTime("orient", 0.1234),),
            sessions=SessionTally(selected=2, gathered=1),
            findings=3,
            changes=ChangeTally(added=1),
            commit="abc",
            diff_stat="1 file",
            dropped={"weak": 2},
            notes=("x",),
        )
    )
    assert runs.get(record.id) == done
    told = done.to_json()
    assert list(told)[:17] == [
        *("id", "trigger", "engine", "started_at", "ended_at", "outcome", "undone_at", "reason", "passes", "sessions"),
        *("findings", "changes", "tokens", "usd", "commit", "diff_stat", "dropped"),
    ]
    assert told["started_at"] == "2026-03-03T09:00:00.123Z"
    assert told["passes"] == [{"name": "orient", "seconds": 0.123}]
    assert told["sessions"] == {"selected": 2, "gathered": 1, "deferred": 0, "quarantined": 0}
    assert told["tokens"] == {"input": 1, "output": 2, "cache_read": 3, "cache_write": 4}
    assert told["usd"] == 0.25
    assert runs.get("last").to_json()["outcome"] == "committed"
