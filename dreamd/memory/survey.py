"""Who owns what in the memory tree: what dreamd wrote, what is a person's, what a person retired."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from dreamd.errors import Refused
from dreamd.memory.document import Block, parse
from dreamd.memory.history import Snapshot
from dreamd.memory.plan import EntryRecord, Made
from dreamd.memory.tree import Tree

_FEW = 4  # so many of dreamd's own must be gone before it counts as a loss (DESIGN.md: "and at least 4")
_ALIKE = 0.6  # share of a sentence that is still the same after a person reworded it


@dataclass(frozen=True, slots=True)
class Mine:
    """An entry that stands as a dream left it. `record` is as recorded, the rest is where it stands now."""

    record: EntryRecord
    file: str
    section: str
    block: Block

    @property
    def now(self) -> EntryRecord:
        """The record with the place where it stands now."""
        return replace(self.record, file=self.file, section=self.section, occurrence=self.block.occurrence)


@dataclass(frozen=True, slots=True)
class Theirs:
    """An entry that is the person's."""

    file: str
    section: str
    text: str
    key: str
    line: int  # 1-based
    occurrence: int
    block: Block


@dataclass(frozen=True, slots=True)
class Edited:
    """An entry of dreamd's that the person reworded: its words are theirs now."""

    record: EntryRecord
    theirs: Theirs


@dataclass(frozen=True, slots=True)
class Survey:
    """The tree against the base (history's head)."""

    snapshot: Snapshot
    mine: tuple[Mine, ...]
    theirs: tuple[Theirs, ...]
    retired: tuple[EntryRecord, ...]  # deleted by hand since the base; edited ones are not among them
    edited: tuple[Edited, ...]
    vanished: bool  # the root is missing or too much is gone at once: learn nothing from it

    @property
    def moved(self) -> tuple[Mine, ...]:
        """Those of `mine` that the person put into another file or section."""
        return tuple(one for one in self.mine if (one.file, one.section) != (one.record.file, one.record.section))

    @property
    def made(self) -> Made:
        """What dreamd itself made in the tree."""
        return self.snapshot.made

    @property
    def tombstones(self) -> tuple[EntryRecord, ...]:
        """What the person had retired before the base was made."""
        return tuple(record for record in self.snapshot.entries if record.retired_at is not None)

    def records(self) -> tuple[EntryRecord, ...]:
        """The records of `mine` with file, section and occurrence as they are now, in the order of the files."""
        return tuple(one.now for one in self.mine)

    def find(self, entry_id: str) -> Mine | None:
        """One of dreamd's entries by its id."""
        return next((one for one in self.mine if one.record.id == entry_id), None)


def survey(tree: Tree, snapshot: Snapshot, *, max_loss: float = 0.25) -> Survey:
    """Say of every entry on disk whose it is.

    An entry is dreamd's if the base knows its words in that file, or, where they are gone from there, in a file that
    did not have them before (the person moved it). Everything else is the person's. What the base knows and nobody
    finds was retired by the person.

    Args:
        tree: the files as they are.
        snapshot: the base they are compared with.
        max_loss: share of dreamd's own entries which, gone at once, is an accident and not a wish.
    """
    blocks = [(path, block) for path in sorted(tree.files) for block in tree.document(path).entries]
    claims = dict(_claims(blocks, snapshot))
    mine = [Mine(claims[at], path, block.section, block) for at, (path, block) in enumerate(blocks) if at in claims]
    theirs = [
        Theirs(path, block.section, block.text, block.key, block.line, block.occurrence, block)
        for at, (path, block) in enumerate(blocks)
        if at not in claims
    ]
    standing = {one.record.id for one in mine}
    known = standing_records(snapshot)
    gone = [record for record in known if record.id not in standing]
    edited = tuple(_edited(gone, theirs, snapshot))
    reworded = {one.record.id for one in edited}
    retired = tuple(record for record in gone if record.id not in reworded)
    lost = len(retired) >= _FEW and len(retired) > max_loss * len(known)
    return Survey(
        snapshot=snapshot,
        mine=tuple(mine),
        theirs=tuple(theirs),
        retired=retired,
        edited=edited,
        vanished=bool(known) and (tree.missing or lost),
    )


def standing_records(snapshot: Snapshot) -> tuple[EntryRecord, ...]:
    """The base's entries that stand in a file (not its tombstones)."""
    return tuple(record for record in snapshot.entries if record.retired_at is None)


def refuse_vanished(found: Survey) -> None:
    """Raise Refused(reasons=("vanished",)) where so much is gone that it cannot be a person's wish."""
    if found.vanished:
        raise Refused(
            f"{len(found.retired)} of {len(standing_records(found.snapshot))} remembered entries are gone from the memory root",
            hint="if the folder is on a disk that is not mounted, mount it; `dreamd undo` puts the entries back",
            reasons=("vanished",),
        )


_Place = tuple[str, str]  # file and key


def _claims(blocks: list[tuple[str, Block]], snapshot: Snapshot) -> Iterator[tuple[int, EntryRecord]]:
    """Which block (by its number) is which record."""
    standing: dict[_Place, list[int]] = defaultdict(list)
    for at, (path, block) in enumerate(blocks):
        if block.key:
            standing[path, block.key].append(at)
    homeless = []
    for record in sorted(standing_records(snapshot), key=lambda record: record.occurrence):
        free = standing.get((record.file, record.key), [])
        here = _nth(blocks, free, record.occurrence)
        if here is None:
            homeless.append(record)
        else:
            free.remove(here)
            yield here, record
    before = _theirs_before(snapshot)
    for record in homeless:
        moved = _moved_to(record, standing, before)
        if moved is not None:
            yield moved, record


def _nth(blocks: list[tuple[str, Block]], free: list[int], occurrence: int) -> int | None:
    """Of equal entries the one that was recorded, or else the last: what a person adds stands above or below."""
    exact = next((at for at in free if blocks[at][1].occurrence == occurrence), None)
    return exact if exact is not None else free[-1] if free else None


def _theirs_before(snapshot: Snapshot) -> Mapping[_Place, int]:
    """How often the person had the same words in each file of the base."""
    counts: dict[_Place, int] = defaultdict(int)
    for path, data in snapshot.files.items():
        for block in parse(data.decode(errors="replace")).entries:
            counts[path, block.key] += 1
    for record in standing_records(snapshot):
        counts[record.file, record.key] -= 1
    return counts


def _moved_to(record: EntryRecord, standing: dict[_Place, list[int]], before: Mapping[_Place, int]) -> int | None:
    """Where a person moved an entry to: a file that now has its words oftener than the person's own account for."""
    for (path, key), free in sorted(standing.items()):
        if key == record.key and path != record.file and len(free) > max(0, before.get((path, key), 0)):
            return free.pop()
    return None


def _edited(gone: list[EntryRecord], theirs: list[Theirs], snapshot: Snapshot) -> Iterator[Edited]:
    """Entries that are gone but stand reworded in the same file, where the base had no such words of the person's."""
    before = _theirs_before(snapshot)
    fresh: dict[str, list[Theirs]] = defaultdict(list)
    for one in theirs:
        if before.get((one.file, one.key), 0) <= 0:
            fresh[one.file].append(one)
    for record in gone:
        candidates = fresh[record.file]
        rated = [(_likeness(record.key, one.key), -at) for at, one in enumerate(candidates)]
        best = max(rated, default=(0.0, 0))
        if best[0] >= _ALIKE:
            yield Edited(record, candidates.pop(-best[1]))


def _likeness(left: str, right: str) -> float:
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0
