"""A person's own lines in a file that is too long: which of them move, and into which file, word for word."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from dreamd.memory.document import Document, Shape, count_lines
from dreamd.memory.front import front_values, one_line
from dreamd.memory.layout import FROM_MEMORY, MEMORY, SECTION_LINES, TOPIC_HEAD_LINES, next_part
from dreamd.memory.plan import Carry
from dreamd.memory.survey import Survey, Theirs
from dreamd.memory.tree import Protection, Tree
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


def longer(moving: Moving, file: str, over: Excess, survey: Survey) -> Moving:
    """More of a file's lowest entries, until they make up for what it is over: the ones that readers would cut anyway.

    Lines that lead to a topic file, and lines that newer evidence stands under, go last. The same again where nothing is
    left to move.
    """
    beneath = {one.record.beneath for one in survey.mine if one.record.beneath}
    here = sorted((one for one in survey.theirs if one.file == file and one not in moving), key=lambda one: -one.line)
    here.sort(key=lambda one: one.key in beneath or (file == MEMORY and _LINK.search(one.text) is not None))
    lines, size = over
    more = set(moving.places)
    for one in here:
        if lines <= 0 and size <= 0:
            break
        lines -= _lines(one)
        size -= len(one.block.raw.encode())
        more.add((one.file, one.line))
    return Moving(frozenset(more))


def carries(moving: Moving, tree: Tree, survey: Survey, caps: Caps, closed: frozenset[str]) -> tuple[Carry, ...]:
    """Where each of them goes: in their order, into as many parts of the overflow file as they need."""
    by_file: defaultdict[str, list[Theirs]] = defaultdict(list)
    for one in survey.theirs:
        if one in moving:
            by_file[one.file].append(one)
    made: list[Carry] = []
    for file in sorted(by_file):
        made += _shelved(file, by_file[file], moving, tree, survey, caps, closed)
    return tuple(made)


def _shelved(
    file: str,
    members: Sequence[Theirs],
    moving: Moving,
    tree: Tree,
    survey: Survey,
    caps: Caps,
    closed: frozenset[str],
) -> Iterator[Carry]:
    part = FROM_MEMORY if file == MEMORY else next_part(file)
    while part in closed or _is_full(part, members[0], moving, tree, survey, caps):
        part = next_part(part)
    lines = _lines_now(part, moving, tree, survey)
    section, shape = None, None
    for one in sorted(members, key=lambda one: one.line):
        new_section = one.section != section
        needs = _lines(one) + SECTION_LINES * new_section
        needs += 0 if shape is Shape.BULLET and one.block.shape is Shape.BULLET and not new_section else 2
        if lines + needs > caps.topic_max_lines and lines > TOPIC_HEAD_LINES:
            part = next_part(part)
            while part in closed or part in tree.files:
                part = next_part(part)
            lines = TOPIC_HEAD_LINES
        lines += needs
        section, shape = one.section, one.block.shape
        yield Carry(key=one.key, file=file, to_file=part, to_section="", occurrence=one.occurrence)


def _is_full(part: str, one: Theirs, moving: Moving, tree: Tree, survey: Survey, caps: Caps) -> bool:
    """Whether a part that exists has no room for one more entry; what stands in order in it goes on behind it."""
    if part not in tree.files:
        return False
    more = next_part(part) in tree.files
    return more or _lines_now(part, moving, tree, survey) + _lines(one) + SECTION_LINES + 2 > caps.topic_max_lines


def _lines_now(part: str, moving: Moving, tree: Tree, survey: Survey) -> int:
    """How long a file is without what leaves it."""
    if part not in tree.files:
        return TOPIC_HEAD_LINES
    leaving = sum(_lines(one) for one in survey.theirs if one.file == part and one in moving)
    return count_lines(tree.text(part)) - leaving


def _lines(one: Theirs) -> int:
    return count_lines(one.block.raw)


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
    about = {path: _about(tree.document(path)) for path in tree.files if path != MEMORY}
    about |= {carry.to_file: ABOUT_MOVED for carry in carried if carry.file == MEMORY}
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
    for path, file in tree.files.items():
        made = path in survey.made.files and not file.protected and not file.link
        if path != MEMORY and file.note is not Protection.DANGLING and (path in theirs or not made):
            yield path


def _about(doc: Document) -> str:
    """What a file says of itself: its description, or else its title."""
    described = front_values(doc.front).get("description", "")
    title = next((block.text for block in doc.headings if block.level == 1), "")
    return one_line(described or title)
