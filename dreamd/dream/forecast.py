"""What the next dream would read and probably cost."""

from __future__ import annotations

from dataclasses import dataclass

from dreamd.dream.books import Books
from dreamd.engines.costly import Costly
from dreamd.engines.protocol import Engine
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
        projects = {one.session.project.key if one.session.project else "" for one in sent}
        topics = min(len(projects) + 1, len(sent))
        cost = engine.estimate([len(one.turns) for one in sent], topics)
    return Forecast(engine.name, len(taken), len(pending) - len(taken), sum(len(one.turns) for one in taken), cost)
