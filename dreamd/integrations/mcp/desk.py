"""What the tools read from, opened anew for each call: configuration and its rules may have changed since the last one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dreamd.app import App, opened
from dreamd.briefing.circle import Circle, circle_at
from dreamd.config import Loaded
from dreamd.errors import StateError, UsageError
from dreamd.search.index import Index
from dreamd.state.condition import DatabaseCondition, database_condition


@dataclass(frozen=True, slots=True)
class Desk:
    """One call's view. `app` is None where there is no database to ask: then there is memory at most."""

    loaded: Loaded
    here: str  # the directory of the session that asks
    circle: Circle
    app: App | None
    condition: DatabaseCondition

    @property
    def index(self) -> Index:
        """The search index."""
        return Index(self.loaded.places.search)

    def known(self) -> App:
        """The database and history. Raises UsageError where there are none yet, StateError where they cannot be used."""
        if self.app is not None:
            return self.app
        if self.condition is DatabaseCondition.NEW:
            raise UsageError("nothing was read or dreamt yet", hint="`dreamd kick` dreams now")
        raise StateError(
            f"the state database cannot be used ({self.condition.value})", hint="`dreamd doctor` says how to mend it"
        )


@contextmanager
def desk(loaded: Loaded, directory: str) -> Iterator[Desk]:
    """Opens what there is and makes nothing."""
    condition = database_condition(loaded.places, thorough=False)
    around = circle_at(loaded, Path(directory))
    if condition is not DatabaseCondition.GOOD:
        yield Desk(loaded, directory, around, None, condition)
        return
    with opened(loaded) as app:
        yield Desk(loaded, directory, around, app, condition)
