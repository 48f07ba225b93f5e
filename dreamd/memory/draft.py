"""A plan applied to the tree as it stands: the bytes that a commit would write, and what was skipped and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from dreamd.memory.document import Block, Document, entry_key, parse
from dreamd.memory.front import front_values, value_digest
from dreamd.memory.making import is_own_making
from dreamd.memory.plan import EntryRecord, Made, Plan
from dreamd.memory.skipped import Skipped
from dreamd.memory.survey import Survey
from dreamd.memory.tree import Tree
from dreamd.memory.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Draft:
    """What a commit would write."""

    files: Mapping[str, bytes]  # changed and new files only, by relative path
    removed: tuple[str, ...]
    entries: tuple[EntryRecord, ...]  # every entry of dreamd's afterwards and the tombstones, sorted by id
    made: Made
    applied: tuple[str, ...] = ()  # Change ids
    skipped: tuple[Skipped, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether no file changes."""
        return not self.files and not self.removed


def draft(tree: Tree, survey: Survey, plan: Plan) -> Draft:
    """Apply a plan to the files as they are.

    Three ways, by entry: what the person edited, moved or deleted since the plan was made stays as they have it, and
    the change is skipped and reported. Lines that no change is about stay byte for byte; a file whose bytes would be
    the same is not among `files`.
    """
    bench = Workbench(tree, survey, plan)
    bench.carry_all()
    bench.change_all()
    bench.set_heads()
    bench.tidy()
    texts = {path: doc.render() for path, doc in bench.docs.items()}
    removed = {path for path, doc in bench.docs.items() if path not in bench.restored and _is_over(bench, path, doc)}
    files = {path: text.encode() for path, text in texts.items() if path not in removed and text != _old(tree, path)}
    for restore in plan.restores:
        files.pop(restore.file, None)
        old = tree.files.get(restore.file)
        if restore.data is None:
            removed.add(restore.file)
        elif old is None or old.data != restore.data:
            files[restore.file] = restore.data
    standing = {entry.id: entry for entry in _entries(bench, plan)}
    tombs = {entry.id: entry for entry in (*survey.tombstones, *plan.kept) if entry.retired_at is not None}
    entries = tuple(sorted((tombs | standing).values(), key=lambda entry: entry.id))
    return Draft(
        files=files,
        removed=tuple(sorted(path for path in removed if path in tree.files)),
        entries=entries,
        made=_made(bench, plan, removed),
        applied=tuple(bench.applied),
        skipped=tuple(bench.skipped),
    )


def changes_nothing(made: Draft, survey: Survey) -> bool:
    """Whether neither a file nor what is known of an entry would change: an honest no-op."""
    before = tuple(sorted(survey.snapshot.entries, key=lambda entry: entry.id))
    return made.empty and made.entries == before


def _old(tree: Tree, path: str) -> str | None:
    return tree.text(path) if path in tree.files else None


def _is_over(bench: Workbench, path: str, doc: Document) -> bool:
    """Whether a topic file that dreamd made has nothing left in it, of nobody's."""
    file = bench.tree.files.get(path)
    if "/" not in path or path not in bench.made_files or (file is not None and (file.protected or file.link)):
        return False
    return not doc.entries and is_own_making(doc, path, bench.made())


def _made(bench: Workbench, plan: Plan, removed: set[str]) -> Made:
    """What of the tree afterwards is dreamd's own making."""
    docs = dict(bench.docs)
    for restore in plan.restores:
        docs[restore.file] = parse((restore.data or b"").decode(errors="replace"))
    titles = {(path, block.text) for path, doc in docs.items() for block in doc.headings}
    gone = removed | {restore.file for restore in plan.restores if restore.data is None}
    made = bench.made()
    files, headings = made.files | plan.made.files, made.headings | plan.made.headings
    values = {
        (path, key, value_digest(value)) for path, doc in docs.items() for key, value in front_values(doc.front).items()
    }
    return Made(
        files=frozenset(path for path in files if path in docs and path not in gone),
        headings=frozenset(place for place in headings if place in titles and place[0] not in gone),
        values=frozenset(one for one in made.values | plan.made.values if one in values and one[0] not in gone),
    )


def _entries(bench: Workbench, plan: Plan) -> Iterator[EntryRecord]:
    """Every entry of dreamd's where it stands now. `plan.kept` knows more of it, unless its change was skipped."""
    skipped = {one.entry for one in bench.skipped}
    kept = {record.id: record for record in plan.kept if record.id not in skipped}
    changed = {change.entry for change in plan.changes}
    records = {
        record.id: record
        if record.id in changed
        else replace(kept.get(record.id, record), file=record.file, retired_at=None)
        for record in bench.records.values()
    }
    for path, doc in bench.docs.items():
        if path in bench.restored:
            continue
        for block in doc.entries:
            if block.mark in records:
                yield _standing(records[block.mark], path, block)
    for restore in plan.restores:
        here = [record for record in records.values() if record.file == restore.file]
        yield from _restored(restore.file, restore.data, here)


def _restored(path: str, data: bytes | None, records: list[EntryRecord]) -> Iterator[EntryRecord]:
    """The entries of dreamd's in a file that is restored whole."""
    free = list(parse((data or b"").decode(errors="replace")).entries)
    for record in sorted(records, key=lambda record: record.occurrence):
        equal = [block for block in free if block.key == record.key]
        if equal:
            block = next((block for block in equal if block.occurrence == record.occurrence), equal[0])
            free.remove(block)
            yield _standing(record, path, block)


def _standing(record: EntryRecord, path: str, block: Block) -> EntryRecord:
    """A record with the place and words of its block."""
    text = record.text if entry_key(record.text) == block.key else " ".join(block.text.split())
    return replace(record, file=path, section=block.section, text=text, key=block.key, occurrence=block.occurrence)
