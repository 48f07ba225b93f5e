"""Where a finding goes: its topic and the file of that topic, by scope (DESIGN, Memory tree)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dreamd.dream.clerk import Shelf
from dreamd.engines.protocol import Finding, Scope, Topic
from dreamd.state.records import Pending, ProjectRecord
from dreamd.state.stem import slug


@dataclass(frozen=True, slots=True)
class Shelves:
    """All projects by key; everything else needs no knowledge of the world."""

    projects: dict[str, ProjectRecord]

    @classmethod
    def of(cls, known: Iterable[ProjectRecord], chosen: Iterable[Pending]) -> Shelves:
        """The known projects, and those of the chosen sessions under the keys that they had when they were read."""
        projects = {one.key: one for one in known}
        for pending in chosen:
            if pending.session.project is not None:
                projects.setdefault(pending.session.project.key, pending.session.project)
        return cls(projects)

    def shelf(self, finding: Finding) -> Shelf:
        """One file by scope; a finding of an unknown project is general."""
        match finding.scope:
            case Scope.PATTERN:
                return _shelf(Scope.PATTERN, "patterns", finding.subject or "general")
            case Scope.PERSON:
                return _shelf(Scope.PERSON, "people", finding.subject or "people")
            case Scope.PROJECT if finding.project_key in self.projects:
                project = self.projects[finding.project_key]
                return Shelf(Topic(Scope.PROJECT, project.stem, project.key), f"projects/{project.stem}.md")
            case _:
                return Shelf(Topic(Scope.GENERAL, ""), "")


def _shelf(scope: Scope, folder: str, subject: str) -> Shelf:
    stem = slug(subject.lower())
    return Shelf(Topic(scope, stem), f"{folder}/{stem}.md")
