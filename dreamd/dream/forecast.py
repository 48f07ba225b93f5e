"""What the next dream would read and probably cost."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dreamd.dream.books import Books
from dreamd.dream.model_shelf import Shelf
from dreamd.engines.costly import Ahead, Costly
from dreamd.engines.protocol import Engine
from dreamd.memory.layout import MEMORY
from dreamd.state.records import Pending
from dreamd.usage import Usage


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a dream would read now, and about what it would cost."""

    engine: str
    sessions: int
    deferred: int
    turns: int
    cost: Usage


def forecast(shop: Books, engine: Engine) -> Forecast:
    """From the database alone; private sessions and engines without a model cost nothing."""
    under_way = shop.batches.under_way()
    pending = [
        one
        for one in shop.sessions.pending(shop.clock.now(), shop.config.gates.idle)
        if not any(turn.row in under_way for turn in one.turns)
    ]
    most = shop.config.budget.max_sessions_per_run
    taken = pending[:most]
    cost = Usage()
    if isinstance(engine, Costly):
        sent = [one for one in taken if not shop.private(one.session)]
        cost = engine.estimate(_ahead(shop, engine, sent), Shelf(shop))
    return Forecast(engine.name, len(taken), len(pending) - len(taken), sum(len(one.turns) for one in taken), cost)


def _ahead(shop: Books, engine: Engine, sent: Sequence[Pending]) -> Ahead:
    projects = {one.session.project.stem if one.session.project else "" for one in sent}
    waiting = shop.findings.open([one.session.row for one in sent if one.session.gathered])
    found = sum(len(one.text) + len(one.quote) for one in waiting)
    topics = min(len(projects) + 1, len(sent))
    return Ahead([_unpaid(shop, engine, one) for one in sent], topics, _known(shop, projects) + found)


def _unpaid(shop: Books, engine: Engine, pending: Pending) -> list[int]:
    """Bytes of the turns that an earlier run was not paid for already."""
    covered: frozenset[int] = frozenset()
    if pending.session.gathered:
        covered = shop.findings.covered(pending.session.row, engine=engine.name, version=engine.version)
    return [turn.size for turn in pending.turns if turn.row not in covered]


def _known(shop: Books, stems: Collection[str]) -> int:
    """Bytes of MEMORY.md and of what is remembered of these projects."""
    root = shop.places.memory_root
    files = [root / MEMORY, *(root / "projects" / f"{stem}.md" for stem in sorted(stems) if stem)]
    total = 0
    for file in files:
        with contextlib.suppress(OSError):
            total += file.stat().st_size
    return total
