"""What a person or a script sees: JSON or text, colours only on a terminal, progress only where somebody watches."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TextIO

from dreamd import log
from dreamd.config import colours_wanted
from dreamd.dream.progress import Progress, Step
from dreamd.errors import ConfigError, DreamdError

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class Console:
    """Standard output and error of one command."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json

    def style(self, text: str, *styles: str, stream: TextIO | None = None) -> str:
        """Text in colour where a terminal shows it and NO_COLOR does not forbid it."""
        if not _coloured(stream or sys.stdout):
            return text
        return f"\x1b[{';'.join(_STYLES[name] for name in styles)}m{text}\x1b[0m"

    def say(self, text: str = "") -> None:
        """A line for a person; nothing in JSON mode."""
        if not self.as_json:
            print(text)

    def note(self, text: str) -> None:
        """A line beside the result: standard error."""
        print(text, file=sys.stderr)

    def document(self, value: object) -> None:
        """The one JSON document of this command."""
        if self.as_json:
            print(json.dumps(value, ensure_ascii=False, indent=2))

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Columns padded to their widest cell; the last one runs free."""
        if self.as_json:
            return
        cells = [list(head), *(list(row) for row in rows)]
        widths = [max(_width(row[i]) for row in cells) for i in range(len(head))]
        for number, row in enumerate(cells):
            line = "  ".join(cell + " " * (widths[i] - _width(cell)) for i, cell in enumerate(row)).rstrip()
            print(self.style(line, "bold") if number == 0 else line)

    def facts(self, pairs: Mapping[str, str]) -> None:
        """Names and values, one a line."""
        if self.as_json or not pairs:
            return
        width = max(len(name) for name in pairs)
        for name, value in pairs.items():
            print(f"{self.style(name.ljust(width), 'dim')}  {value}")

    def fail(self, error: DreamdError) -> None:
        """An error: JSON on standard output in JSON mode, else a message and a hint on standard error."""
        if self.as_json:
            told: dict[str, object] = {"code": error.code, "message": error.message, "hint": error.hint}
            if isinstance(error, ConfigError):
                told["problems"] = list(error.problems)
            print(json.dumps({"error": told}, ensure_ascii=False, indent=2))
            return
        print(f"{self.style('dreamd:', 'red', 'bold', stream=sys.stderr)} {error.message}", file=sys.stderr)
        if isinstance(error, ConfigError):
            for problem in error.problems:
                print(f"  {problem}", file=sys.stderr)
        if error.hint:
            print(f"{self.style('hint:', 'cyan', stream=sys.stderr)} {error.hint}", file=sys.stderr)

    def confirm(self, question: str, *, yes: bool) -> bool:
        """Asks on a terminal; without one only `--yes` says yes."""
        if yes:
            return True
        if not sys.stdin.isatty():
            return False
        print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """A progress bar on a terminal's standard error; silence elsewhere."""
        if not sys.stderr.isatty() or self.as_json:
            yield lambda _step: None
            return
        from rich.console import Console as RichConsole  # noqa: PLC0415 - heavy, and needed on a terminal only
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
        from rich.progress import Progress as RichProgress  # noqa: PLC0415

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with RichProgress(*columns, console=RichConsole(stderr=True), transient=True) as bars:
            tasks: dict[str, int] = {}

            def advance(step: Step) -> None:
                if step.name not in tasks:
                    tasks[step.name] = bars.add_task(step.name, total=step.total or 1)
                bars.update(tasks[step.name], completed=step.done, total=step.total or 1)  # type: ignore[arg-type]

            yield advance


def listen(verbose: int) -> None:
    """Lets a command that writes no log of its own tell its events on standard error."""
    log.configure(None, console_level=("warning", "info", "debug")[min(verbose, 2)])


def console_line(text: str) -> None:
    """A line on standard output."""
    print(text)


def _coloured(stream: TextIO) -> bool:
    return stream.isatty() and colours_wanted()


def _width(text: str) -> int:
    """Columns on a terminal: East Asian wide characters take two."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
