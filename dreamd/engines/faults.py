"""How an engine that costs something can fail: a class for each thing that its caller then does; what was paid is never lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from dreamd.engines.protocol import Finding
from dreamd.errors import EngineError
from dreamd.usage import Usage


class EngineFault(EngineError):  # noqa: N818 - the fault is the engine's, and not always an error
    """An engine could not answer; `usage` is what the work had cost until then.

    `found` is what the turns `read` (ids) gave before it: paid for, and not to be read again.
    """

    def __init__(self, message: str, *, hint: str = "", usage: Usage | None = None) -> None:
        super().__init__(message, hint=hint)
        self.usage = usage or Usage()
        self.found: tuple[Finding, ...] = ()
        self.read: frozenset[str] = frozenset()

    def keeping(self, found: Iterable[Finding], read: Iterable[str]) -> EngineFault:
        """This fault with what came of the turns read before it; itself, for raising on."""
        self.found = (*found, *self.found)
        self.read |= frozenset(read)
        return self

    def charged(self, before: Usage) -> EngineFault:
        """This fault with what was paid before it; itself, for raising on."""
        self.usage = before + self.usage
        return self


class EngineUnusable(EngineFault):
    """No call of this run can succeed: key, account, model or program is missing or refused. The run stops."""

    code: ClassVar[str] = "engine_unusable"


class EngineBusy(EngineFault):
    """The server is overloaded, limits us or cannot be reached, for longer than a call waits. The run ends; a later one goes on."""

    code: ClassVar[str] = "engine_busy"


class BudgetSpent(EngineFault):
    """What a run or a day may cost does not cover this call. It was not made; its session waits for the next run."""

    code: ClassVar[str] = "budget_spent"
    exit_status: ClassVar[int] = 5


class UnusableAnswer(EngineFault):
    """The model's answer for this input cannot be used: refused, cut, no structure, or the input is too long. Counted against it."""

    code: ClassVar[str] = "engine_answer"
