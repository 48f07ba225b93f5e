"""What the `[[projects]]` rules say of a directory."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from dreamd.config import expand
from dreamd.drives import folded, mounted
from dreamd.settings import Project


def rule_for(rules: Sequence[Project], directory: str | None) -> Project | None:
    """The `[[projects]]` rule that holds for a directory: the one with the longest path above it."""
    holding = [rule for rule in rules if directory and _holds(rule, directory)]
    return max(holding, key=lambda rule: len(str(expand(rule.path))), default=None)


def rules_over(rules: Sequence[Project], *directories: str | None) -> tuple[Project, ...]:
    """The rules that hold for any of these: a session belongs to where it began and to its project's main checkout."""
    return tuple(rule for one in directories if (rule := rule_for(rules, one)) is not None)


def ruled_directory(rule: Project, directory: str) -> str:
    """The topmost directory above `directory`, or itself, that the rule is about."""
    here = PurePosixPath(directory)
    return next((str(one) for one in [*reversed(here.parents), here] if _holds(rule, str(one))), directory)


def any_keeps(rules: Iterable[Project]) -> bool:
    """Whether any rule holds something back from somebody."""
    return any(rule.keeps_to_itself or not rule.learn for rule in rules)


def _holds(rule: Project, directory: str) -> bool:
    here, path = folded(mounted(directory)), folded(str(expand(rule.path)))
    return here == path or here.startswith(path.rstrip("/") + "/") or fnmatch.fnmatch(here, path)
