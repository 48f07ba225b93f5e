"""Everything a dream works with, wired once: the books, history, archive, index, engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from dreamd.archive.store import Archive
from dreamd.dream.books import Books
from dreamd.dream.paid import Answers
from dreamd.drives import folded
from dreamd.engines.protocol import Engine
from dreamd.ingest.scanner import Scanner
from dreamd.memory.guards import GuardLimits
from dreamd.memory.history import History
from dreamd.memory.wish import Caps
from dreamd.project_rules import rule_for, ruled_directory
from dreamd.redact.redactor import Redactor
from dreamd.search.index import Index
from dreamd.state.records import ProjectRecord, SessionRecord
from dreamd.transcripts.adapter import Adapter


@dataclass(frozen=True, slots=True)
class Workshop(Books):
    """What the cycle and its passes use beside the books. Built by app.py; holds no state of its own."""

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

    def engine_for(self, session: SessionRecord) -> Engine:
        """Who may read a session."""
        return self.local if self.private(session) else self.engine

    def kept_in(self, session: SessionRecord) -> ProjectRecord | None:
        """The project that what was learned in a session stays with; None: it may go wherever it belongs.

        A rule about a directory inside a repository makes that directory a project of its own: the repository's own file is
        told to sessions beside it.
        """
        if not any(rule.keeps_to_itself for rule in self.rules_over(session)):
            return None
        project, rule = session.project, rule_for(self.config.projects, session.cwd)
        if project is not None and self.keeps_to_itself(project):
            return project
        if rule is None or not session.cwd:
            return project
        root = ruled_directory(rule, session.cwd)
        if project is not None and project.root == root:
            return project
        return self.projects.place(key=folded(root), name=PurePath(root).name, root=root)

    @property
    def answers(self) -> Answers:
        """What was paid for and did not come to a commit yet."""
        return Answers(self.places.state_dir / "answers")

    def short(self, path: str) -> str:
        """A path with the home directory written as `~`."""
        home = str(self.home)
        return "~" + path[len(home) :] if path == home or path.startswith(home + "/") else path
