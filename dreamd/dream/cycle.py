"""One dream from the lock to the log line: the story in ten numbered steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from filelock import FileLock
from ulid import ULID

from dreamd.dream import refused
from dreamd.dream.aftermath import aftermath
from dreamd.dream.batch import Collected, look, post_of, receive, send, theirs
from dreamd.dream.consolidate import Consolidation, consolidate
from dreamd.dream.gates import BATCH, Gate, first_closed
from dreamd.dream.gather import Threads, gather, jobs_of, open_findings
from dreamd.dream.lock import dream_lock, still_ours
from dreamd.dream.night import Night, told
from dreamd.dream.orient import Orientation, orient
from dreamd.dream.outlook import gates_now
from dreamd.dream.paid import PayOnce
from dreamd.dream.patience import patience
from dreamd.dream.private import private_records
from dreamd.dream.progress import Progress, Step, nobody
from dreamd.dream.prune import prune
from dreamd.dream.recovery import recover
from dreamd.dream.refusal import keep_wanted
from dreamd.dream.shelves import Shelves
from dreamd.dream.spending import paid, refill
from dreamd.dream.workshop import Workshop
from dreamd.engines.faults import BudgetSpent, EngineBusy
from dreamd.engines.offline.judge import reject as reject_text
from dreamd.engines.protocol import Finding
from dreamd.errors import DreamdError, Interrupted, LockHeld, Refused, Terminated
from dreamd.log import LogFile, logger, run_context
from dreamd.memory.commit import Committed, TreeChanged, commit, prepare
from dreamd.memory.diff import diff_stat
from dreamd.memory.document import entry_key
from dreamd.memory.draft import Draft, changes_nothing
from dreamd.memory.folders import drop_empty
from dreamd.memory.guards import check, refuse
from dreamd.memory.history import Snapshot
from dreamd.memory.plan import Plan, Reason
from dreamd.state.run_record import Outcome, RunRecord, Trigger

_TRIES = 3  # a tree that changes under our hands again and again is somebody at work


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for."""

    trigger: Trigger = Trigger.KICK
    sessions: tuple[str, ...] = ()  # read these, whether they were read before or not
    dry_run: bool = False  # keep the findings, store the plan, leave memory alone
    if_due: bool = False  # honour every gate
    engine: str = ""  # this one instead of the configured one
    accept_loss: bool = False  # memory that vanished from disk was meant to go


@dataclass(frozen=True, slots=True)
class Dreamt:
    """What came of an order: a run, or the gate that kept it from one."""

    run: RunRecord | None
    closed: Gate | None = None
    plan: Plan | None = None


def dream(shop: Workshop, order: Order, watch: Progress = nobody) -> Dreamt:
    """One dream. Raises LockHeld where another one runs; every other end is an outcome of the run it returns."""
    # 1. A gate that is closed for reasons that cost nothing to know ends it here, without the lock. While a run waits for its
    #    batch no other begins by itself: the gates had let that one through.
    if order.if_due and (gate := _closed(shop, counted=False)):
        return Dreamt(None, gate)
    # 2. The lock: one dream at a time for this memory.
    with dream_lock(shop.places.default_state_dir, shop.places.memory_root, now=shop.clock.now()) as lock:
        LogFile(shop.places.log).rotate()
        # 3. What a dream that died left behind.
        recover(shop)
        collected = None
        if _is_ordinary(shop, order) and (batch := shop.batches.open()) is not None:
            stands = look(shop, batch)
            if isinstance(stands, RunRecord):
                return Dreamt(stands)
            collected = stands
        # 4. The sessions as they are now, and the gates again: under the lock their answer stands.
        watch(Step("scan"))
        shop.scanner.scan(shop.clock.now())
        if order.if_due and collected is None and (gate := _closed(shop, counted=True)):
            return Dreamt(None, gate)
        named = tuple(shop.sessions.get(name).name for name in order.sessions)  # a typo is no failed dream
        # 5. The lease, then the run's row: from here on a crash is known for one.
        run_id = collected.batch.run_id if collected else str(ULID())
        shop.lease.acquire(run_id, shop.clock.now())
        try:
            with run_context(run_id):
                night = _begun(shop, run_id, order, collected, watch)
                return _through_the_night(night, replace(order, sessions=named), lock, collected)
        finally:
            shop.lease.release(run_id)


def _is_ordinary(shop: Workshop, order: Order) -> bool:
    """Whether a dream may use batches. Where a person names sessions, an engine, or wants a plan, they wait for the answer."""
    return not (order.sessions or order.dry_run or order.engine not in ("", shop.config.engine.name))


def _begun(shop: Workshop, run_id: str, order: Order, collected: Collected | None, watch: Progress) -> Night:
    """The run's row: a new one, or that of the run that waited for its batch, which goes on."""
    if collected is None:
        record = shop.runs.start(RunRecord(run_id, order.trigger, shop.engine.name, shop.clock.now()))
        logger().info("run.started", trigger=order.trigger.value, engine=shop.engine.name)
        return Night(shop, record, watch)
    record = shop.runs.resume(run_id)
    logger().info("run.resumed", trigger=order.trigger.value, engine=shop.engine.name)
    return Night(
        shop,
        record,
        watch,
        passes={one.name: one.seconds for one in record.passes},
        put_off=record.sessions.deferred,
        batched_version=collected.batch.version,
    )


def _through_the_night(night: Night, order: Order, lock: FileLock, collected: Collected | None) -> Dreamt:
    """Steps 6 to 10, and how each way out of them ends the run."""
    try:
        with paid(night.shop):
            return _passes(night, order, lock, collected)
    except Refused as fault:
        refused.note(night.shop)
        return Dreamt(night.end(Outcome.REFUSED, ",".join(fault.reasons) or fault.code, error=fault.message))
    except (EngineBusy, BudgetSpent) as fault:  # what was read is kept; the next run goes on from there
        return Dreamt(night.end(Outcome.INCOMPLETE, fault.code, error=fault.message))
    except KeyboardInterrupt:
        night.end(Outcome.CANCELLED, "interrupted")
        raise Interrupted("the dream was interrupted", hint="what it had read is kept; memory is as it was") from None
    except Terminated:
        night.end(Outcome.INTERRUPTED, "terminated")
        raise
    except DreamdError as fault:
        night.end(Outcome.FAILED, fault.code, error=fault.message)
        raise
    except Exception as fault:
        night.end(Outcome.FAILED, "fault", error=type(fault).__name__)
        raise


def _passes(night: Night, order: Order, lock: FileLock, collected: Collected | None) -> Dreamt:
    shop = night.shop
    # 6. Orient: what memory holds, whose it is, which sessions this run reads.
    with night.timed("orient"):
        ground = _oriented(night, order, collected)
    # 7. Gather: each session read once; findings are stored as soon as they are paid for. What goes by batch comes back later.
    with night.timed("gather"):
        is_sent = _gather(night, ground, order, collected)
    night.count_sessions(ground)
    if is_sent:
        return Dreamt(night.park())
    if night.stopped and not night.reached:
        return Dreamt(night.end(Outcome.INCOMPLETE, night.stopped))
    findings = open_findings(shop, ground, night.batched_version)
    for _ in range(_TRIES):
        # 8. Consolidate: findings meet what is known; the engine proposes, code disposes.
        with night.timed("consolidate"):
            outcome = _consolidate(night, ground, findings)
        # 9. Prune: the wishes become a plan within the caps, and the plan a draft that the guards look at.
        with night.timed("prune"):
            plan, made = prune(shop, ground, outcome.wishes, night.record.id)
            plan = replace(plan, sessions=_reached(night, ground))
            violations = check(ground.tree, ground.survey, plan, made, shop.guard_limits, shop.redactor.has_secret)
        night.count(ground, len(findings), plan, made)
        if violations:
            keep_wanted(night, ground, plan)
        refuse(violations)
        # 10. Commit, wait for a person, or say honestly that nothing changes.
        if made.empty and not made.applied:
            _note_reading(night, ground, plan, made)
            if night.failed and not night.reached:  # nothing usable was answered: no dream that went well
                return Dreamt(night.end(Outcome.INCOMPLETE, "nothing_readable"))
            ended = told(night.conclude(Outcome.NO_CHANGE, _why_nothing(ground), ground))
            break
        if order.dry_run or shop.config.memory.review:
            return Dreamt(_park(night, ground, plan, made, dry=order.dry_run), plan=plan)
        try:
            with patience(), night.timed("commit"):
                ended = told(_commit(night, ground, plan, made, lock))
                drop_empty(ground.tree.root, made.removed)
            break
        except TreeChanged:
            logger().info("plan.outdated")
            again = orient(shop, order.sessions, accept_loss=order.accept_loss)
            ground = replace(again, chosen=ground.chosen, deferred=ground.deferred)
    else:
        return Dreamt(night.end(Outcome.INCOMPLETE, "memory_busy"))
    refused.over(shop)
    aftermath(shop, night.watch)
    return Dreamt(ended, plan=plan)


def _oriented(night: Night, order: Order, collected: Collected | None) -> Orientation:
    shop = night.shop
    if collected is not None:
        return theirs(night, orient(shop, accept_loss=order.accept_loss, parked=True), collected.batch)
    ground = orient(shop, order.sessions, accept_loss=order.accept_loss)
    picks = {pending.session.row: [turn.row for turn in pending.turns] for pending in ground.chosen}
    shop.runs.select(night.record.id, picks)
    return ground


def _gather(night: Night, ground: Orientation, order: Order, collected: Collected | None) -> bool:
    """Has every chosen session read; True where some were sent off as a batch, for which the run has to wait."""
    shop, post = night.shop, post_of(night.shop)
    if collected is not None and post is not None:
        receive(night, collected, post)
        refill(shop, night.record.id)
    jobs = jobs_of(night, ground, anew=bool(order.sessions))
    away = [job for job in jobs if job.engine is shop.engine]
    batched = shop.config.engine.batch and collected is None and _is_ordinary(shop, order)
    if batched and away and post is not None:
        gather(night, [job for job in jobs if job.engine is not shop.engine], Threads(1), anew=False)
        return send(night, away, post)
    gather(night, jobs, Threads(shop.config.engine.max_concurrency), anew=bool(order.sessions))
    return False


def _closed(shop: Workshop, *, counted: bool) -> Gate | None:
    gates = gates_now(shop)
    if gates[0].reason == BATCH:
        return None
    if not counted:  # before the scan it is not known what was said since
        gates = tuple(gate for gate in gates if gate.name != "sessions" and gate.reason != "refused_alike")
    # Under the lock the lease of a dead process is void, and a living one's holder would have the lock.
    gate = first_closed(tuple(gate for gate in gates if gate.name != "lock") if counted else gates)
    if gate is not None:
        logger().info("gate.closed", gate=gate.name, reason=gate.reason)
    return gate


def _consolidate(night: Night, ground: Orientation, findings: Sequence[Finding]) -> Consolidation:
    shop = night.shop
    withheld = shop.withheld.among([key for finding in findings for key in (finding.key, entry_key(finding.text))])

    def holds(finding: Finding) -> Reason | None:
        return Reason.WITHHELD if finding.key in withheld or entry_key(finding.text) in withheld else None

    def junk(text: str) -> Reason | None:
        if shop.redactor.has_secret(text):
            return Reason.SECRET
        return Reason.JUNK if reject_text(text) else None

    outcome = consolidate(
        PayOnce(shop.engine, shop.answers, lambda usage: night.charge(usage, "consolidate")),
        ground.knowledge,
        findings,
        Shelves.of(shop.projects.list(), ground.chosen).shelf,
        withheld=holds,
        reject=junk,
        run_id=night.record.id,
        now=shop.clock.now(),
        zone=shop.zone,
        isolated={one.key for one in shop.projects.list() if shop.keeps_to_itself(one)},
        private=private_records(shop, ground.knowledge.records),
    )
    night.fates = outcome.fates
    return outcome


def _reached(night: Night, ground: Orientation) -> tuple[str, ...]:
    """The sessions that this run has read: what history says of it, should the database be lost."""
    return tuple(one.session.name for one in ground.chosen if one.session.row in night.reached)


def _why_nothing(ground: Orientation) -> str:
    if not ground.chosen:
        return "nothing_pending"
    return "nothing_worth_keeping"


def _note_reading(night: Night, ground: Orientation, plan: Plan, made: Draft) -> None:
    """What was read, and what a person did by hand since the last dream, goes into history although this one changes nothing.

    Otherwise a lost database would have the sessions read and paid for again, and small deletions of many days would one day
    look like a memory that vanished at once, and one that did vanish would come back older than it was.
    """
    known = dict(ground.survey.snapshot.files)
    by_hand = not (changes_nothing(made, ground.survey) and ground.tree.contents == known)
    if ground.tree.missing and known:
        return
    if not (by_hand or plan.sessions) or (ground.tree.missing and not plan.sessions):
        return
    shop = night.shop
    prepared = prepare(
        tree=ground.tree,
        survey=ground.survey,
        plan=plan,
        draft=made,
        history=shop.history,
        now=shop.clock.now(),
    )
    shop.history.advance(prepared.commit if plan.sessions else prepared.before, ground.survey.snapshot.commit)


def _park(night: Night, ground: Orientation, plan: Plan, made: Draft, *, dry: bool) -> RunRecord:
    """Stores the plan for `accept`; memory stays as it is, findings stay open, sessions pending."""
    history = night.shop.history
    stored = prepare(
        tree=ground.tree,
        survey=ground.survey,
        plan=plan,
        draft=made,
        history=history,
        now=night.shop.clock.now(),
        message=f"Plan of run {plan.run_id}",
    ).commit
    reason = "dry_run" if dry else "review"
    for older in night.shop.runs.waiting():  # its findings are in this plan too
        if older.reason == reason:
            history.unpark(older.id)
            night.shop.runs.reoutcome(older.id, expect=Outcome.WAITING, outcome=Outcome.REJECTED)
    history.park(plan.run_id, stored)
    night.record = replace(night.record, commit=stored)
    return night.end(Outcome.WAITING, reason)


def _commit(night: Night, ground: Orientation, plan: Plan, made: Draft, lock: FileLock) -> RunRecord:
    """The one write of a dream. Raises TreeChanged where a hand was quicker, LockHeld where the lock was lost."""
    shop, changes = night.shop, night.record.changes
    ended: list[RunRecord] = []

    def confirm() -> None:
        if not (still_ours(lock) and shop.lease.confirm(night.record.id)):
            raise LockHeld("this dream lost its lock or its lease", hint="nothing was written; see `dreamd status`")

    def conclude(done: Committed) -> None:
        before = shop.history.at(done.before) if done.before else Snapshot()
        stat = diff_stat(before, shop.history.at(done.commit))
        night.record = replace(night.record, commit=done.commit, diff_stat=stat.text())
        ended.append(night.conclude(Outcome.COMMITTED, "committed", ground))

    commit(
        tree=ground.tree,
        survey=ground.survey,
        plan=plan,
        draft=made,
        history=shop.history,
        state_dir=shop.places.state_dir,
        now=shop.clock.now(),
        protect=shop.config.guards.protect,
        message=f"Dream: {changes.added} added, {changes.merged} merged, {changes.superseded} superseded, "
        f"{changes.removed} removed",
        confirm=confirm,
        on_committed=conclude,
    )
    return ended[0]
