"""What the tools read from, opened anew for each call: configuration and its rules may have changed since the last one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dreamd.app import App, opened
from dreamd.briefing.circle import Circle, circle
from dreamd.briefing.here import here
from dreamd.config import Loaded
from dreamd.errors import StateError, UsageError
from dreamd.search.index import Index
from dreamd.search.past import Past
from dreamd.search.query import Hit
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

    def tells(self, hit: Hit) -> bool:
        """Whether a hit may be told here."""
        if hit.where == "memory":
            return self.circle.tells_line(hit.path, hit.text)
        if not self.circle.keeps:
            return True
        try:
            session = self.known().shop.sessions.get(hit.session or "")
        except UsageError:
            return False  # the index knows more than the database: nobody can say whose words these are
        return self.circle.tells(session.cwd, session.project.root if session.project else None)


@contextmanager
def desk(loaded: Loaded, directory: str) -> Iterator[Desk]:
    """Opens what there is and makes nothing."""
    condition = database_condition(loaded.places, thorough=False)
    place = here(Path(directory), loaded.places.memory_root, Past(loaded.places.search), loaded.config.projects)
    around = circle(loaded, place)
    if condition is not DatabaseCondition.GOOD:
        yield Desk(loaded, directory, around, None, condition)
        return
    with opened(loaded) as app:
        yield Desk(loaded, directory, around, app, condition)
