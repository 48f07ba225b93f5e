"""Whether a dream may begin: pure functions of (facts, limits, now), cheapest first, each with its reason and numbers."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from dreamd.clock import rfc3339

_LONGEST_BACKOFF = dt.timedelta(hours=6)
_MOST_TRIES_A_DAY = 8
BATCH = "waiting_for_batch"  # the reason of a gate that lets nothing but the waiting run through


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate's answer. `have` and `need` are in the unit the reason speaks of: seconds, sessions, tokens, tries."""

    name: str  # enabled | time | sessions | budget | backoff | lock
    open: bool
    reason: str
    have: float | None = None
    need: float | None = None
    opens_at: dt.datetime | None = None

    def to_json(self) -> dict[str, object]:
        """CONTRACT's shape."""
        return {
            "name": self.name,
            "open": self.open,
            "reason": self.reason,
            "have": self.have,
            "need": self.need,
            "opens_at": rfc3339(self.opens_at),
        }


@dataclass(frozen=True, slots=True)
class Facts:
    """What the gates look at; all of it comes from the database, none from the transcripts."""

    pending: int  # finished lineages with new turns
    last_success_at: dt.datetime | None
    last_attempt_at: dt.datetime | None
    consecutive_failures: int
    attempts_today: int
    deferred: bool  # the last success left sessions for the next run
    waiting: bool  # a run waits for review
    batch_look_at: dt.datetime | None  # a run waits for its batch: when the service looks next
    tokens_today: int
    usd_today: float
    paused_until: dt.datetime | None
    quiet_until: dt.datetime | None  # when the quiet hours begin; None inside them or without any
    cron_due_at: (
        dt.datetime | None
    )  # the first moment of `schedule.cron` behind the last success; None without a cron line
    refused: bool  # the last dream was refused, and findings, memory and configuration are what they were
    lock_holder: str  # who dreams now; "" for nobody
    day_ends_at: dt.datetime  # the next local midnight


@dataclass(frozen=True, slots=True)
class Limits:
    """What the configuration asks for."""

    enabled: bool
    min_interval: dt.timedelta
    min_sessions: int
    retry_after: dt.timedelta
    max_tokens_per_day: int
    max_usd_per_day: float


def check(facts: Facts, limits: Limits, now: dt.datetime) -> tuple[Gate, ...]:
    """All six gates in their order."""
    return (
        enabled(facts, limits, now),
        time(facts, limits, now),
        sessions(facts, limits),
        budget(facts, limits),
        backoff(facts, limits, now),
        lock(facts),
    )


def first_closed(gates: tuple[Gate, ...]) -> Gate | None:
    """The gate that keeps a scheduled dream from beginning."""
    return next((gate for gate in gates if not gate.open), None)


def lets_collect(gate: Gate, now: dt.datetime) -> bool:
    """Whether it is time to look at the batch that keeps this gate closed."""
    return gate.reason == BATCH and gate.opens_at is not None and gate.opens_at <= now


def enabled(facts: Facts, limits: Limits, now: dt.datetime) -> Gate:
    """Closed while disabled, paused, outside the quiet hours, or while a run waits for review or its batch."""
    if not limits.enabled:
        return Gate("enabled", open=False, reason="disabled")
    if facts.paused_until is not None and facts.paused_until > now:
        return Gate("enabled", open=False, reason="paused", opens_at=facts.paused_until)
    if facts.waiting:
        return Gate("enabled", open=False, reason="waiting_for_review")
    if facts.quiet_until is not None:
        return Gate("enabled", open=False, reason="outside_quiet_hours", opens_at=facts.quiet_until)
    if facts.batch_look_at is not None:
        return Gate("enabled", open=False, reason="waiting_for_batch", opens_at=facts.batch_look_at)
    return Gate("enabled", open=True, reason="enabled")


def time(facts: Facts, limits: Limits, now: dt.datetime) -> Gate:
    """Measured from the last success. Never dreamed = open; a stamp in the future says nothing, so it is open too."""
    need = (limits.retry_after if facts.deferred else limits.min_interval).total_seconds()
    if facts.last_success_at is None:
        return Gate("time", open=True, reason="never_dreamed", need=need)
    have = (now - facts.last_success_at).total_seconds()
    if facts.cron_due_at is not None and not facts.deferred:
        return _by_cron(facts.cron_due_at, have, now)
    if have < 0:
        return Gate("time", open=True, reason="stamp_in_future", have=have, need=need)
    if have >= need:
        return Gate("time", open=True, reason="long_enough", have=have, need=need)
    opens_at = facts.last_success_at + dt.timedelta(seconds=need)
    return Gate("time", open=False, reason="too_soon", have=have, need=need, opens_at=opens_at)


def _by_cron(due_at: dt.datetime, have: float, now: dt.datetime) -> Gate:
    """A moment that was missed (asleep, powered off) is made up for once: due-ness is measured from the last success."""
    is_open = now >= due_at
    return Gate(
        "time",
        open=is_open,
        reason="cron_due" if is_open else "cron_waits",
        have=have,
        need=have - (now - due_at).total_seconds(),
        opens_at=None if is_open else due_at,
    )


def sessions(facts: Facts, limits: Limits) -> Gate:
    """Finished sessions with new turns, counted as lineages."""
    is_open = facts.pending >= limits.min_sessions
    # What a run deferred was counted when that run began.
    if facts.deferred and facts.pending > 0:
        is_open = True
    return Gate(
        "sessions",
        open=is_open,
        reason="enough" if is_open else "too_few",
        have=facts.pending,
        need=limits.min_sessions,
    )


def budget(facts: Facts, limits: Limits) -> Gate:
    """What may still be spent today; the offline engine spends nothing and so never closes it."""
    if facts.usd_today > 0 and facts.usd_today >= limits.max_usd_per_day:
        return Gate(
            "budget",
            open=False,
            reason="usd_spent",
            have=facts.usd_today,
            need=limits.max_usd_per_day,
            opens_at=facts.day_ends_at,
        )
    if facts.tokens_today > 0 and facts.tokens_today >= limits.max_tokens_per_day:
        return Gate(
            "budget",
            open=False,
            reason="tokens_spent",
            have=facts.tokens_today,
            need=limits.max_tokens_per_day,
            opens_at=facts.day_ends_at,
        )
    return Gate("budget", open=True, reason="within", have=facts.tokens_today, need=limits.max_tokens_per_day)


def backoff(facts: Facts, limits: Limits, now: dt.datetime) -> Gate:
    """Closed where the last dream was refused and nothing has changed. After n failures in a row: `retry_after` doubled n-1 times, 6 hours at most, and at most 8 tries a day."""
    if facts.refused:
        return Gate("backoff", open=False, reason="refused_alike")
    failures = facts.consecutive_failures
    if failures == 0 or facts.last_attempt_at is None:
        return Gate("backoff", open=True, reason="no_failure", have=0, need=_MOST_TRIES_A_DAY)
    if facts.attempts_today >= _MOST_TRIES_A_DAY:
        return Gate(
            "backoff",
            open=False,
            reason="too_many_tries",
            have=facts.attempts_today,
            need=_MOST_TRIES_A_DAY,
            opens_at=facts.day_ends_at,
        )
    wait = min(limits.retry_after * 2 ** min(failures - 1, 16), _LONGEST_BACKOFF)
    have, need = (now - facts.last_attempt_at).total_seconds(), wait.total_seconds()
    if have < 0 or have >= need:
        return Gate("backoff", open=True, reason="waited", have=have, need=need)
    return Gate("backoff", open=False, reason="failed", have=have, need=need, opens_at=facts.last_attempt_at + wait)


def lock(facts: Facts) -> Gate:
    """Closed while another dream holds the lock."""
    if facts.lock_holder:
        return Gate("lock", open=False, reason="held")
    return Gate("lock", open=True, reason="free")
