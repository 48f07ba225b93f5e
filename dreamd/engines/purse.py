"""What a run may still spend: asked before each call, told after it; shared by all threads of a run."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

from dreamd.engines.faults import BudgetSpent
from dreamd.usage import Usage


@dataclass(frozen=True, slots=True)
class Hold:
    """Money laid aside for a call that is under way."""

    tokens: int
    usd: float


class Purse:
    """So many tokens and dollars, and not one call more."""

    def __init__(self, tokens: float = math.inf, usd: float = math.inf) -> None:
        """What is left of the run's and the day's limits, whichever is less. Infinite: no limit."""
        self._tokens = tokens
        self._usd = usd
        self._lock = threading.Lock()

    @property
    def tokens(self) -> float:
        """Tokens that may still be spent."""
        return self._tokens

    def require(self, tokens: int, usd: float) -> None:
        """Raises BudgetSpent where a whole piece of work does not fit, so that no half of it is paid for in vain."""
        with self._lock:
            self._check(tokens, usd)

    def covers(self, tokens: int, usd: float) -> bool:
        """Whether a whole piece of work fits."""
        with self._lock:
            return tokens <= self._tokens and usd <= self._usd

    def hold(self, tokens: int, usd: float) -> Hold:
        """Lays aside what a call may cost at most. Raises BudgetSpent where that is not there any more."""
        with self._lock:
            self._check(tokens, usd)
            self._tokens -= tokens
            self._usd -= usd
        return Hold(tokens, usd)

    def settle(self, hold: Hold, usage: Usage) -> None:
        """The call is over: what it did not use comes back, what it used beyond is gone too."""
        with self._lock:
            self._tokens += hold.tokens - usage.tokens
            self._usd += hold.usd - usage.usd

    def _check(self, tokens: int, usd: float) -> None:
        if tokens > self._tokens or self._tokens <= 0:
            raise BudgetSpent(
                f"the token budget does not cover the next call: it may take {tokens:,}, {max(self._tokens, 0):,.0f} are left",
                hint="what was not reached waits for the next dream; see budget.max_tokens_per_run and max_tokens_per_day",
            )
        if usd > self._usd or self._usd <= 0:
            raise BudgetSpent(
                f"the money does not cover the next call: it may cost ${usd:.4f}, ${max(self._usd, 0.0):.4f} is left",
                hint="what was not reached waits for the next dream; see budget.max_usd_per_run and max_usd_per_day",
            )
