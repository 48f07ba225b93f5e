"""What a dream may cost, what it probably will, and what it did."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dreamd.dream.outlook import limits, since_midnight
from dreamd.dream.workshop import Workshop
from dreamd.engines.costly import Costly
from dreamd.engines.protocol import Usage
from dreamd.engines.purse import Purse
from dreamd.state.records import Pending


def purse(shop: Workshop) -> Purse:
    """What is left of the run's and the day's limits, whichever is less."""
    budget, day = shop.config.budget, limits(shop)
    today = shop.runs.spent(since_midnight(shop.clock.now(), shop.zone))
    run_usd = math.inf if math.isinf(day.max_usd_per_day) else budget.max_usd_per_run
    return Purse(
        min(budget.max_tokens_per_run, day.max_tokens_per_day - today.tokens),
        min(run_usd, day.max_usd_per_day - today.usd),
    )


def expected(shop: Workshop, pending: Sequence[Pending]) -> Usage:
    """About what a dream over these sessions costs, from the database alone; nothing where no model is asked."""
    if not isinstance(shop.engine, Costly):
        return Usage()
    sent = [one for one in pending if shop.engine_for(one.session) is shop.engine]
    projects = {one.session.project.key if one.session.project else "" for one in sent}
    return shop.engine.estimate([len(one.turns) for one in sent], min(len(projects) + 1, len(sent)))
