"""What the tools read from, opened anew for each call: configuration and its rules may have changed since the last one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import unquote

from dreamd.app import App, opened
from dreamd.config import Loaded
from dreamd.errors import StateError, UsageError
from dreamd.integrations.mcp.circle import Circle, keeping
from dreamd.rebuild import DatabaseCondition, database_condition
from dreamd.search.index import Index
from dreamd.search.query import Hit
from dreamd.transcripts.project import locate

_LINK = re.compile(r"\]\((projects/[^)\s]+\.md)\)")


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
            return self.tells_line(hit.path, hit.text)
        if not keeping(self.loaded.config.projects):
            return True
        try:
            session = self.known().shop.sessions.get(hit.session or "")
        except UsageError:
            return False  # the index knows more than the database: nobody can say whose words these are
        return self.circle.tells(session.cwd, session.project.root if session.project else None)

    def tells_line(self, file: str, text: str) -> bool:
        """Whether a line of memory may be told: by its file, and by the project files that it points to."""
        return self.circle.tells_file(file) and all(
            self.circle.tells_file(unquote(link)) for link in _LINK.findall(text)
        )


@contextmanager
def desk(loaded: Loaded, here: str) -> Iterator[Desk]:
    """Opens what there is and makes nothing."""
    condition = database_condition(loaded.places, thorough=False)
    if condition is not DatabaseCondition.GOOD:
        yield Desk(loaded, here, _circle(loaded, here, None), None, condition)
        return
    with opened(loaded) as app:
        yield Desk(loaded, here, _circle(loaded, here, app), app, condition)


def _circle(loaded: Loaded, here: str, app: App | None) -> Circle:
    rules = loaded.config.projects
    projects = app.shop.projects.list() if app is not None and rules else ()
    return Circle(
        rules=tuple(rules),
        here=(here, locate(here).root),
        roots={f"projects/{one.stem}.md": one.root for one in projects},
        complete=app is not None or not keeping(rules),
    )
