"""`dreamd kick`: a dream now."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.app import App
from dreamd.cli.console import Console
from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import batch_line, count, exit_status, plan_json, plan_lines, run_line, span
from dreamd.dream.cycle import Dreamt, Order
from dreamd.engines.table import ENGINES
from dreamd.errors import Interrupted, UsageError
from dreamd.service.client import ask, follow, service_for
from dreamd.standing.beacon import ServiceInfo
from dreamd.state.run_record import Outcome, Trigger

_EPILOG = (
    "Examples: dreamd kick · dreamd kick --dry-run, then dreamd accept last · dreamd kick --if-due (for cron) · "
    "dreamd kick --session 4d56"
)

_REFUSED = {
    "vanished": "memory is gone from disk: mount it, or `dreamd undo` puts it back; if it was meant to go: `dreamd kick --accept-loss`",
}


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("kick", epilog=_EPILOG)(kick)


def kick(
    session: Annotated[
        list[str] | None, typer.Option("--session", metavar="ID", help="Read this session (again); repeatable.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Leave memory alone; store the plan for `dreamd accept`.")
    ] = False,
    if_due: Annotated[bool, typer.Option("--if-due", help="Only when every gate is open.")] = False,
    estimate: Annotated[bool, typer.Option("--estimate", help="Only say what a dream would read and cost.")] = False,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Have the running service dream, and do not wait for it.")
    ] = False,
    engine: Annotated[
        str | None, typer.Option("--engine", metavar="NAME", help="The engine for this dream: offline or claude.")
    ] = None,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Memory that is gone from disk was meant to go; dream on without it.")
    ] = False,
    brief: Annotated[bool, typer.Option("--brief", help="Say what came of it, not what a plan holds.")] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Dream now: read the finished sessions and bring memory up to date.

    Passes over the enabled, time, sessions and backoff gates; never over idle sessions, the lock or the guards. A running
    service dreams; without one, this command does.
    """
    if engine not in (None, *ENGINES):
        raise UsageError(f"there is no engine {engine}", hint=f"engines: {', '.join(ENGINES)}")
    order = Order(
        trigger=Trigger.SCHEDULE if if_due else Trigger.KICK,
        sessions=tuple(session or ()),
        dry_run=dry_run,
        if_due=if_due,
        accept_loss=accept_loss,
        engine=engine or "",
    )
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        if estimate:
            return _estimate(app, console, order.engine)
        service = service_for(app)
        if no_wait and service is None:
            raise UsageError("there is no running service to dream", hint="`dreamd kick` without --no-wait dreams here")
        if service is None:
            with console.progress() as watch:
                dreamt = app.kick(order, watch)
            return tell(app, console, dreamt, brief=brief)
        return _through(app, console, service, order, wait=not no_wait, brief=brief)


def _through(app: App, console: Console, service: ServiceInfo, order: Order, *, wait: bool, brief: bool) -> int:
    """Has the service dream. Ctrl-C ends the watching, not the dream."""
    request = ask(app, service, order)
    if not wait:
        console.document({"run": None, "request": request.id})
        console.say(f"asked the service (pid {service.owner.pid}); `dreamd runs` shows what comes of it")
        return 0
    try:
        with console.progress() as watch:
            dreamt = follow(app, service, request, watch)
    except KeyboardInterrupt:
        raise Interrupted(
            "stopped watching; the dream goes on", hint="`dreamd runs show last` tells how it ended"
        ) from None
    return tell(app, console, dreamt, brief=brief)


def _estimate(app: App, console: Console, engine: str) -> int:
    """What is pending and what reading it would cost, by experience; nobody is asked."""
    app.scan()
    forecast = app.forecast(engine)
    cost = forecast.cost
    told = {
        "engine": forecast.engine,
        "sessions": forecast.sessions,
        "deferred": forecast.deferred,
        "turns": forecast.turns,
        "tokens": cost.tokens,
        "usd": round(cost.usd, 4),
    }
    console.document(told)
    costs = f"about {cost.tokens:,} tokens, ${cost.usd:.2f}" if cost.tokens else "no tokens, no cost"
    console.say(
        f"{count(forecast.sessions, 'session')} with {forecast.turns} unread turns, {forecast.deferred} deferred; "
        f"engine {forecast.engine}: {costs}"
    )
    return 0


def tell(app: App, console: Console, dreamt: Dreamt, *, brief: bool = False) -> int:
    """Prints what came of it, and if not `brief` the plan that waits; returns the exit status."""
    run, plan = dreamt.run, None if brief else dreamt.plan
    if run is None:
        gate = dreamt.closed
        console.document({"run": None, "gate": gate.to_json() if gate else None})
        if gate:
            console.say(f"not due: the {gate.name} gate is closed ({gate.reason.replace('_', ' ')})")
        return 0
    console.document(run.to_json() | ({"plan": plan_json(plan)} if plan else {}))
    console.say(f"run {run.id} {run_line(run)}")
    if dreamt.plan is not None and run.outcome is Outcome.WAITING:
        for line in plan_lines(plan) if plan else ():
            console.say(f"  {line}")
        console.say(f"apply it: dreamd accept {run.id} · drop it: dreamd reject {run.id}")
    elif run.outcome is Outcome.WAITING and run.reason == "batch" and (batch := app.batch()) is not None:
        console.say(f"waits for {batch_line(batch)}")
        console.say(f"the service collects it; `dreamd kick` looks now · give it up: dreamd reject {run.id}")
    elif run.outcome is Outcome.COMMITTED:
        root = app.loaded.places.memory_root
        console.say(f"memory: {root}/MEMORY.md · what changed: dreamd diff · take it back: dreamd undo")
    elif run.reason == "nothing_pending" and (live := app.sessions_live()):
        idle = span(app.loaded.config.gates.idle.total_seconds())
        console.say(f"{count(live, 'session')} still live: read once nothing new came for {idle}")
    elif run.outcome is Outcome.REFUSED and not console.as_json:
        console.note(
            f"hint: {_REFUSED.get(run.reason, 'memory is as it was; `dreamd runs show last` has the numbers')}"
        )
    return exit_status(run)
