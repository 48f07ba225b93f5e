"""Where the places of another machine lie on this one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import TypeAlias

from dreamd.moving.bundle import About

#: (old place, new place), both absolute.
Move: TypeAlias = tuple[str, str]


def moves(about: About, here: Sequence[tuple[str, str]], home: str) -> list[Move]:
    """How paths change: transcripts to the places that this machine's configuration names, everything else with the home.

    `here`: (agent, root) of this machine. A place whose agent is not read here moves with the home.
    """
    with_home = [(about.home, home)] if about.home != home else []
    found = [(old, _place(agent, old, about.home, home, here)) for agent, old in about.sources]
    return [move for move in dict.fromkeys([*found, *with_home]) if move[0] != move[1]]


def _place(agent: str, old: str, old_home: str, home: str, here: Sequence[tuple[str, str]]) -> str:
    """The same path below the new home if that is read here, else the agent's only place, else one of the same name."""
    theirs = [root for one, root in here if one == agent]
    same = home + old[len(old_home) :] if old == old_home or old.startswith(f"{old_home}/") else old
    named = [root for root in theirs if PurePath(root).name == PurePath(old).name]
    if same in theirs:
        return same
    for choice in (theirs, named):
        if len(choice) == 1:
            return choice[0]
    return same
