"""Who may be told what: a project that keeps to itself is told of only to sessions there, one that is not learned from to nobody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dreamd.config import rule_for
from dreamd.memory.layout import part_of
from dreamd.settings import Project

_PROJECTS = "projects/"


@dataclass(frozen=True, slots=True)
class Circle:
    """What may be told in one place. A rule with `isolate` or `engine = "offline"` keeps a project's words to sessions under that rule."""

    rules: tuple[Project, ...]
    here: tuple[str, ...]  # the directory that asks, and its project's root
    roots: Mapping[str, str]  # a project's file in memory → the project's root
    complete: bool = True  # whether `roots` names every project that dreams wrote of

    def tells(self, *directories: str | None) -> bool:
        """Whether what was said in a session may be told: `directories` are where it ran and its project's root."""
        mine = self._of(self.here)
        return all(rule.learn and (rule in mine or not _keeps(rule)) for rule in self._of(directories))

    def tells_file(self, file: str) -> bool:
        """Whether a memory file may be told. A project's file of which nobody knows the project is not, where that cannot be looked up."""
        if not file.startswith(_PROJECTS):
            return True
        root = self.roots.get(part_of(file))
        return self.tells(root) if root is not None else self.complete

    def _of(self, directories: Iterable[str | None]) -> list[Project]:
        return [rule for one in directories if (rule := rule_for(self.rules, one)) is not None]


def keeping(rules: Iterable[Project]) -> bool:
    """Whether any rule holds something back from somebody."""
    return any(_keeps(rule) or not rule.learn for rule in rules)


def _keeps(rule: Project) -> bool:
    return rule.isolate or rule.engine == "offline"
