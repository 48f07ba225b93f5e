"""What verbs begin with that only look: the configuration, the log, the console, and what is known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dreamd import foreign_log, log
from dreamd.cli.console import Console
from dreamd.clock import SystemClock, local_zone
from dreamd.config import Loaded, expand, load
from dreamd.dream.books import Books, open_books
from dreamd.errors import StateError
from dreamd.replacement import recover as recover_import
from dreamd.state.condition import DatabaseCondition, database_condition


@contextmanager
def at_books(config: Path | None, verbose: int, *, as_json: bool) -> Iterator[tuple[Loaded, Books, Console]]:
    """The books of the configuration that was asked for, with logging set up; closed again at the end."""
    loaded = ready(config, verbose)
    with open_books(loaded, SystemClock(), local_zone(), expand("~")) as books:
        yield loaded, books, Console(as_json=as_json)


def ready(config: Path | None, verbose: int) -> Loaded:
    """The configuration, with logging set up and a database that may be opened. Raises StateError where it is gone."""
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
    return loaded
