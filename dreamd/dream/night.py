"""What a run knows about itself while it runs, and the one way it ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from dreamd.dream.clerk import Fate
from dreamd.dream.orient import Orientation
from dreamd.dream.progress import Progress, Step
from dreamd.dream.workshop import Workshop
from dreamd.errors import StateError
from dreamd.log import logger
from dreamd.memory.draft import Draft
from dreamd.memory.plan import ChangeKind, Plan, Reason
from dreamd.state.run_record import ChangeTally, Outcome, PassTime, RunRecord, SessionTally
from dreamd.state.runs import Conclusion
from dreamd.usage import Usage

#: Fates that do not end a finding as dropped: what is withheld has a status of its own, and what was too weak alone stays
#: open, because it counts when it is said again.
_STAYS = frozenset({Reason.WITHHELD, Reason.WEAK})


@dataclass(slots=True)
class Night:
    """One run in the making. `reached`: the sessions (rows) whose turns may count as read when it succeeds."""

    shop: Workshop
    record: RunRecord
    watch: Progress
    passes: dict[str, float] = field(default_factory=dict)  # name → seconds, tries added up
    reached: set[int] = field(default_factory=set)
    failed: int = 0
    quarantined: int = 0
    fates: tuple[Fate, ...] = ()
    stopped: str = ""  # why some sessions were put off: the code of the fault (budget_spent, engine_busy)
    put_off: int = 0
    batched_version: str = ""  # of the engine when it sent the batch that this run collects; "" for none
    left: Counter[str] = field(default_factory=Counter)  # reason → turns that gave no finding

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """One pass."""
        self.watch(Step(name))
        start = self.shop.clock.monotonic()
        try:
            yield
        finally:
            self.passes[name] = self.passes.get(name, 0.0) + self.shop.clock.monotonic() - start
            self.watch(Step(name, 1, 1))

    def count(self, ground: Orientation, findings: int, plan: Plan, made: Draft) -> None:
        """The run's numbers as they stand after planning. Pointers are no entries a person would count."""
        self.record = replace(
            self.record,
            sessions=self._sessions(ground),
            findings=findings,
            changes=tally(plan, made.applied),
            dropped=dict(sorted((Counter(f.reason.value for f in self.fates if not f.entry) + self.left).items())),
            kept=dict(sorted(Counter(f.reason.value for f in self.fates if f.entry).items())),
            notes=(*plan.notes, *(f"skipped_{one.reason.value}" for one in made.skipped)),
        )

    def charge(self, usage: Usage, purpose: str) -> None:
        """Books what calls cost, as soon as it is known."""
        self.shop.runs.charge(self.record.id, usage, self.shop.clock.now(), purpose=purpose)

    def count_sessions(self, ground: Orientation) -> None:
        """What became of the sessions, for a run that ends before planning."""
        self.record = replace(self.record, sessions=self._sessions(ground))

    def _sessions(self, ground: Orientation) -> SessionTally:
        return SessionTally(
            selected=len(ground.chosen),
            gathered=len(self.reached),
            deferred=ground.deferred + self.failed + self.put_off,
            quarantined=self.quarantined,
        )

    def conclude(self, outcome: Outcome, reason: str, ground: Orientation) -> RunRecord:
        """A success: findings, cursors and marks move in one transaction with the run's row."""
        self.count_sessions(ground)
        if self.record.sessions.deferred:
            reason = f"{reason}_deferred"
        conclusion = Conclusion(
            used=[fate.finding for fate in self.fates if fate.entry],
            dropped={f.finding: f.reason.value for f in self.fates if not f.entry and f.reason not in _STAYS},
            withheld={f.finding: f.reason.value for f in self.fates if f.reason is Reason.WITHHELD},
            sessions=self.reached,
        )
        ended = self.shop.runs.conclude(self._ended(outcome, reason), conclusion)
        self.shop.answers.clear()  # what they proposed is in memory now, or was left for good
        return ended

    def end(self, outcome: Outcome, reason: str, *, error: str = "") -> RunRecord:
        """Every end that moves nothing; told at once."""
        record = replace(self._ended(outcome, reason), error=error)
        try:
            return told(self.shop.runs.finish(record))
        except StateError as fault:
            logger().error("run.unrecorded", outcome=outcome.value, fault=fault.code)
            return record

    def park(self) -> RunRecord:
        """The run waits for its batch; it is told when it has really ended."""
        record = self.shop.runs.finish(self._ended(Outcome.WAITING, "batch"))
        logger().info("run.parked", reason="batch", sessions=record.sessions.selected)
        return record

    def _ended(self, outcome: Outcome, reason: str) -> RunRecord:
        passes = tuple(PassTime(name, seconds) for name, seconds in self.passes.items())
        return replace(self.record, outcome=outcome, reason=reason, ended_at=self.shop.clock.now(), passes=passes)


def tally(plan: Plan, applied: tuple[str, ...]) -> ChangeTally:
    """What a plan did, in entries; pointers do not count."""
    done = set(applied)
    kinds = Counter(one.kind for one in plan.changes if one.id in done and one.reason is not Reason.POINTER)
    return ChangeTally(
        added=kinds[ChangeKind.ADD],
        merged=kinds[ChangeKind.MERGE],
        updated=kinds[ChangeKind.UPDATE],
        superseded=kinds[ChangeKind.SUPERSEDE],
        removed=kinds[ChangeKind.REMOVE],
        moved=kinds[ChangeKind.MOVE] + len(plan.carries),
    )


def told(record: RunRecord) -> RunRecord:
    """One `run.finished` a run, with the Run object's numbers."""
    facts = {key: value for key, value in record.to_json().items() if key not in ("id", "error")}
    logger().info("run.finished", **facts)
    return record
