"""One dream as a process of its own: the very code of `dreamd kick`, at low priority, gone when its parent is."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dreamd import foreign_log, log
from dreamd.app import opened
from dreamd.config import load
from dreamd.dream.cycle import Order
from dreamd.dream.progress import Step
from dreamd.errors import DreamdError, Terminated
from dreamd.standing.beacon import write_progress
from dreamd.state.run_record import Trigger

_GRACE = 8.0  # seconds between SIGTERM and SIGKILL
_EVERY = 0.2  # seconds between two notes of progress


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: the run it made if any, and a code from a closed set.

    Codes: done, not_due, and the `code` of the error that ended it (errors.py), or "died".
    """

    code: str
    run_id: str | None = None
    message: str = ""


class Child:
    """A dream that runs in its own process. `ended` is called once, from a thread of its own, when it is over."""

    def __init__(self, order: Order, config: Path | None, ended: Callable[[Ended], None]) -> None:
        options = {
            "trigger": order.trigger.value,
            "sessions": list(order.sessions),
            "dry_run": order.dry_run,
            "if_due": order.if_due,
            "accept_loss": order.accept_loss,
            "engine": order.engine,
            "config": str(config) if config else None,
        }
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "dreamd.service.child", json.dumps(options)],
            stdin=subprocess.PIPE,  # its end tells the child that we are gone
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._ended = ended
        self._waiter = threading.Thread(target=self._wait, name="dream", daemon=True)
        self._waiter.start()

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    def stop(self) -> None:
        """SIGTERM, and SIGKILL after 8 seconds; returns when it is gone."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._waiter.join(timeout=1)

    def _wait(self) -> None:
        assert self._process.stdout is not None  # made so above
        told = self._process.stdout.read()
        self._process.wait()
        self._process.stdout.close()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._ended(_as_ended(told))


def _as_ended(told: bytes) -> Ended:
    try:
        value = json.loads(told.splitlines()[-1])
        return Ended(str(value["code"]), value.get("run_id"), str(value.get("message", "")))
    except (ValueError, IndexError, KeyError, TypeError):
        return Ended("died")


def main(arguments: list[str]) -> int:
    """The child's side. Prints one JSON line that says how it ended."""
    options = json.loads(arguments[0])
    os.umask(0o077)
    with contextlib.suppress(OSError):
        os.nice(10)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminated)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    try:
        ended = _dream(options)
    except Terminated:
        ended = Ended("terminated")
    except DreamdError as fault:
        ended = Ended(fault.code, message=fault.message)
    print(json.dumps({"code": ended.code, "run_id": ended.run_id, "message": ended.message}), flush=True)  # noqa: T201 - the answer
    return 0


def _dream(options: dict[str, Any]) -> Ended:
    loaded = load(Path(str(options["config"])) if options["config"] else None)
    log.configure(loaded.places.log, level=loaded.config.log.level, console_level=loaded.config.log.level, form="json")
    foreign_log.adopt(loaded.config.redact.extra)
    order = Order(
        trigger=Trigger(options["trigger"]),
        sessions=tuple(options["sessions"]),
        dry_run=bool(options["dry_run"]),
        if_due=bool(options["if_due"]),
        accept_loss=bool(options["accept_loss"]),
        engine=str(options.get("engine", "")),
    )
    with opened(loaded) as app:
        dreamt = app.kick(order, _Telling(loaded.places.state_dir))
    if dreamt.run is None:
        return Ended("not_due", message=dreamt.closed.name if dreamt.closed else "")
    return Ended("done", dreamt.run.id)


class _Telling:
    """Progress noted for whoever watches, not oftener than somebody can look."""

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir
        self.last = ("", 0.0)

    def __call__(self, step: Step) -> None:
        now = time.monotonic()
        if step.name != self.last[0] or now - self.last[1] >= _EVERY:
            self.last = (step.name, now)
            write_progress(self.state_dir, step)


def _terminated(_number: int, _frame: object) -> None:
    raise Terminated


def _end_with_parent() -> None:
    """Standard input ends when the parent does; then so do we."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
