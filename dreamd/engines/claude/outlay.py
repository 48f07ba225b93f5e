"""What a dream with a model costs in one way or the other, reckoned by the price list from sizes alone, without asking anybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dreamd.context.budget import Budget
from dreamd.engines.claude import course
from dreamd.engines.claude.caller import Caller
from dreamd.engines.claude.limits import Limits
from dreamd.engines.claude.prompts import prompt
from dreamd.engines.costly import Ahead
from dreamd.usage import Usage

_DEARER = 1.5  # times the price of pieces apart that a conversation may cost
_HALF = 2  # a session takes at most half of what a run may spend

#: About what a turn is shown with, measured over real sessions, in tokens: its heading and what the agent said around it; all of
#: a turn whose words nobody counted; a topic before the findings that meet it, and what is decided about a token of them.
_AROUND_TURN, _TURN, _TOPIC, _DECIDED = 200, 300, 600, 0.25


class Outlay:
    """The price of reading sessions with one model in one window."""

    def __init__(self, reader: Caller, budget: Budget, limits: Limits, *, recalls: bool) -> None:
        """`recalls`: see ClaudeEngine."""
        self._reader = reader
        self._budget = budget
        self._limits = limits
        self._recalls = recalls

    def allows_conversation(self, pieces: Sequence[int], others: Sequence[int]) -> bool:
        """Whether to read pieces of so many tokens in one conversation, rather than `others` of the same session apart.

        Never for more than half of what a run may spend. Where the model has a price, not for more than half as much again: what
        was said before is worth something to a reader, but not any sum. Where it has none, what is sent again costs a server of
        one's own next to nothing.
        """
        if not self._recalls:
            return False
        talk = self.of(course.together(self._budget, pieces))
        if talk.tokens > self._limits.tokens_per_run / _HALF or talk.usd > self._limits.usd_per_run / _HALF:
            return False
        return not talk.usd or talk.usd <= _DEARER * self.of(course.apart(others)).usd

    def at_most(self, pieces: Sequence[int]) -> Usage:
        """What they may cost in one conversation if every answer is long and the prompt cache is never warm."""
        return self.of(course.together(self._budget, pieces, course.longest, warm=False))

    def session(self, turns: Sequence[int], room: int, most: int, *, batched: bool) -> Usage:
        """A session with unread turns of so many bytes (0: unknown), of which the newest `most` tokens are read in pieces of `room`."""
        sizes = _newest([size // 2 + _AROUND_TURN if size else _TURN for size in turns], most)
        pieces = course.pack(sizes, room)
        talk = course.pack(sizes, course.size(self._budget, room))
        if len(pieces) > 1 and not batched and self.allows_conversation(talk, pieces):
            return self.of(course.together(self._budget, talk))
        return self.of(course.apart(pieces), batched=batched)

    def begun_cold(self, usage: Usage, *, batched: bool) -> Usage:
        """All calls of a dream, whose first one finds no instructions in the cache."""
        static = course.static(prompt("extract"))
        written, read = (
            self.of([one], batched=batched).usd for one in (Usage(cache_write=static), Usage(cache_read=static))
        )
        return replace(
            usage,
            cache_write=usage.cache_write + static,
            cache_read=usage.cache_read - static,
            usd=usage.usd + written - read,
        )

    def of(self, calls: Sequence[Usage], *, batched: bool = False) -> Usage:
        """These calls with their price."""
        return sum((self._reader.priced(one, batched=batched) for one in calls), Usage())


def ordering_of(writer: Caller, ahead: Ahead, found: int) -> Usage:
    """What it costs to order findings of so many tokens in all into their topics."""
    topics = ahead.topics
    if not topics:
        return Usage()
    static, share, known = course.static(prompt("reconcile")), found // topics, ahead.known // 2 // topics
    each = writer.priced(Usage(input=_TOPIC + share + known, output=int(_DECIDED * share), cache_read=static))
    first = writer.priced(replace(each, cache_read=0, cache_write=static))
    return sum([each] * (topics - 1), first)


def _newest(sizes: Sequence[int], most: int) -> list[int]:
    kept: list[int] = []
    for size in reversed(sizes):
        most -= size
        if most < 0 and kept:
            break
        kept.append(size)
    return kept[::-1]
