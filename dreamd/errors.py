"""The error tree: one class for each decision a caller can make; each knows its exit status and its hint."""

from __future__ import annotations

from typing import ClassVar


class DreamdError(Exception):
    """Something that dreamd can explain. The message says what happened, the hint what to do about it."""

    code: ClassVar[str] = "failed"
    exit_status: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(DreamdError):
    """Wrong usage, an unknown id or an ambiguous prefix included."""

    code = "usage"
    exit_status = 2


class ConfigError(DreamdError):
    """The configuration cannot be used; `problems` holds every one of them."""

    code = "config"
    exit_status = 3

    def __init__(self, message: str, *, hint: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.problems = problems


class LockHeld(DreamdError):  # noqa: N818 - the state of the world, not a fault
    """Another dream or service holds the lock."""

    code = "locked"
    exit_status = 4


class Refused(DreamdError):  # noqa: N818
    """A guard or the budget said no; `reasons` are from a closed set (memory/guards.py)."""

    code = "refused"
    exit_status = 5

    def __init__(self, message: str, *, hint: str = "", reasons: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.reasons = reasons


class StateError(DreamdError):
    """The state directory or the database cannot be used (missing rights, full disk, damaged, newer version)."""

    code = "state"


class MemoryTreeError(DreamdError):
    """The memory root cannot be read or written; what was there is intact."""

    code = "memory"


class TranscriptError(DreamdError):
    """A transcript or its archived copy cannot be read or put back."""

    code = "transcript"


class EngineError(DreamdError):
    """The engine could not answer; what it had already answered is kept."""

    code = "engine"


class Interrupted(DreamdError):  # noqa: N818
    """A person or the system ended the work (SIGINT, SIGTERM)."""

    code = "interrupted"
    exit_status = 130


class Terminated(BaseException):
    """SIGTERM: the system wants this process to end. No error anybody may swallow."""
