"""How much of a model's window may be used, how much is, and when that is too much."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from dreamd.errors import EngineError
from dreamd.usage import Usage

UNKNOWN_WINDOW = 200_000  # tokens, where neither the model nor a person says anything
_LARGEST_RESERVE = 20  # the reserve is at most a twentieth of the window


class OutOfTokens(EngineError):  # noqa: N818 - the state of the conversation, not a fault
    """The conversation has no room left: its window is used up to the last 5 %."""

    code: ClassVar[str] = "out_of_tokens"

    def __init__(self, used: int, working: int) -> None:
        super().__init__(
            f"out of tokens: {used:,} of {working:,} tokens of the working budget are used",
            hint="begin a fresh conversation (`dreamd kick` starts one), or make MEMORY.md shorter by hand",
        )
        self.used = used
        self.working = working


@dataclass(frozen=True, slots=True)
class Window:
    """How many tokens a model takes: what a person configured, else the smaller of its own limit and its price tier's."""

    model_limit: int | None = None  # from the model's own metadata
    tier_limit: int | None = None  # above it the whole request has another price
    configured: int = 0  # 0: nothing

    @property
    def tokens(self) -> int:
        """The window in tokens; 200,000 where nothing is known."""
        if self.configured > 0:
            return self.configured
        return min((limit for limit in (self.model_limit, self.tier_limit) if limit), default=UNKNOWN_WINDOW)


class Level(StrEnum):
    """How full the working budget is; each level asks for something else."""

    FREE = "free"
    WARN = "warn"  # compact at the next pause, quietly
    COMPACT = "compact"  # compact before anything else
    STOP = "stop"  # out of tokens


@dataclass(frozen=True, slots=True)
class Budget:
    """One window's tokens. The textbook case: 200,000 − 5,000 for the system prompt − 10,000 in reserve = 185,000 to work with.

    The shares are of the working budget: 80 % used warns, 90 % compacts, 95 % stops.
    """

    window: int
    system: int = 0  # tokens of the system prompt
    reserve: int = 10_000  # kept free for the answer; at most 5 % of the window, so that small ones work
    warn_at: float = 0.80
    compact_at: float = 0.90
    stop_at: float = 0.95

    @property
    def kept_free(self) -> int:
        """The reserve that really holds, in tokens."""
        return max(0, min(self.reserve, self.window // _LARGEST_RESERVE))

    @property
    def working(self) -> int:
        """Tokens that messages may take; 0 where the system prompt alone fills the window."""
        return max(0, self.window - self.system - self.kept_free)

    def share(self, share: float) -> int:
        """A share of the working budget, in whole tokens: the first count that has reached it."""
        return math.ceil(round(share * self.working, 6))

    def up_to(self, share: float) -> int:
        """The most whole tokens that are not over a share of the working budget."""
        return math.floor(round(share * self.working, 6))

    def used(self, last: Usage) -> int:
        """Tokens that the messages take, by the usage of the *last* reply: all it read and wrote, without the system prompt."""
        return max(0, last.tokens - self.system)

    def left(self, used: int) -> int:
        """Tokens of the working budget that are not used."""
        return max(0, self.working - used)

    def level(self, used: int) -> Level:
        """How full it is; of shares in a strange order the strictest holds."""
        if used >= self.share(self.stop_at) or not self.left(used):
            return Level.STOP
        if used >= self.share(self.compact_at):
            return Level.COMPACT
        return Level.WARN if used >= self.share(self.warn_at) else Level.FREE

    def answer(self, used: int, wanted: int) -> int:
        """How long an answer may be at most, in tokens, so that it ends inside the window; 0 where nothing fits."""
        return max(0, min(wanted, self.left(used) + self.kept_free))
