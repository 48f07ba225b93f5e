"""`dreamd runs`: past dreams and what they did."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption, only_behind
from dreamd.cli.wording import batch_line, cost_line, plan_json, plan_lines, run_line, when

_EPILOG = "Examples: dreamd runs · dreamd runs show last · dreamd runs show 01JD --json"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    verb = typer.Typer(help="Show past dreams.", rich_markup_mode=None, epilog=_EPILOG)
    verb.callback(invoke_without_command=True, epilog=_EPILOG)(listed)
    verb.command("show", epilog=_EPILOG)(show)
    app.add_typer(verb, name="runs")


def listed(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many.")] = 20,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """List runs, newest first."""
    if only_behind(context, config, as_json, verbose):
        return 0
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        runs = app.runs(limit)
        console.document([run.to_json() for run in runs])
        console.table(
            ("RUN", "STARTED", "TRIGGER", "WHAT"),
            [
                (
                    run.id,
                    when(run.started_at),
                    run.trigger.value,
                    run_line(run) + (" · undone" if run.undone_at else ""),
                )
                for run in runs
            ],
        )
        if not runs:
            console.say("no dream yet; `dreamd kick` dreams now")
    return 0


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run id, its unique beginning, or `last`.")],
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Show one run: outcome, passes, tokens, what changed, what was kept or dropped and why."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        record, snapshot = app.run(run)
        plan = snapshot.plan if snapshot else None
        findings = app.shop.findings.of_run(record.id)
        batch = app.batch()
        waits_for = batch if batch is not None and batch.run_id == record.id else None
        console.document(
            record.to_json()
            | {
                "waits_for": waits_for.to_json() if waits_for else None,
                "plan": plan_json(plan) if plan else [],
                "found": [
                    {
                        "id": one.id,
                        "kind": one.kind,
                        "text": one.text,
                        "status": one.status.value,
                        "reason": one.drop_reason,
                    }
                    for one in findings
                ],
            }
        )
        console.facts(
            {
                "run": record.id,
                "what": run_line(record),
                **({"waits for": batch_line(waits_for)} if waits_for else {}),
                "started": when(record.started_at),
                "trigger": record.trigger.value,
                "engine": record.engine,
                "passes": ", ".join(f"{one.name} {one.seconds:.2f} s" for one in record.passes) or "–",
                "cost": cost_line(record.cost),
                "kept": ", ".join(f"{reason} {count}" for reason, count in record.kept.items()) or "–",
                "dropped": ", ".join(f"{reason} {count}" for reason, count in record.dropped.items()) or "–",
                "commit": record.commit or "–",
                "diff": record.diff_stat or "–",
                "error": record.error or "–",
            }
        )
        for line in plan_lines(plan) if plan else ():
            console.say(f"  {line}")
        for one in findings:
            if one.status in ("dropped", "withheld"):
                console.say(f"  · left ({one.drop_reason or one.status.value}): {one.text}")
    return 0
