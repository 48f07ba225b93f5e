"""Who may be told what: a project that keeps to itself is told of only to sessions there, one that is not learned from to nobody."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from dreamd.briefing.here import Here, here
from dreamd.config import Loaded
from dreamd.memory.layout import part_of
from dreamd.project_rules import any_keeps, rules_over
from dreamd.search.past import Past
from dreamd.settings import Project
from dreamd.state.glance import project_roots

if TYPE_CHECKING:
    from dreamd.search.query import Hit

#: So many times as many hits are looked at as are wanted, because some may not be told.
LOOKED_AT = 3
_PROJECTS = "projects/"
_LINK = re.compile(r"\[[^\[\]]*\]\((?:\./)?([^()\s]+\.md)\)")
_ONLY_LINKS = re.compile(rf"(\s*[-*+] )?{_LINK.pattern}(?:, {_LINK.pattern})*\s*")


@dataclass(frozen=True, slots=True)
class Circle:
    """What may be told in one place. A rule with `isolate` or `engine = "offline"` keeps a project's words to sessions under that rule."""

    rules: tuple[Project, ...] = ()
    within: tuple[str, ...] = ()  # the directory that asks, and its project's root
    roots: Mapping[str, str] | None = None  # a project's root by the stem of its file; None: nobody can say

    @property
    def keeps(self) -> bool:
        """Whether anything is held back from anybody."""
        return any_keeps(self.rules)

    def tells(self, *directories: str | None) -> bool:
        """Whether what was said in a session may be told: `directories` are where it ran and its project's root."""
        mine = rules_over(self.rules, *self.within)
        return all(
            rule.learn and (rule in mine or not rule.keeps_to_itself) for rule in rules_over(self.rules, *directories)
        )

    def tells_file(self, file: str) -> bool:
        """Whether a memory file may be told. A project's file of which nobody knows the project is not, where that cannot be looked up."""
        if not file.startswith(_PROJECTS) or not self.keeps:
            return True
        root = (self.roots or {}).get(part_of(file).removeprefix(_PROJECTS).removesuffix(".md"))
        return self.tells(root) if root is not None else self.roots is not None

    def tells_line(self, file: str, text: str) -> bool:
        """Whether a line of memory may be told: by its file, and by the files that it points to."""
        return self.tells_file(file) and all(map(self.tells_file, _links(text)))

    def tells_hit(self, hit: Hit, past: Past) -> bool:
        """Whether what a search found may be told; `past` is of the index that was searched."""
        if not self.keeps:
            return True
        if hit.where == "memory":
            return self.tells_line(hit.path, hit.text)
        within = past.within(hit.session or "")
        return within is not None and self.tells(*within)

    def told(self, text: str) -> str:
        """A line of MEMORY.md as it is told: of a line that does nothing but point to files, those that may be; "" for nothing."""
        if not self.keeps or all(map(self.tells_file, _links(text))):
            return text
        only = _ONLY_LINKS.fullmatch(text)
        left = [one[0] for one in _LINK.finditer(text) if self.tells_file(unquote(one[1]))]
        return f"{only[1] or ''}{', '.join(left)}\n" if only and left else ""


def circle_at(loaded: Loaded, directory: Path) -> Circle:
    """Who may be told what in a directory."""
    places = loaded.places
    return circle(loaded, here(directory, places.memory_root, Past(places.search), loaded.config.projects))


def circle(loaded: Loaded, place: Here) -> Circle:
    """Who may be told what in a place, by the rules of today; opens nothing where there are none."""
    rules = tuple(loaded.config.projects)
    if not any_keeps(rules):
        return Circle(rules, place.within)
    roots = project_roots(loaded.places.database)
    if roots is not None:
        roots = {one.stem: one.root for one in Past(loaded.places.search).projects()} | roots
    return Circle(rules, place.within, roots)


def _links(text: str) -> list[str]:
    return [unquote(link) for link in _LINK.findall(text)]
