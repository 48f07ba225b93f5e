"""What a dream must never do, checked on its draft before anything is written."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from dreamd.errors import Refused
from dreamd.memory.document import Block, BlockKind, Document, count_lines, entry_key, is_one_piece, parse
from dreamd.memory.draft import Draft
from dreamd.memory.front import front_values
from dreamd.memory.plan import TAKES_BACK, Change, ChangeKind, EntryRecord, Plan, Reason
from dreamd.memory.survey import Survey
from dreamd.memory.tree import INDEX, Tree, managed_path, matches

_FEW = 4  # so many entries must be lost before the share counts (CONTRACT.md, [guards] max_loss)
_EVIDENCED = {ChangeKind.ADD, ChangeKind.MERGE, ChangeKind.SUPERSEDE}
_ASKED_FOR = {Reason.UNDONE, Reason.FORGOTTEN}  # a person's own command takes away as much as it says
_OWN_KEYS = {"name", "description", "modified", "metadata", "metadata.type"}
POINTER = "pointer"


class GuardReason(StrEnum):
    """Why a guard refuses. Closed; README documents each."""

    LOSS = "loss"  # more of dreamd's entries go without a successor than max_loss allows
    EMPTIED = "emptied"  # a file that had entries has none
    UNEXPLAINED = "unexplained"  # an entry comes or goes that no change of the plan is about
    CAPS = "caps"  # longer than max_lines, max_bytes or topic_max_lines
    PATH = "path"  # not MEMORY.md or projects|patterns|people/<safe name>.md, or through a link
    PROTECTED = "protected"
    SECRET = "secret"  # noqa: S105 - a reason's name
    EVIDENCE = "evidence"  # an entry that cites no finding
    OWN_LINES = "own_lines"  # a person's words would change or go


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """The configuration's numbers."""

    max_lines: int = 200
    max_bytes: int = 25_000
    topic_max_lines: int = 200
    max_loss: float = 0.25
    protect: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Violation:
    """One refusal: where and how many, none of the memory's words."""

    reason: GuardReason
    file: str = ""
    count: int = 0


def check(
    tree: Tree,
    survey: Survey,
    plan: Plan,
    draft: Draft,
    limits: GuardLimits,
    find_secret: Callable[[str], bool],
) -> tuple[Violation, ...]:
    """Everything about a draft that must not be written; none means that it may.

    Each guard judges the draft's bytes against the tree's, not what the plan says of itself. Files that the plan
    restores byte for byte (undo) may be over the caps and hold what they held.
    """
    work = _Work(tree, survey, plan, draft)
    return (
        *_loss(work, limits),
        *_emptied(work),
        *_unexplained(work),
        *_caps(work, limits),
        *_path(work),
        *_protected(work, limits),
        *_secret(work, find_secret),
        *_evidence(work),
        *_own_lines(work),
    )


def refuse(violations: tuple[Violation, ...]) -> None:
    """Raise Refused with the reasons where there is any violation."""
    if violations:
        reasons = tuple(sorted({violation.reason.value for violation in violations}))
        raise Refused(
            f"the guards refused what the dream would write: {', '.join(reasons)}",
            hint="memory is as it was; `dreamd runs show` has the numbers, [guards] the limits",
            reasons=reasons,
        )


@dataclass(frozen=True, slots=True)
class _Work:
    """What the guards look at."""

    tree: Tree
    survey: Survey
    plan: Plan
    draft: Draft

    @property
    def restored(self) -> frozenset[str]:
        return frozenset(restore.file for restore in self.plan.restores)

    @property
    def touched(self) -> tuple[str, ...]:
        return tuple(sorted({*self.draft.files, *self.draft.removed}))

    def old(self, path: str) -> Document:
        return self.tree.document(path)

    def new(self, path: str) -> Document:
        if path in self.draft.removed:
            return parse("")
        data = self.draft.files.get(path)
        return parse(data.decode(errors="replace")) if data is not None else self.old(path)

    def changes_in(self, path: str) -> tuple[Change, ...]:
        return tuple(change for change in self.plan.changes if path in {change.file, change.from_file})


def _loss(work: _Work, limits: GuardLimits) -> Iterator[Violation]:
    after = tuple(record for record in work.draft.entries if record.retired_at is None)
    standing = {record.id for record in after}
    asked = {change.entry for change in work.plan.changes if change.reason in _ASKED_FOR}
    before = [one.record for one in work.survey.mine if one.record.kind != POINTER]
    lost = [
        record
        for record in before
        if record.id not in standing and record.id not in asked and not _has_successor(record, after)
    ]
    if len(lost) >= _FEW and len(lost) > limits.max_loss * len(before):
        yield Violation(GuardReason.LOSS, count=len(lost))


def _has_successor(record: EntryRecord, standing: tuple[EntryRecord, ...]) -> bool:
    """Whether another entry took over what it says: its evidence or its words, or the newer value of its slot."""
    return any(
        (record.findings and set(record.findings) & set(other.findings))
        or other.key == record.key
        or (
            record.slot
            and (other.slot, other.scope, other.project_key) == (record.slot, record.scope, record.project_key)
        )
        for other in standing
    )


def _emptied(work: _Work) -> Iterator[Violation]:
    for path in work.touched:
        had = len(work.old(path).entries)
        if not had or work.new(path).entries or path in work.restored:
            continue
        made = path in work.survey.made.files and path in work.draft.removed
        # Pointers go with their topic files, which the guards judge themselves.
        asked = [change for change in work.changes_in(path) if change.reason in {*_ASKED_FOR, Reason.POINTER}]
        carried = [carry for carry in work.plan.carries if carry.file == path]
        if not made and len(asked) + len(carried) < had:
            yield Violation(GuardReason.EMPTIED, path, had)


def _unexplained(work: _Work) -> Iterator[Violation]:
    known = {one.record.id: one.block.key for one in work.survey.mine}
    leaving: set[str] = {known[change.entry] for change in work.plan.changes if change.entry in known}
    coming: set[str] = {entry_key(change.new) for change in work.plan.changes if change.new is not None}
    coming |= {known[c.entry] for c in work.plan.changes if c.kind is ChangeKind.MOVE and c.entry in known}
    carried = {carry.key for carry in work.plan.carries}
    for path in work.touched:
        if path in work.restored:
            continue
        old, new = (Counter(block.key for block in doc.entries) for doc in (work.old(path), work.new(path)))
        gone = sum(count for key, count in (old - new).items() if key not in leaving | carried)
        come = sum(count for key, count in (new - old).items() if key not in coming | carried)
        if gone or come:
            yield Violation(GuardReason.UNEXPLAINED, path, gone + come)


def _caps(work: _Work, limits: GuardLimits) -> Iterator[Violation]:
    """No file grows over its caps by dreamd's doing; one long entry cannot be divided.

    What a person made longer since the last dream, and what an undo puts back, may be too much: the next dream sees to it.
    """
    if TAKES_BACK in work.plan.notes:
        return
    for path, data in sorted(work.draft.files.items()):
        lines, most = count_lines(data.decode(errors="replace")), limits.topic_max_lines
        if path == INDEX:
            most = limits.max_lines
            if len(data) > limits.max_bytes + _by_hand(work, path, len):
                yield Violation(GuardReason.CAPS, path, len(data))
                continue
        elif is_one_piece(work.new(path)):
            continue
        if lines > most + _by_hand(work, path, lambda raw: count_lines(raw.decode(errors="replace"))):
            yield Violation(GuardReason.CAPS, path, lines)


def _by_hand(work: _Work, path: str, measure: Callable[[bytes], int]) -> int:
    """How much longer a person made a file since the last dream: an accepted plan knew nothing of it."""
    file = work.tree.files.get(path)
    return max(measure(file.data) - measure(work.survey.snapshot.files.get(path, b"")), 0) if file else 0


def _path(work: _Work) -> Iterator[Violation]:
    for path in sorted(work.draft.files):
        place = work.tree.root / path
        if path in work.tree.files:
            continue
        if not managed_path(path) or os.path.lexists(place) or ("/" in path and place.parent.is_symlink()):
            yield Violation(GuardReason.PATH, path)
    may_go = work.survey.made.files | work.restored
    for path in work.draft.removed:
        if path not in may_go or path not in work.tree.files or work.tree.files[path].link:
            yield Violation(GuardReason.PATH, path)


def _protected(work: _Work, limits: GuardLimits) -> Iterator[Violation]:
    for path in work.touched:
        file = work.tree.files.get(path)
        if (file is not None and file.protected) or matches(path, limits.protect):
            yield Violation(GuardReason.PROTECTED, path)


def _secret(work: _Work, find_secret: Callable[[str], bool]) -> Iterator[Violation]:
    """Only lines that stood nowhere before are looked at: what a person keeps there is theirs."""
    known = {line for path in work.tree.files for line in work.tree.text(path).splitlines()}
    for path, data in sorted(work.draft.files.items()):
        if path in work.restored:
            continue
        fresh = [line for line in data.decode(errors="replace").splitlines() if line not in known]
        if fresh and find_secret("\n".join(fresh)):
            yield Violation(GuardReason.SECRET, path)


def _evidence(work: _Work) -> Iterator[Violation]:
    applied = set(work.draft.applied)
    bare = [
        change
        for change in work.plan.changes
        if change.id in applied
        and change.kind in _EVIDENCED
        and change.reason not in {Reason.POINTER, Reason.PINNED, *_ASKED_FOR}
        and not (change.record is not None and (change.record.kind == POINTER or change.record.pinned))
        and not change.findings
    ]
    if bare:
        yield Violation(GuardReason.EVIDENCE, count=len(bare))


def _own_lines(work: _Work) -> Iterator[Violation]:
    """Every block of a person's is still there, word for word: in its file, or where the plan carries it."""
    everywhere = Counter(
        _words(block)
        for path in {*work.tree.files, *work.draft.files} - set(work.draft.removed)
        for block in work.new(path).blocks
        if block.kind is BlockKind.ENTRY
    )
    missing = Counter(_words(one.block) for one in work.survey.theirs) - everywhere
    if missing:
        yield Violation(GuardReason.OWN_LINES, count=sum(missing.values()))
    carried = {(carry.file, carry.key) for carry in work.plan.carries}
    for path in work.touched:
        if path in work.restored:
            continue
        lost = _lost_here(work, path, carried)
        if lost:
            yield Violation(GuardReason.OWN_LINES, path, lost)


def _lost_here(work: _Work, path: str, carried: set[tuple[str, str]]) -> int:
    """How many of a person's blocks and front matter values are no longer in their file."""
    mine = {one.block.line for one in work.survey.mine if one.file == path}
    made = {title for file, title in work.survey.made.headings if file == path}
    leaving = {block.section for block in work.old(path).entries if (path, block.key) in carried}
    own = Counter(
        _words(block)
        for block in work.old(path).blocks
        if (block.kind is BlockKind.ENTRY and block.line not in mine and (path, block.key) not in carried)
        or (block.kind is BlockKind.HEADING and block.text not in made | leaving)
        or block.kind is BlockKind.OTHER
    )
    lost = sum((own - Counter(_words(block) for block in work.new(path).blocks)).values())
    old, new = front_values(work.old(path).front), front_values(work.new(path).front)
    return lost + sum(1 for key, value in old.items() if key not in _OWN_KEYS and new.get(key) != value)


def _words(block: Block) -> str:
    return block.raw.rstrip("\r\n")
