"""A dream that the guards refused: what it wanted is kept to be looked at, and it is not tried again until something has changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dreamd.dream.night import Night
from dreamd.dream.orient import Orientation
from dreamd.dream.workshop import Workshop
from dreamd.memory.plan import Change, Plan
from dreamd.memory.tree import FOLDERS, INDEX
from dreamd.state.run_record import Outcome

_MARK = "refused"
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


def note(shop: Workshop) -> None:
    """What findings, memory and configuration were when a dream was refused."""
    shop.marks.set(_MARK, _standing(shop))


def over(shop: Workshop) -> None:
    """A dream went well."""
    if shop.marks.text(_MARK) is not None:
        shop.marks.set(_MARK, None)


def stands(shop: Workshop) -> bool:
    """Whether the newest dream was refused and nothing has changed since: it would be refused again."""
    told = shop.marks.text(_MARK)
    return told is not None and told == _standing(shop)


def _shown(shop: Workshop, change: Change) -> Change:
    old, new = (None if text is None else shop.redactor.redact(text).text for text in (change.old, change.new))
    return replace(change, old=old, new=new, record=None)


def _standing(shop: Workshop) -> str:
    """A digest; memory by names, sizes and times alone, so that a look at the gates reads no file."""
    state = [shop.config.model_dump_json(), shop.sessions.unread_mark(), *_files(shop.places.memory_root)]
    return hashlib.sha256("\n".join(state).encode("utf-8", "surrogateescape")).hexdigest()


def _files(root: Path) -> Iterator[str]:
    yield _seen(root / INDEX)
    for folder in FOLDERS:
        try:
            names = sorted(os.listdir(root / folder))  # noqa: PTH208 - names alone are wanted
        except OSError:
            continue
        for name in names:
            yield _seen(root / folder / name)


def _seen(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return f"{path} -"
    return f"{path} {found.st_size} {found.st_mtime_ns}"
