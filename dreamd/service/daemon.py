"""`dreamd run`: one thread that waits for messages, and counts, looks at the gates and lets a child dream."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import signal
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue

from apscheduler.schedulers.background import BackgroundScheduler

from dreamd.app import App
from dreamd.clock import rfc3339
from dreamd.config import load
from dreamd.dream.archiving import last_call
from dreamd.dream.cycle import Order
from dreamd.dream.gates import first_closed, lets_collect
from dreamd.dream.recovery import recover_alone
from dreamd.errors import ConfigError, DreamdError
from dreamd.log import logger
from dreamd.processes import give_back_memory
from dreamd.service.child import Child, Ended
from dreamd.service.messages import Hint, Lost, Message, Signalled, Tick, signals_into
from dreamd.service.notify import Systemd
from dreamd.service.troubles import Troubles
from dreamd.service.watch import REMEDIES, Watched, Watcher
from dreamd.sources import sources
from dreamd.standing.beacon import ServiceInfo, write_info
from dreamd.state.condition import REBUILT, database_condition
from dreamd.state.process import Owner
from dreamd.state.records import Request
from dreamd.state.requests import Requests
from dreamd.state.run_record import Trigger

_SETTLE = 0.15  # seconds that hints are collected for: a client writes several lines at once
_SHARE = 0.001  # of a core that scanning may cost
_RESCUE_EVERY = 3600.0  # seconds between two looks at what is about to be deleted
_SLACK = 5.0  # seconds that a tick may come late without anybody having slept
_LONGEST_STRETCH = 30 * 60.0  # seconds between two scans however much a scan costs


@dataclass(slots=True)
class _Dreaming:
    """The child that dreams now, and who asked for it."""

    child: Child
    request: Request | None


@dataclass(slots=True)
class _Told:
    """What was logged last, so that a standing state is told once."""

    gate: tuple[str, str] = ("", "")
    watched: tuple[Watched, ...] = ()
    types: set[str] = field(default_factory=set)
    unreadable: set[str] = field(default_factory=set)
    fault: str = ""  # why the state cannot be used now


class Daemon:
    """The service. Its thread is the only one that touches the database; the others put messages into its queue."""

    def __init__(self, app: App, config: Path | None, systemd: Systemd) -> None:
        self.app = app
        self.config = config
        self.systemd = systemd
        self.queue: SimpleQueue[Message] = SimpleQueue()
        self.since = app.shop.clock.now()
        self.dreaming: _Dreaming | None = None
        self.told = _Told()
        self.troubles = Troubles(app.shop)
        self.scan_due = 0.0  # monotonic
        self.rescue_due = 0.0  # monotonic
        self.looked_at: dt.datetime | None = None  # the last look at the gates, by the wall clock: it goes on in sleep
        self.stopping = False
        self.unfinished: list[Ended] = []  # ends of dreams that could not be written down yet
        self.watcher = self._watcher()
        self.scheduler = self._scheduler()

    def run(self) -> int:
        """Until SIGTERM or SIGINT; returns the exit status."""
        with signals_into(self.queue):
            self.watcher.start()
            self.scheduler.start()
            self._tell_state()  # from now on it can be asked: a long first scan is no reason to be unknown
            logger().info("service.started", pid=os.getpid())
            self._survive(self._begin)
            self.systemd.tell("READY=1", "STATUS=watching")
            try:
                while not self.stopping:
                    self._turn()
            finally:
                self._stop()
        return 0

    def _turn(self) -> None:
        """One message, with the hints that came with it; between messages a sign of life."""
        try:
            message: Message = self.queue.get(timeout=self.systemd.rhythm or None)
        except Empty:
            self.systemd.tell("WATCHDOG=1")
            return
        self.systemd.tell("WATCHDOG=1")
        if not self._survive(lambda: self._heed(message)) and isinstance(message, Ended):
            self.unfinished.append(message)

    def _begin(self) -> None:
        recover_alone(self.app.shop)
        self._scan()
        self._tell_state()
        self._look()

    def _heed(self, message: Message) -> None:
        match message:
            case Hint() | Lost():
                self._follow(message)
            case Tick():
                self._tick()
            case Ended():
                self._ended(message)
            case Signalled():
                self._signalled(message.number)

    def _survive(self, work: Callable[[], None]) -> bool:
        """Does something; False where a full disk, a lock held for very long or denied rights kept it from its end.

        The next tick scans and looks again, so nothing is lost by waiting; a standing fault is told once. Raises where the database
        is damaged: the next start sets it aside and makes it anew.
        """
        try:
            work()
        except DreamdError as fault:
            if database_condition(self.app.loaded.places, thorough=False) in REBUILT:
                raise
            if self.told.fault != fault.code:
                self.told.fault = fault.code
                logger().error("work.postponed", code=fault.code, hint=fault.hint)
            self.scan_due = 0.0
            return False
        return True

    def _follow(self, first: Hint | Lost) -> None:
        """Reads what hints name; what they cannot place, and what may have been lost, a scan finds."""
        hints, others = {first.path} if isinstance(first, Hint) else set(), []
        lost = isinstance(first, Lost)
        until = time.monotonic() + _SETTLE
        while (left := until - time.monotonic()) > 0:
            try:
                message = self.queue.get(timeout=left)
            except Empty:
                break
            match message:
                case Hint():
                    hints.add(message.path)
                case Lost():
                    lost = True
                case _:
                    others.append(message)
        report = self.app.shop.scanner.look(hints, self.app.shop.clock.now()) if hints else None
        if lost:
            self.watcher.supervise()  # a root that has just appeared is watched at once
            if self.watcher.state() != self.told.watched:
                self._tell_state()
        if lost or (report is not None and report.unknown_paths):
            self._scan()
        for message in others:
            self.queue.put(message)

    def _tick(self) -> None:
        self.watcher.follow(self._roots())  # an agent may have been used here for the first time
        self.watcher.supervise()
        self._tell_state()
        while self.unfinished:
            self._ended(self.unfinished[0])
            del self.unfinished[0]
        if time.monotonic() >= self.scan_due:
            self._scan()
        self._answer()
        self._look()
        self.troubles.tell()
        if self.told.fault:
            self.told.fault = ""
            logger().info("work.resumed")
        self._rest()

    def _rest(self) -> None:
        """Until the next tick nothing is kept that only this one needed."""
        self.app.shop.database.close()  # megabytes of pages, for months; the next use opens it again
        give_back_memory()

    def _scan(self) -> None:
        """Every source; the next one not before this one's cost is a thousandth of the time in between."""
        began = time.process_time()
        report = self.app.shop.scanner.scan(self.app.shop.clock.now())
        cost = time.process_time() - began
        # Where no events come a scan is all there is.
        stretch = 0.0 if any(one.problem for one in self.watcher.state()) else min(cost / _SHARE, _LONGEST_STRETCH)
        self.scan_due = time.monotonic() + stretch
        fresh = set(report.unknown_types) - self.told.types
        if fresh:
            self.told.types |= fresh
            logger().warning("record_types.unknown", types={name: report.unknown_types[name] for name in sorted(fresh)})
        for problem in report.problems:
            if problem.path not in self.told.unreadable:
                self.told.unreadable.add(problem.path)
                logger().warning("transcript.skipped", path=problem.path, code=problem.code)
        self.told.unreadable &= {problem.path for problem in report.problems}

    def _look(self) -> None:
        """Begins a scheduled dream where every gate is open; a standing answer is logged once."""
        if self.dreaming is not None:
            self.looked_at = self.app.shop.clock.now()
            return
        closed = first_closed(self.app.gates())
        now = (closed.name, closed.reason) if closed else ("", "")
        if now != self.told.gate:
            self.told.gate = now
            if closed:
                logger().info("gate.closed", gate=closed.name, reason=closed.reason, opens_at=rfc3339(closed.opens_at))
        if closed is not None:
            self.looked_at = self.app.shop.clock.now()
            if lets_collect(closed, self.looked_at):
                self._dream(Order(trigger=Trigger.SCHEDULE, if_due=True), None)
            else:
                self._rescue()
        else:
            missed_by = self._missed_by()
            trigger = Trigger.CATCH_UP if missed_by else Trigger.SCHEDULE
            self._dream(Order(trigger=trigger, if_due=True), None, missed_by=missed_by)

    def _rescue(self) -> None:
        """Where no gate opens, what its agent is about to delete is still copied: a child that finds itself not due does that."""
        if time.monotonic() < self.rescue_due:
            return
        self.rescue_due = time.monotonic() + _RESCUE_EVERY
        if last_call(self.app.shop):
            self._dream(Order(trigger=Trigger.SCHEDULE, if_due=True), None)

    def _missed_by(self) -> float:
        """Seconds since a due dream would have begun had nobody slept; 0 where the service was awake all the time.

        One dream makes up for all that was missed, because due-ness is measured from the last success.
        """
        now = self.app.shop.clock.now()
        gap = (now - self.looked_at).total_seconds() if self.looked_at else None
        self.looked_at = now
        every = self.app.loaded.config.schedule.check_every.total_seconds()
        if gap is not None and gap < 3 * every + _SLACK:
            return 0.0
        due = next((gate for gate in self.app.gates() if gate.name == "time" and gate.have and gate.need), None)
        late = (due.have or 0.0) - (due.need or 0.0) if due else 0.0
        return late if late > every else 0.0

    def _answer(self) -> None:
        """Requests of other processes; while a dream runs the next one is told who dreams."""
        requests = Requests(self.app.shop.database)
        now = self.app.shop.clock.now()
        while (request := requests.take(now)) is not None:
            if self.dreaming is not None:
                requests.answer(request.id, answer=f"locked:{self.dreaming.child.pid}", now=now)
                continue
            options = request.options
            named = options.get("sessions")
            order = Order(
                trigger=Trigger.SCHEDULE if options.get("if_due") else Trigger.KICK,
                sessions=tuple(map(str, named)) if isinstance(named, list) else (),
                dry_run=bool(options.get("dry_run")),
                if_due=bool(options.get("if_due")),
                accept_loss=bool(options.get("accept_loss")),
                engine=str(options.get("engine", "")),
            )
            self._dream(order, request)

    def _dream(self, order: Order, request: Request | None, *, missed_by: float = 0.0) -> None:
        self.systemd.tell("STATUS=dreaming")
        self.dreaming = _Dreaming(Child(order, self.config, self.queue.put), request)
        late = {"missed_by": round(missed_by)} if missed_by else {}
        logger().info("dream.started", pid=self.dreaming.child.pid, trigger=order.trigger.value, **late)

    def _ended(self, ended: Ended) -> None:
        dreaming = self.dreaming
        recover_alone(self.app.shop)
        if dreaming is not None and dreaming.request is not None:
            answer = ended.code if not ended.message else f"{ended.code}:{ended.message}"
            Requests(self.app.shop.database).answer(
                dreaming.request.id, answer=answer, now=self.app.shop.clock.now(), run_id=ended.run_id
            )
        self.dreaming = None
        level = logger().info if ended.code in ("done", "not_due") else logger().warning
        level("dream.ended", code=ended.code, run_id=ended.run_id)
        self.told.gate = ("", "")
        self.systemd.tell("STATUS=watching")
        self.troubles.tell()
        self._answer()

    def _signalled(self, number: int) -> None:
        match number:
            case signal.SIGTERM | signal.SIGINT:
                self.stopping = True
            case signal.SIGHUP:
                self._reload()
            case signal.SIGUSR1:
                self._answer()

    def _reload(self) -> None:
        """Takes the configuration as it is now; a bad one is refused and the old one kept."""
        self.systemd.tell("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")
        try:
            loaded = load(self.config)
            fresh = App(loaded)
        except DreamdError as fault:
            problems = len(fault.problems) if isinstance(fault, ConfigError) else 1
            logger().error("config.refused", code=fault.code, problems=problems)
        else:
            self.watcher.stop()
            self.scheduler.shutdown(wait=False)
            self.app.close()
            self.app = fresh
            self.troubles = Troubles(fresh.shop)
            self.watcher, self.scheduler = self._watcher(), self._scheduler()
            self.watcher.start()
            self.scheduler.start()
            self.told = _Told()
            logger().info("config.reloaded")
            self._scan()
            self._tell_state()
        self.systemd.tell("READY=1", "STATUS=watching")

    def _stop(self) -> None:
        self.systemd.tell("STOPPING=1", "STATUS=stopping")
        self.scheduler.shutdown(wait=False)
        self.watcher.stop()
        if self.dreaming is not None:
            self.dreaming.child.stop()
            with contextlib.suppress(DreamdError):
                recover_alone(self.app.shop)
        logger().info("service.stopped")

    def _tell_state(self) -> None:
        """Writes what commands read of the service, and logs what changed in watching."""
        watched = self.watcher.state()
        if watched != self.told.watched:
            for one in watched:
                if one.problem and one not in self.told.watched:
                    hint = {"hint": REMEDIES[one.problem]} if one.problem in REMEDIES else {}
                    logger().warning("watch.degraded", root=one.root, mode=one.mode.value, problem=one.problem, **hint)
            self.told.watched = watched
        every = self.app.loaded.config.schedule.check_every
        info = ServiceInfo(
            owner=Owner.current(),
            since=rfc3339(self.since) or "",
            watching=tuple(asdict(one) for one in watched),
            next_check_at=rfc3339(self.app.shop.clock.now() + every),
            config=str(self.app.loaded.places.config_file),
        )
        write_info(self.app.loaded.places.state_dir, info)

    def _roots(self) -> list[tuple[str, Path]]:
        return [(source.agent, source.root) for source in sources(self.app.loaded) if not source.to_come]

    def _watcher(self) -> Watcher:
        places = self.app.loaded.places
        own = (places.memory_root, places.state_dir)
        return Watcher(self._roots(), lambda path: self.queue.put(Hint(path)), lambda: self.queue.put(Lost()), own=own)

    def _scheduler(self) -> BackgroundScheduler:
        """The tick and nothing else: whether a dream is due is in the database, so a missed tick loses nothing."""
        scheduler = BackgroundScheduler(timezone=dt.UTC)
        scheduler.add_job(
            self.queue.put,
            "interval",
            args=(Tick(),),
            seconds=max(self.app.loaded.config.schedule.check_every.total_seconds(), 1.0),
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
        )
        return scheduler
