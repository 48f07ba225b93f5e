"""Each gate answers open or closed with a reason, its numbers and when it will open."""

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.dream.gates import Facts, Limits, backoff, check, first_closed, sessions, time

NOW = dt.datetime(2026, 3, 10, 12, 0, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
LIMITS = Limits(
    enabled=True,
    min_interval=24 * HOUR,
    min_sessions=5,
    retry_after=dt.timedelta(minutes=15),
    max_tokens_per_day=1000,
    max_usd_per_day=5.0,
)
FACTS = Facts(
    pending=7,
    last_success_at=NOW - 30 * HOUR,
    last_attempt_at=NOW - 30 * HOUR,
    consecutive_failures=0,
    attempts_today=0,
    deferred=False,
    waiting=False,
    batch_look_at=None,
    tokens_today=0,
    usd_today=0.0,
    paused_until=None,
    quiet_until=None,
    cron_due_at=None,
    refused=False,
    lock_holder="",
    day_ends_at=NOW + 12 * HOUR,
)


def closed(facts: Facts, limits: Limits = LIMITS) -> tuple[str, str] | None:
    gate = first_closed(check(facts, limits, NOW))
    return (gate.name, gate.reason) if gate else None


def test_all_six_stand_in_their_order() -> None:
    assert [gate.name for gate in check(FACTS, LIMITS, NOW)] == [
        "enabled",
        "time",
        "sessions",
        "budget",
        "backoff",
        "lock",
    ]
    assert closed(FACTS) is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"last_success_at": NOW - 23 * HOUR}, ("time", "too_soon")),
        ({"pending": 4}, ("sessions", "too_few")),
        ({"tokens_today": 1000}, ("budget", "tokens_spent")),
        ({"usd_today": 5.0}, ("budget", "usd_spent")),
        ({"consecutive_failures": 1, "last_attempt_at": NOW - dt.timedelta(minutes=14)}, ("backoff", "failed")),
        ({"consecutive_failures": 3, "attempts_today": 8}, ("backoff", "too_many_tries")),
        ({"lock_holder": "pid 7"}, ("lock", "held")),
        ({"paused_until": NOW + HOUR}, ("enabled", "paused")),
        ({"refused": True}, ("backoff", "refused_alike")),
        ({"waiting": True}, ("enabled", "waiting_for_review")),
        ({"quiet_until": NOW + HOUR}, ("enabled", "outside_quiet_hours")),
        ({"cron_due_at": NOW + HOUR}, ("time", "cron_waits")),
    ],
)
def test_one_fact_closes_its_gate(change: dict[str, object], told: tuple[str, str]) -> None:
    assert closed(replace(FACTS, **change)) == told  # type: ignore[arg-type]


def test_a_closed_time_gate_says_when_it_opens() -> None:
    gate = time(replace(FACTS, last_success_at=NOW - 23 * HOUR), LIMITS, NOW)
    assert (gate.have, gate.need, gate.opens_at) == (23 * 3600, 24 * 3600, NOW + HOUR)


def test_gat_02_time_is_measured_from_the_last_success_not_the_last_attempt() -> None:
    facts = replace(FACTS, last_attempt_at=NOW - HOUR, consecutive_failures=1)
    assert time(facts, LIMITS, NOW).open
    assert backoff(facts, LIMITS, NOW).open


def test_never_dreamed_is_open() -> None:
    assert time(replace(FACTS, last_success_at=None), LIMITS, NOW).reason == "never_dreamed"


def test_a_stamp_in_the_future_does_not_close_the_gate() -> None:
    assert time(replace(FACTS, last_success_at=NOW + HOUR), LIMITS, NOW).open


def test_deferred_sessions_reopen_time_after_the_retry_interval_and_need_no_further_five() -> None:
    facts = replace(FACTS, deferred=True, pending=2, last_success_at=NOW - dt.timedelta(minutes=16))
    assert time(facts, LIMITS, NOW).open
    assert sessions(facts, LIMITS).open


def test_disabled_closes_everything_behind_it() -> None:
    assert closed(FACTS, replace(LIMITS, enabled=False)) == ("enabled", "disabled")


@given(st.integers(1, 200))
def test_backoff_doubles_up_to_six_hours(failures: int) -> None:
    gate = backoff(replace(FACTS, consecutive_failures=failures, last_attempt_at=NOW), LIMITS, NOW)
    assert gate.opens_at is not None
    assert gate.opens_at - NOW == min(dt.timedelta(minutes=15) * 2 ** min(failures - 1, 10), 6 * HOUR)


def test_a_cron_gate_tells_how_late_it_is() -> None:
    last = NOW - dt.timedelta(hours=24)
    late = time(replace(FACTS, last_success_at=last, cron_due_at=NOW - dt.timedelta(seconds=20_400)), LIMITS, NOW)
    assert (late.open, (late.have or 0) - (late.need or 0)) == (True, 20_400)


def test_a_missed_cron_moment_is_made_up_for() -> None:
    gate = time(replace(FACTS, cron_due_at=NOW - 5 * HOUR, last_success_at=NOW - 6 * HOUR), LIMITS, NOW)
    assert (gate.open, gate.reason) == (True, "cron_due")
