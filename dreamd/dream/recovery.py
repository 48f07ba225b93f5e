"""What a dream that died left behind: memory made whole, its run told for what it was, its sessions still pending."""

from __future__ import annotations

from dataclasses import replace

from dreamd.dream.erasing import resume
from dreamd.dream.lock import dream_lock
from dreamd.dream.night import tally
from dreamd.dream.workshop import Workshop
from dreamd.errors import LockHeld, MemoryTreeError
from dreamd.log import logger
from dreamd.memory import recovery as memory
from dreamd.memory.diff import diff_stat
from dreamd.memory.history import Snapshot
from dreamd.memory.purge import finish as finish_purge
from dreamd.state.run_record import Outcome
from dreamd.state.runs import Conclusion


def recover(shop: Workshop) -> None:
    """Under the dream lock, before anything else is read. Doing it twice is no fault.

    Raises MemoryTreeError where a half-done commit cannot be concluded now; nothing may be written before it is.
    """
    finish_purge(shop.history.path)
    found = memory.recover(
        root=shop.places.memory_root,
        history=shop.history,
        state_dir=shop.places.state_dir,
        on_committed=lambda recovery: _conclude(shop, recovery),
    )
    if found.outcome is not memory.RecoveryOutcome.NOTHING:
        logger().warning("commit.recovered", outcome=found.outcome.value, run_id=found.run_id)
    shop.archive.recover()
    for run_id in shop.lease.recover(shop.clock.now()):
        logger().warning("run.interrupted", run_id=run_id)
    resume(shop)


def _conclude(shop: Workshop, found: memory.Recovery) -> None:
    """The database transaction that a dead process did not come to: its memory stands, so its run is committed."""
    record = next((run for run in shop.runs.list() if run.id == found.run_id), None)
    if record is None or record.outcome is not None:
        return
    after = shop.history.at(found.commit)
    before = shop.history.at(after.parents[0]) if after.parents else Snapshot()
    plan = after.plan
    used = {finding for change in plan.changes for finding in change.findings} if plan else set()
    ended = replace(
        record,
        outcome=Outcome.COMMITTED,
        reason="recovered",
        ended_at=shop.clock.now(),
        commit=found.commit,
        diff_stat=diff_stat(before, after).text(),
        changes=tally(plan, tuple(change.id for change in plan.changes)) if plan else record.changes,
    )
    shop.runs.conclude(ended, Conclusion(used=used, selected_by=record.about or ""))


def recover_alone(shop: Workshop) -> None:
    """The same under a lock of its own, for the service; where somebody dreams there is nothing to recover."""
    try:
        with dream_lock(shop.places.default_state_dir, shop.places.memory_root, now=shop.clock.now()):
            recover(shop)
    except LockHeld:
        return
    except MemoryTreeError as fault:
        logger().error("commit.unrecovered", code=fault.code)
