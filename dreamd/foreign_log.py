"""What libraries log, what Python warns of and what threads die of, as events of our own log: no second form, nobody's words."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Final

from dreamd.log import logger
from dreamd.redact.redactor import Redactor

_LONGEST: Final = 300  # characters of a message
_WARNINGS: Final = "py.warnings"  # logging.captureWarnings' own logger


class _Bridge(logging.Handler):
    """Hands a library's record over as `library.logged`."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__(logging.WARNING)
        self._redactor = redactor

    def emit(self, record: logging.LogRecord) -> None:
        """One event; a record that cannot be told is dropped, as `logging` itself would."""
        try:
            tell = logger().error if record.levelno >= logging.ERROR else logger().warning
            fault = {"fault": record.exc_info[0].__name__} if record.exc_info and record.exc_info[0] else {}
            tell("library.logged", library=record.name, message=self._message(record), **fault)
        except Exception:  # noqa: BLE001 - whatever a library put into its record, logging must not raise
            self.handleError(record)

    def _message(self, record: logging.LogRecord) -> str:
        """The constant part of the message: what is filled into it may be anything, also somebody's words."""
        told = record.getMessage() if record.name == _WARNINGS else str(record.msg)
        return self._redactor.redact(told).text.strip().split("\n", 1)[0][:_LONGEST]


def adopt(extra: Sequence[str] = ()) -> None:
    """From now on this process's libraries, warnings and threads tell through our log. Calling it again changes nothing.

    `extra`: the person's own patterns of secrets (`[redact] extra`).
    """
    root = logging.getLogger()
    if any(isinstance(one, _Bridge) for one in root.handlers):
        return
    root.addHandler(_Bridge(Redactor(extra)))
    logging.captureWarnings(capture=True)
    threading.excepthook = _thread_died


def _thread_died(args: threading.ExceptHookArgs) -> None:
    """Names the thread and the fault's type; its text may hold anything."""
    name = args.thread.name if args.thread is not None else ""
    logger().error("thread.failed", thread=name, fault=args.exc_type.__name__)
