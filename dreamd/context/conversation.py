"""A conversation with a model that knows how full its window is: warns, compacts in pauses, and stops before it is too late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from dreamd.context.budget import Budget, Counted, Level, Usage
from dreamd.context.compaction import Compacted, Summarise
from dreamd.context.message import Block, Message
from dreamd.context.prompt import SystemPrompt
from dreamd.context.tokens import Calibration

Schema = Mapping[str, object]


class Stop(StrEnum):
    """Why a reply ended."""

    END = "end"
    TOOL = "tool"  # it waits for tool results: no pause
    LENGTH = "length"  # cut at max_tokens: whoever asked must not use it as whole
    REFUSED = "refused"
    OTHER = "other"  # null, unknown


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered. `data` is the parsed structure where a schema was asked for."""

    text: str
    data: object = None
    usage: Counted = field(default_factory=Usage)
    stop: Stop = Stop.END
    blocks: tuple[Block, ...] = ()  # where it is more than text: tool calls, thinking


class Caller(Protocol):
    """Who really asks a model. Retries, ledger and price limits are its own; whatever it raises passes through."""

    def call(
        self, system: SystemPrompt, messages: Sequence[Message], *, max_tokens: int, schema: Schema | None
    ) -> Reply:
        """One request, one reply. Raises EngineError."""
        ...


class Conversation:
    """Messages with a model, measured by the last reply's usage (estimates before the first). Not for several threads."""

    def __init__(
        self,
        caller: Caller,
        system: SystemPrompt,
        budget: Budget,
        *,
        calibration: Calibration | None = None,
        summarise: Summarise | None = None,
        messages: Sequence[Message] = (),
    ) -> None:
        """`budget.system` should be the tokens of `system`; `summarise` None: the extractive summary. `messages`: what was said before."""
        raise NotImplementedError

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was said, a summary first where there was a compaction."""
        raise NotImplementedError

    @property
    def used(self) -> int:
        """Tokens of the working budget in use."""
        raise NotImplementedError

    @property
    def level(self) -> Level:
        """How full the window is."""
        raise NotImplementedError

    @property
    def calibration(self) -> Calibration:
        """What this conversation learned about bytes and tokens; hand it to the next."""
        raise NotImplementedError

    def ask(self, message: Message, *, max_tokens: int, schema: Schema | None = None) -> Reply:
        """One message and its reply. Compacts first where it must; what is too large is excerpted with a mark.

        Raises OutOfTokens, CompactionFailed, and whatever the caller raises; then nothing was added.
        """
        raise NotImplementedError

    def pause(self) -> Compacted | None:
        """Nobody waits: compacts if 80 % were reached. None where there was no need or a tool's result is awaited."""
        raise NotImplementedError
