"""Runs: begun, paid for, and ended in one transaction with everything that their success moves."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, func, select, update

from dreamd.errors import StateError, UsageError
from dreamd.state import ledger, tally
from dreamd.state.chunks import chunks
from dreamd.state.dialect import insert
from dreamd.state.findings import settle
from dreamd.state.marks import Mark, put
from dreamd.state.records import FindingStatus
from dreamd.state.run_record import (
    DREAMS,
    FAILURES,
    SUCCESSES,
    ChangeTally,
    Outcome,
    PassTime,
    RunRecord,
    SessionTally,
    Trigger,
)
from dreamd.state.schema import findings, run_sessions, run_turns, runs, sessions, turns
from dreamd.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from dreamd.state.columns import AnyRow
    from dreamd.state.database import Database


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a run's success moves besides its own row."""

    used: Collection[str] = ()  # finding ids
    dropped: Mapping[str, str] = field(default_factory=dict)  # finding id → reason
    withheld: Mapping[str, str] = field(default_factory=dict)  # finding id → reason
    sessions: Collection[int] | None = None  # rows that were reached; None: all that were selected
    selected_by: str = ""  # the run that selected them where it is another one (accept)
    success: bool = True  # moves last_success_at, from which the time gate measures


class Runs:
    """Past and present runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, record: RunRecord) -> RunRecord:
        """Stores a run that begins; a dream is an attempt from now on. Its process must hold the lease already."""
        with self._database.write() as connection:
            connection.execute(runs.insert().values(**_row(record), **_cost_row(record.cost)))
            if record.trigger in DREAMS:
                put(connection, Mark.LAST_ATTEMPT_AT, record.started_at)
        return record

    def select(self, run_id: str, picks: Mapping[int, Iterable[int]]) -> None:
        """Notes which turns (rows) of which sessions (rows) a run is about: what comes later stays pending."""
        chosen = [(session, turn) for session, turn_rows in picks.items() for turn in turn_rows]
        with self._database.write() as connection:
            for rows in chunks(picks):
                connection.execute(
                    insert(connection, run_sessions).on_conflict_do_nothing(),
                    [{"run": run_id, "session": row} for row in rows],
                )
            for piece in chunks(chosen):
                connection.execute(
                    insert(connection, run_turns).on_conflict_do_nothing(),
                    [{"run": run_id, "session": session, "turn": turn} for session, turn in piece],
                )

    def selected(self, run_id: str) -> Mapping[int, tuple[int, ...]]:
        """The sessions (rows) a run selected, each with its turns (rows)."""
        with self._database.read() as connection:
            picks: dict[int, tuple[int, ...]] = dict.fromkeys(
                connection.scalars(select(run_sessions.c.session).where(run_sessions.c.run == run_id)), ()
            )
            for session, turn in connection.execute(
                select(run_turns.c.session, run_turns.c.turn)
                .where(run_turns.c.run == run_id)
                .order_by(run_turns.c.turn)
            ):
                picks[session] = (*picks.get(session, ()), turn)
        return picks

    def charge(self, run_id: str, cost: Usage, now: dt.datetime, *, purpose: str) -> None:
        """Books what a call cost, as soon as it is known."""
        with self._database.write() as connection:
            ledger.charge(connection, run_id, cost, now, purpose)

    def finish(self, record: RunRecord) -> RunRecord:
        """Ends a run that moves nothing: every outcome but a success. Returns it with its booked cost."""
        return self.conclude(record, None)

    def conclude(self, record: RunRecord, conclusion: Conclusion | None) -> RunRecord:
        """Ends a run in ONE transaction: its row, its findings, the cursors of the turns it selected, the marks.

        Raises StateError if the run ended before, for then somebody took this process for dead.
        """
        if record.outcome is None or record.ended_at is None:
            raise ValueError("a run ends with an outcome and a time")
        with self._database.write() as connection:
            done = connection.execute(
                update(runs).where(runs.c.id == record.id, runs.c.outcome.is_(None)).values(**_row(record))
            )
            if not done.rowcount:
                raise StateError(f"run {record.id} is over already", hint="another process took this one for dead")
            if conclusion is not None:
                _move(connection, record, conclusion)
            if record.trigger in DREAMS:
                put(connection, Mark.LAST_ERROR, record.error or record.reason if record.outcome in FAILURES else None)
            return _run(connection.execute(select(runs).where(runs.c.id == record.id)).one())

    def resume(self, run_id: str) -> RunRecord:
        """Lets a run that waited, or died waiting, go on: it has no outcome again. Its process must hold the lease already."""
        with self._database.write() as connection:
            connection.execute(update(runs).where(runs.c.id == run_id).values(outcome=None, ended_at=None, error=""))
            return _run(connection.execute(select(runs).where(runs.c.id == run_id)).one())

    def reoutcome(self, run_id: str, *, expect: Outcome, outcome: Outcome, reason: str = "") -> bool:
        """Changes how an ended run stands (waiting → committed or rejected), and why if said. False: it did not stand at `expect`."""
        values = {"outcome": outcome.value} | ({"reason": reason} if reason else {})
        with self._database.write() as connection:
            return bool(
                connection.execute(
                    update(runs).where(runs.c.id == run_id, runs.c.outcome == expect.value).values(**values)
                ).rowcount
            )

    def undone(self, run_id: str, now: dt.datetime, *, relearn: bool = False) -> None:
        """Notes that a run was taken back. `relearn`: the turns it consolidated are pending again, its findings open."""
        with self._database.write() as connection:
            connection.execute(update(runs).where(runs.c.id == run_id).values(undone_at=now))
            if not relearn:
                return
            theirs = list(connection.scalars(select(turns.c.id).where(turns.c.consolidated_run == run_id)))
            connection.execute(update(turns).where(turns.c.consolidated_run == run_id).values(consolidated_run=None))
            connection.execute(
                update(findings)
                .where(findings.c.used_run == run_id)
                .values(status=FindingStatus.OPEN.value, drop_reason="", used_run=None)
            )
            tally.judge(connection, tally.sharing(connection, theirs))

    def uncommit(self, run_id: str = "") -> None:
        """Notes that history holds no run's commit any more (it was purged), or that this run's is no longer shown."""
        statement = update(runs).values(commit=None)
        with self._database.write() as connection:
            connection.execute(statement.where(runs.c.id == run_id) if run_id else statement)

    def redone(self, run_id: str) -> None:
        """Notes that a run that was taken back stands again: its undo was undone."""
        with self._database.write() as connection:
            connection.execute(update(runs).where(runs.c.id == run_id).values(undone_at=None))

    def get(self, name: str) -> RunRecord:
        """The run with this id or unique beginning of it, or "last". Raises UsageError for none or several."""
        query = select(runs).order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(2)
        last = name == "last"
        if not last:
            query = query.where(runs.c.id.startswith(name.upper(), autoescape=True))
        with self._database.read() as connection:
            found = [_run(row) for row in connection.execute(query)] if name else []
        exact = [one for one in found if one.id == name.upper()]
        if exact or len(found) == 1 or (found and last):
            return (exact or found)[0]
        if found:
            raise UsageError(f"several runs begin with {name}", hint="give more of the id; `dreamd runs` shows them")
        hint = "`dreamd runs` shows them"
        raise UsageError("there was no run yet" if last else f"no run {name or 'without an id'} is known", hint=hint)

    def list(self, *, limit: int | None = None) -> tuple[RunRecord, ...]:
        """Runs, newest first."""
        with self._database.read() as connection:
            query = select(runs).order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(limit)
            return tuple(_run(row) for row in connection.execute(query))

    def newest(
        self,
        *,
        outcomes: Collection[Outcome] = (),
        triggers: Collection[Trigger] = (),
        undone: bool | None = None,
    ) -> RunRecord | None:
        """The newest run with one of these outcomes and triggers (none given: any); `undone` False: still standing."""
        query = select(runs).order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(1)
        if outcomes:
            query = query.where(runs.c.outcome.in_(sorted(outcomes)))
        if triggers:
            query = query.where(runs.c.trigger.in_(sorted(triggers)))
        if undone is not None:
            query = query.where(runs.c.undone_at.is_not(None) if undone else runs.c.undone_at.is_(None))
        with self._database.read() as connection:
            row = connection.execute(query).first()
            return None if row is None else _run(row)

    def waiting(self) -> tuple[RunRecord, ...]:
        """Runs whose plans wait to be accepted or rejected, newest first."""
        query = (
            select(runs)
            .where(runs.c.outcome == Outcome.WAITING.value)
            .order_by(runs.c.started_at.desc(), runs.c.id.desc())
        )
        with self._database.read() as connection:
            return tuple(_run(row) for row in connection.execute(query))

    def running(self) -> tuple[RunRecord, ...]:
        """Runs without an outcome, a dead process's included until Lease.recover has seen it."""
        with self._database.read() as connection:
            return tuple(_run(row) for row in connection.execute(select(runs).where(runs.c.outcome.is_(None))))

    def spent(self, since: dt.datetime) -> Usage:
        """What all runs together spent since then, those that died included."""
        with self._database.read() as connection:
            return ledger.spent(connection, since)

    def failures(self) -> tuple[int, dt.datetime | None]:
        """How many dreams failed in a row up to now, and when the last of them ended (for the backoff)."""
        newest = select(runs.c.outcome, runs.c.ended_at).where(
            runs.c.trigger.in_(sorted(DREAMS)), runs.c.outcome.is_not(None)
        )
        failed, last = 0, None
        with self._database.read() as connection:
            for outcome, ended_at in connection.execute(
                newest.order_by(runs.c.started_at.desc(), runs.c.id.desc()).execution_options(yield_per=20)
            ):
                if outcome in SUCCESSES:
                    break
                if outcome in FAILURES:
                    failed += 1
                    last = last or ended_at
        return failed, last

    def attempts(self, since: dt.datetime, *, triggers: Collection[Trigger] = DREAMS) -> int:
        """How many dreams began since then."""
        query = select(func.count()).where(runs.c.started_at >= since, runs.c.trigger.in_(sorted(triggers)))
        with self._database.read() as connection:
            return int(connection.scalar(query.select_from(runs)) or 0)


def _move(connection: Connection, record: RunRecord, conclusion: Conclusion) -> None:
    settle(connection, dict.fromkeys(conclusion.used, ""), FindingStatus.USED, record.id)
    settle(connection, dict(conclusion.dropped), FindingStatus.DROPPED, record.id)
    settle(connection, dict(conclusion.withheld), FindingStatus.WITHHELD, record.id)
    _consolidate(connection, record, conclusion)
    if conclusion.success:
        put(connection, Mark.LAST_SUCCESS_AT, record.ended_at)


def _consolidate(connection: Connection, record: RunRecord, conclusion: Conclusion) -> None:
    """Turns that were selected of the sessions that were reached are read; whatever came since stays unread."""
    theirs = select(run_turns.c.turn, run_turns.c.session).where(
        run_turns.c.run == (conclusion.selected_by or record.id)
    )
    reached = conclusion.sessions
    picked = [(turn, session) for turn, session in connection.execute(theirs) if reached is None or session in reached]
    for piece in chunks(picked):
        connection.execute(
            update(turns)
            .where(turns.c.id == bindparam("b_turn"), turns.c.consolidated_run.is_(None))
            .values(consolidated_run=record.id),
            [{"b_turn": turn} for turn, _ in piece],
        )
    touched = tally.sharing(connection, [turn for turn, _ in picked])
    tally.judge(connection, touched)
    for rows in chunks(sorted(touched)):
        connection.execute(
            update(sessions)
            .where(sessions.c.id.in_(rows), sessions.c.unread == 0, sessions.c.excluded.is_(None))
            .values(consolidated_at=record.ended_at, failures=0)
        )


def _row(record: RunRecord) -> dict[str, object]:
    """Everything but the cost, which only the ledger moves."""
    return {
        "id": record.id,
        "trigger": record.trigger.value,
        "engine": record.engine,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "outcome": record.outcome.value if record.outcome else None,
        "undone_at": record.undone_at,
        "reason": record.reason,
        "passes": [[one.name, one.seconds] for one in record.passes],
        "sessions": asdict(record.sessions),
        "findings": record.findings,
        "changes": asdict(record.changes),
        "commit": record.commit,
        "diff_stat": record.diff_stat,
        "dropped": dict(record.dropped),
        "kept": dict(record.kept),
        "notes": list(record.notes),
        "about": record.about,
        "error": record.error,
    }


def _cost_row(cost: Usage) -> dict[str, object]:
    return {"usd": cost.usd} | {
        f"tokens_{name}": getattr(cost, name) for name in ("input", "output", "cache_read", "cache_write")
    }


def _run(row: AnyRow) -> RunRecord:
    return RunRecord(
        id=row.id,
        trigger=Trigger(row.trigger),
        engine=row.engine,
        started_at=row.started_at,
        ended_at=row.ended_at,
        outcome=Outcome(row.outcome) if row.outcome else None,
        undone_at=row.undone_at,
        reason=row.reason,
        passes=tuple(PassTime(name, seconds) for name, seconds in row.passes),
        sessions=SessionTally(**row.sessions),
        findings=row.findings,
        changes=ChangeTally(**row.changes),
        cost=Usage(
            row.tokens_input, row.tokens_output, row.tokens_cache_read, row.tokens_cache_write, usd=float(row.usd)
        ),
        commit=row.commit,
        diff_stat=row.diff_stat,
        dropped=row.dropped,
        kept=row.kept,
        notes=tuple(row.notes),
        about=row.about,
        error=row.error,
    )
