"""What a dream may cost, and what the next one probably will."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dreamd.dream.outlook import limits, since_midnight
from dreamd.dream.workshop import Workshop
from dreamd.engines.costly import Costly
from dreamd.engines.purse import Purse
from dreamd.state.model_record import ModelRecord
from dreamd.usage import Usage


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a dream would read now, and about what it would cost."""

    engine: str
    sessions: int
    deferred: int
    turns: int
    cost: Usage


class Shelf:
    """What the state knows of models; implements `dreamd.engines.costly.Book`."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    def get(self, place: str, model: str) -> ModelRecord | None:
        """See Book."""
        return self._shop.models.get(place, model, self._shop.clock.now())

    def put(self, place: str, model: str, said: ModelRecord) -> None:
        """See Book."""
        self._shop.models.put(place, model, said, self._shop.clock.now())


@contextmanager
def paid(shop: Workshop) -> Iterator[None]:
    """While a run's engine may be asked. Raises ConfigError or EngineUnusable where it could not be."""
    engine = shop.engine
    if not isinstance(engine, Costly):
        yield
        return
    engine.begin(purse(shop), Shelf(shop))
    try:
        yield
    finally:
        engine.end()


def purse(shop: Workshop, by_run: Usage | None = None) -> Purse:
    """What is left of the run's and the day's limits, whichever is less; what a batch under way may cost counts as spent.

    `by_run`: what the run has cost so far.
    """
    budget, day, run = shop.config.budget, limits(shop), by_run or Usage()
    today = shop.runs.spent(since_midnight(shop.clock.now(), shop.zone)) + shop.batches.held()
    run_usd = math.inf if math.isinf(day.max_usd_per_day) else budget.max_usd_per_run - run.usd
    return Purse(
        min(budget.max_tokens_per_run - run.tokens, day.max_tokens_per_day - today.tokens),
        min(run_usd, day.max_usd_per_day - today.usd),
    )


def refill(shop: Workshop, run_id: str) -> None:
    """The purse of a run that goes on after its batch was booked."""
    if isinstance(shop.engine, Costly):
        shop.engine.begin(purse(shop, shop.runs.get(run_id).cost), Shelf(shop))


def forecast(shop: Workshop) -> Forecast:
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
    if isinstance(shop.engine, Costly):
        sent = [one for one in taken if shop.engine_for(one.session) is shop.engine]
        projects = {one.session.project.key if one.session.project else "" for one in sent}
        topics = min(len(projects) + 1, len(sent))
        cost = shop.engine.estimate([len(one.turns) for one in sent], topics)
    return Forecast(shop.engine.name, len(taken), len(pending) - len(taken), sum(len(one.turns) for one in taken), cost)
