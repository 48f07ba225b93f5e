"""Gather by batch: sessions sent off together, the run parked with its lock free, the answers taken hours later."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ulid import ULID

from dreamd.context.conversation import Reply
from dreamd.dream.digest import digest
from dreamd.dream.evidence import to_record
from dreamd.dream.gather import Gathered, Job, completed, failed, job_of, keep_beside, paid_for, put_off, store
from dreamd.dream.kept import reader
from dreamd.dream.night import Night
from dreamd.dream.orient import Orientation
from dreamd.dream.spending import paid
from dreamd.dream.workshop import Workshop
from dreamd.engines.batching import BatchGone, Batching, Body, Heard, Part, Post, Unsure
from dreamd.engines.faults import BudgetSpent, EngineBusy, EngineFault, EngineUnusable, UnusableAnswer
from dreamd.engines.protocol import Digest, Extraction
from dreamd.errors import DreamdError
from dreamd.log import logger
from dreamd.state.batch_record import Batch, Letter
from dreamd.state.records import Excluded, Pending
from dreamd.state.run_record import Outcome, RunRecord
from dreamd.usage import Usage

_LONGEST_WAIT = dt.timedelta(minutes=30)  # between two looks of the service
_GRACE = dt.timedelta(minutes=5)  # after which a batch that the server does not list never came there


@dataclass(frozen=True, slots=True)
class Collected:
    """A batch whose answers are here. `gone`: the server has none, and nobody knows what it would have charged."""

    batch: Batch
    heard: tuple[Heard, ...]
    gone: bool = False


def post_of(shop: Workshop) -> Post | None:
    """Where the workshop's engine sends batches; None where it cannot."""
    return shop.engine.post if isinstance(shop.engine, Batching) else None


def send(night: Night, jobs: Sequence[Job], post: Post) -> bool:
    """Sends the jobs off as one batch, as far as the money goes; False where there was nothing to send.

    It is written down first. If this process dies before the server's name for it is stored, or the connection breaks, the
    server is asked for it later: its requests are not sent a second time unseen.
    Raises EngineBusy and EngineUnusable where the server took nothing.
    """
    shop, now = night.shop, night.shop.clock.now()
    letters: list[Letter] = []
    bodies: dict[str, Body] = {}
    for job in jobs:
        for letter, body in _letters(night, job, post):
            letters.append(letter)
            bodies[letter.id] = body
    if not letters:
        return False
    first = now + shop.config.schedule.check_every
    shop.batches.write_down(
        Batch(night.record.id, shop.engine.name, shop.engine.version, post.place, now, first, tuple(letters))
    )
    try:
        ticket = post.submit(bodies)
    except Unsure:
        logger().warning("batch.unconfirmed", requests=len(letters))
    except EngineFault:
        shop.batches.close(night.record.id)
        raise
    else:
        shop.batches.arrived(night.record.id, ticket.id, ticket.expires_at)
        logger().info("batch.sent", requests=len(letters), batch=ticket.id)
    return True


def _letters(night: Night, job: Job, post: Post) -> list[tuple[Letter, Body]]:
    """A session as requests whose money is laid aside; none where it cannot be read, holds nothing new, or costs too much."""
    shop, session = night.shop, job.pending.session
    try:
        made = digest(job.pending, reader(shop, session), shop.redactor, shop.zone, headless=shop.config.gates.headless)
        parts = post.parts(made) if made.turns else ()
        post.lay_aside([part.expected for part in parts])
    except BudgetSpent as fault:
        put_off(night, fault, job)
        return []
    except EngineUnusable:
        raise
    except (OSError, DreamdError) as fault:
        failed(night, Gathered(job, None, fault))
        return []
    if not parts:
        store(night, job, Extraction(), anew=False)
    return _addressed(job, parts)


def _addressed(job: Job, parts: Sequence[Part]) -> list[tuple[Letter, Body]]:
    """Each request answers for the new turns that it shows; the first also for those that there is no room for."""
    rows = {turn.id: turn.row for turn in job.pending.turns}
    left = set(rows)
    made: list[tuple[Letter, Body]] = []
    for part in reversed(parts):
        theirs = left if len(made) == len(parts) - 1 else left & set(part.shown)
        left = left - theirs
        turns = tuple(sorted(rows[one] for one in theirs))
        letter = Letter(str(ULID()), job.pending.session.row, turns, part.shown, part.expected)
        made.append((letter, part.body))
    return made


def look(shop: Workshop, batch: Batch) -> RunRecord | Collected | None:
    """How a batch stands: the run that still waits, the answers, or None where nobody waits for it any more.

    Raises EngineUnusable and ConfigError where the server cannot be asked.
    """
    post = post_of(shop)
    if post is None or (post.place, shop.engine.name) != (batch.place, batch.engine):
        withdraw(shop, batch)
        shop.runs.reoutcome(batch.run_id, expect=Outcome.WAITING, outcome=Outcome.CANCELLED, reason="engine_changed")
        return None
    now = shop.clock.now()
    every, waited = shop.config.schedule.check_every, now - batch.written_at
    shop.batches.look_again(batch.run_id, now + max(every, min(waited / 2, _LONGEST_WAIT)))
    with paid(shop):
        try:
            heard = post.collect(batch.native_id) if batch.native_id else _searched(batch, post)
        except EngineBusy:
            heard = None
        except BatchGone:
            return _gone(shop, batch)
    if heard is None:
        return _waits(shop, batch)
    logger().info("batch.collected", requests=len(batch.letters), answers=sum(one.reply is not None for one in heard))
    return Collected(batch, heard)


def _searched(batch: Batch, post: Post) -> tuple[Heard, ...] | None:
    return post.search([letter.id for letter in batch.letters], batch.written_at)


def _gone(shop: Workshop, batch: Batch) -> RunRecord | Collected | None:
    """A batch that was taken and is not there any more counts as paid; one that never arrived was not sent."""
    if batch.native_id is not None:
        logger().warning("batch.lost", requests=len(batch.letters))
        return Collected(batch, (), gone=True)
    if shop.clock.now() - batch.written_at < _GRACE:  # it may be on its way
        return _waits(shop, batch)
    logger().warning("batch.unsent", requests=len(batch.letters))
    shop.batches.close(batch.run_id)
    shop.runs.reoutcome(batch.run_id, expect=Outcome.WAITING, outcome=Outcome.INCOMPLETE, reason="batch_unsent")
    return None


def _waits(shop: Workshop, batch: Batch) -> RunRecord:
    """The run that waits; one that died while it waited waits on."""
    run = shop.runs.get(batch.run_id)
    if run.outcome is not Outcome.WAITING and run.outcome is not None:
        shop.runs.reoutcome(run.id, expect=run.outcome, outcome=Outcome.WAITING)
        run = replace(run, outcome=Outcome.WAITING)
    return run


def withdraw(shop: Workshop, batch: Batch) -> None:
    """Nobody waits for a batch any more: what may have been worked on is booked as it was expected."""
    logger().warning("batch.abandoned", requests=len(batch.letters))
    shop.batches.give_up(batch.run_id, shop.clock.now())


def cancel(shop: Workshop, batch: Batch) -> bool:
    """Asks the server not to go on, as well as it can be asked; whether it was."""
    post = post_of(shop)
    if post is None or post.place != batch.place or batch.native_id is None:
        return False
    try:
        with paid(shop):
            post.cancel(batch.native_id)
    except DreamdError as fault:
        logger().warning("batch.uncancelled", fault=fault.code)
        return False
    return True


def theirs(night: Night, ground: Orientation, batch: Batch) -> Orientation:
    """What a batch is about: the turns that it reads, and those that had been read when it was sent. The rest stays pending."""
    picked = {row for rows in night.shop.runs.selected(batch.run_id).values() for row in rows}
    sent = {row for letter in batch.letters for row in letter.turns}
    chosen = []
    for pending in ground.chosen:
        mine = Pending(pending.session, tuple(turn for turn in pending.turns if turn.row in picked))
        rows = {turn.row for turn in mine.turns}
        if rows and (rows & sent or rows <= paid_for(night, mine)):
            chosen.append(mine)
    return replace(ground, chosen=tuple(chosen))


def receive(night: Night, collected: Collected, post: Post) -> None:
    """Stores what a batch brought, each answer in one transaction with its price; what brought nothing is read singly later."""
    shop = night.shop
    heard = {one.id: one for one in collected.heard}
    for letter in collected.batch.letters:
        one = heard.pop(letter.id, None)
        if one is None or one.reply is None:  # not worked on, and so not charged, as far as anybody knows
            cost = letter.expected if collected.gone else Usage()
            shop.batches.settle(letter, night.record.id, cost, shop.clock.now())
        else:
            _take(night, letter, one.reply, post)
        shop.lease.heartbeat(night.record.id, shop.clock.now())
    for one in heard.values():  # about what was forgotten since: thrown away, but not free
        if one.reply is not None:
            night.charge(post.priced(one.reply), "gather")
    shop.batches.close(collected.batch.run_id)


def _take(night: Night, letter: Letter, reply: Reply, post: Post) -> None:
    """One answer: its findings, or its price alone where nothing may be learned of it any more or it is none."""
    shop, now = night.shop, night.shop.clock.now()
    job = _job(shop, letter)
    if job is None:
        shop.batches.settle(letter, night.record.id, post.priced(reply), now)
        return
    try:
        made = _digest(shop, job)
        answer = completed(job, post.understood(reply, letter.shown, made), made, shop.redactor, night.batched_version)
    except UnusableAnswer as fault:
        shop.batches.settle(letter, night.record.id, fault.usage, now)
        return
    except (OSError, DreamdError) as fault:
        shop.batches.settle(letter, night.record.id, post.priced(reply), now)
        failed(night, Gathered(job, None, fault))
        return
    shop.findings.store(
        letter.session,
        [to_record(finding) for finding in answer.findings],
        engine=shop.engine.name,
        version=night.batched_version,
        run_id=night.record.id,
        turns_read=letter.turns,
        cost=answer.usage,
        now=now,
        letter=letter.id,
    )
    read = [turn.id for turn in job.pending.turns if turn.row in letter.turns]
    keep_beside(shop, job, answer.findings, read, night.batched_version)
    night.left.update(one.reason for one in answer.dropped)


def _job(shop: Workshop, letter: Letter) -> Job | None:
    """The job that a letter was made of; None where its session must not be learned from, or not be sent, any more."""
    (session,) = shop.sessions.by_rows([letter.session])
    turns = tuple(turn for turn in shop.sessions.turns(session.row) if turn.row in letter.turns)
    if session.excluded_because not in (None, Excluded.COPY) or shop.engine_for(session) is not shop.engine:
        return None
    return job_of(shop, Pending(session, turns)) if turns else None


def _digest(shop: Workshop, job: Job) -> Digest:
    return digest(
        job.pending,
        reader(shop, job.pending.session),
        shop.redactor,
        shop.zone,
        headless=shop.config.gates.headless,
    )
