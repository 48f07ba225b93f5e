"""A dream that the guards refused: what it wanted is kept to be looked at."""

from __future__ import annotations

from dataclasses import replace

from dreamd.dream.night import Night
from dreamd.dream.orient import Orientation
from dreamd.dream.workshop import Workshop
from dreamd.memory.plan import Change, Plan
from dreamd.state.run_record import Outcome

_NOTE = "refused"


def keep_wanted(night: Night, ground: Orientation, plan: Plan) -> None:
    """Stores a refused plan with the memory as it stands, secrets hidden; those of earlier refused runs go."""
    shop = night.shop
    base = ground.survey.snapshot
    shown = replace(
        plan, changes=tuple(_shown(shop, one) for one in plan.changes), kept=(), restores=(), notes=(_NOTE,)
    )
    commit = shop.history.record(
        base.files,
        base.entries,
        shown,
        message=f"Refused plan of run {plan.run_id}",
        when=shop.clock.now(),
        parent=base.commit,
        made=base.made,
    )
    refused = {run.id for run in shop.runs.list() if run.outcome is Outcome.REFUSED}
    for older in refused.intersection(shop.history.parked_runs()):
        shop.history.unpark(older)
    shop.history.park(plan.run_id, commit)
    night.record = replace(night.record, commit=commit)


def _shown(shop: Workshop, change: Change) -> Change:
    old, new = (None if text is None else shop.redactor.redact(text).text for text in (change.old, change.new))
    return replace(change, old=old, new=new, record=None)
