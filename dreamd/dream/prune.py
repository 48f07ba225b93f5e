"""The fourth pass: wishes become a plan that fits the caps; what is stale or too much leaves for its topic file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from dreamd.dream.orient import Orientation
from dreamd.dream.workshop import Workshop
from dreamd.memory.arrange import arrange, gives_way
from dreamd.memory.document import count_lines, is_one_piece, parse
from dreamd.memory.draft import Draft, draft
from dreamd.memory.layout import FROM_MEMORY, MEMORY, MEMORY_SECTIONS, POINTER
from dreamd.memory.overflow import Moving, bare_heads, carried_heads, carries, ground_of, longer
from dreamd.memory.plan import Carry, ChangeKind, EntryRecord, Plan, Reason, TopicHead
from dreamd.memory.tree import Protection
from dreamd.memory.wish import Caps, Excess, Ground, Place, Wish

_TRIES = 40  # each brings at least one file nearer to its caps; three or four are usual


@dataclass(slots=True)
class _Pressure:
    """What has to leave which file so that all keep within their caps, found out try by try."""

    closed: frozenset[str]
    excess: dict[str, Excess] = field(default_factory=dict)  # of dreamd's entries
    moving: Moving = field(default_factory=Moving)  # of the person's
    vain: set[str] = field(default_factory=set)  # entries whose change cannot be made

    def rise(self, file: str, over: Excess, ground: Orientation, kept: Sequence[EntryRecord]) -> None:
        """Something more leaves a file: dreamd's entries, then the person's lines word for word, then pinned entries.

        Where none of these helps (a file of headings and comments), it stays as it is and nothing is put into it any more.
        """
        moving = longer(self.moving, file, over, ground.tree, ground.survey)
        if any(one.file == file and gives_way(one) for one in kept):
            self._leave(file, over)
        elif moving != self.moving:
            self.moving = moving
        elif any(one.file == file for one in kept) and file not in self.closed:
            self._leave(file, over)
        else:
            self.closed |= {file}
            self.moving = self.moving.without(file)
            self.excess.pop(file, None)

    def _leave(self, file: str, over: Excess) -> None:
        before = self.excess.get(file, Excess())
        self.excess[file] = Excess(before.lines + max(over.lines, 0), before.bytes + max(over.bytes, 0))


def prune(
    shop: Workshop, ground: Orientation, wishes: Sequence[Wish], run_id: str, *, aging: bool = True
) -> tuple[Plan, Draft]:
    """The plan and its draft. Takes out of each file what the draft itself shows to be too much, until all keep within their caps.

    A person's own lines are moved, word for word, only where nothing of dreamd's is left to give way. `aging`: what is stale
    leaves; not where a person asked for something else, which must not be refused for the sake of that.
    """
    places = _places(shop)
    caps = shop.caps if aging else replace(shop.caps, stale_after=dt.timedelta.max)
    pressure = _Pressure(frozenset(path for path, file in ground.tree.files.items() if file.protected))
    for _ in range(_TRIES):
        plan, made = _planned(shop, ground, wishes, places, pressure, run_id, caps)
        if vain := _in_vain(plan, made) - pressure.vain:
            pressure.vain |= vain
            wishes = _without(wishes, vain, ground)
            continue
        over = _over(shop, ground, made, pressure.closed)
        if not over:
            break
        for file, much in over.items():
            pressure.rise(file, much, ground, standing(plan))
    return replace(plan, evidence=_evidence(shop, plan)), made


def _evidence(shop: Workshop, plan: Plan) -> tuple[tuple[str, str], ...]:
    """Which session each finding of the changes comes from: known from history too, should the database be lost."""
    found = shop.findings.get({finding for change in plan.changes for finding in change.findings})
    names = {one.row: one.name for one in shop.sessions.by_rows({finding.session for finding in found})}
    return tuple(sorted((one.id, names[one.session]) for one in found if one.session in names))


def _in_vain(plan: Plan, made: Draft) -> set[str]:
    """Entries whose new words the draft could not lay down. What is to go and cannot is for the caller to tell."""
    skipped = {one.change for one in made.skipped}
    kinds = {ChangeKind.ADD, ChangeKind.MERGE, ChangeKind.SUPERSEDE}
    return {
        one.entry
        for one in plan.changes
        if one.id in skipped and one.kind in kinds and one.reason is not Reason.POINTER
    }


def _without(wishes: Sequence[Wish], vain: set[str], ground: Orientation) -> list[Wish]:
    """Entries whose change cannot be made stand as they stood: no pointer may tell of what does not come about."""
    known = {record.id: record for record in ground.knowledge.records}
    return [
        Wish(known[wish.record.id]) if wish.record.id in vain else wish
        for wish in wishes
        if wish.record.id not in vain or wish.record.id in known
    ]


def _planned(
    shop: Workshop,
    ground: Orientation,
    wishes: Sequence[Wish],
    places: dict[str, Place],
    pressure: _Pressure,
    run_id: str,
    caps: Caps,
) -> tuple[Plan, Draft]:
    carried = carries(pressure.moving, ground.tree, ground.survey, caps, pressure.closed)
    under = _told(shop, ground_of(ground.tree, ground.survey, carried, pressure.closed))
    made = arrange(wishes, places, under, caps, shop.clock.now(), shop.zone, pressure.excess)
    plan = Plan(
        run_id=run_id,
        base=ground.survey.snapshot.commit,
        tree_digest=ground.tree.digest,
        changes=made.changes,
        kept=(*made.kept, *ground.knowledge.retired),
        heads=_heads(made.heads, carried_heads(carried, ground.tree, shop.zone), ground),
        section_order=MEMORY_SECTIONS,
        sessions=tuple(one.session.name for one in ground.chosen),
        carries=carried,
        notes=tuple(_notes(ground, carried, pressure.closed)),
    )
    return plan, draft(ground.tree, ground.survey, plan)


def _heads(own: Sequence[TopicHead], carried: Sequence[TopicHead], ground: Orientation) -> tuple[TopicHead, ...]:
    filled = {head.file for head in own}
    others = (*carried, *bare_heads(ground.tree, ground.survey, filled))
    return (*own, *(head for head in others if head.file not in filled))


def _told(shop: Workshop, under: Ground) -> Ground:
    """Without descriptions that hold a secret: what a person keeps in a file of theirs is not repeated elsewhere."""
    about = {file: text for file, text in under.about.items() if not shop.redactor.has_secret(text)}
    return replace(under, about=about)


def _notes(ground: Orientation, carried: Sequence[Carry], closed: frozenset[str]) -> Iterator[str]:
    if carried:
        yield f"own_lines_moved={_lines_moved(ground, carried)}"
    foreign = sum(1 for file in ground.tree.files.values() if file.note is Protection.UNDECODABLE)
    if foreign:
        yield f"files_not_utf8={foreign}"
    stuck = sum(1 for file in closed if file in ground.tree.files and not ground.tree.files[file].protected)
    if stuck:  # nothing in them can be moved: headings, comments
        yield f"files_too_long={stuck}"


def _lines_moved(ground: Orientation, carried: Sequence[Carry]) -> int:
    places = {(carry.file, carry.key, carry.occurrence) for carry in carried}
    moved = [one for one in ground.survey.theirs if (one.file, one.key, one.occurrence) in places]
    return sum(count_lines(one.block.raw) for one in moved)


def _over(shop: Workshop, ground: Orientation, made: Draft, closed: frozenset[str]) -> dict[str, Excess]:
    """By how much each file would be over its caps; of the files that nothing can be put into, none."""
    over = {}
    for path in sorted({*ground.tree.files, *made.files} - set(made.removed) - closed):
        old = ground.tree.files.get(path)
        data = made.files.get(path, old.data if old else b"")
        text = data.decode("utf-8", "replace")
        lines = count_lines(text) - (shop.caps.max_lines if path == MEMORY else shop.caps.topic_max_lines)
        size = len(data) - shop.caps.max_bytes if path == MEMORY else 0
        if (lines > 0 or size > 0) and (path == MEMORY or not is_one_piece(parse(text))):
            over[path] = Excess(lines, size)
    return over


def _places(shop: Workshop) -> dict[str, Place]:
    found = {}
    for project in shop.projects.list():
        file = f"projects/{project.stem}.md"
        isolated = shop.keeps_to_itself(project)
        found[file] = Place(file, project.name or project.stem, shop.short(project.root), isolated=isolated)
    found["patterns/preferences.md"] = Place("patterns/preferences.md", "preferences")
    found[FROM_MEMORY] = Place(FROM_MEMORY, "from memory")
    return found


def standing(plan: Plan) -> tuple[EntryRecord, ...]:
    """The entries a plan leaves standing, without tombstones and pointers."""
    return tuple(record for record in plan.kept if record.retired_at is None and record.kind != POINTER)
