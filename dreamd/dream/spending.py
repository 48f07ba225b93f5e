"""What a dream may cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from dreamd.dream.model_shelf import Shelf
from dreamd.dream.outlook import limits, since_midnight
from dreamd.dream.workshop import Workshop
from dreamd.engines.costly import Costly
from dreamd.engines.purse import Purse
from dreamd.usage import Usage


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
