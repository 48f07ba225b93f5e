"""The second pass: each session read once, in parallel, as a digest; what an engine finds in it is stored at once."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
import queue
import threading
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Protocol

from dreamd.dream.digest import digest
from dreamd.dream.evidence import to_finding, to_record
from dreamd.dream.kept import reader
from dreamd.dream.night import Night
from dreamd.dream.orient import Orientation
from dreamd.dream.paid import PaidReading
from dreamd.dream.progress import Step
from dreamd.dream.workshop import Workshop
from dreamd.engines.costly import Costly
from dreamd.engines.earned import visible
from dreamd.engines.faults import BudgetSpent, EngineBusy, EngineFault, EngineUnusable
from dreamd.engines.protocol import Digest, Engine, Extraction, Finding, KnownEntry, Scope, Turn
from dreamd.log import logger
from dreamd.memory.document import entry_key
from dreamd.redact.redactor import Redactor
from dreamd.state.records import Pending, SessionRecord
from dreamd.transcripts.adapter import Reader
from dreamd.usage import Usage


@dataclass(frozen=True, slots=True)
class Job:
    """One session to be read: what is unread of it, and what the engine may know while it reads."""

    pending: Pending
    known: tuple[KnownEntry, ...]
    engine: Engine  # who may read it


@dataclass(frozen=True, slots=True)
class Gathered:
    """What one job came to: an extraction, or the fault that kept it from one."""

    job: Job
    extraction: Extraction | None
    fault: Exception | None = None


class Executor(Protocol):
    """Where jobs run: threads here; batches or workers elsewhere are the same to the pass."""

    def run(self, jobs: Sequence[Job], work: Callable[[Job], Extraction]) -> Iterator[Gathered]:
        """Every job once, in whatever order they end; a job's fault does not end the others."""
        ...


class Threads:
    """Jobs in threads. The first goes alone, so that the others find the prompt cache warm.

    The threads are daemons: whoever ends this process must not wait for a call that hangs.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, jobs: Sequence[Job], work: Callable[[Job], Extraction]) -> Iterator[Gathered]:
        """See Executor."""
        if not jobs:
            return
        yield _attempt(jobs[0], work)
        waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
        done: queue.SimpleQueue[Gathered] = queue.SimpleQueue()
        for job in jobs[1:]:
            waiting.put(job)
        for _ in range(min(self.workers, len(jobs) - 1)):
            labour = (_labour, waiting, done, work)
            threading.Thread(target=copy_context().run, args=labour, name="gather", daemon=True).start()
        try:
            for _ in jobs[1:]:
                yield done.get()
        finally:
            with contextlib.suppress(queue.Empty):
                while True:
                    waiting.get_nowait()


def _labour(
    waiting: queue.SimpleQueue[Job], done: queue.SimpleQueue[Gathered], work: Callable[[Job], Extraction]
) -> None:
    """One thread: job after job until none waits."""
    with contextlib.suppress(queue.Empty):
        while True:
            done.put(_attempt(waiting.get_nowait(), work))


def _attempt(job: Job, work: Callable[[Job], Extraction]) -> Gathered:
    try:
        return Gathered(job, work(job))
    except Exception as fault:  # noqa: BLE001 - one session's fault is that session's; the caller tells it by its kind
        return Gathered(job, None, fault)


def read_session(job: Job, adapter: Reader, redactor: Redactor, zone: dt.tzinfo, *, headless: bool) -> Extraction:
    """One session through an engine: its findings carry key, session, project and place of their evidence.

    Raises OSError or TranscriptError where the transcript is gone, and EngineError where the engine gave up.
    """
    made = digest(job.pending, adapter, redactor, zone, headless=headless)
    if not made.turns:
        return Extraction()
    try:
        return completed(job, job.engine.extract(made, job.known), made, redactor)
    except EngineFault as fault:
        fault.found = completed(job, Extraction(fault.found), made, redactor).findings
        raise


def completed(job: Job, answer: Extraction, made: Digest, redactor: Redactor, version: str = "") -> Extraction:
    """An engine's answer with all that its findings need; one that cites no turn of this session is dropped."""
    turns = {turn.id: turn for turn in made.turns}
    findings = [
        _complete(finding, turns[finding.turn_id], job, redactor, version or job.engine.version)
        for finding in answer.findings
        if finding.turn_id in made.fresh and finding.turn_id in turns
    ]
    return replace(answer, findings=tuple(findings))


def _complete(finding: Finding, turn: Turn, job: Job, redactor: Redactor, version: str) -> Finding:
    session = job.pending.session
    return replace(
        finding,
        text=visible(redactor.redact(finding.text).text),
        quote=redactor.redact(finding.quote).text,
        at=finding.at or turn.at,
        key=finding_key((job.engine.name, version), session.lineage, finding),
        session_id=session.id,
        project_key=session.project.key if session.project else "",
        path=turn.path,
        offset=turn.offset,
    )


def finding_key(reader: tuple[str, str], lineage: str, finding: Finding) -> str:
    """A finding's unique key: engine and prompt version, lineage, turn, kind and normalised text (DESIGN, Ids)."""
    text = " ".join(unicodedata.normalize("NFC", finding.text).casefold().split())
    parts = [*reader, lineage, finding.turn_id, str(finding.kind), text]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()[:40]


def gather(night: Night, jobs: Sequence[Job], executor: Executor, *, anew: bool) -> None:
    """Does the jobs and stores what comes back as it comes.

    `anew`: read it all again, and let what was found before count again. A session's fault is counted against it and the
    run goes on; what was reached is in `night.reached`. Where the engine is busy the rest is put off; where the budget is spent,
    what does not fit into what is left of it.
    Raises EngineUnusable, after what had been answered was stored.
    """
    shop = night.shop
    stopped: list[EngineFault] = []

    def work(job: Job) -> Extraction:
        if stopped and job.engine is shop.engine:
            raise type(stopped[0])(stopped[0].message, hint=stopped[0].hint)
        try:
            return read_session(
                job, reader(shop, job.pending.session), shop.redactor, shop.zone, headless=shop.config.gates.headless
            )
        except (EngineBusy, EngineUnusable) as fault:
            stopped.append(fault)  # here, not where it is collected: this thread's next job must not ask again
            raise

    for done, gathered in enumerate(executor.run(jobs, work), start=1):
        night.watch(Step("gather", done, len(jobs)))
        if gathered.extraction is not None:
            store(night, gathered.job, gathered.extraction, anew=anew)
        elif isinstance(gathered.fault, EngineBusy | EngineUnusable | BudgetSpent):
            put_off(night, gathered.fault, gathered.job)
        else:
            failed(night, gathered)
        shop.lease.heartbeat(night.record.id, shop.clock.now())
    if stopped and isinstance(stopped[0], EngineUnusable):
        raise stopped[0]


def jobs_of(night: Night, ground: Orientation, *, anew: bool) -> list[Job]:
    """A job for each session with turns that its engine was not paid for; those that are sent come first.

    What a batch is reading is not read beside it: such sessions are put off.
    """
    shop = night.shop
    under_way = shop.batches.under_way()
    jobs = []
    for pending in ground.chosen:
        unpaid = tuple(turn for turn in pending.turns if anew or turn.row not in paid_for(night, pending))
        if any(turn.row in under_way for turn in unpaid):
            night.put_off += 1
            night.stopped = night.stopped or "batch"
        elif unpaid:
            jobs.append(job_of(shop, Pending(pending.session, unpaid)))
        else:
            night.reached.add(pending.session.row)
    return sorted(jobs, key=lambda job: job.engine is not shop.engine)


def paid_for(night: Night, pending: Pending) -> frozenset[int]:
    """The rows of a session's turns that were read by the engine that may read them, in a version that counts in this run."""
    shop, row = night.shop, pending.session.row
    engine = shop.engine_for(pending.session)
    versions = {engine.version, night.batched_version} if engine is shop.engine else {engine.version}
    covered = [shop.findings.covered(row, engine=engine.name, version=one) for one in sorted(versions - {""})]
    return frozenset().union(*covered)


def job_of(shop: Workshop, pending: Pending) -> Job:
    """A job with all that a project's rules say."""
    return Job(pending, (), shop.engine_for(pending.session))


def put_off(night: Night, fault: EngineFault, job: Job) -> None:
    """Not this session's fault: it waits for the next run. What was paid on the way is booked and kept."""
    night.charge(fault.usage, "gather")
    _keep(night, fault, job)
    night.put_off += 1
    night.stopped = night.stopped or fault.code
    logger().info("session.deferred", session=job.pending.session.id, reason=fault.code)


def keep_beside(shop: Workshop, job: Job, findings: Sequence[Finding], turns: Sequence[str], version: str = "") -> None:
    """A copy beside the database of what had to be paid for; what is read for nothing is read again."""
    if job.engine is not shop.engine or not isinstance(job.engine, Costly):
        return
    name, engine = job.pending.session.name, job.engine
    shop.answers.put_reading(PaidReading(name, engine.name, version or engine.version, tuple(turns), tuple(findings)))


def _keep(night: Night, fault: EngineFault, job: Job) -> None:
    """What a part of a session gave before the fault: its turns are not read again. Its price is in the fault's."""
    rows = [turn.row for turn in job.pending.turns if turn.id in fault.read]
    if rows:
        night.shop.findings.store(
            job.pending.session.row,
            [to_record(finding) for finding in fault.found],
            engine=job.engine.name,
            version=job.engine.version,
            run_id=night.record.id,
            turns_read=rows,
            cost=Usage(),
            now=night.shop.clock.now(),
        )
        keep_beside(night.shop, job, fault.found, sorted(fault.read))


def store(night: Night, job: Job, extraction: Extraction, *, anew: bool) -> None:
    """What a session gave, with what it cost; the session is reached."""
    shop, session = night.shop, job.pending.session
    stored = shop.findings.store(
        session.row,
        [to_record(finding) for finding in extraction.findings],
        engine=job.engine.name,
        version=job.engine.version,
        run_id=night.record.id,
        turns_read=[turn.row for turn in job.pending.turns],
        cost=extraction.usage,
        now=shop.clock.now(),
    )
    keep_beside(shop, job, extraction.findings, [turn.id for turn in job.pending.turns])
    if anew:
        keys = [finding.key for finding in extraction.findings]
        shop.findings.reopen(keys)
        held = shop.withheld.among([*keys, *(entry_key(finding.text) for finding in extraction.findings)])
        shop.withheld.release(
            [text for text, reason in held.items() if reason != "forgotten"]
        )  # that was meant for good
    night.reached.add(session.row)
    night.left.update(one.reason for one in extraction.dropped)
    logger().debug("session.gathered", session=session.id, findings=len(extraction.findings), new=len(stored))


def failed(night: Night, gathered: Gathered) -> None:
    """A session that could not be read is counted against itself; three times and it is put aside."""
    shop, session = night.shop, gathered.job.pending.session
    kind = type(gathered.fault).__name__
    if isinstance(gathered.fault, EngineFault):
        night.charge(gathered.fault.usage, "gather")
        _keep(night, gathered.fault, gathered.job)
    put_aside = shop.sessions.failed(session.row, reason=kind, now=shop.clock.now())
    night.failed += 1
    night.quarantined += put_aside
    logger().warning("session.failed", session=session.id, fault=kind, quarantined=put_aside)


def open_findings(shop: Workshop, ground: Orientation, batched_version: str = "") -> list[Finding]:
    """Every open finding about the turns this run selected, by the engine that may read them, whichever run paid for it.

    What a batch brought counts in whichever version it was asked. With them come those that were too weak alone in earlier dreams: said again, they stand. Not those of sessions that
    nothing may be learned from any more.
    """
    turn_ids = {turn.id for pending in ground.chosen for turn in pending.turns}
    if not turn_ids:
        return []
    engines = {(one.name, one.version) for one in (shop.engine, shop.local)}
    if batched_version:
        engines.add((shop.engine.name, batched_version))
    records = [
        record for name, version in sorted(engines) for record in shop.findings.open(engine=name, version=version)
    ]
    sessions = {one.row: one for one in shop.sessions.by_rows({record.session for record in records})}
    found = []
    for record in records:
        session = sessions.get(record.session)
        may = shop.engine_for(session) if session else shop.engine
        versions = (may.version, batched_version) if may is shop.engine else (may.version,)
        if record.engine != may.name or record.version not in versions:
            continue
        if record.turn_id in turn_ids or _is_candidate(session):
            found.append(_under_rules(shop, session, to_finding(record)))
    return found


def _under_rules(shop: Workshop, session: SessionRecord | None, finding: Finding) -> Finding:
    """A finding as the project's rules of today have it, whenever it was found."""
    if session is None:
        return finding
    project = shop.kept_in(session)
    if project is not None:
        finding = replace(finding, scope=Scope.PROJECT, project_key=project.key)
    return replace(finding, private=shop.private(session))


def _is_candidate(session: SessionRecord | None) -> bool:
    return session is not None and session.excluded_because is None and session.unread == 0
