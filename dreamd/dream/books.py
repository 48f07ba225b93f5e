"""What is known without reading a transcript: configuration, places, clock and every table of the state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dreamd.clock import Clock
from dreamd.config import Loaded, Places
from dreamd.project_rules import rules_over
from dreamd.settings import Config, Project
from dreamd.sources import Source, sources
from dreamd.state.batches import Batches
from dreamd.state.copies import Copies
from dreamd.state.database import Database
from dreamd.state.findings import Findings
from dreamd.state.lease import Lease
from dreamd.state.marks import Marks
from dreamd.state.models import Models
from dreamd.state.projects import Projects
from dreamd.state.records import ProjectRecord, SessionRecord
from dreamd.state.runs import Runs
from dreamd.state.sessions import Sessions
from dreamd.state.withheld import Withheld


@dataclass(frozen=True, slots=True)
class Books:
    """What commands need that only look; they are spared the loading of all that a dream works with."""

    config: Config
    places: Places
    clock: Clock
    zone: dt.tzinfo
    home: Path
    sources: tuple[Source, ...]
    database: Database
    sessions: Sessions
    copies: Copies
    findings: Findings
    runs: Runs
    batches: Batches
    lease: Lease
    marks: Marks
    models: Models
    projects: Projects
    withheld: Withheld

    def private(self, session: SessionRecord) -> bool:
        """Whether what was said in a session must not leave this machine."""
        return any(rule.engine == "offline" for rule in self.rules_over(session))

    def keeps_to_itself(self, project: ProjectRecord) -> bool:
        """Whether what is learned in a project is told only there."""
        return any(rule.keeps_to_itself for rule in rules_over(self.config.projects, project.root))

    def rules_over(self, session: SessionRecord) -> tuple[Project, ...]:
        """The `[[projects]]` rules that hold for a session: by where it began, and by its project's main checkout."""
        return rules_over(self.config.projects, session.cwd, session.project.root if session.project else None)


def books(loaded: Loaded, clock: Clock, zone: dt.tzinfo, home: Path) -> Books:
    """Opens the database, bringing it up to date where it must be; `database.close()` gives it back."""
    database = Database.open(loaded.places.database)
    return Books(
        config=loaded.config,
        places=loaded.places,
        clock=clock,
        zone=zone,
        home=home,
        sources=tuple(sources(loaded)),
        database=database,
        sessions=Sessions(database),
        copies=Copies(database),
        findings=Findings(database),
        runs=Runs(database),
        batches=Batches(database),
        lease=Lease(database),
        marks=Marks(database),
        models=Models(database),
        projects=Projects(database),
        withheld=Withheld(database),
    )


@contextmanager
def open_books(loaded: Loaded, clock: Clock, zone: dt.tzinfo, home: Path) -> Iterator[Books]:
    """Books that are closed again."""
    opened = books(loaded, clock, zone, home)
    try:
        yield opened
    finally:
        opened.database.close()
