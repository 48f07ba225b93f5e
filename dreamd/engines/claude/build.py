"""The engine as a configuration wants it; nothing is opened, read or asked before a run begins."""

from __future__ import annotations

import datetime as dt
import hashlib
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dreamd.context.conversation import Reply, Schema
from dreamd.context.message import Message
from dreamd.context.prompt import SystemPrompt
from dreamd.credentials import api_key, bedrock_key, claude_command, google_file
from dreamd.engines.claude.client import Sdk, Transport
from dreamd.engines.claude.command import Command
from dreamd.engines.claude.engine import ClaudeEngine
from dreamd.engines.claude.limits import Limits
from dreamd.engines.claude.mail import Mail
from dreamd.engines.claude.prices import Prices
from dreamd.engines.claude.providers import anthropic_client, bedrock_client, vertex_client
from dreamd.engines.mixed import Mixed
from dreamd.engines.offline.engine import offline
from dreamd.settings import Config
from dreamd.state.model_record import ModelRecord

if TYPE_CHECKING:
    from dreamd.engines.claude.providers import Client


class Later:
    """A transport that is made when it is first needed: `status` works without a key."""

    def __init__(self, make: Callable[[], Transport]) -> None:
        self._make = make
        self._made: Transport | None = None

    def check(self) -> None:
        """See Transport; the key is read here."""
        self._made = self._made or self._make()
        self._made.check()

    def close(self) -> None:
        """See Transport."""
        made, self._made = self._made, None
        if made is not None:
            made.close()

    def about(self, model: str) -> ModelRecord | None:
        """See Transport."""
        return (self._made or self._make()).about(model)

    def count(self, model: str, system: SystemPrompt, messages: Sequence[Message], schema: Schema | None) -> int | None:
        """See Transport."""
        return (self._made or self._make()).count(model, system, messages, schema)

    def send(
        self, model: str, system: SystemPrompt, messages: Sequence[Message], *, max_tokens: int, schema: Schema | None
    ) -> Reply:
        """See Transport. `check` was called before, once, by the thread that began the run."""
        transport = self._made or self._make()
        return transport.send(model, system, messages, max_tokens=max_tokens, schema=schema)


def mixed(config: Config, day: dt.date) -> Mixed:
    """The claude engine, beside which what must not leave this machine is read here."""
    return Mixed(claude(config, day), offline(config, day))


def claude(config: Config, day: dt.date) -> ClaudeEngine:
    """The engine with a model. `day` chooses the prices."""
    engine, budget = config.engine, config.budget
    timeout = engine.timeout.total_seconds()
    place = hashlib.sha256(f"{engine.provider} {engine.base_url}".encode()).hexdigest()[:16]
    subscribed = engine.provider == "claude-code"  # what it would have cost is shown, not limited

    def client() -> Client:
        match engine.provider:
            case "bedrock":
                return bedrock_client(bedrock_key(engine), engine.base_url, timeout)
            case "vertex":
                return vertex_client(google_file(engine), engine.base_url, timeout)
            case _:
                return anthropic_client(api_key(engine), engine.base_url, timeout)

    sdk = Sdk(client)
    return ClaudeEngine(
        Later(lambda: Command(claude_command(), timeout=timeout)) if subscribed else sdk,
        gather_model=engine.gather_model,
        consolidate_model=engine.consolidate_model,
        prices=Prices.on(day, config.prices),
        limits=Limits(
            context_window=budget.context_window,
            reserve_tokens=budget.reserve_tokens,
            warn_at=budget.warn_at,
            compact_at=budget.compact_at,
            stop_at=budget.stop_at,
            tokens_per_run=min(budget.max_tokens_per_run, budget.max_tokens_per_day),
            usd_per_run=math.inf if subscribed else min(budget.max_usd_per_run, budget.max_usd_per_day),
        ),
        mail=Mail(sdk) if engine.provider == "anthropic" else None,
        place=place,
        batched=engine.batch,
        recalls=not subscribed,  # the command is handed a conversation as one new text
    )
