"""Which project a directory is, and which topic files are its own."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dreamd.config import expand
from dreamd.memory.front import front_values
from dreamd.memory.tree import managed_path
from dreamd.project_rules import rule_for, ruled_directory
from dreamd.search.past import Past, ProjectDoc
from dreamd.settings import Project
from dreamd.state.stem import slug
from dreamd.transcripts.project import ProjectRef, locate

_HEAD = 4_096  # bytes of a topic file that its front matter is looked for in


@dataclass(frozen=True, slots=True)
class Here:
    """A directory with the project around it. `known`: sessions of it were seen."""

    directory: str
    keys: tuple[str, ...]  # every key the project may have in the index, the likeliest first
    name: str
    root: str
    files: tuple[str, ...]  # its topic files under the memory root that exist, the first part first
    known: bool
    within: tuple[str, ...] = ()  # the directories whose rules hold here: itself and the project's main checkout


def here(directory: Path, memory_root: Path, past: Past, rules: Sequence[Project]) -> Here:
    """Never fails: a directory nobody has seen is a project without files.

    Args:
        directory: need not exist; links are followed, as agents do.
        memory_root: where topic files lie.
        past: what the index knows.
        rules: the configuration's `[[projects]]`.
    """
    place = os.path.realpath(expand(str(directory)))
    ref, projects = locate(place), past.projects()
    project = _ruled(projects, rules, place) or _known(projects, ref, past.project_of(place))
    if project is None:
        stem, name, root = _guess(ref, memory_root, projects), ref.name, ref.root
    else:
        stem, name, root = project.stem, project.name, project.root
    keys = dict.fromkeys(filter(None, (project.key if project else "", ref.key, ref.root)))
    return Here(
        directory=place,
        keys=tuple(keys),
        name=name,
        root=root,
        files=_parts(memory_root, stem),
        known=project is not None,
        within=tuple(dict.fromkeys((place, ref.root, root))),
    )


def _ruled(projects: Sequence[ProjectDoc], rules: Sequence[Project], place: str) -> ProjectDoc | None:
    """The project that a rule which keeps things to itself has made of a directory inside another one."""
    rule = rule_for(rules, place)
    if rule is None or not rule.keeps_to_itself:
        return None
    root = ruled_directory(rule, place)
    return next((one for one in projects if one.root == root), None)


def _known(projects: Sequence[ProjectDoc], ref: ProjectRef, told: str | None) -> ProjectDoc | None:
    """By key, else by root, else by what sessions that began in this directory belonged to."""
    by_key = {one.key: one for one in projects}
    by_root = {one.root: one for one in reversed(projects) if one.root}
    return by_key.get(ref.key) or by_root.get(ref.root) or by_key.get(told or "")


def _guess(ref: ProjectRef, memory_root: Path, projects: Sequence[ProjectDoc]) -> str:
    """The stem that the project would have, where its file says that it is this project's: names are not unique."""
    plain = slug(Path(ref.root).name or ref.name)
    digest = hashlib.sha256(ref.key.encode()).hexdigest()
    taken = {one.stem for one in projects}
    for length in (0, 6, 12):
        stem = f"{plain}-{digest[:length]}" if length else plain
        if stem not in taken and _is_about(memory_root / "projects" / f"{stem}.md", ref.root, sure=length > 0):
            return stem
    return ""


def _is_about(file: Path, root: str, *, sure: bool) -> bool:
    try:
        with file.open("rb") as opened:
            text = opened.read(_HEAD).decode("utf-8", "replace")
    except OSError:
        return False
    head, mark, _ = text.partition("\n---")
    about = front_values(f"{head}{mark}").get("description", "") if head.startswith("---") and mark else ""
    named = about.partition(";")[0].strip()
    return sure or (bool(named) and expand(named) == Path(root))


def _parts(memory_root: Path, stem: str) -> tuple[str, ...]:
    """The files of a topic that exist: projects/api.md, projects/api~2.md and so on."""
    if not stem or not managed_path(f"projects/{stem}.md"):
        return ()
    found = [f"projects/{stem}.md"]
    number = 2
    while (memory_root / f"projects/{stem}~{number}.md").is_file():
        found.append(f"projects/{stem}~{number}.md")
        number += 1
    return tuple(one for one in found if (memory_root / one).is_file())
