"""What most verbs begin with: the configuration, the log, the console, and dreamd itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dreamd import foreign_log, log
from dreamd.app import App, opened
from dreamd.cli.console import Console
from dreamd.clock import SystemClock
from dreamd.config import load
from dreamd.errors import StateError
from dreamd.rebuild import DatabaseCondition, database_condition
from dreamd.replacement import recover as recover_import


@contextmanager
def at_desk(config: Path | None, verbose: int, *, as_json: bool) -> Iterator[tuple[App, Console]]:
    """An App on the configuration that was asked for, with logging set up; closed again at the end."""
    loaded = load(config)
    level = loaded.config.log.level
    told = ("warning", "info", "debug")[min(verbose, 2)]
    log.configure(loaded.places.log, level=level, console_level=told, form=loaded.config.log.format)
    foreign_log.adopt(loaded.config.redact.extra)
    recover_import(loaded.places, SystemClock())
    if database_condition(loaded.places, thorough=False) is DatabaseCondition.LOST:
        raise StateError(
            "the state database is gone, although history knows of dreams", hint="`dreamd doctor --fix` rebuilds it"
        )
    with opened(loaded) as app:
        yield app, Console(as_json=as_json)
