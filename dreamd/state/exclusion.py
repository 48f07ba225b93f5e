"""Which sessions are never learned from: the part of that decision that does not depend on what was said."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePath

from dreamd.drives import folded, mounted
from dreamd.state.records import Excluded


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What the rules look at."""

    agent: str
    native_id: str
    path: str  # of a file of the session
    root: str  # of its source
    places: tuple[str, ...] = ()  # directories it belongs to: its first cwd, its project's root
    own: bool = False
    forgotten: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """What a person said about which sessions count."""

    headless: bool = False  # gates.headless: prompts that nobody typed count too
    unlearned: tuple[str, ...] = ()  # absolute directories (NFC) with learn = false; a link's target beside the link
    learned: tuple[str, ...] = ()  # absolute directories with learn = true: they win inside a wider unlearned one
    globs: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)  # (agent, root) → `exclude`

    def bar(self, facts: SessionFacts) -> Excluded | None:
        """The reason why a session is out whatever was said in it, or None."""
        if facts.forgotten:
            return Excluded.FORGOTTEN
        if facts.own:
            return Excluded.OWN
        if any(self.unlearnt(place) for place in facts.places):
            return Excluded.PROJECT
        if self.globbed(facts):
            return Excluded.GLOB
        return None

    def unlearnt(self, place: str) -> bool:
        """True where the nearest rule about a directory says learn = false."""
        place = unicodedata.normalize("NFC", place)
        nearest = max((len(rule) for rule in self.unlearned if _under(place, rule)), default=-1)
        return nearest > max((len(rule) for rule in self.learned if _under(place, rule)), default=-1)

    def globbed(self, facts: SessionFacts) -> bool:
        """True where a glob of the source names the session, its folder below the root, or its working directory."""
        globs = self.globs.get((facts.agent, facts.root), ())
        if not globs:
            return False
        names = {facts.native_id, *facts.places}
        folder = PurePath(facts.path).parent
        if folder.is_relative_to(facts.root):
            below = folder.relative_to(facts.root).parts
            names.update("/".join(below[: depth + 1]) for depth in range(len(below)))
        names.add(str(folder))
        return any(fnmatchcase(name, glob) for name in names for glob in globs)

    def digest(self) -> str:
        """Changes when the rules do: then every session is judged anew."""
        said = [
            self.headless,
            self.unlearned,
            self.learned,
            sorted((*key, *globs) for key, globs in self.globs.items()),
        ]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def _under(place: str, rule: str) -> bool:
    place, rule = folded(mounted(place)), folded(rule)
    return place == rule or place.startswith(rule.rstrip("/") + "/")
