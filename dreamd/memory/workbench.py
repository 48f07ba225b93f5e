"""The documents while a plan is applied to them, change by change; each is applied whole or skipped with a reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from dreamd.memory.document import Block, BlockKind, Document, Shape, entry_key, parse
from dreamd.memory.edit import (
    Place,
    UnwritableError,
    add_entry,
    insert_all,
    insert_entry,
    remove_all,
    remove_block,
    replace_entry,
)
from dreamd.memory.front import front_values, head_values, one_line, set_front, value_digest
from dreamd.memory.plan import Carry, Change, ChangeKind, EntryRecord, Made, Plan, TopicHead
from dreamd.memory.skipped import SkipError, Skipped, SkipReason
from dreamd.memory.survey import Survey
from dreamd.memory.tree import INDEX, Tree

_TYPES = {"projects": "project", "patterns": "feedback", "people": "reference"}


class Workbench:
    """Working copies of the documents. Entries of dreamd's are marked with their id, carried ones with their number."""

    def __init__(self, tree: Tree, survey: Survey, plan: Plan) -> None:
        self.tree = tree
        self.survey = survey
        self.plan = plan
        self.restored = frozenset(restore.file for restore in plan.restores)
        self.heads: Mapping[str, TopicHead] = {head.file: head for head in plan.heads}
        self.records: dict[str, EntryRecord] = {one.record.id: one.now for one in survey.mine}
        self.made_files = set(survey.made.files)
        self.made_headings = set(survey.made.headings)
        self.made_values = set(survey.made.values)
        marks = {(one.file, one.block.line): one.record.id for one in survey.mine}
        marks |= {place: f"carry {number}" for number, carry in enumerate(plan.carries) for place in self._found(carry)}
        self.docs = {path: _marked(tree.document(path), path, marks) for path in tree.files}
        self.applied: list[str] = []
        self.skipped: list[Skipped] = []

    def made(self) -> Made:
        """What dreamd made by now."""
        return Made(frozenset(self.made_files), frozenset(self.made_headings), frozenset(self.made_values))

    def carry_all(self) -> None:
        """Move a person's entries word for word to where the plan wants them: all at once, or else one by one."""
        saved = self._saved()
        try:
            self._carry_together()
        except (SkipError, UnwritableError):
            self._restore(saved)
            self._carry_singly()

    def _carry_together(self) -> None:
        """Each document is read anew only once, however many entries leave it or come to it."""
        leaving: defaultdict[str, list[Block]] = defaultdict(list)
        coming: defaultdict[str, list[tuple[Block, Place]]] = defaultdict(list)
        for number, carry in enumerate(self.plan.carries):
            block, place = self._to_carry(carry, f"carry {number}")
            leaving[carry.file].append(block)
            coming[carry.to_file].append((replace(block, mark=""), place))
        for file, blocks in leaving.items():
            self.docs[file] = remove_all(self.docs[file], blocks)
        for file, entries in coming.items():
            before = self.docs[file]
            self.docs[file] = insert_all(before, entries)
            for _, place in entries:
                self._note_heading(file, place.section, before=before)
        for file, blocks in leaving.items():
            for title in {block.section for block in blocks if block.section}:
                self._drop_heading(file, title)

    def _carry_singly(self) -> None:
        for number, carry in enumerate(self.plan.carries):
            saved = self._saved()
            try:
                self._carry(carry, f"carry {number}")
            except (SkipError, UnwritableError) as error:
                self._restore(saved)
                self.skipped.append(Skipped("", "", _reason_of(error)))

    def change_all(self) -> None:
        """Apply the plan's changes one after the other."""
        for change in self.plan.changes:
            saved = self._saved()
            try:
                self._change(change)
            except (SkipError, UnwritableError) as error:
                self._restore(saved)
                self.skipped.append(Skipped(change.id, change.entry, _reason_of(error)))
            else:
                self.applied.append(change.id)

    def set_heads(self) -> None:
        """Front matter of the topic files that exist by now; a value that the person changed by hand stays theirs."""
        for head in self.plan.heads:
            doc = self.docs.get(head.file)
            if doc is None or head.file in self.restored or self._protected(head.file):
                continue
            now = front_values(doc.front)
            values = {key: value for key, value in head_values(head).items() if self._ours(head.file, key, now)}
            changed = {key: value for key, value in values.items() if now.get(key) != one_line(value)}
            if changed:
                self.docs[head.file] = set_front(doc, changed)
                self._note_values(head.file, changed)

    def tidy(self) -> None:
        """Take away headings of dreamd's own that nothing stands under any more."""
        for path, doc in self.docs.items():
            if doc.render() == self.tree.text(path):
                continue
            for title in sorted(title for file, title in self.made_headings if file == path):
                self._drop_heading(path, title)

    def _ours(self, file: str, key: str, now: Mapping[str, str]) -> bool:
        """Whether a front matter value may be set: it is missing, or as dreamd left it, or a date."""
        return key not in now or key == "modified" or (file, key, value_digest(now[key])) in self.made_values

    def _note_values(self, file: str, values: Mapping[str, str]) -> None:
        self.made_values = {place for place in self.made_values if place[0] != file or place[1] not in values}
        self.made_values |= {(file, key, value_digest(value)) for key, value in values.items()}

    def _found(self, carry: Carry) -> list[tuple[str, int]]:
        """File and line of a person's entry."""
        hits = [one for one in self.survey.theirs if one.file == carry.file and one.key == carry.key]
        exact = [one for one in hits if one.occurrence == carry.occurrence] or hits[:1]
        return [(one.file, one.line) for one in exact]

    def _to_carry(self, carry: Carry, mark: str) -> tuple[Block, Place]:
        """A person's entry and where it goes; the file it goes to is made. Raises SkipError."""
        block = self._marked_block(carry.file, mark)
        if block is None:
            raise SkipError(SkipReason.RETIRED)
        if self._protected(carry.file) or self._protected(carry.to_file):
            raise SkipError(SkipReason.PROTECTED)
        self._open(carry.to_file, newline=self.docs[carry.file].newline)
        section = carry.to_section or self._heading_of(carry.file, block)
        return block, Place(section, at_top=carry.at_top, order=self._order(carry.to_file))

    def _carry(self, carry: Carry, mark: str) -> None:
        block, place = self._to_carry(carry, mark)
        before = self.docs[carry.to_file]
        self._lay_down(carry.to_file, block, place)
        self._note_heading(carry.to_file, place.section, before=before)
        self.docs[carry.file] = remove_block(self.docs[carry.file], block)
        if block.section:
            self._drop_heading(carry.file, block.section)

    def _lay_down(self, file: str, block: Block, place: Place) -> None:
        """A person's entry in another file. What would be read as part of the one before it stands first in its section."""
        doc, shape = self.docs[file], block.shape or Shape.BULLET
        try:
            self.docs[file] = insert_entry(doc, block.raw, place, shape=shape)
        except UnwritableError:
            self.docs[file] = insert_entry(doc, block.raw, replace(place, at_top=True), shape=shape)

    def _heading_of(self, file: str, block: Block) -> str:
        """What an entry stands under: its headings from the outermost in, without the file's title."""
        doc = self.docs[file]
        titles = [one for one in doc.headings if one.level == 1]
        above: list[Block] = []
        for one in doc.headings:
            if one.line > block.line:
                break
            above = [*(outer for outer in above if outer.level < one.level), one]
        own = len(titles) == 1 or (titles and (file, titles[0].text) in self.made_headings)
        return ": ".join(one.text for one in above if one.text and not (own and one is titles[0]))

    def _change(self, change: Change) -> None:
        match change.kind:
            case ChangeKind.ADD:
                self._add(change)
            case ChangeKind.REMOVE:
                self._take_out(change)
                self.records.pop(change.entry, None)
            case ChangeKind.MOVE:
                self._move(change, change.new)
            case ChangeKind.UPDATE | ChangeKind.MERGE | ChangeKind.SUPERSEDE:
                self._reword(change)

    def _add(self, change: Change) -> None:
        record = change.record
        if record is None or change.new is None:
            raise SkipError(SkipReason.UNKNOWN)
        if change.file not in self.restored:
            self._put(change, change.new, record.id)
        self.records[record.id] = record

    def _reword(self, change: Change) -> None:
        where = self._standing(change)
        record = change.record or self.records[change.entry]
        text = change.new
        if where in self.restored:
            self._know(change.entry, record)
            return
        one = self.survey.find(change.entry)
        if change.file != where and one is not None and one.file == one.record.file:
            self._move(change, text)
            return
        block = self._block(where, change.entry)
        if change.old is not None and entry_key(change.old) != block.key:
            raise SkipError(SkipReason.EDITED)
        fresh = block if text is None or entry_key(text) == block.key else None
        if fresh is None and text is not None:
            self._may_hold(where, text)
            self.docs[where] = replace_entry(self.docs[where], block, text, mark=record.id)
        else:
            self._mark(where, block, record.id)
        self._know(change.entry, replace(record, file=where))

    def _move(self, change: Change, text: str | None) -> None:
        where = self._standing(change)
        source = change.from_file or (where if change.kind is not ChangeKind.MOVE else change.file)
        if where != source and where not in self.restored:
            raise SkipError(SkipReason.MOVED)
        record = change.record or replace(self.records[change.entry], file=change.file)
        words = text or self.records[change.entry].text
        if where not in self.restored:
            block = self._block(where, change.entry)
            if change.old is not None and entry_key(change.old) != block.key:
                raise SkipError(SkipReason.EDITED)
            words = text or block.text
            self._take_out(change)
        if change.file not in self.restored:
            self._put(change, words, record.id)
        self._know(change.entry, record)

    def _take_out(self, change: Change) -> None:
        where = self._standing(change)
        if where in self.restored:
            return
        if self._protected(where):
            raise SkipError(SkipReason.PROTECTED)
        block = self._block(where, change.entry)
        if change.old is not None and entry_key(change.old) != block.key:
            raise SkipError(SkipReason.EDITED)
        self.docs[where] = remove_block(self.docs[where], block)

    def _put(self, change: Change, text: str, mark: str) -> None:
        """Add an entry where a change wants it; where that cannot be, at the end of its section."""
        self._open(change.file)
        self._may_hold(change.file, text)
        doc = self.docs[change.file]
        place = Place(
            change.section, self._after(doc, change), at_top=change.after == "", order=self._order(change.file)
        )
        try:
            self.docs[change.file] = add_entry(doc, text, place, mark=mark)
        except UnwritableError:
            if place.after is None:
                raise
            self.docs[change.file] = add_entry(doc, text, replace(place, after=None), mark=mark)
        self._note_heading(change.file, change.section, before=doc)

    def _order(self, file: str) -> tuple[str, ...]:
        return self.plan.section_order if file == INDEX else ()

    def _after(self, doc: Document, change: Change) -> Block | None:
        if not change.after:
            return None
        if change.after.startswith("key:"):
            return next((block for block in doc.entries if block.key == change.after.removeprefix("key:")), None)
        return next((b for b in doc.entries if b.mark == change.after and b.section == change.section), None)

    def _may_hold(self, file: str, text: str) -> None:
        if self._protected(file):
            raise SkipError(SkipReason.PROTECTED)
        if any(block.key == entry_key(one_line(text)) for block in self.docs[file].entries):
            raise SkipError(SkipReason.PRESENT)

    def _standing(self, change: Change) -> str:
        """The file an entry of dreamd's stands in."""
        if change.entry in self.records:
            return self.records[change.entry].file
        if any(one.record.id == change.entry for one in self.survey.edited):
            raise SkipError(SkipReason.EDITED)
        if any(record.id == change.entry for record in self.survey.retired):
            raise SkipError(SkipReason.RETIRED)
        raise SkipError(SkipReason.UNKNOWN)

    def _block(self, file: str, mark: str) -> Block:
        block = self._marked_block(file, mark)
        if block is None:
            raise SkipError(SkipReason.UNKNOWN)
        return block

    def _marked_block(self, file: str, mark: str) -> Block | None:
        doc = self.docs.get(file)
        return next((block for block in doc.entries if block.mark == mark), None) if doc else None

    def _mark(self, file: str, block: Block, mark: str) -> None:
        doc = self.docs[file]
        blocks = (replace(one, mark=mark) if one is block else one for one in doc.blocks)
        self.docs[file] = replace(doc, blocks=tuple(blocks))

    def _know(self, old_id: str, record: EntryRecord) -> None:
        self.records.pop(old_id, None)
        self.records[record.id] = record

    def _open(self, file: str, newline: str = "\n") -> None:
        """Make a file that is not there yet, with its front matter and title."""
        if file in self.docs:
            return
        folder, _, name = file.rpartition("/")
        if file == INDEX:
            text, title = "# Memory\n", "Memory"
        else:
            head = self.heads.get(file)
            stem = name.removesuffix(".md")
            values = head_values(head) if head else {"name": stem, "metadata.type": _TYPES.get(folder, "reference")}
            title = one_line(head.name if head else stem) or stem
            text = set_front(parse(f"# {title}{newline}"), values).render()
            self._note_values(file, values)
        self.docs[file] = parse(text)
        self.made_files.add(file)
        self.made_headings.add((file, title))

    def _note_heading(self, file: str, title: str, *, before: Document | None = None) -> None:
        """Remember a heading as dreamd's own if it was not there before."""
        known = {block.text for block in (before or self.tree.document(file)).headings}
        if title and title not in known and any(block.text == title for block in self.docs[file].headings):
            self.made_headings.add((file, title))

    def _drop_heading(self, file: str, title: str) -> None:
        """Take a heading away if nothing stands under it; a file's title stays."""
        doc = self.docs[file]
        for at, block in enumerate(doc.blocks):
            if block.kind is not BlockKind.HEADING or block.text != title or block.level == 1:
                continue
            following = [one for one in doc.blocks[at + 1 :] if one.kind is not BlockKind.BLANK]
            if not following or (following[0].kind is BlockKind.HEADING and following[0].level <= block.level):
                self.docs[file] = remove_block(doc, block)
            return

    def _protected(self, file: str) -> bool:
        known = self.tree.files.get(file)
        return known is not None and known.protected

    def _saved(self) -> _Saved:
        return _Saved(
            dict(self.docs), dict(self.records), set(self.made_files), set(self.made_headings), set(self.made_values)
        )

    def _restore(self, saved: _Saved) -> None:
        self.docs, self.records = saved.docs, saved.records
        self.made_files, self.made_headings, self.made_values = saved.made_files, saved.made_headings, saved.made_values


@dataclass(frozen=True, slots=True)
class _Saved:
    """What a change that fails half way is taken back to."""

    docs: dict[str, Document]
    records: dict[str, EntryRecord]
    made_files: set[str]
    made_headings: set[tuple[str, str]]
    made_values: set[tuple[str, str, str]]


def _marked(doc: Document, path: str, marks: Mapping[tuple[str, int], str]) -> Document:
    blocks = (
        replace(block, mark=marks.get((path, block.line), "")) if block.kind is BlockKind.ENTRY else block
        for block in doc.blocks
    )
    return replace(doc, blocks=tuple(blocks))


def _reason_of(error: Exception) -> SkipReason:
    return error.reason if isinstance(error, SkipError) else SkipReason.UNWRITABLE
