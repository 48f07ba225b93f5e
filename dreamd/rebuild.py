"""A damaged or lost state database made anew from transcripts and history, so that nothing is learned or paid for twice."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ulid import ULID

from dreamd.app import App, opened
from dreamd.clock import Clock
from dreamd.config import Loaded
from dreamd.dream.evidence import to_record
from dreamd.dream.lock import dream_lock
from dreamd.dream.workshop import Workshop
from dreamd.errors import DreamdError, StateError
from dreamd.log import logger
from dreamd.memory.history import LogEntry
from dreamd.reclaim import reclaim
from dreamd.state.marks import Mark
from dreamd.state.records import SessionRecord
from dreamd.state.run_record import Outcome, RunRecord, Trigger
from dreamd.state.runs import Conclusion
from dreamd.usage import Usage

_COMPANIONS = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild came to."""

    aside: Path | None  # where the damaged file lies now; None: there was none
    sessions: int  # seen in the transcripts
    runs: int  # known again from history
    consolidated: int  # sessions known to be dreamt of


def rebuild(loaded: Loaded, clock: Clock) -> Rebuilt:
    """Sets the database aside (kept, dated, with its companions) and makes a new one. Memory is not touched.

    Archived sessions whose transcripts are gone are read from their copies. Sessions that history's commits name are
    consolidated up to the time of the newest commit that names them, and these runs are known again; what was withheld or
    forgotten is known by its tombstones. What a model was paid for and no dream has used yet is known by its copies beside the
    database; what costs nothing is read again.
    The caller makes sure that no service runs. Raises LockHeld where a dream does, StateError where the file cannot be moved.
    """
    places = loaded.places
    with dream_lock(places.default_state_dir, places.memory_root, now=clock.now()):
        aside = _set_aside(places.database, clock.now())
        with opened(loaded, clock=clock) as app:
            app.shop.withheld.put_back()
            app.scan()
            reclaim(app)
            forget_again(app)
            done = replace(_remember(app), aside=aside)
            _find_again(app.shop)
            app.shop.marks.set(Mark.REBUILT_AT, clock.now())
    logger().error("state.recovered", sessions=done.sessions, runs=done.runs, consolidated=done.consolidated)
    return done


def forget_again(app: App) -> None:
    """Sessions that were forgotten before: their names are known again by their tombstones."""
    shop = app.shop
    rows = {one.name: one.row for one in shop.sessions.list()}
    forgotten = [rows[name] for name, reason in shop.withheld.among(rows).items() if reason == "forgotten"]
    if forgotten:
        shop.sessions.forget(forgotten, shop.clock.now())


def _remember(app: App) -> Rebuilt:
    shop = app.shop
    sessions = {one.name: one for one in shop.sessions.list()}
    runs, reached = 0, set[str]()
    for entry in reversed(_dreams(shop)):
        assert entry.plan is not None
        named = [sessions[name] for name in entry.plan.sessions if name in sessions]
        _run_again(shop, entry, named)
        reached.update(one.name for one in named)
        runs += 1
    return Rebuilt(None, len(sessions), runs, len(reached))


def _find_again(shop: Workshop) -> None:
    """What was paid for, stored anew for turns that are still unread; a run of its own stands for those that paid."""
    sessions = {one.name: one for one in shop.sessions.list() if one.excluded_because is None}
    run = ""
    for reading in shop.answers.readings():
        session = sessions.get(reading.session)
        unread = {turn.id: turn.row for turn in shop.sessions.turns(session.row, unread=True)} if session else {}
        rows = [unread[turn] for turn in reading.turns if turn in unread]
        if session is None or not rows:
            continue
        run = run or _paying_run(shop, reading.engine)
        shop.findings.store(
            session.row,
            [to_record(finding) for finding in reading.findings if finding.turn_id in unread],
            engine=reading.engine,
            version=reading.version,
            run_id=run,
            turns_read=rows,
            cost=Usage(),
            now=shop.clock.now(),
        )


def _paying_run(shop: Workshop, engine: str) -> str:
    now = shop.clock.now()
    record = RunRecord(str(ULID()), Trigger.KICK, engine, now, reason="rebuilt")
    shop.runs.start(record)
    shop.runs.finish(replace(record, ended_at=now, outcome=Outcome.CANCELLED))
    return record.id


def _dreams(shop: Workshop) -> list[LogEntry]:
    """The commits of dreams, newest first, each run once."""
    seen: dict[str, LogEntry] = {}
    try:
        for entry in shop.history.log():
            if entry.plan is not None and entry.plan.sessions and entry.run_id:
                seen.setdefault(entry.run_id, entry)
    except DreamdError as fault:  # a history that cannot be read to its end is still worth what was read
        logger().warning("history.unread", code=fault.code)
    return list(seen.values())


def _run_again(shop: Workshop, entry: LogEntry, named: list[SessionRecord]) -> None:
    """The run's row, and the turns that were there when it dreamt, as if it ended at its commit's time."""
    record = RunRecord(entry.run_id, Trigger.KICK, "", entry.when, reason="rebuilt")
    shop.runs.start(record)
    shop.runs.select(entry.run_id, {one.row: list(_turns_until(shop, one, entry.when)) for one in named})
    changed = entry.plan is not None and (entry.plan.changes or entry.plan.carries or entry.plan.restores)
    ended = replace(
        record,
        ended_at=entry.when,
        outcome=Outcome.COMMITTED if changed else Outcome.NO_CHANGE,
        commit=entry.commit if changed else None,
    )
    shop.runs.conclude(ended, Conclusion())


def _turns_until(shop: Workshop, session: SessionRecord, when: dt.datetime) -> Iterator[int]:
    for turn in shop.sessions.turns(session.row, unread=True):
        if turn.at is None or turn.at <= when:
            yield turn.row


def _set_aside(path: Path, now: dt.datetime) -> Path | None:
    """Moves the database and what belongs to it; a write-ahead log that stayed would be played into the new one."""
    target = path.with_name(f"{path.name}.damaged-{now:%Y%m%dT%H%M%SZ}")
    moved = False
    try:
        for companion in _COMPANIONS:
            part = path.with_name(path.name + companion)
            if part.exists():
                part.rename(target.with_name(target.name + companion))
                moved = True
    except OSError as fault:
        raise StateError(f"{path} could not be moved aside: {fault.strerror}", hint="check its rights") from fault
    return target if moved else None
