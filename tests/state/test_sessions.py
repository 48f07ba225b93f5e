"""Sessions are found, counted, put aside, archived, forgotten; the gate's question is answered from an index."""

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs
from sqlalchemy import insert, select, text

from dreamd.errors import UsageError
from dreamd.state import pending
from dreamd.state.database import Database
from dreamd.state.findings import Findings
from dreamd.state.records import Excluded, SessionCounts, SessionState
from dreamd.state.schema import sessions as table
from dreamd.state.sessions import Sessions
from dreamd.transcripts.event import Growth
from dreamd.usage import Usage
from state.state_data import DAY, HOUR, IDLE, T0, dream, finding, see, sighting, start

NOW = T0 + DAY


def test_session_is_found_by_unique_prefix(database, sessions):
    see(database, sighting("ab1", ["a"]), sighting("ab2", ["b"]), sighting("ab", ["c"]))
    assert sessions.get("ab1").id == "ab1"
    assert sessions.get("toy:ab2").id == "ab2"
    assert sessions.get("ab").id == "ab"
    for name, said in (
        ("a", "3 sessions"),
        ("AB1", "no session"),
        ("zz", "no session"),
        ("", "no session"),
        ("%", "no session"),
    ):
        with pytest.raises(UsageError, match=said):
            sessions.get(name)


def test_lineages_count_once_and_ripen(database, sessions):
    see(
        database,
        sighting("s1", ["a"], lineage="l"),
        sighting("s2", ["b"], lineage="l"),
        sighting("s3", ["c"], at=NOW),
        sighting("s4", ["d"], at=NOW - HOUR / 4),
    )
    assert sessions.pending_lineages(NOW, IDLE) == 1
    assert sessions.ripening(NOW, IDLE, 5) == (NOW + HOUR / 4, NOW + HOUR / 2)
    assert sessions.ripening(NOW, IDLE, 1) == (NOW + HOUR / 4,)
    assert sessions.pending_lineages(NOW + IDLE, IDLE) == 3


def test_pending_comes_longest_quiet_first_within_the_limit(database, sessions):
    see(database, *(sighting(f"s{number}", [f"{number}"], at=T0 - number * HOUR) for number in range(5)))
    assert [one.session.id for one in sessions.pending(NOW, IDLE, 3)] == ["s4", "s3", "s2"]
    assert len(sessions.pending(NOW, IDLE)) == 5


def test_session_that_fails_too_often_is_quarantined_until_released(database, sessions):
    see(database, sighting("s1", ["a"]))
    row = sessions.get("s1").row
    assert [sessions.failed(row, reason="too_long", now=NOW) for _ in range(4)] == [False, False, True, False]
    session = sessions.get("s1")
    assert (session.state(NOW, IDLE), session.quarantine_reason) == (SessionState.QUARANTINED, "too_long")
    assert sessions.pending(NOW, IDLE) == ()
    assert sessions.pending_lineages(NOW, IDLE) == 0
    sessions.release(row)
    assert sessions.get("s1").state(NOW, IDLE) is SessionState.PENDING


def test_success_clears_failures(database, sessions):
    see(database, sighting("s1", ["a"]))
    sessions.failed(sessions.get("s1").row, reason="x", now=NOW)
    dream(database, NOW)
    assert sessions.get("s1").failures == 0


def test_forgotten_session_leaves_no_finding_and_no_turn_to_learn_in_any_copy(database, sessions):
    see(database, sighting("s1", ["a"], lineage="l"))
    see(database, sighting("s2", ["a", "b"], lineage="l"))
    session = sessions.get("s2")
    record = start(database, at=NOW)
    Findings(database).store(
        session.row,
        [finding(session, "a"), finding(session, "b")],
        engine="offline",
        version="1",
        run_id=record.id,
        turns_read=[turn.row for turn in sessions.turns(session.row)],
        cost=Usage(),
        now=NOW,
    )
    sessions.forget([sessions.get("s1").row], NOW)
    gone = sessions.get("s1")
    assert (gone.excluded_because, gone.unread) == (Excluded.FORGOTTEN, 0)
    assert [one.turn_id for one in Findings(database).open()] == ["b"]
    assert [turn.id for turn in sessions.turns(session.row, unread=True)] == ["b"]


def test_unchanged_sighting_keeps_every_count(database, sessions):
    first = sighting("s1", ["a"], output_tokens={"m": 5}, bad_lines=1, unknown_types={"x": 2})
    see(database, first)
    before = sessions.get("s1")
    cursor = replace(first.reading.cursor, stamp=structs.replace(first.file.stamp, mtime_ns=99))
    again = replace(
        first,
        before=first.reading.cursor,
        reading=replace(
            first.reading,
            growth=Growth.UNCHANGED,
            cursor=cursor,
            turns=(),
            output_tokens={},
            bad_lines=0,
            unknown_types={},
        ),
    )
    see(database, again, now=NOW + DAY)
    assert sessions.get("s1") == before


def test_words_that_no_database_takes_are_cleaned(database, sessions):
    see(database, sighting("s1", ["a"], version="half \ud83d and \0 nul", branch="\udcff"))
    assert sessions.get("s1").version == "half ? and  nul"


def test_json_has_the_documented_shape(database, sessions):
    see(database, sighting("s1", ["a"], lineage="l", output_tokens={"m": 5}, unknown_types={"x": 2}))
    told = sessions.get("s1").to_json(NOW, IDLE)
    wanted = {
        *("id", "agent", "project", "cwd", "path", "state", "archived", "excluded_because", "human_turns", "tokens"),
        *("first_at", "last_at", "bytes", "bad_lines", "unknown_types", "lineage"),
    }
    assert wanted <= told.keys()
    assert (told["state"], told["tokens"], told["unknown_types"], told["lineage"]) == ("pending", 5, {"x": 2}, "l")
    assert told["first_at"] == "2026-03-02T09:00:00.123Z"


def raw_session(number: int, **more: object) -> dict[str, object]:
    values: dict[str, object] = dict.fromkeys(
        (
            "human_turns",
            "unread",
            "gathered",
            "tokens_in",
            "tokens_out",
            "bytes",
            "bad_lines",
            "oversized_lines",
            "failures",
        ),
        0,
    )
    nullable = (column.name for column in table.columns if column.nullable)
    return {
        **dict.fromkeys(nullable),
        **values,
        "id": number + 1,
        "agent": "toy",
        "native_id": f"s{number}",
        "root": "/t",
        "path": f"/t/{number}",
        "lineage": f"l{number}",
        "headless": False,
        "own": False,
        "with_headless": False,
        "unknown_types": {},
        "seen_at": T0,
        "quiet_at": T0,
        **more,
    }


MOMENTS = st.sampled_from([None, T0])
STATES = st.fixed_dictionaries(
    {
        "excluded": st.sampled_from([None, "empty"]),
        "quarantined_at": MOMENTS,
        "lost_at": MOMENTS,
        "archived_at": MOMENTS,
        "unread": st.integers(0, 2),
        "gathered": st.integers(0, 2),
        "quiet_at": st.sampled_from([T0, NOW - IDLE, NOW - IDLE + dt.timedelta(microseconds=1), NOW]),
    }
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STATES, max_size=12))
def test_counts_in_sql_equal_the_state_function(database, states):
    with database.write() as connection:
        connection.execute(table.delete())
        if states:
            connection.execute(insert(table), [raw_session(number, **one) for number, one in enumerate(states)])
    records = Sessions(database).list()
    counted = Sessions(database).counts(NOW, IDLE)
    names = [one.state(NOW, IDLE).value for one in records]
    archived = sum(one.archived_at is not None for one in records)
    assert counted == SessionCounts(
        seen=len(records), archived=archived, **{state.value: names.count(state.value) for state in SessionState}
    )


@pytest.fixture
def many(database: Database) -> Database:
    rows = (
        raw_session(number, quiet_at=T0 + dt.timedelta(seconds=number), unread=number % 2, human_turns=1)
        for number in range(100_000)
    )
    with database.write() as connection:
        connection.execute(insert(table), list(rows))
    return database


def test_gate_asks_the_index_alone_among_100_000_sessions(many):
    with many.read() as connection:
        ripe = pending.ripe_lineages(T0 + 2 * DAY).limit(pending.COUNT_LIMIT)
        sql = ripe.compile(connection, compile_kwargs={"literal_binds": True})
        plan = [row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {sql}"))]
        assert plan[0].startswith("SEARCH sessions USING COVERING INDEX ix_sessions_pending")
        by_id = select(table.c.id).where(table.c.native_id == "s5", table.c.agent == "toy")
        sql = by_id.compile(connection, compile_kwargs={"literal_binds": True})
        assert "USING COVERING INDEX" in connection.execute(text(f"EXPLAIN QUERY PLAN {sql}")).one()[3]
    assert Sessions(many).pending_lineages(T0 + 2 * DAY, IDLE) == pending.COUNT_LIMIT
    assert Sessions(many).pending_lineages(T0 + dt.timedelta(seconds=100) + IDLE, IDLE) == 50
    assert len(Sessions(many).pending(T0 + 2 * DAY, IDLE, 50)) == 0  # rows without turns: nothing to read
