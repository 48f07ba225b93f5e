"""Where transcripts are read: the places of the configuration, or every place where an agent keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dreamd.config import Loaded, default_sources, expand, may_be_missing


@dataclass(frozen=True, slots=True)
class Source:
    """Where one agent's transcripts lie; `exclude` are globs on project directory or session id.

    `expected`: it is a problem where the directory is missing.
    """

    agent: str
    root: Path
    exclude: tuple[str, ...] = ()
    expected: bool = True

    @property
    def to_come(self) -> bool:
        """Whether there is nothing yet, and nothing wrong with that."""
        return not self.expected and not self.root.is_dir()


def sources(loaded: Loaded) -> list[Source]:
    """Where transcripts are read: the configuration's list, or every place where an agent keeps them, also one to come."""
    if loaded.config.sources:
        return [_source(one.agent, expand(one.root), tuple(one.exclude)) for one in loaded.config.sources]
    places = default_sources()
    nowhere = not any(root.is_dir() for _, root in places)  # then the first is missed
    return [Source(agent, root, expected=nowhere and place == 0) for place, (agent, root) in enumerate(places)]


def _source(agent: str, root: Path, exclude: tuple[str, ...] = ()) -> Source:
    return Source(agent, root, exclude, expected=not may_be_missing(agent, root))
