"""How dreamd stands: everything `dreamd status` tells, and the problems that need a person."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from dreamd import __version__
from dreamd.clock import rfc3339
from dreamd.dream.books import Books
from dreamd.dream.forecast import forecast
from dreamd.dream.outlook import gates_now, since_midnight
from dreamd.engines.costly import Costly
from dreamd.engines.protocol import Engine
from dreamd.engines.table import FREE
from dreamd.errors import DreamdError
from dreamd.memory.document import count_lines
from dreamd.memory.tree import Tree
from dreamd.sources import Source
from dreamd.standing.beacon import living
from dreamd.standing.problems import problems
from dreamd.state.lease import LeaseRecord
from dreamd.state.marks import Mark
from dreamd.state.records import SessionState
from dreamd.state.run_record import Outcome, RunRecord
from dreamd.usage import Usage


def status(shop: Books, engine: Engine | None, *, configured: bool) -> dict[str, object]:
    """CONTRACT's `status`, from the database and the memory files; never scans.

    `engine`: who reads; None for the one that costs nothing, so that it need not be loaded.
    """
    now = shop.clock.now()
    counts = shop.sessions.counts(now, shop.config.gates.idle)
    last = next(iter(shop.runs.list(limit=1)), None)
    failures, _ = shop.runs.failures()
    holder = shop.lease.holder(now)
    service = living(shop.places.state_dir)
    return {
        "version": __version__,
        "daemon": {
            "running": service is not None,
            "pid": service.owner.pid if service else None,
            "since": service.since if service else None,
            "watching": list(service.watching)
            if service
            else [_watching(one) for one in shop.sources if not one.to_come],
        },
        "dreaming": {"pid": holder.owner.pid, "run": holder.run_id} if holder else None,
        "gates": [gate.to_json() for gate in gates_now(shop)],
        "next_check_at": service.next_check_at if service else None,
        "paused_until": rfc3339(shop.marks.time(Mark.PAUSED_UNTIL)),
        "sessions": {
            "seen": counts.seen,
            **{state.value: getattr(counts, state.value) for state in SessionState},
            "archived": counts.archived,
        },
        "last_run": _as_it_stands(last, holder).to_json() if last else None,
        "last_success_at": rfc3339(shop.marks.time(Mark.LAST_SUCCESS_AT)),
        "last_attempt_at": rfc3339(shop.marks.time(Mark.LAST_ATTEMPT_AT)),
        "consecutive_failures": failures,
        "last_error": shop.marks.text(Mark.LAST_ERROR),
        "memory": _memory(shop),
        "batch": batch.to_json() if (batch := shop.batches.open()) else None,
        "budget": _budget(shop, engine, now),
        "engine": {
            "name": engine.name if engine else FREE,
            "model": engine.model if isinstance(engine, Costly) else None,
            "reason": "configured" if configured else "default",
        },
        "problems": [problem.to_json() for problem in problems(shop)],
    }


def _as_it_stands(run: RunRecord, holder: LeaseRecord | None) -> RunRecord:
    """A run without an outcome whose process is gone was interrupted; the next dream writes that down, for it mends memory first."""
    ended = run.outcome is not None or (holder is not None and holder.run_id == run.id)
    return run if ended else replace(run, outcome=Outcome.INTERRUPTED, reason="owner_died")


def _watching(source: Source) -> dict[str, object]:
    problem = None if source.root.is_dir() else "missing"
    return {"agent": source.agent, "root": str(source.root), "mode": "polling", "problem": problem}


def _memory(shop: Books) -> dict[str, object]:
    """How full it is; None for each number where it cannot be read, which is a problem of its own."""
    try:
        tree = Tree.read(shop.places.memory_root, shop.config.guards.protect)
    except DreamdError:
        lines = length = topics = None
    else:
        index = tree.files.get("MEMORY.md")
        lines, length = (count_lines(index.text), len(index.data)) if index else (0, 0)
        topics = sum("/" in path for path in tree.files)
    return {
        "root": str(shop.places.memory_root),
        "lines": lines,
        "bytes": length,
        "max_lines": shop.config.memory.max_lines,
        "max_bytes": shop.config.memory.max_bytes,
        "topics": topics,
    }


def _budget(shop: Books, engine: Engine | None, now: dt.datetime) -> dict[str, object]:
    today = shop.runs.spent(since_midnight(now, shop.zone))
    cost = forecast(shop, engine).cost if isinstance(engine, Costly) else Usage()
    return {
        "tokens_today": today.tokens,
        "usd_today": today.usd,
        "usd_30_days": shop.runs.spent(now - dt.timedelta(days=30)).usd,
        "usd_per_day": shop.config.budget.max_usd_per_day,
        "next_dream_estimate": {"tokens": cost.tokens, "usd": round(cost.usd, 4)},
    }
