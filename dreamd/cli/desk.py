"""What most verbs begin with: dreamd itself, on the configuration that was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dreamd.app import App, opened
from dreamd.cli.console import Console
from dreamd.cli.reading import ready


@contextmanager
def at_desk(config: Path | None, verbose: int, *, as_json: bool) -> Iterator[tuple[App, Console]]:
    """An App, with logging set up; closed again at the end."""
    with opened(ready(config, verbose)) as app:
        yield app, Console(as_json=as_json)
