"""The first pass: read what memory holds, see whose it is, and choose the sessions this run reads."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dreamd.dream.clerk import PersonLine
from dreamd.dream.consolidate import Knowledge
from dreamd.dream.deadlines import deadlines
from dreamd.dream.workshop import Workshop
from dreamd.memory.document import parse
from dreamd.memory.survey import Survey, refuse_vanished, survey
from dreamd.memory.tree import Tree
from dreamd.search.notes import memory_files
from dreamd.state.records import Pending


@dataclass(frozen=True, slots=True)
class Orientation:
    """The memory tree as it was read, and what this run is about."""

    tree: Tree
    survey: Survey
    knowledge: Knowledge
    chosen: tuple[Pending, ...]
    deferred: int


def look(shop: Workshop, *, accept_loss: bool = False) -> tuple[Tree, Survey, Knowledge]:
    """Memory on disk against its history. Raises Refused where so much vanished that it cannot be a wish."""
    tree = Tree.read(shop.places.memory_root, shop.config.guards.protect)
    found = survey(tree, shop.history.head(), max_loss=shop.config.guards.max_loss)
    if not accept_loss:
        refuse_vanished(found)
    now = shop.clock.now()
    retired = (
        *found.tombstones,
        *(replace(record, retired_at=now) for record in found.retired if record.kind != "pointer"),
        *(replace(one.record, retired_at=now) for one in found.edited if one.record.kind != "pointer"),
    )
    person = [PersonLine(one.file, one.section, shop.redactor.redact(one.text).text, one.key) for one in found.theirs]
    return tree, found, Knowledge(found.records(), retired, (*_beside(tree), *person))


def _beside(tree: Tree) -> Iterator[PersonLine]:
    """What stands in files of the memory root that are not dreamd's business: known, so that it is not said twice."""
    for path, data in memory_files(tree).items():
        if path not in tree.files:
            for block in parse(data.decode("utf-8", "replace")).entries:
                yield PersonLine(path, block.section, block.text, block.key)


def orient(
    shop: Workshop,
    named: tuple[str, ...] = (),
    *,
    accept_loss: bool = False,
    parked: bool = False,
) -> Orientation:
    """Reads memory and chooses: what its agent deletes soonest first, then the longest quiet; at most what a run may take.

    `named` sessions are read whole, whether they were read before or not; one that is still live is passed over. `parked`: all
    that is unread, live again or not, for a run that chose before.
    """
    tree, found, knowledge = look(shop, accept_loss=accept_loss)
    now, idle = shop.clock.now(), shop.config.gates.idle
    if named:
        asked = [shop.sessions.get(name) for name in named]
        ready = [one for one in asked if one.finished(now, idle)]
        pending = tuple(Pending(one, shop.sessions.turns(one.row)) for one in ready)
        return Orientation(tree, found, knowledge, tuple(p for p in pending if p.turns), len(asked) - len(ready))
    if parked:
        return Orientation(tree, found, knowledge, shop.sessions.pending(now, dt.timedelta(0)), 0)
    waiting = shop.sessions.pending(now, idle)
    until = deadlines(shop, (one.session for one in waiting))
    everything = tuple(
        sorted(waiting, key=lambda one: until[one.session.row])
    )  # a stable sort: among equals the longest quiet
    most = shop.config.budget.max_sessions_per_run
    return Orientation(tree, found, knowledge, everything[:most], max(len(everything) - most, 0))
