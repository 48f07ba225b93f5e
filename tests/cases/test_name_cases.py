"""Public bug reports about names that a model makes up; each test bears its case's id."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from cases.test_kept_and_found_cases import Scripted
from dreamd.engines.protocol import Scope
from dreamd.memory.tree import FOLDERS, managed_path
from dreamd.state.run_record import Outcome
from shared_material import shared
from world import World

#: Beside those of the report: NUL, control characters, names that differ by case or form alone, names of devices, and the index.
FURTHER = (
    "a\0b",
    "x\ny.md",
    "Testing",
    "testing",
    "caf\u00e9",
    "cafe\u0301",
    "nul",
    "COM1",
    "MEMORY.md",
    "../MEMORY",
    "\u202egnp.md",
    ".git/config",
)


def names() -> list[str]:
    """The report's 22, then ours."""
    return [*shared("cases", "SEC-05", "names.txt").read_text(encoding="utf-8").split("\n")[:22], *FURTHER]


def everything(home: Path, *but: Path) -> dict[str, str]:
    """Every file of a home with its digest, without what is dreamd's to write."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file() and not any(path.is_relative_to(one) for one in but)
    }


@pytest.mark.parametrize("scope", [Scope.PATTERN, Scope.PERSON])
def test_sec_05_no_name_of_a_models_leads_out_of_the_memory(world: World, scope: Scope) -> None:
    world.root.mkdir(parents=True)
    (world.home / "CLAUDE.md").write_text("mine\n")
    world.say("Write down what you learned.")
    before, places = everything(world.home, world.root, world.state), set[str]()
    for number, name in enumerate(names()):
        world.engine = Scripted(f"Lesson number {number} about the harbour crane.", scope=scope, subject=name)
        world.say(f"And lesson {number} too.", session=number + 2)
        world.later(hours=2)
        assert world.kick().outcome is Outcome.COMMITTED, name
        before |= {
            key: value
            for key, value in everything(world.home, world.root, world.state).items()
            if key.endswith(".jsonl")
        }
    assert everything(world.home, world.root, world.state) == before
    for path in world.tree():
        assert managed_path(path), path
        places.add(path.casefold())
    assert len(places) == len(world.tree()), "two names that a case-blind disk takes for one"
    folder = FOLDERS[2] if scope is Scope.PERSON else FOLDERS[1]
    assert {f"{folder}/ok_plain.md", f"{folder}/ok_with-dash.md"} <= set(world.tree())
    assert world.text().count("harbour crane") >= len(names())


@pytest.mark.parametrize("where", ["folder", "file"])
def test_sec_05_a_link_inside_the_tree_leads_no_new_file_out(world: World, tmp_path: Path, where: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    world.root.mkdir(parents=True)
    if where == "folder":
        (world.root / "patterns").symlink_to(outside)
    else:
        (world.root / "patterns").mkdir()
        (world.root / "patterns" / "cranes.md").symlink_to(outside / "cranes.md")
    world.say("Write down what you learned.")
    world.engine = Scripted("The harbour crane needs two people.", scope=Scope.PATTERN, subject="cranes")
    world.kick()
    assert list(outside.iterdir()) == []
    shutil.rmtree(outside)
