"""What a person decides about a dream afterwards: take it back, accept a waiting plan, or reject it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ulid import ULID

from dreamd.dream.aftermath import count_contradictions
from dreamd.dream.batch import cancel, withdraw
from dreamd.dream.indexing import index_memory
from dreamd.dream.lock import dream_lock, still_ours
from dreamd.dream.night import tally, told
from dreamd.dream.patience import patience
from dreamd.dream.recovery import recover
from dreamd.dream.workshop import Workshop
from dreamd.errors import DreamdError, LockHeld, Refused, Terminated, UsageError
from dreamd.log import logger, run_context
from dreamd.memory.commit import Committed, commit
from dreamd.memory.diff import diff_stat
from dreamd.memory.draft import Draft, changes_nothing, draft
from dreamd.memory.folders import drop_empty
from dreamd.memory.guards import check, refuse
from dreamd.memory.history import Snapshot
from dreamd.memory.plan import Plan
from dreamd.memory.survey import Survey, refuse_vanished, survey
from dreamd.memory.tree import Tree
from dreamd.memory.undo import restore_plan, undo_plan
from dreamd.state.records import FindingStatus
from dreamd.state.run_record import DREAMS, ChangeTally, Outcome, RunRecord, Trigger
from dreamd.state.runs import Conclusion

_STANDING = (*DREAMS, Trigger.ACCEPT)


@dataclass(frozen=True, slots=True)
class Desk:
    """A run that reads no session, under the lock and with the lease: its row, and the one way it commits.

    The row is made by `begin`, once it is clear that there is something to do: a wrong id is no failed run.
    """

    shop: Workshop
    record: RunRecord
    confirm: Callable[[], None]

    def begin(self) -> None:
        """Stores the run."""
        self.shop.runs.start(self.record)
        logger().info("run.started", trigger=self.record.trigger.value)

    def commit(
        self,
        tree: Tree,
        found: Survey,
        plan: Plan,
        conclusion: Conclusion,
        *,
        reason: str,
        about: RunRecord | None = None,
        made: Draft | None = None,
    ) -> RunRecord:
        """Writes the plan, moves what `conclusion` says, and ends the run; an honest no-op where nothing would change.

        Raises Refused where a guard says no.
        """
        shop = self.shop
        self.begin()
        made = made or draft(tree, found, plan)
        refuse(check(tree, found, plan, made, shop.guard_limits, shop.redactor.has_secret))
        record = replace(
            self.record,
            about=about.id if about else None,
            changes=tally(plan, made.applied),
            notes=(*plan.notes, *(f"skipped_{one.reason.value}" for one in made.skipped)),
            outcome=Outcome.COMMITTED,
            reason=reason,
        )
        if changes_nothing(made, found):
            nothing = ChangeTally()
            record = replace(record, outcome=Outcome.NO_CHANGE, changes=nothing, ended_at=shop.clock.now())
            return told(shop.runs.conclude(record, conclusion))
        ended: list[RunRecord] = []

        def conclude(done: Committed) -> None:
            before = shop.history.at(done.before) if done.before else Snapshot()
            stat = diff_stat(before, shop.history.at(done.commit)).text()
            finished = replace(record, commit=done.commit, diff_stat=stat, ended_at=shop.clock.now())
            ended.append(shop.runs.conclude(finished, conclusion))

        with patience():
            commit(
                tree=tree,
                survey=found,
                plan=plan,
                draft=made,
                history=shop.history,
                state_dir=shop.places.state_dir,
                now=shop.clock.now(),
                protect=shop.config.guards.protect,
                message=f"{reason.replace('_', ' ').capitalize()}: run {about.id}" if about else reason.capitalize(),
                confirm=self.confirm,
                on_committed=conclude,
            )
        drop_empty(tree.root, made.removed)
        count_contradictions(shop)
        index_memory(shop)
        return told(ended[0])


@contextmanager
def revision(shop: Workshop, trigger: Trigger) -> Iterator[Desk]:
    """Takes the lock and the lease and begins a run; every error inside ends it for what it was."""
    with dream_lock(shop.places.default_state_dir, shop.places.memory_root, now=shop.clock.now()) as lock:
        recover(shop)
        record = RunRecord(str(ULID()), trigger, shop.engine.name, shop.clock.now())
        shop.lease.acquire(record.id, shop.clock.now())

        def confirm() -> None:
            if not (still_ours(lock) and shop.lease.confirm(record.id)):
                raise LockHeld("this run lost its lock or its lease", hint="nothing was written; see `dreamd status`")

        with run_context(record.id):
            try:
                yield Desk(shop, record, confirm)
            except Refused as fault:
                _fail(shop, record, Outcome.REFUSED, ",".join(fault.reasons) or fault.code)
                raise
            except DreamdError as fault:
                _fail(shop, record, Outcome.FAILED, fault.code)
                raise
            except KeyboardInterrupt:
                _fail(shop, record, Outcome.CANCELLED, "interrupted")
                raise
            except Terminated:
                _fail(shop, record, Outcome.INTERRUPTED, "terminated")
                raise
            finally:
                shop.lease.release(record.id)


def undo(shop: Workshop, name: str | None, *, relearn: bool = False) -> RunRecord:
    """Takes a dream back, entry by entry; without a name the newest committed one that stands.

    Where memory vanished from disk, that is put back instead. What is taken back is not learned again from the same
    turns, unless `relearn`. Raises UsageError for a run that changed nothing.
    """
    target = None if name in (None, "last") else _undoable(shop, str(name))
    with revision(shop, Trigger.UNDO) as desk:
        tree, found = _look(shop)
        if found.vanished and target is None:
            plan = restore_plan(shop.history, tree, found, desk.record.id)
            return desk.commit(tree, found, plan, Conclusion(success=False), reason="put_back")
        refuse_vanished(found)
        target = target or _newest(shop)
        plan = undo_plan(shop.history, target.commit or "", tree, found, desk.record.id)
        ended = desk.commit(tree, found, plan, Conclusion(success=False), reason="undo", about=target)
        _note_undone(shop, target, ended, relearn=relearn)
        return ended


def accept(shop: Workshop, name: str) -> RunRecord:
    """Applies exactly the plan of a waiting run; edits made by hand since then stay. Raises UsageError where none waits."""
    waiting = _waiting(shop, name)
    if waiting.reason == "batch":
        raise UsageError(
            f"run {waiting.id} waits for its batch: there is no plan yet that could be accepted",
            hint="`dreamd kick` looks whether it is done; `dreamd reject` gives it up",
        )
    with revision(shop, Trigger.ACCEPT) as desk:
        parked = shop.history.parked(waiting.id)
        if parked is None or parked.plan is None:
            raise UsageError(f"the plan of run {waiting.id} is gone", hint="`dreamd kick` makes a new one")
        tree, found = _look(shop)
        refuse_vanished(found)
        used = {finding for change in parked.plan.changes for finding in change.findings}
        record = replace(desk.record, sessions=waiting.sessions, findings=waiting.findings)
        plan = replace(parked.plan, base=found.snapshot.commit, tree_digest=tree.digest, run_id=record.id)
        conclusion = Conclusion(used=used, selected_by=waiting.id)
        ended = replace(desk, record=record).commit(tree, found, plan, conclusion, reason="accept", about=waiting)
        shop.runs.reoutcome(waiting.id, expect=Outcome.WAITING, outcome=Outcome.COMMITTED)
        shop.history.unpark(waiting.id)
        return ended


def reject(shop: Workshop, name: str) -> RunRecord:
    """Drops the plan of a waiting run, or its batch; what it had found is not learned again from the same turns."""
    waiting = _waiting(shop, name)
    with revision(shop, Trigger.REJECT) as desk:
        desk.begin()
        if (batch := shop.batches.open()) is not None and batch.run_id == waiting.id:
            cancel(shop, batch)
            withdraw(shop, batch)
        parked = shop.history.parked(waiting.id)
        plan = parked.plan if parked else None
        ids = {finding for change in plan.changes for finding in change.findings} if plan else set()
        keys = [finding.key for finding in shop.findings.get(ids)]
        shop.withheld.add(keys, reason="rejected", run_id=desk.record.id, now=shop.clock.now())
        shop.history.unpark(waiting.id)
        shop.runs.reoutcome(waiting.id, expect=Outcome.WAITING, outcome=Outcome.REJECTED)
        ended = replace(
            desk.record, about=waiting.id, outcome=Outcome.REJECTED, reason="rejected", ended_at=shop.clock.now()
        )
        conclusion = Conclusion(withheld=dict.fromkeys(ids, "rejected"), selected_by=waiting.id, success=False)
        return told(shop.runs.conclude(ended, conclusion))


def _fail(shop: Workshop, record: RunRecord, outcome: Outcome, reason: str) -> None:
    if any(run.id == record.id for run in shop.runs.running()):
        told(shop.runs.finish(replace(record, outcome=outcome, reason=reason, ended_at=shop.clock.now())))


def _look(shop: Workshop) -> tuple[Tree, Survey]:
    tree = Tree.read(shop.places.memory_root, shop.config.guards.protect)
    return tree, survey(tree, shop.history.head(), max_loss=shop.config.guards.max_loss)


def _newest(shop: Workshop) -> RunRecord:
    target = next((run for run in shop.runs.list() if _stands(run)), None)
    if target is None:
        raise UsageError("there is no committed dream to undo", hint="`dreamd runs` shows what there was")
    return target


def _stands(run: RunRecord) -> bool:
    """Whether a run changed memory and was not taken back; a plan that was accepted stands as its accept."""
    own = run.outcome is Outcome.COMMITTED and run.trigger in _STANDING and run.reason not in ("dry_run", "review")
    return own and run.commit is not None and run.undone_at is None


def _undoable(shop: Workshop, name: str) -> RunRecord:
    target = shop.runs.get(name)
    if target.reason in ("dry_run", "review"):  # what was written is the accept's
        target = next(
            (run for run in shop.runs.list() if run.trigger is Trigger.ACCEPT and run.about == target.id), target
        )
    if target.outcome is not Outcome.COMMITTED or not target.commit:
        raise UsageError(f"run {target.id} changed nothing that could be undone", hint="`dreamd runs` shows outcomes")
    if target.undone_at is not None:
        raise UsageError(
            f"run {target.id} was undone already", hint="`dreamd undo` of the undo's own run brings it back"
        )
    return target


def _note_undone(shop: Workshop, target: RunRecord, ended: RunRecord, *, relearn: bool) -> None:
    now = shop.clock.now()
    shop.runs.undone(target.id, now, relearn=relearn)
    if target.trigger is Trigger.ACCEPT and target.about:  # the run that made the plan stands no longer either
        shop.runs.undone(target.about, now)
    if target.trigger is Trigger.UNDO and target.about:  # undoing an undo: the dream stands again
        shop.runs.redone(target.about)
        shop.withheld.release_run(target.id)
        return
    if relearn:
        return
    used = [one for one in shop.findings.of_run(target.id) if one.status is FindingStatus.USED]
    shop.withheld.add([one.key for one in used], reason="undone", run_id=ended.id, now=now)
    shop.findings.settle([one.id for one in used], FindingStatus.WITHHELD, run_id=ended.id, reason="undone")


def _waiting(shop: Workshop, name: str) -> RunRecord:
    run = next(iter(shop.runs.waiting()), None) if name == "last" else None
    run = run or shop.runs.get(name)
    if run.outcome is not Outcome.WAITING:
        raise UsageError(f"run {run.id} waits for nothing", hint="`dreamd runs` shows which runs wait")
    return run
