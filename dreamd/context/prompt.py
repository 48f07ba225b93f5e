"""The system prompt: static sections first, the same to the byte for every call, then what belongs to this one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from dreamd.context.tokens import estimate

Ttl = Literal["5m", "1h"]


@dataclass(frozen=True, slots=True)
class Section:
    """A named part of a system prompt."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """Sections before and behind the boundary. All before it is equal to the byte for every call of a pass and model."""

    static: tuple[Section, ...]  # who the model is, its task, safety
    dynamic: tuple[Section, ...] = ()  # memory, the recent past, the task at hand

    def blocks(self, ttl: Ttl = "5m") -> list[dict[str, object]]:
        """The Messages API's `system`: a text block a section, `cache_control` on the last static one. Empty sections are left out."""
        raise NotImplementedError

    @property
    def static_text(self) -> str:
        """Everything before the boundary as one text, for servers without blocks and for digests."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The whole prompt as one text."""
        raise NotImplementedError

    @property
    def static_digest(self) -> str:
        """Fingerprint of everything before the boundary, as it is sent: 16 hex digits."""
        raise NotImplementedError

    @property
    def static_tokens(self) -> int:
        """About how many tokens stand before the boundary: below the model's minimum (1,024 to 4,096) nothing is cached."""
        return estimate(self.static_text)

    def tokens(self, estimated: Callable[[str], int] = estimate) -> int:
        """About how many tokens the whole prompt takes."""
        return estimated(self.text)


@dataclass(frozen=True, slots=True)
class Unstable:
    """Something before the boundary that will not be the same tomorrow or elsewhere."""

    section: str
    kind: str  # date | time | path | id | digits | name
    text: str


def unstable(prompt: SystemPrompt, names: Iterable[str] = ()) -> tuple[Unstable, ...]:
    """Dates, times, paths, ids, long digit runs and the given names (home, project, user) before the boundary."""
    raise NotImplementedError


def assert_stable(first: SystemPrompt, *others: SystemPrompt, names: Iterable[str] = ()) -> None:
    """Raises AssertionError that names every unstable place, or the first section in which the prompts differ."""
    raise NotImplementedError
