"""One call to a model as the rest of the engine makes it: paid for within the budget, tried again within bounds, booked."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dreamd.context.conversation import Reply, Schema
from dreamd.context.message import Message
from dreamd.context.prompt import SystemPrompt
from dreamd.context.tokens import estimate
from dreamd.engines.claude.client import Transport
from dreamd.engines.claude.faults import TryAgain
from dreamd.engines.claude.prices import Prices
from dreamd.engines.faults import EngineBusy, EngineFault
from dreamd.engines.purse import Purse
from dreamd.log import logger
from dreamd.usage import Usage

#: Tries at most, by reason: a server that hangs costs its whole timeout each time.
_TRIES = {"timeout": 2, "connection": 3, "garbled": 2}


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long a call is tried. Waits double and are spread, so that many of us do not come back at once."""

    tries: int = 4
    first: float = 2.0  # seconds before the second try
    longest: float = 60.0  # seconds between two tries, unless the server asks for more
    total: float = 300.0  # seconds of waiting in all; a server that asks for more is busy
    sleep: Callable[[float], None] = time.sleep

    def wait(self, tried: int, asked: float | None) -> float:
        """Seconds before the next try, never less than the server asked for."""
        own: float = min(self.first * 2.0 ** (tried - 1), self.longest) * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
        return max(own, asked or 0.0)


class Caller:
    """Asks one model; implements `dreamd.context.conversation.Caller`. For several threads."""

    def __init__(
        self,
        transport: Transport,
        model: str,
        prices: Prices,
        purse: Callable[[], Purse],
        patience: Patience | None = None,
    ) -> None:
        """`purse` gives that of the run that is under way."""
        self.model = model
        self._transport = transport
        self._prices = prices
        self._purse = purse
        self._patience = patience or Patience()

    def call(
        self, system: SystemPrompt, messages: Sequence[Message], *, max_tokens: int, schema: Schema | None
    ) -> Reply:
        """One reply with what it cost. Raises TooLong, EngineBusy, EngineUnusable, UnusableAnswer, BudgetSpent."""
        sizes = [estimate(message.text) for message in messages]
        marked = max((number for number, message in enumerate(messages, start=1) if message.cached), default=0)
        most = self.expected(system, sum(sizes), max_tokens, marked=sum(sizes[:marked]))
        purse = self._purse()
        hold = purse.hold(most.tokens, most.usd)
        spent = Usage()
        try:
            reply = self._patiently(system, messages, max_tokens, schema)
            spent = self.counted(reply, most.input + most.cache_write)
            return replace(reply, usage=spent)
        except EngineFault as fault:
            spent = fault.usage
            raise
        finally:
            purse.settle(hold, spent)

    def count(self, system: SystemPrompt, messages: Sequence[Message], schema: Schema | None) -> int | None:
        """Tokens of a request as the server counts them; None where it does not."""
        return self._transport.count(self.model, system, messages, schema)

    def expected(
        self, system: SystemPrompt, tokens: int, output: int, *, marked: int = 0, batched: bool = False
    ) -> Usage:
        """What a call with so many tokens of input beside the system prompt may cost at most, before it is made.

        `marked`: so many of them stand before a mark, and may have to be put into the prompt cache, which costs more than input.
        """
        rest = Usage(input=system.tokens() + tokens - marked, output=output)
        made = [replace(rest, input=rest.input + marked), replace(rest, cache_write=marked)]
        return max((self.priced(one, batched=batched) for one in made), key=lambda one: one.usd)

    def priced(self, usage: Usage, *, batched: bool = False) -> Usage:
        """One call's usage with its price by the table."""
        return self._prices.priced(self.model, usage, batched=batched)

    def counted(self, reply: Reply, expected_input: int, *, batched: bool = False) -> Usage:
        """What the server counted, priced; where it counted nothing, what was expected: no free call for a silent server."""
        counted = reply.usage
        if counted.usd:  # the transport knows the price itself
            return counted
        if not counted.input + counted.cache_read + counted.cache_write:
            counted = replace(counted, input=expected_input)
        if not counted.output:
            counted = replace(counted, output=estimate(reply.text))
        return self.priced(counted, batched=batched)

    def _patiently(
        self, system: SystemPrompt, messages: Sequence[Message], max_tokens: int, schema: Schema | None
    ) -> Reply:
        waited, tried = 0.0, 0
        while True:
            tried += 1
            try:
                return self._transport.send(self.model, system, messages, max_tokens=max_tokens, schema=schema)
            except TryAgain as fault:
                wait = self._patience.wait(tried, fault.after)
                if tried >= min(_TRIES.get(fault.reason, math.inf), self._patience.tries):
                    raise _busy(fault, tried) from None
                if waited + wait > self._patience.total:
                    raise _busy(fault, tried) from None
                logger().info("call.retried", reason=fault.reason, tried=tried, wait=round(wait, 1))
                waited += wait
                self._patience.sleep(wait)


def _busy(fault: TryAgain, tried: int) -> EngineBusy:
    asked = f"; it asks to wait {fault.after:.0f} s" if fault.after else ""
    return EngineBusy(
        f"the model's server did not answer in {tried} tries ({fault.reason}{asked})",
        hint="what was read is kept; the next dream goes on from there",
    )
