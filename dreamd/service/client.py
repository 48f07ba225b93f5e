"""How a command has the running service dream: a request in the database, a signal that it is there, and a look at how it goes."""

from __future__ import annotations

import contextlib
import os
import signal
import time

from dreamd.app import App
from dreamd.dream.cycle import Dreamt, Order
from dreamd.dream.progress import Progress
from dreamd.errors import DreamdError, LockHeld, StateError, UsageError
from dreamd.standing.beacon import ServiceInfo, living, read_progress
from dreamd.state.records import Request
from dreamd.state.requests import Requests

_LOOK_EVERY = 0.1  # seconds
_ASK_AGAIN = 5.0  # seconds without being taken: a signal may be missed, the row is not


def service_for(app: App) -> ServiceInfo | None:
    """The living service of this state directory, if it runs on this very configuration."""
    places = app.loaded.places
    info = living(places.state_dir)
    return info if info is not None and info.config == str(places.config_file) else None


def ask(app: App, info: ServiceInfo, order: Order) -> Request:
    """Puts the request and wakes the service. Its pid was checked to be the service's own."""
    options = {
        "sessions": list(order.sessions),
        "dry_run": order.dry_run,
        "if_due": order.if_due,
        "engine": order.engine,
        "accept_loss": order.accept_loss,
    }
    request = Requests(app.shop.database).add("kick", options, app.shop.clock.now())
    _wake(info)
    return request


def follow(app: App, info: ServiceInfo, request: Request, watch: Progress) -> Dreamt:
    """Shows progress until the request is answered; what came of it. Raises what the dream ended with."""
    requests = Requests(app.shop.database)
    state_dir = app.loaded.places.state_dir
    asked = time.monotonic()
    while (now := requests.get(request.id)) is not None and now.done_at is None:
        if living(state_dir) is None:
            raise StateError(
                "the service ended before it answered", hint="`dreamd status`; `dreamd kick` then dreams here"
            )
        if now.taken_at is None and time.monotonic() - asked > _ASK_AGAIN:
            asked = time.monotonic()
            _wake(info)
        elif now.taken_at is not None and (step := read_progress(state_dir)) is not None:
            watch(step)
        time.sleep(_LOOK_EVERY)
    if now is None:
        raise StateError("the request is gone", hint="call `dreamd kick` again")
    return _dreamt(app, now)


def _wake(info: ServiceInfo) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(info.owner.pid, signal.SIGUSR1)


def _dreamt(app: App, request: Request) -> Dreamt:
    code, _, message = request.answer.partition(":")
    if request.run_id:
        record, snapshot = app.run(request.run_id)
        return Dreamt(record, plan=snapshot.plan if snapshot else None)
    match code:
        case "not_due":
            return Dreamt(None, next((gate for gate in app.gates() if gate.name == message), None))
        case "locked":
            raise LockHeld(f"another dream is running ({message or 'see dreamd status'})", hint="wait for it to end")
        case "usage":
            raise UsageError(message or "the request was not understood")
        case _:
            raise DreamdError(message or f"the dream ended early ({code})", hint="`dreamd logs` says more")
