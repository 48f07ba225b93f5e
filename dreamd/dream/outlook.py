"""The gates as they stand: the facts they look at, read from the database alone."""

from __future__ import annotations

import datetime as dt
import math

from dreamd.dream import refused
from dreamd.dream.books import Books
from dreamd.dream.gates import Facts, Gate, Limits, check
from dreamd.schedule import next_cron, quiet_until, zone_named
from dreamd.state.marks import Mark
from dreamd.state.run_record import DREAMS, Outcome


def gates_now(shop: Books) -> tuple[Gate, ...]:
    """All six gates at this moment; never scans."""
    return check(facts(shop), limits(shop), shop.clock.now())


def facts(shop: Books) -> Facts:
    """What the gates look at."""
    now = shop.clock.now()
    schedule = shop.config.schedule
    zone = zone_named(schedule.timezone, shop.zone)
    midnight = since_midnight(now, shop.zone)
    last_success = shop.marks.time(Mark.LAST_SUCCESS_AT)
    failures, _ = shop.runs.failures()
    last = shop.runs.newest(outcomes=(Outcome.COMMITTED, Outcome.NO_CHANGE), triggers=tuple(DREAMS))
    holder = shop.lease.holder(now)
    waiting, batch = shop.runs.waiting(), shop.batches.open()
    spent = shop.runs.spent(midnight)
    return Facts(
        pending=shop.sessions.pending_lineages(now, shop.config.gates.idle),
        last_success_at=last_success,
        last_attempt_at=shop.marks.time(Mark.LAST_ATTEMPT_AT),
        consecutive_failures=failures,
        attempts_today=shop.runs.attempts(midnight),
        deferred=last is not None and last.sessions.deferred > 0,
        waiting=any(run.reason == "review" for run in waiting),
        batch_look_at=batch.look_at if batch and batch.run_id in {run.id for run in waiting} else None,
        tokens_today=spent.tokens,
        usd_today=spent.usd,
        paused_until=shop.marks.time(Mark.PAUSED_UNTIL),
        quiet_until=quiet_until(schedule.quiet_hours, now, zone),
        cron_due_at=next_cron(schedule.cron, last_success, zone) if schedule.cron and last_success else None,
        refused=refused.stands(shop),
        lock_holder=f"pid {holder.owner.pid}" if holder else "",
        day_ends_at=midnight + dt.timedelta(days=1),
    )


def limits(shop: Books) -> Limits:
    """What the configuration asks of the gates. What a subscription would have cost is shown and not limited."""
    config = shop.config
    subscribed = config.engine.provider == "claude-code"
    return Limits(
        enabled=config.schedule.enabled,
        min_interval=config.gates.min_interval,
        min_sessions=config.gates.min_sessions,
        retry_after=config.schedule.retry_after,
        max_tokens_per_day=config.budget.max_tokens_per_day,
        max_usd_per_day=math.inf if subscribed else config.budget.max_usd_per_day,
    )


def since_midnight(now: dt.datetime, zone: dt.tzinfo) -> dt.datetime:
    """The last local midnight, in UTC: a day of the budget begins there."""
    return now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0).astimezone(dt.UTC)
