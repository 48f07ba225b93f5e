"""A person's own lines in a file that is too long: which of them move, and into which file, word for word."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from dreamd.memory.document import BlockKind, Document, Shape, count_lines
from dreamd.memory.front import front_values, one_line, value_digest
from dreamd.memory.layout import FOLDER_TYPE, FROM_MEMORY, MEMORY, SECTION_LINES, TOPIC_HEAD_LINES, next_part, part_of
from dreamd.memory.making import is_own_making
from dreamd.memory.plan import Carry, Made, TopicHead
from dreamd.memory.survey import Survey, Theirs
from dreamd.memory.tree import Tree
from dreamd.memory.wish import Caps, Excess, Ground

_LINK = re.compile(
    r"\(<?((?:projects|patterns|people)/[^)>]+\.md)>?\)|(?<![\w./-])((?:projects|patterns|people)/[^\s)`*>]+\.md)"
)
ABOUT_MOVED = "lines of your own that MEMORY.md had no room for"


@dataclass(frozen=True, slots=True)
class Moving:
    """A person's entries that leave their file. They are known by file and line of the tree that was read."""

    places: frozenset[tuple[str, int]] = frozenset()

    def __contains__(self, one: object) -> bool:
        return isinstance(one, Theirs) and (one.file, one.line) in self.places

    def without(self, file: str) -> Moving:
        """The same, but what stands in this file stays there."""
        return Moving(frozenset(place for place in self.places if place[0] != file))


def longer(moving: Moving, file: str, over: Excess, tree: Tree, survey: Survey) -> Moving:
    """More of a file's lowest entries, until they make up for what it is over: the ones that readers would cut anyway.

    Lines that lead to a topic file, and lines that newer evidence stands under, go last. The same again where nothing is
    left to move. Rather too few than too many: the caller asks again.
    """
    blanks = _blanks_behind(tree.document(file))
    beneath = {one.record.beneath for one in survey.mine if one.record.beneath}
    here = sorted((one for one in survey.theirs if one.file == file and one not in moving), key=lambda one: -one.line)
    here.sort(key=lambda one: one.key in beneath or (file == MEMORY and _LINK.search(one.text) is not None))
    lines, size = over
    more = set(moving.places)
    for one in here:
        if lines <= 0 and size <= 0:
            break
        lines -= _lines(one) + blanks.get(one.line, 0)
        size -= len(one.block.raw.encode()) + 2 * blanks.get(one.line, 0)
        more.add((one.file, one.line))
    return Moving(frozenset(more))


def _blanks_behind(doc: Document) -> dict[int, int]:
    """Blank lines behind each entry (by its first line), which go with it."""
    pairs = zip(doc.blocks, doc.blocks[1:], strict=False)
    return {one.line: count_lines(behind.raw) for one, behind in pairs if behind.kind is BlockKind.BLANK}


def carries(moving: Moving, tree: Tree, survey: Survey, caps: Caps, closed: frozenset[str]) -> tuple[Carry, ...]:
    """Where each of them goes: in their order, into as many parts of the overflow file as they need."""
    shelves = _Shelves(tree, survey, moving, caps.topic_max_lines, closed)
    return tuple(
        shelves.put(one) for one in sorted(survey.theirs, key=lambda one: (one.file, one.line)) if one in moving
    )


class _Shelves:
    """The files that take what others have no room for, filled one after the other."""

    def __init__(self, tree: Tree, survey: Survey, moving: Moving, most: int, closed: frozenset[str]) -> None:
        self.tree, self.most, self.closed = tree, most, closed
        self.lines = {path: count_lines(file.text) for path, file in tree.files.items()}
        for one in survey.theirs:
            if one in moving:
                self.lines[one.file] -= _lines(one)
        self.last: dict[str, tuple[str, Theirs]] = {}  # source → part and entry

    def put(self, one: Theirs) -> Carry:
        part, before = self.last.get(one.file, (None, None))
        if part is None:
            part = self._free(FROM_MEMORY if one.file == MEMORY else next_part(one.file))
        if self._full(part, one, before):
            part, before = self._free(next_part(part)), None
        self.lines[part] = self.lines.get(part, TOPIC_HEAD_LINES) + _needs(one, before)
        self.last[one.file] = part, one
        return Carry(key=one.key, file=one.file, to_file=part, to_section="", occurrence=one.occurrence)

    def _full(self, part: str, one: Theirs, before: Theirs | None) -> bool:
        """Whether there is no room for one more; a new file takes one of any length."""
        return part in self.lines and self.lines[part] + _needs(one, before) > self.most

    def _free(self, part: str) -> str:
        """The last part that exists, so that all stays in order, or the first that does not."""
        while part in self.closed or next_part(part) in self.lines:
            part = next_part(part)
        return part


def _needs(one: Theirs, before: Theirs | None) -> int:
    """At most so many lines an entry takes behind another one, with its heading and blanks."""
    if before is None or before.section != one.section:
        return _lines(one) + SECTION_LINES + 1
    return _lines(one) + (0 if before.block.shape is one.block.shape is Shape.BULLET else 2)


def _lines(one: Theirs) -> int:
    return count_lines(one.block.raw)


def carried_heads(carried: Sequence[Carry], tree: Tree, zone: dt.tzinfo) -> tuple[TopicHead, ...]:
    """Front matter of the files that are made for them: its date is that of the person's own last change."""
    made = {}
    for carry in carried:
        source = tree.files[carry.file]
        if carry.to_file in tree.files or carry.to_file in made:
            continue
        folder, _, name = carry.to_file.partition("/")
        own = front_values(tree.document(carry.file).front).get("name", "")
        stem = part_of(name).removesuffix(".md").replace("-", " ") if carry.file == MEMORY else name.removesuffix(".md")
        made[carry.to_file] = TopicHead(
            file=carry.to_file,
            name=stem if carry.file == MEMORY or not own else own,
            description=ABOUT_MOVED
            if carry.file == MEMORY
            else _about(tree, carry.file, Made()) or f"What is known of {stem}",
            modified=dt.datetime.fromtimestamp(source.mtime, zone).date(),
            type=FOLDER_TYPE[folder],
        )
    return tuple(made.values())


def ground_of(tree: Tree, survey: Survey, carried: Sequence[Carry], closed: frozenset[str]) -> Ground:
    """What stands in the tree that is not dreamd's, once these entries are carried."""
    going = {(carry.file, carry.key, carry.occurrence): carry.to_file for carry in carried}
    lines: defaultdict[str, int] = defaultdict(int)
    sizes: defaultdict[str, int] = defaultdict(int)
    pointed: set[str] = set()
    for one in survey.theirs:
        file = going.get((one.file, one.key, one.occurrence), one.file)
        lines[file] += _lines(one)
        sizes[file] += len(one.block.raw.encode())
        if file == MEMORY:
            pointed |= set(_linked(one.text))
    about = {path: _about(tree, path, survey.made) for path in tree.files if path != MEMORY}
    about |= {path: ABOUT_MOVED for path in {*tree.files, *going.values()} if part_of(path) == FROM_MEMORY}
    return Ground(
        lines=dict(lines),
        bytes=dict(sizes),
        pointed=frozenset(pointed),
        topics=frozenset(_lasting(tree, survey, going.values())),
        about={path: text for path, text in about.items() if text},
        closed=closed,
    )


def _linked(text: str) -> Iterator[str]:
    for match in _LINK.finditer(text):
        yield unquote(match[1] or match[2])


def _lasting(tree: Tree, survey: Survey, targets: Iterable[str]) -> Iterator[str]:
    """Topic files that stay even if nothing of dreamd's is left in them."""
    yield from targets
    theirs = {one.file for one in survey.theirs}
    for path in tree.contents:
        file = tree.files[path]
        made = path in survey.made.files and not file.protected and not file.link
        made = made and is_own_making(tree.document(path), path, survey.made)
        if path != MEMORY and (path in theirs or not made):
            yield path


def _about(tree: Tree, path: str, made: Made) -> str:
    """What a file says of itself in a person's words: its description, or else a title that is more than its name."""
    doc = tree.document(path)
    described = front_values(doc.front).get("description", "")
    if described and (path, "description", value_digest(described)) not in made.values:
        return one_line(described)
    title = next((one_line(block.text) for block in doc.headings if block.level == 1), "")
    stem = path.rsplit("/", maxsplit=1)[-1].removesuffix(".md")
    return "" if _letters(title) == _letters(stem) or (path, title) in made.headings else title


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def bare_heads(tree: Tree, survey: Survey, filled: Collection[str]) -> Iterator[TopicHead]:
    """Front matter of files that none of dreamd's entries stands in any more, so that it does not go on telling of them."""
    for path, data in tree.contents.items():
        values = front_values(tree.document(path).front)
        told = values.get("description", "")
        ours = (path, "description", value_digest(told)) in survey.made.values
        folder = path.partition("/")[0]
        if not ours or path in filled or folder not in FOLDER_TYPE or not data:
            continue
        name = values.get("name", path.rsplit("/", maxsplit=1)[-1].removesuffix(".md"))
        try:
            modified = dt.date.fromisoformat(values.get("modified", ""))
        except ValueError:
            continue
        text = ABOUT_MOVED if part_of(path) == FROM_MEMORY else f"What is known of {name}"
        yield TopicHead(path, name, text, modified, FOLDER_TYPE[folder])
