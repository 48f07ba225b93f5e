"""What the configuration says about windows and sums."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens and dollars; shares are of the working budget, as of `Budget`."""

    context_window: int = 0  # 0: the price tier's limit, else 200,000
    reserve_tokens: int = 10_000
    warn_at: float = 0.80
    compact_at: float = 0.90
    stop_at: float = 0.95
    tokens_per_run: int = 2_000_000
    usd_per_run: float = math.inf
