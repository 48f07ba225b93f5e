"""One dream taken back, entry by entry; what people and later dreams did since stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ulid import ULID

from dreamd.memory.document import parse
from dreamd.memory.history import History, Snapshot
from dreamd.memory.plan import Carry, Change, ChangeKind, EntryRecord, Made, Plan, Reason, Restore
from dreamd.memory.survey import Mine, Survey, standing_records
from dreamd.memory.tree import Tree


def undo_plan(history: History, commit_of_run: str, tree: Tree, survey: Survey, run_id: str) -> Plan:
    """The plan that reverses one dream (or an undo: that is a dream like any other).

    A file that nobody touched since takes the very bytes it had before; in every other each entry the dream added,
    changed or removed is set back, if it still stands as the dream left it.

    Args:
        history: the repository.
        commit_of_run: the dream's commit.
        tree: the files as they are.
        survey: of that tree against history's head.
        run_id: the id of the run that undoes.
    """
    after = history.at(commit_of_run)
    before = history.at(after.parents[0]) if after.parents else Snapshot()
    restores = tuple(_restores(before, after, tree))
    was = {record.id: record for record in standing_records(before)}
    became = {record.id: record for record in standing_records(after)}
    now = {one.record.id: one for one in survey.mine}
    changes = [
        change
        for entry in sorted({*was, *became})
        if (change := _reverse(was.get(entry), became.get(entry), now.get(entry))) is not None
    ]
    restored = {restore.file for restore in restores}
    carries = tuple(_carried_back(after, restored)) if after.plan else ()
    return _plan(run_id, tree, survey, changes, restores, carries, before.made)


def restore_plan(history: History, tree: Tree, survey: Survey, run_id: str) -> Plan:
    """The plan that puts back what vanished: whole files that are gone, and else every entry that is.

    For a memory root that was lost (`survey.vanished`): the person's own lines in files that are gone come back too.
    """
    head = history.head()
    retired = {record.id for record in survey.retired}
    held = {path: {one.id for one in standing_records(head) if one.file == path} for path in head.files}
    lost = [path for path in head.files if path not in tree.files and held[path] <= retired]
    restores = tuple(Restore(path, head.files[path]) for path in sorted(lost) if held[path] or tree.missing)
    changes = [_change(ChangeKind.ADD, record, None, record) for record in survey.retired]
    return _plan(run_id, tree, survey, changes, restores, (), head.made)


def _restores(before: Snapshot, after: Snapshot, tree: Tree) -> Iterator[Restore]:
    """Files that the dream changed and that are still as it left them."""
    for path in sorted({*before.files, *after.files}):
        old, new = before.files.get(path), after.files.get(path)
        here = tree.files.get(path)
        if old != new and (here.data if here else None) == new and not (here and here.protected):
            yield Restore(path, old)


def _reverse(  # noqa: PLR0911 - a decision table
    was: EntryRecord | None, became: EntryRecord | None, now: Mine | None
) -> Change | None:
    """The change that takes back what a dream did to one entry; None where there is nothing (any more) to take back."""
    if became is None:
        return _change(ChangeKind.ADD, was, None, was) if was and now is None else None
    if now is None or now.record.key != became.key:
        return None  # a person or a later dream changed it: theirs stands
    if set(now.record.findings) - set(became.findings):
        return None  # a later dream found it confirmed
    if was is None:
        return _change(ChangeKind.REMOVE, now.now, now.record.text, None)
    if was == became:
        return None
    moved = (was.file, was.section) != (became.file, became.section)
    if moved and (now.file, now.section) == (became.file, became.section):
        change = _change(ChangeKind.MOVE, was, now.block.text, was)
        return replace(change, from_file=now.file)
    return _change(ChangeKind.UPDATE, replace(was, file=now.file, section=now.section), now.block.text, was)


def _change(kind: ChangeKind, record: EntryRecord, old: str | None, known: EntryRecord | None) -> Change:
    return Change(
        id=str(ULID()),
        kind=kind,
        entry=record.id,
        file=record.file,
        section=record.section,
        after=None,
        old=old,
        new=known.text if known else None,
        reason=Reason.UNDONE,
        record=known,
    )


def _carried_back(after: Snapshot, restored: set[str]) -> Iterator[Carry]:
    """A person's entries that the dream moved for the caps, moved back; a file restored whole has them already."""
    for carry in after.plan.carries if after.plan else ():
        if carry.file in restored and carry.to_file in restored:
            continue
        section = _section_before(after, carry)
        yield Carry(carry.key, carry.to_file, carry.file, section, Reason.UNDONE)


def _section_before(after: Snapshot, carry: Carry) -> str:
    """The heading a carried entry stood under where it went; the same title names it where it came from."""
    doc = parse(after.files.get(carry.to_file, b"").decode(errors="replace"))
    return next((block.section for block in doc.entries if block.key == carry.key), "")


def _plan(
    run_id: str,
    tree: Tree,
    survey: Survey,
    changes: list[Change],
    restores: tuple[Restore, ...],
    carries: tuple[Carry, ...],
    made: Made,
) -> Plan:
    touched = {change.entry for change in changes}
    kept = [record for record in survey.records() if record.id not in touched]
    kept += [change.record for change in changes if change.record is not None]
    files = {restore.file for restore in restores}
    return Plan(
        run_id=run_id,
        base=survey.snapshot.commit,
        tree_digest=tree.digest,
        changes=tuple(changes),
        kept=tuple(kept),
        carries=carries,
        restores=restores,
        made=Made(files=made.files & files, headings=frozenset(place for place in made.headings if place[0] in files)),
    )
