"""The structured log: JSON lines in the state directory, each one `O_APPEND` write; never anybody's words."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

LEVELS = ("debug", "info", "warning", "error")
_ROTATE_AT = 10_000_000  # bytes
_KEEP = 3


class LogFile:
    """One JSON object a line, written in a single append, so that many processes can share the file.

    A log that cannot be written must not end a dream: such lines are dropped.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, line: str) -> None:
        """Appends one line with its newline."""
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                torn = b"\n" if _is_torn(descriptor) else b""
                os.write(descriptor, torn + line.encode("utf-8", "replace") + b"\n")
            finally:
                os.close(descriptor)

    def rotate(self) -> None:
        """Moves a log over 10 MB aside and keeps three; only the holder of the dream or service lock may call this."""
        with contextlib.suppress(OSError):
            if self.path.stat().st_size < _ROTATE_AT:
                return
            for number in range(_KEEP, 0, -1):
                older = self.path.with_name(f"{self.path.name}.{number}")
                newer = self.path.with_name(f"{self.path.name}.{number - 1}") if number > 1 else self.path
                if newer.exists():
                    newer.replace(older)


def _is_torn(descriptor: int) -> bool:
    """Whether the last line has no end: a full disk took half of it, and the next one must not be lost with it."""
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


class _Sink:
    """Where a finished event goes: the file as JSON, and stderr in the form that fits it."""

    def __init__(
        self, file: LogFile | None, level: str, console: TextIO | None, console_level: str, *, as_json: bool
    ) -> None:
        self.file = file
        self.threshold = LEVELS.index(level)
        self.console = console
        self.console_threshold = LEVELS.index(console_level)
        self.as_json = as_json

    def __call__(self, _logger: object, method: str, event: MutableMapping[str, Any]) -> str:
        rank = LEVELS.index("error" if method in ("exception", "critical") else method)
        from structlog import DropEvent  # noqa: PLC0415 - loaded already: it called us

        line = json.dumps(_ordered(event), ensure_ascii=False, default=str)
        if self.file is not None and rank >= self.threshold:
            self.file.write(line)
        if self.console is not None and rank >= self.console_threshold:
            self._tell(line if self.as_json else _plain(event))
        raise DropEvent

    def _tell(self, line: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            print(line, file=self.console)  # the stream's errors="backslashreplace" keeps odd terminals alive


def _ordered(event: Mapping[str, Any]) -> dict[str, Any]:
    head = {key: event[key] for key in ("timestamp", "level", "event", "run_id") if key in event}
    return head | {key: value for key, value in event.items() if key not in head}


def _plain(event: Mapping[str, Any]) -> str:
    facts = " ".join(f"{key}={value}" for key, value in event.items() if key not in ("timestamp", "level", "event"))
    return f"{event.get('level', ''):7} {event.get('event', '')} {facts}".rstrip()


def configure(file: Path | None, *, level: str = "info", console_level: str = "warning", form: str = "auto") -> None:
    """Sets up logging for this process: the file at `level`, stderr at `console_level` (JSON unless it is a terminal)."""
    as_json = form == "json" or (form == "auto" and not sys.stderr.isatty())
    _setup.sink = _Sink(LogFile(file) if file else None, level, sys.stderr, console_level, as_json=as_json)
    _setup.ready = False


class _Setup:
    """What `configure` asked for; structlog itself is loaded by the first event, because most commands have none."""

    sink = _Sink(None, "info", sys.stderr, "warning", as_json=True)
    ready = False


_setup = _Setup()


def _structlog() -> ModuleType:
    """structlog, loaded when first needed and without rich, which it takes only to colour tracebacks: 5 MB for months."""
    if "structlog" in sys.modules or "rich" in sys.modules:
        return importlib.import_module("structlog")
    sys.modules["rich"] = cast("ModuleType", None)  # what `import` takes for "not installed"
    try:
        return importlib.import_module("structlog")
    finally:
        del sys.modules["rich"]


def logger() -> FilteringBoundLogger:
    """The logger; events are constant `noun.past_participle` with key-values."""
    structlog = _structlog()
    if not _setup.ready:
        structlog.configure(
            processors=[
                structlog.contextvars.merge_contextvars,
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                _setup.sink,
            ],
            wrapper_class=structlog.make_filtering_bound_logger("debug"),
            logger_factory=structlog.PrintLoggerFactory(io.StringIO()),
            cache_logger_on_first_use=False,
        )
        _setup.ready = True
    return cast("FilteringBoundLogger", structlog.get_logger())


@contextlib.contextmanager
def run_context(run_id: str) -> Iterator[None]:
    """Every event inside carries `run_id`."""
    structlog = _structlog()
    with structlog.contextvars.bound_contextvars(run_id=run_id):
        yield
