"""What a call to a model cost, as it is counted everywhere: tokens by kind, and dollars."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and dollars of one call or of many; all zero where a server said nothing."""

    input: int = 0  # sent and neither read from nor written to the cache
    output: int = 0  # written by the model
    cache_read: int = 0  # sent and found in the cache
    cache_write: int = 0  # sent and put into the cache
    usd: float = 0.0

    @property
    def tokens(self) -> int:
        """All tokens that count against a budget."""
        return self.input + self.output + self.cache_read + self.cache_write

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.usd + other.usd,
        )
