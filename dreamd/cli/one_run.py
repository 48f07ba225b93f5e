"""`dreamd runs show`: one past dream, with what history holds of it."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import batch_line, cost_line, plan_json, plan_lines, run_line, when

_EPILOG = "Examples: dreamd runs show last · dreamd runs show 01JD --json"


def register(runs: typer.Typer) -> None:
    """Adds what is below `dreamd runs`."""
    runs.command("show", epilog=_EPILOG)(show)


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
