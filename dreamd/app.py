"""dreamd wired once: every part built from one configuration, one method for each verb that needs more than one of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path

from dreamd.archive.store import Archive
from dreamd.briefing.circle import Circle
from dreamd.clock import Clock, SystemClock, local_zone
from dreamd.config import Loaded, environment, expand
from dreamd.dream import forget, remember, revise
from dreamd.dream.archiving import rescue
from dreamd.dream.batch import cancel
from dreamd.dream.books import books
from dreamd.dream.cycle import Dreamt, Order, dream
from dreamd.dream.explain import Explanation, explain
from dreamd.dream.forecast import Forecast, forecast
from dreamd.dream.forget import Forgotten
from dreamd.dream.gates import Gate
from dreamd.dream.indexing import index_sessions
from dreamd.dream.kept import copy_of, readable, reader
from dreamd.dream.outlook import gates_now
from dreamd.dream.progress import Progress, nobody
from dreamd.dream.restoring import restore
from dreamd.dream.workshop import Workshop
from dreamd.engines.offline.engine import offline
from dreamd.engines.protocol import Engine
from dreamd.engines.table import engine as engine_named
from dreamd.errors import UsageError
from dreamd.ingest.report import ScanReport
from dreamd.ingest.scanner import Scanner
from dreamd.log import logger
from dreamd.memory.diff import diff
from dreamd.memory.history import History, Snapshot
from dreamd.redact.redactor import Redactor
from dreamd.replacement import recover as recover_import
from dreamd.search.index import Index
from dreamd.sources import Source
from dreamd.standing.problems import Problem, problems
from dreamd.standing.status import status
from dreamd.state.batch_record import Batch
from dreamd.state.database import Database
from dreamd.state.records import SessionRecord
from dreamd.state.run_record import RunRecord
from dreamd.transcripts import foreign
from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.event import Event, Role


class App:
    """One configuration's dreamd."""

    def __init__(
        self,
        loaded: Loaded,
        *,
        clock: Clock | None = None,
        zone: dt.tzinfo | None = None,
        engine: Engine | None = None,
        home: Path | None = None,
    ) -> None:
        self.loaded = loaded
        self.shop = _wire(loaded, clock or SystemClock(), zone or local_zone(), engine, home or expand("~"))

    def close(self) -> None:
        """Gives back what was opened."""
        self.shop.database.close()

    def scan(self) -> ScanReport:
        """Brings the session table up to date now."""
        report = self.shop.scanner.scan(self.shop.clock.now())
        report = replace(report, unsupported=foreign.counted(expand("~"), environment()))
        if report.unknown_types:
            logger().warning("record_types.unknown", types=dict(report.unknown_types))
        for problem in report.problems:
            logger().warning("transcript.skipped", path=problem.path, code=problem.code)
        return report

    def sessions(self) -> tuple[SessionRecord, ...]:
        """Every session ever seen, newest last."""
        return self.shop.sessions.list()

    def sessions_live(self) -> int:
        """How many sessions are not idle yet."""
        return self.shop.sessions.counts(self.shop.clock.now(), self.shop.config.gates.idle).live

    def session(self, name: str) -> tuple[SessionRecord, tuple[Event, ...]]:
        """One session and what the person and the agent said in it, redacted."""
        record = self.shop.sessions.get(name)
        return record, tuple(self._turns(record))

    def _turns(self, record: SessionRecord) -> Iterator[Event]:
        if not readable(self.shop, record):
            return
        for event in reader(self.shop, record).read(Path(record.path)):
            if event.role in (Role.HUMAN, Role.ASSISTANT) and event.text.strip():
                yield event

    def kick(self, order: Order, watch: Progress = nobody) -> Dreamt:
        """A dream now. Whatever becomes of it, what its agent is about to delete is copied, and what was said can be found.

        Raises UsageError for an engine that does not exist.
        """
        dreamt = dream(self._shop_for(order.engine), order, watch)
        rescue(self.shop, watch)
        if dreamt.run is None:  # not due
            index_sessions(self.shop, watch)
        return dreamt

    def _shop_for(self, engine: str) -> Workshop:
        """The workshop with another engine for one dream."""
        if not engine or engine == self.shop.engine.name:
            return self.shop
        config = self.shop.config
        at_once = config.model_copy(update={"engine": config.engine.model_copy(update={"batch": False})})
        made = engine_named(engine, at_once, self.shop.clock.now().date())
        return replace(self.shop, engine=made)

    def undo(self, name: str | None, *, relearn: bool) -> RunRecord:
        """A dream taken back."""
        return revise.undo(self.shop, name, relearn=relearn)

    def accept(self, name: str) -> RunRecord:
        """A waiting plan applied."""
        return revise.accept(self.shop, name)

    def reject(self, name: str) -> RunRecord:
        """A waiting plan dropped."""
        return revise.reject(self.shop, name)

    def restore(self, name: str, *, overwrite: bool) -> tuple[SessionRecord, tuple[Path, ...]]:
        """An archived session put back where its agent finds it. Raises UsageError where there is no copy."""
        record = self.shop.sessions.get(name)
        stored = copy_of(record)
        if stored is None:
            raise UsageError(
                f"session {record.id} has no archived copy",
                hint="sessions are copied once they are idle for `archive_after`",
            )
        return record, restore(self.shop, record, stored, overwrite=overwrite)

    def remember(self, text: str, *, project: str | None) -> RunRecord:
        """A line added because the person says so."""
        return remember.add(self.shop, text, project=project)

    def pin(self, text: str) -> RunRecord:
        """A remembered line that stays."""
        return remember.pin(self.shop, text)

    def forget_line(self, text: str, *, purge_history: bool) -> Forgotten:
        """One remembered line forgotten."""
        return forget.forget_line(self.shop, text, purge_history=purge_history)

    def forget_session(self, name: str, *, purge_history: bool) -> Forgotten:
        """Everything that rests on one session alone forgotten."""
        return forget.forget_sessions(self.shop, [self.shop.sessions.get(name)], purge_history=purge_history)

    def forget_project(self, name: str, *, purge_history: bool) -> Forgotten:
        """Everything that rests on one project's sessions forgotten."""
        project = self.shop.projects.find(name)
        theirs = [
            one
            for one in self.shop.sessions.list()
            if project.row in {own.row for own in (one.project, self.shop.kept_in(one)) if own is not None}
        ]
        return forget.forget_sessions(self.shop, theirs, purge_history=purge_history)

    def why(self, text: str, around: Circle | None = None) -> Explanation:
        """Where a remembered line comes from; `around`: what may be told of it, None: everything."""
        return explain(self.shop, text, around)

    def runs(self, limit: int | None = None) -> tuple[RunRecord, ...]:
        """Past runs, newest first."""
        return self.shop.runs.list(limit=limit)

    def run(self, name: str) -> tuple[RunRecord, Snapshot | None]:
        """One run and what its commit (or its parked plan) holds."""
        record = self.shop.runs.get(name)
        return record, self.shop.history.at(record.commit) if record.commit else None

    def batch(self) -> Batch | None:
        """The batch that a run waits for; None where there is none."""
        return self.shop.batches.open()

    def call_off(self) -> bool | None:
        """Has the server cancel the batch that a run waits for, because nobody will collect it.

        None: there is none; False: the server could not be asked.
        """
        batch = self.batch()
        return None if batch is None else cancel(self.shop, batch)

    def diff(self, name: str | None) -> tuple[RunRecord, str]:
        """What a run changed; without a name the newest that changed memory. Raises UsageError where none did."""
        if name in (None, "last"):
            record = next((run for run in self.shop.runs.list() if run.commit and run.outcome == "committed"), None)
            if record is None:
                raise UsageError("no dream has changed anything yet", hint="`dreamd kick` dreams now")
        else:
            record = self.shop.runs.get(str(name))
        if not record.commit:
            return record, ""
        after = self.shop.history.at(record.commit)
        before = self.shop.history.at(after.parents[0]) if after.parents else Snapshot()
        return record, diff(before, after)

    def forecast(self, engine: str = "") -> Forecast:
        """What a dream would read and cost, from the database alone."""
        shop = self._shop_for(engine)
        return forecast(shop, shop.engine)

    def gates(self) -> tuple[Gate, ...]:
        """The gates as they stand, from the database alone."""
        return gates_now(self.shop)

    def status(self) -> dict[str, object]:
        """Everything about dreamd's state in CONTRACT's shape; never scans."""
        return status(self.shop, self.shop.engine, configured=self.loaded.file_exists)

    def problems(self) -> list[Problem]:
        """What needs a person."""
        return problems(self.shop)


@contextmanager
def opened(
    loaded: Loaded,
    *,
    clock: Clock | None = None,
    zone: dt.tzinfo | None = None,
    engine: Engine | None = None,
    home: Path | None = None,
) -> Iterator[App]:
    """An App that is closed again."""
    app = App(loaded, clock=clock, zone=zone, engine=engine, home=home)
    try:
        yield app
    finally:
        app.close()


def scanner_over(loaded: Loaded, database: Database, places: Sequence[Source]) -> Scanner:
    """What scans these places under the configuration's rules."""
    config = loaded.config
    return Scanner(
        places,
        database,
        idle=config.gates.idle,
        headless=config.gates.headless,
        unlearned=[expand(rule.path) for rule in config.projects if not rule.learn],
        learned=[expand(rule.path) for rule in config.projects if rule.learn],
    )


def _wire(loaded: Loaded, clock: Clock, zone: dt.tzinfo, engine: Engine | None, home: Path) -> Workshop:
    config, places = loaded.config, loaded.places
    recover_import(places, clock)
    known = books(loaded, clock, zone, home)
    return Workshop(
        **{field.name: getattr(known, field.name) for field in fields(known)},
        scanner=scanner_over(loaded, known.database, known.sources),
        history=History(places.history),
        archive=Archive(places.archive),
        index=Index(places.search),
        redactor=Redactor(config.redact.extra),
        engine=engine or engine_named(config.engine.name, config, clock.now().date()),
        local=offline(config, clock.now().date()),
        adapters=ADAPTERS,
    )
