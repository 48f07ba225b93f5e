"""One dream taken back, entry by entry; what people and later dreams did since stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ulid import ULID

from dreamd.memory.document import parse
from dreamd.memory.history import History, Snapshot
from dreamd.memory.layout import POINTER
from dreamd.memory.plan import TAKES_BACK, Carry, Change, ChangeKind, EntryRecord, Made, Plan, Reason, Restore
from dreamd.memory.pointers import targets
from dreamd.memory.survey import Survey, standing_records
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
    dream = _Dream(before, after, tree, survey)
    whole = dream.whole_files()
    changes = [change for entry in dream.entries if (change := dream.reverse(entry)) is not None]
    restores = tuple(Restore(path, before.files.get(path)) for path in sorted(whole))
    carries = tuple(dream.carried_back(whole))
    changes = _without_dangling(changes, restores, carries, tree)
    return _plan(run_id, tree, survey, changes, restores, carries, before.made)


def _without_dangling(
    changes: list[Change], restores: tuple[Restore, ...], carries: tuple[Carry, ...], tree: Tree
) -> list[Change]:
    """Without pointers that would come back to topic files that do not."""
    gone = {one.file for one in restores if one.data is None}
    there = {*tree.files, *(one.file for one in restores), *(one.to_file for one in carries)} - gone
    there |= {one.file for one in changes if one.new is not None}
    there |= {f"{file.partition('/')[0]}/" for file in there if "/" in file}

    def leads_nowhere(one: Change) -> bool:
        record = one.record
        return record is not None and record.kind == POINTER and not there & set(targets(record))

    return [one for one in changes if one.file in {restore.file for restore in restores} or not leads_nowhere(one)]


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


@dataclass(frozen=True, slots=True)
class _Carried:
    """A person's entry that a dream moved from one file to another."""

    key: str
    source: str
    section: str  # it stood under in `source`
    target: str


class _Dream:
    """What one dream did, against what stands now."""

    def __init__(self, before: Snapshot, after: Snapshot, tree: Tree, survey: Survey) -> None:
        self.before, self.after, self.tree, self.survey = before, after, tree, survey
        self.was = {record.id: record for record in standing_records(before)}
        self.became = {record.id: record for record in standing_records(after)}
        self.now = {one.record.id: one for one in survey.mine}
        self.entries = sorted({*self.was, *self.became})
        self.carried = tuple(_carried(before, after))

    def whole_files(self) -> set[str]:
        """Files that may take the very bytes they had: untouched since, and nobody's words would go or come twice."""
        whole = {path for path in {*self.before.files, *self.after.files} if self._untouched(path)}
        whole = {path for path in whole if self._entries_reverse(path) and self._theirs_stay(path)}
        while True:
            torn = {one.source for one in self.carried if one.source in whole and not self._still_there(one, whole)}
            if not torn:
                return whole
            whole -= torn

    def reverse(self, entry: str) -> Change | None:
        """The change that takes back what the dream did to one entry; None where there is nothing (any more) to."""
        was, became, now = self.was.get(entry), self.became.get(entry), self.now.get(entry)
        if not self._reversible(entry) or was == became:
            return None
        if became is None or now is None:
            return _change(ChangeKind.ADD, was, None, was) if was else None
        if was is None:
            return _change(ChangeKind.REMOVE, now.now, now.block.text, None)
        moved = (was.file, was.section) != (became.file, became.section)
        if moved and (now.file, now.section) == (became.file, became.section):
            return replace(_change(ChangeKind.MOVE, was, now.block.text, was), from_file=now.file)
        return _change(ChangeKind.UPDATE, replace(was, file=now.file, section=now.section), now.block.text, was)

    def carried_back(self, whole: set[str]) -> Iterator[Carry]:
        """A person's entries to be moved back; where both files are restored whole they are back already."""
        for one in self.carried:
            if not {one.source, one.target} <= whole:
                yield Carry(one.key, one.target, one.source, one.section, Reason.UNDONE)

    def _untouched(self, path: str) -> bool:
        old, new = self.before.files.get(path), self.after.files.get(path)
        here = self.tree.files.get(path)
        return old != new and (here.data if here else None) == new and not (here and here.protected)

    def _reversible(self, entry: str) -> bool:
        """Whether neither a person nor a later dream has touched an entry since."""
        became, now = self.became.get(entry), self.now.get(entry)
        if became is None or now is None:
            return became is None and now is None
        return now.record.key == became.key and not set(now.record.findings) - set(became.findings)

    def _entries_reverse(self, path: str) -> bool:
        """Whether every entry of dreamd's in a file, then and now, goes back with it."""
        here = {entry for entry, one in self.now.items() if one.file == path}
        then = {entry for entry, record in self.became.items() if record.file == path}
        earlier = {entry for entry, record in self.was.items() if record.file == path}
        return here == then and all(self._reversible(entry) for entry in then | earlier)

    def _theirs_stay(self, path: str) -> bool:
        """Whether every entry of a person's that stands in a file stood there before or was carried into it."""
        here = Counter(one.key for one in self.survey.theirs if one.file == path)
        carried = Counter(one.key for one in self.carried if one.target == path)
        return not here - _theirs(self.before, path) - carried

    def _still_there(self, one: _Carried, whole: set[str]) -> bool:
        """Whether an entry that a restored file brings back also leaves the file it was carried to."""
        return one.target in whole or any(
            theirs.file == one.target and theirs.key == one.key for theirs in self.survey.theirs
        )


def _theirs(snapshot: Snapshot, path: str) -> Counter[str]:
    """How often a person has which words in a file of a snapshot."""
    doc = parse(snapshot.files.get(path, b"").decode(errors="replace"))
    mine = Counter(record.key for record in standing_records(snapshot) if record.file == path)
    return Counter(block.key for block in doc.entries) - mine


def _carried(before: Snapshot, after: Snapshot) -> Iterator[_Carried]:
    """A person's entries that left one file and came into another, told from the bytes: an undo carries too."""
    paths = sorted({*before.files, *after.files})
    then, now = ({path: _theirs(snapshot, path) for path in paths} for snapshot in (before, after))
    came = {path: now[path] - then[path] for path in paths}
    for source in paths:
        sections = {
            block.key: block.section for block in parse(before.files.get(source, b"").decode(errors="replace")).entries
        }
        for key in (then[source] - now[source]).elements():
            target = next((path for path in paths if came[path][key]), None)
            if target is not None:
                came[target][key] -= 1
                yield _Carried(key, source, sections[key], target)


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
        reason=Reason.POINTER if record.kind == POINTER else Reason.UNDONE,
        record=known,
    )


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
        notes=(TAKES_BACK,),
        made=Made(
            files=made.files & files,
            headings=frozenset(place for place in made.headings if place[0] in files),
            values=frozenset(place for place in made.values if place[0] in files),
        ),
    )
