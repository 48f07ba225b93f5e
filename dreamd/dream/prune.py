"""The fourth pass: wishes become a plan that fits the caps; what is stale or too much leaves for its topic file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

from dreamd.dream.orient import Orientation
from dreamd.dream.workshop import Workshop
from dreamd.memory.arrange import arrange
from dreamd.memory.document import count_lines
from dreamd.memory.draft import Draft, draft
from dreamd.memory.layout import MEMORY, MEMORY_SECTIONS, POINTER
from dreamd.memory.plan import Carry, EntryRecord, Plan
from dreamd.memory.survey import Survey
from dreamd.memory.tree import Tree
from dreamd.memory.wish import Caps, Ground, Place, Wish

#: Where a person's own lines go that stand below what readers load.
FROM_MEMORY = "patterns/from-memory.md"
_TRIES = 12
_LINK = re.compile(r"\(<?((?:projects|patterns|people)/[^)>]+\.md)>?\)|((?:projects|patterns|people)/[^\s)`*]+\.md)")


def prune(shop: Workshop, ground: Orientation, wishes: Sequence[Wish], run_id: str) -> tuple[Plan, Draft]:
    """The plan and its draft. Tightens the room it gives until the draft itself keeps within the caps.

    A person's own lines are moved, word for word, only where nothing of dreamd's is left to give way.
    """
    places = _places(shop)
    carries: tuple[Carry, ...] = ()
    caps = shop.caps
    for _ in range(_TRIES):
        plan, made = _planned(shop, ground, wishes, places, carries, caps, run_id)
        over_lines, over_bytes = _over(made, ground.tree, shop.caps)
        if over_lines <= 0 and over_bytes <= 0:
            break
        movable = any(r.file == MEMORY and r.kind != POINTER for r in plan.kept)
        if movable and caps.max_lines - over_lines > 0:
            caps = replace(
                caps, max_lines=caps.max_lines - max(over_lines, 0), max_bytes=caps.max_bytes - max(over_bytes, 0)
            )
        else:
            carries = _carry(ground.survey, carries, over_lines, over_bytes)
    return plan, made


def _planned(
    shop: Workshop,
    ground: Orientation,
    wishes: Sequence[Wish],
    places: dict[str, Place],
    carries: tuple[Carry, ...],
    caps: Caps,
    run_id: str,
) -> tuple[Plan, Draft]:
    made = arrange(wishes, places, _ground(ground.tree, ground.survey, carries), caps, shop.clock.now(), shop.zone)
    plan = Plan(
        run_id=run_id,
        base=ground.survey.snapshot.commit,
        tree_digest=ground.tree.digest,
        changes=made.changes,
        kept=(*made.kept, *ground.knowledge.retired),
        heads=made.heads,
        section_order=MEMORY_SECTIONS,
        sessions=tuple(one.session.name for one in ground.chosen),
        carries=carries,
        notes=(f"own_lines_moved={len(carries)}",) if carries else (),
    )
    return plan, draft(ground.tree, ground.survey, plan)


def _over(made: Draft, tree: Tree, caps: Caps) -> tuple[int, int]:
    """By how many lines and bytes MEMORY.md would be over."""
    old = tree.files.get(MEMORY)
    data = made.files.get(MEMORY, old.data if old else b"")
    return count_lines(data.decode("utf-8", "replace")) - caps.max_lines, len(data) - caps.max_bytes


def _carry(survey: Survey, carries: tuple[Carry, ...], over_lines: int, over_bytes: int) -> tuple[Carry, ...]:
    """The person's lowest entries of MEMORY.md: the ones that readers would cut anyway."""
    moved = {(carry.key, carry.occurrence) for carry in carries}
    lowest = sorted((one for one in survey.theirs if one.file == MEMORY), key=lambda one: -one.line)
    more: list[Carry] = []
    for one in lowest:
        if (one.key, one.occurrence) in moved:
            continue
        if over_lines <= 0 and over_bytes <= 0:
            break
        over_lines -= 1 + one.text.count("\n")
        over_bytes -= len(one.text.encode()) + 3
        more.append(Carry(key=one.key, file=MEMORY, to_file=FROM_MEMORY, to_section="", occurrence=one.occurrence))
    return (*carries, *reversed(more))


def _ground(tree: Tree, survey: Survey, carries: tuple[Carry, ...]) -> Ground:
    lines: dict[str, int] = {}
    sizes: dict[str, int] = {}
    mine = [(one.file, one.block.raw) for one in survey.mine]
    for path, file in tree.files.items():
        own = [raw for where, raw in mine if where == path]
        lines[path] = count_lines(file.text) - sum(raw.count("\n") or 1 for raw in own)
        sizes[path] = len(file.data) - sum(len(raw.encode()) for raw in own)
    topics = {one.file for one in survey.theirs if one.file != MEMORY} | {carry.to_file for carry in carries}
    pointed = {
        unquote(match[1] or match[2])
        for one in survey.theirs
        if one.file == MEMORY
        for match in _LINK.finditer(one.text)
    }
    return Ground(lines, sizes, frozenset(pointed), frozenset(topics))


def _places(shop: Workshop) -> dict[str, Place]:
    found = {}
    for project in shop.projects.list():
        file = f"projects/{project.stem}.md"
        rule = shop.rule_for(project.root)
        found[file] = Place(
            file, project.name or project.stem, shop.short(project.root), isolated=bool(rule and rule.isolate)
        )
    found["patterns/preferences.md"] = Place("patterns/preferences.md", "preferences")
    found[FROM_MEMORY] = Place(FROM_MEMORY, "from memory")
    return found


def standing(plan: Plan) -> tuple[EntryRecord, ...]:
    """The entries a plan leaves standing, without tombstones and pointers."""
    return tuple(record for record in plan.kept if record.retired_at is None and record.kind != POINTER)
