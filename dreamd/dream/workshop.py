"""Everything a dream works with, wired once: configuration, places, state, history, engine, clock."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dreamd.archive import Archive
from dreamd.clock import Clock
from dreamd.config import Places, rule_for
from dreamd.dream.paid import Answers
from dreamd.engines.protocol import Engine
from dreamd.ingest import Scanner
from dreamd.memory.guards import GuardLimits
from dreamd.memory.history import History
from dreamd.memory.wish import Caps
from dreamd.redact import Redactor
from dreamd.search.index import Index
from dreamd.settings import Config, Project
from dreamd.state.batches import Batches
from dreamd.state.copies import Copies
from dreamd.state.database import Database
from dreamd.state.findings import Findings
from dreamd.state.lease import Lease
from dreamd.state.marks import Marks
from dreamd.state.models import Models
from dreamd.state.projects import Projects
from dreamd.state.records import SessionRecord
from dreamd.state.runs import Runs
from dreamd.state.sessions import Sessions
from dreamd.state.withheld import Withheld
from dreamd.transcripts.adapter import Adapter


@dataclass(frozen=True, slots=True)
class Workshop:
    """What the cycle and its passes use. Built by app.py; holds no state of its own."""

    config: Config
    places: Places
    clock: Clock
    zone: dt.tzinfo
    home: Path
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
    scanner: Scanner
    history: History
    archive: Archive
    index: Index
    redactor: Redactor
    engine: Engine
    local: Engine  # reads what must not leave this machine
    adapters: Mapping[str, Adapter]

    @property
    def caps(self) -> Caps:
        """Room in the memory tree."""
        memory = self.config.memory
        return Caps(memory.max_lines, memory.max_bytes, memory.topic_max_lines, memory.stale_after)

    @property
    def guard_limits(self) -> GuardLimits:
        """What a draft is checked against."""
        memory, guards = self.config.memory, self.config.guards
        return GuardLimits(
            max_lines=memory.max_lines,
            max_bytes=memory.max_bytes,
            topic_max_lines=memory.topic_max_lines,
            max_loss=guards.max_loss,
            protect=tuple(guards.protect),
        )

    def rule_for(self, directory: str | None) -> Project | None:
        """The `[[projects]]` rule that holds for a directory: the one with the longest path above it."""
        return rule_for(self.config.projects, directory)

    def private(self, directory: str | None) -> bool:
        """Whether what is said in a directory must not leave this machine."""
        rule = self.rule_for(directory)
        return rule is not None and rule.engine == "offline"

    def engine_for(self, session: SessionRecord) -> Engine:
        """Who may read a session."""
        return self.local if self.private(session.cwd) else self.engine

    @property
    def answers(self) -> Answers:
        """What was paid for and did not come to a commit yet."""
        return Answers(self.places.state_dir / "answers")

    def short(self, path: str) -> str:
        """A path with the home directory written as `~`."""
        home = str(self.home)
        return "~" + path[len(home) :] if path == home or path.startswith(home + "/") else path
