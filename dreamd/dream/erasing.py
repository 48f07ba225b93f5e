"""The rest of a forget: everything outside memory that held it goes, even where the process died once memory was written."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import msgspec

from dreamd.archive.store import Stored
from dreamd.dream.workshop import Workshop
from dreamd.errors import DreamdError, UsageError
from dreamd.log import logger
from dreamd.memory.plan import EntryRecord
from dreamd.memory.purge import purge
from dreamd.state.run_record import Outcome

_MARK = "forgetting"
#: Copies of the database with its findings: those that a rebuild set aside.
_SET_ASIDE = "state.db.damaged-*"
#: Exports of what an import replaced; they hold history.
REPLACED = "before-import-*.dreamd"


#: Ends of runs whose commit is a plan that was never written.
_UNWRITTEN = (Outcome.WAITING, Outcome.REJECTED, Outcome.REFUSED)


@dataclass(frozen=True, slots=True)
class Erasure:
    """What is to be erased, by ids alone: no words stand in the database meanwhile."""

    run: str
    entries: tuple[str, ...]
    findings: tuple[str, ...]
    sessions: tuple[int, ...]  # rows
    names: tuple[str, ...]  # of the sessions, as the index has them
    copies: tuple[tuple[str, str], ...]  # archive path and digest
    purge: bool  # history too


def note(shop: Workshop, erasure: Erasure) -> None:
    """Before memory is written: who dies after that has it carried through by the next run."""
    shop.marks.set(_MARK, msgspec.json.encode(erasure).decode())


def carry_out(shop: Workshop, erasure: Erasure) -> None:
    """Erases; each step is harmless to do twice."""
    now = shop.clock.now()
    _drop_plans(shop, {*erasure.entries, *erasure.findings})
    for path, digest in erasure.copies:
        shop.archive.remove(Stored(path, digest, bytes=0, compressed=0))
    shop.batches.forget(erasure.sessions)
    shop.sessions.forget(list(erasure.sessions), now)
    shop.findings.erase(erasure.findings)
    for name in erasure.names:
        shop.index.remove_session(name)
    shop.index.purge()
    shop.answers.clear()
    for pattern in (_SET_ASIDE, REPLACED) if erasure.purge else (_SET_ASIDE,):
        for copy in shop.places.state_dir.glob(pattern):
            copy.unlink(missing_ok=True)
    if erasure.purge:
        gone = set(erasure.entries)
        purge(shop.history, lambda record: record.id in gone, now)
        shop.runs.uncommit()
    shop.database.compact()
    shop.marks.set(_MARK, None)


def resume(shop: Workshop) -> None:
    """Carries through what a dead process had begun, where memory is without it; else nothing of it was done. Under the lock."""
    raw = shop.marks.text(_MARK)
    if raw is None:
        return
    erasure = msgspec.json.decode(raw, type=Erasure)
    try:
        outcome = shop.runs.get(erasure.run).outcome
    except UsageError:
        outcome = None
    if outcome in (Outcome.COMMITTED, Outcome.NO_CHANGE):
        carry_out(shop, erasure)
        logger().warning("forget.resumed", run_id=erasure.run)
    else:
        shop.marks.set(_MARK, None)


def _drop_plans(shop: Workshop, ids: Collection[str]) -> None:
    """Waiting plans that would bring it back are rejected; of those that came to nothing none is shown any more."""
    for run in shop.runs.list():
        if run.outcome not in _UNWRITTEN or not run.commit:
            continue
        try:
            plan = shop.history.at(run.commit).plan
        except DreamdError:
            continue
        held = {f for change in plan.changes for f in change.findings} | _ids(plan.kept) if plan else set[str]()
        held |= {change.entry for change in plan.changes} if plan else set[str]()
        if held & set(ids):
            shop.history.unpark(run.id)
            shop.runs.reoutcome(run.id, expect=Outcome.WAITING, outcome=Outcome.REJECTED)
            shop.runs.uncommit(run.id)


def _ids(records: Collection[EntryRecord]) -> set[str]:
    return {one for record in records for one in (record.id, *record.findings)}
