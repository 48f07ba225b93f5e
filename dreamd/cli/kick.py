"""`dreamd kick`: a dream now."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.console import Console
from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import exit_status, plan_json, plan_lines, run_line
from dreamd.dream.cycle import Dreamt, Order
from dreamd.state.run_record import Trigger

_EPILOG = (
    "Examples: dreamd kick · dreamd kick --dry-run, then dreamd accept last · dreamd kick --if-due (for cron) · "
    "dreamd kick --session 4d56"
)


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
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Dream now: read the finished sessions and bring memory up to date.

    Passes over the enabled, time, sessions and backoff gates; never over idle sessions, the lock or the guards.
    """
    order = Order(
        trigger=Trigger.SCHEDULE if if_due else Trigger.KICK,
        sessions=tuple(session or ()),
        dry_run=dry_run,
        if_due=if_due,
    )
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        with console.progress() as watch:
            dreamt = app.kick(order, watch)
        return tell(console, dreamt, str(app.loaded.places.memory_root))


def tell(console: Console, dreamt: Dreamt, memory_root: str) -> int:
    """Prints what came of it; returns the exit status."""
    run = dreamt.run
    if run is None:
        gate = dreamt.closed
        console.document({"run": None, "gate": gate.to_json() if gate else None})
        if gate:
            console.say(f"not due: the {gate.name} gate is closed ({gate.reason})")
        return 0
    console.document(run.to_json() | ({"plan": plan_json(dreamt.plan)} if dreamt.plan else {}))
    console.say(f"run {run.id} {run_line(run)}")
    if dreamt.plan is not None and run.reason in ("dry_run", "review"):
        for line in plan_lines(dreamt.plan):
            console.say(f"  {line}")
        console.say(f"apply it with: dreamd accept {run.id}")
    elif run.outcome == "committed":
        console.say(f"memory: {memory_root}/MEMORY.md · what changed: dreamd diff · take it back: dreamd undo")
    return exit_status(run)
