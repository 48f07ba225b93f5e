"""A conversation with a model that knows how full its window is: warns, compacts in pauses, and stops before it is too late."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from dreamd.context.budget import Budget, Level, OutOfTokens
from dreamd.context.compaction import TARGET, Compacted, CompactionFailed, Summarise, compact, may_be_cut, shorten
from dreamd.context.message import Block, Message, Role, Text, content, tokens
from dreamd.context.prompt import SystemPrompt
from dreamd.context.tiers import CHEAP, Answer, Operation, OperationKind, Verdict, Why, decide
from dreamd.context.tokens import Calibration, weight
from dreamd.log import logger
from dreamd.usage import Usage

Schema = Mapping[str, object]

_LONGEST_ANSWER = 10  # an answer is expected to take a tenth of the working budget at most


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
    usage: Usage = field(default_factory=Usage)
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
        """`summarise` None: the extractive summary. `messages`: what was said before.

        `budget.system` is what `system` takes in tokens: `system.tokens(calibration.estimate)`.
        """
        self._caller = caller
        self._system = system
        self._budget = budget
        self._calibration = calibration or Calibration()
        self._summarise = summarise
        self._messages = tuple(messages)
        self._measured: int | None = None  # tokens by the last reply's usage; None: nobody counted what stands here now
        self._warned = False
        self._waits_for_tool = False

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was said, a summary first where there was a compaction."""
        return self._messages

    @property
    def used(self) -> int:
        """Tokens of the working budget in use: measured by the last reply, estimated before the first and after a compaction."""
        return self._estimated(*self._messages) if self._measured is None else self._measured

    @property
    def level(self) -> Level:
        """How full the window is."""
        return self._budget.level(self.used)

    @property
    def calibration(self) -> Calibration:
        """What this conversation learned about bytes and tokens; hand it to the next."""
        return self._calibration

    def ask(self, message: Message, *, max_tokens: int, schema: Schema | None = None, followed: bool = False) -> Reply:
        """One message and its reply. Compacts first where it must; what is too large is excerpted with a mark.

        `max_tokens` is lowered to what the window has room for. `followed`: another message will come behind it at once, so that
        this one is worth what a place in the prompt cache costs. Raises OutOfTokens, CompactionFailed, and whatever the caller
        raises; then nothing was added.
        """
        if self.level is Level.STOP:
            raise OutOfTokens(self.used, self._budget.working)
        if self.level is Level.COMPACT:
            self._compact()
        else:
            self.pause()
        message = self._admitted(message, min(max_tokens, self._budget.working // _LONGEST_ANSWER))
        longest = self._budget.answer(self.used + self._estimated(message), max_tokens)
        if longest <= 0:
            raise OutOfTokens(self.used, self._budget.working)
        sent = (*self._messages, replace(message, cached=followed))
        reply = self._caller.call(self._system, sent, max_tokens=longest, schema=schema)
        self._heard(sent, reply, schema)
        return reply

    def admits(self, message: Message, *, max_tokens: int, before: int = 0) -> bool:
        """Whether a message goes in whole now, and its answer (at most a tenth of the working budget) ends before the stop.

        `before`: so many tokens will have been added until then.
        """
        return self._admits(self.used + before, message, max_tokens)

    def make_room(self, message: Message, *, max_tokens: int) -> bool:
        """Whether it is admitted, after a compaction where there has to be one and it is sure to be enough: none in vain."""
        if self.admits(message, max_tokens=max_tokens):
            return True
        if self._waits_for_tool or not self._admits(int(TARGET * self._budget.working), message, max_tokens):
            return False
        return self._compact_quietly() is not None and self.admits(message, max_tokens=max_tokens)

    def pause(self) -> Compacted | None:
        """Nobody waits: compacts if 80 % were reached, else does nothing; the work goes on where that is not possible.

        None where there was no need, no way, or a tool's result is awaited.
        """
        if self.level in (Level.FREE, Level.STOP) or self._waits_for_tool:
            return None
        return self._compact_quietly()

    def _admits(self, used: int, message: Message, max_tokens: int) -> bool:
        size, answer = self._estimated(message), min(max_tokens, self._budget.working // _LONGEST_ANSWER)
        allowed = decide(self._budget, used, Operation(OperationKind.WHOLE, size)).answer is Answer.ALLOW
        ends = used + size + answer < self._budget.share(self._budget.stop_at)
        return allowed and ends and self._budget.level(used) is Level.FREE

    def _estimated(self, *messages: Message) -> int:
        return sum(tokens(message, self._calibration.estimate) for message in messages)

    def _compact(self) -> Compacted:
        made = compact(self._messages, self._budget, self._summarise, self._calibration.estimate)
        logger().info(
            "conversation.compacted",
            before=made.before,
            after=made.after,
            summary_lines=made.summary_lines,
            fell_back=made.fell_back,
        )
        self._messages = tuple(replace(one, cached=False) for one in made.messages)  # nothing of it stands in the cache
        self._measured = None
        self._warned = False
        return made

    def _compact_quietly(self) -> Compacted | None:
        verdict = decide(self._budget, self.used, Operation(OperationKind.COMPACTION, 0))
        if verdict.answer is not Answer.ALLOW:
            return None
        try:
            return self._compact()
        except CompactionFailed:
            return None

    def _admitted(self, message: Message, answer: int) -> Message:
        """The message as it may be added, so that its answer still ends before the conversation has to."""
        size = self._estimated(message)
        verdict = self._judged(message, size, answer)
        if verdict.answer is not Answer.ALLOW and self._compact_quietly() is not None:
            verdict = self._judged(message, size, answer)
        if verdict.answer is Answer.ALLOW:
            return message
        short = shorten(message, verdict.tokens, self._calibration.estimate) if verdict.tokens else None
        if short is None:
            raise OutOfTokens(self.used, self._budget.working)
        logger().info("input.excerpted", tokens=size, kept=self._estimated(short), reason=verdict.reason.value)
        return short

    def _judged(self, message: Message, size: int, answer: int) -> Verdict:
        """The tiers' decision; where the answer would end beyond the stop, the input is excerpted that much sooner."""
        kind = OperationKind.INPUT if may_be_cut(message) else OperationKind.WHOLE
        verdict = decide(self._budget, self.used, Operation(kind, size))
        most = max(self._budget.up_to(CHEAP), self._budget.share(self._budget.stop_at) - 1 - self.used - answer)
        if verdict.answer is Answer.REFUSE or kind is OperationKind.WHOLE or most >= verdict.tokens:
            return verdict
        return Verdict(Answer.EXCERPT, Why.TOO_LARGE_TO_FIT, most)

    def _heard(self, sent: tuple[Message, ...], reply: Reply, schema: Schema | None) -> None:
        blocks = reply.blocks or (Text(reply.text),)
        self._messages = (*sent, Message(Role.ASSISTANT, blocks))
        self._waits_for_tool = reply.stop is Stop.TOOL
        usage = reply.usage
        counted = usage.input + usage.cache_read + usage.cache_write
        if counted:  # a server without usage: estimates go on
            self._measured = self._budget.used(usage)
            size = weight(self._system.text) + sum(weight(content(block)) for one in sent for block in one.blocks)
            self._calibration = self._calibration.seen(size + (weight(json.dumps(schema)) if schema else 0), counted)
        else:
            self._measured = None
        if not self._warned and self.level is not Level.FREE:
            self._warned = True
            logger().warning("budget.warned", used=self.used, working=self._budget.working, level=self.level.value)
