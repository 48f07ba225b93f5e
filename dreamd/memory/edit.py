"""Edits of a memory file as pure functions: an entry is added, replaced or removed, every other byte stays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dreamd.memory.document import BOM, Block, BlockKind, Document, Shape, entry_key
from dreamd.memory.front import one_line, parse_again


class UnwritableError(ValueError):
    """Words that would not stand as one entry at that place, or would change what stands around them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry goes. `after` goes before `at_top`, and both before the end of the section."""

    section: str
    after: Block | None = None
    at_top: bool = False
    order: Sequence[str] = ()  # headings in their order: a new one stands before the first that comes later


def add_entry(doc: Document, text: str, place: Place, *, mark: str = "") -> Document:
    """Add a sentence as a bullet in the file's own style. Raises UnwritableError."""
    return insert_entry(doc, f"{doc.bullet} {sentence(text)}{doc.newline}", place, mark=mark, shape=Shape.BULLET)


def insert_entry(doc: Document, raw: str, place: Place, *, mark: str = "", shape: Shape = Shape.BULLET) -> Document:
    """Put an entry's own lines into a section, made where it is missing. Raises UnwritableError."""
    return _settled(_with(doc, Block(BlockKind.ENTRY, raw, mark=mark, shape=shape), place))


def insert_all(doc: Document, entries: Iterable[tuple[Block, Place]]) -> Document:
    """Put many entries in, one behind the other; the document is read anew only once. Raises UnwritableError."""
    for block, place in entries:
        doc = _with(doc, Block(BlockKind.ENTRY, block.raw, mark=block.mark, shape=block.shape), place)
    return _settled(doc)


def _with(doc: Document, entry: Block, place: Place) -> Document:
    if not entry.raw.endswith("\n"):
        entry = replace(entry, raw=entry.raw + doc.newline)
    if place.after is not None:
        return _insert(doc, _index(doc, place.after) + 1, [entry])
    start, end = _region(doc, place.section)
    if start == end and place.section:
        at, level = _new_section_at(doc, place)
        title = sentence(place.section)
        heading = Block(BlockKind.HEADING, f"{'#' * level} {title}{doc.newline}", text=title, level=level)
        return _insert(doc, at, [heading, _blank(doc), entry])
    return _insert(doc, _spot(doc, start, end, at_top=place.at_top), [entry])


def replace_entry(doc: Document, block: Block, text: str, *, mark: str = "") -> Document:
    """Give an entry new words; its bullet, indentation and line end stay. Raises UnwritableError."""
    at = _index(doc, block)
    bullet = _OWN_BULLET.match(block.raw)
    lead = bullet[0] if bullet and block.shape is Shape.BULLET else ""
    if block.shape is Shape.CODE:
        raise UnwritableError
    end = "\r\n" if block.raw.endswith("\r\n") else "\n" if block.raw.endswith("\n") else ""
    fresh = replace(block, raw=f"{lead}{sentence(text)}{end}", mark=mark or block.mark)
    return _settled(replace(doc, blocks=(*doc.blocks[:at], fresh, *doc.blocks[at + 1 :])))


def remove_block(doc: Document, block: Block) -> Document:
    """Take an entry or a heading out, with the blank line that would be left doubled. Raises UnwritableError."""
    try:
        return _settled(_without(doc, block))
    except UnwritableError:
        at = _index(doc, block)
        return _settled(replace(doc, blocks=(*doc.blocks[:at], _blank(doc), *doc.blocks[at + 1 :])))


def remove_all(doc: Document, blocks: Iterable[Block]) -> Document:
    """Take many entries out; the document is read anew only once. Raises UnwritableError."""
    for block in blocks:
        doc = _without(doc, block)
    return _settled(doc)


def _without(doc: Document, block: Block) -> Document:
    at = _index(doc, block)
    before, after = list(doc.blocks[:at]), list(doc.blocks[at + 1 :])
    left_blank = bool(before) and before[-1].kind is BlockKind.BLANK
    right_blank = bool(after) and after[0].kind is BlockKind.BLANK
    if left_blank and (right_blank or not after):
        if after:
            after.pop(0)
        if not after:
            before.pop()
    elif right_blank and not [block for block in before if block.raw != BOM]:
        after.pop(0)
    return replace(doc, blocks=(*before, *after))


def sentence(text: str) -> str:
    """Words as one line that can stand behind a bullet. Raises UnwritableError where no bullet can hold them."""
    line = one_line(text)
    if not entry_key(line) or line.startswith(("```", "~~~", "<!--")):
        raise UnwritableError
    return line


_OWN_BULLET = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+")


def _blank(doc: Document) -> Block:
    return Block(BlockKind.BLANK, doc.newline)


def _index(doc: Document, block: Block) -> int:
    for at, one in enumerate(doc.blocks):
        if one is block or (one.line == block.line and one.raw == block.raw):
            return at
    raise UnwritableError


def _region(doc: Document, section: str) -> tuple[int, int]:
    """First and last+1 block of a section's own lines, its heading included; equal where it is missing.

    No section means the lines above the first heading, or, where there are none, those under the file's title.
    """
    headings = [at for at, block in enumerate(doc.blocks) if block.kind is BlockKind.HEADING]
    ends = dict(zip(headings, [*headings, len(doc.blocks)][1:], strict=True))
    if section:
        at = next((at for at in headings if doc.blocks[at].text == section), None)
        return (at, ends[at]) if at is not None else (0, 0)
    if not headings:
        return 0, len(doc.blocks)
    above = doc.blocks[: headings[0]]
    if doc.blocks[headings[0]].level == 1 and not any(block.kind is BlockKind.ENTRY for block in above):
        return headings[0], ends[headings[0]]
    return 0, headings[0]


def _spot(doc: Document, start: int, end: int, *, at_top: bool) -> int:
    """Where in a section an entry goes in."""
    region = range(start, end)
    entries = [at for at in region if doc.blocks[at].kind is BlockKind.ENTRY]
    if entries:
        return entries[0] if at_top else entries[-1] + 1
    solid = [at for at in region if doc.blocks[at].kind is not BlockKind.BLANK]
    at = solid[-1] + 1 if solid else start
    if at in region and doc.blocks[at].kind is BlockKind.BLANK:
        at += 1
    return at


def _new_section_at(doc: Document, place: Place) -> tuple[int, int]:
    """Where a missing section is made, and its heading's level."""
    later = list(place.order[place.order.index(place.section) + 1 :]) if place.section in place.order else []
    for at, block in enumerate(doc.blocks):
        if block.kind is BlockKind.HEADING and block.text in later:
            return at, block.level
    return len(doc.blocks), 2


def _insert(doc: Document, at: int, new: list[Block]) -> Document:
    """Blocks put in with the blank lines that keep them apart from their neighbours."""
    before, after = list(doc.blocks[:at]), list(doc.blocks[at:])
    if before and before[-1].raw != BOM:
        last = before[-1]
        if not last.raw.endswith("\n"):
            before[-1] = last = replace(last, raw=last.raw + doc.newline)
        if last.kind is not BlockKind.BLANK and not _tight(last, new[0]):
            before.append(_blank(doc))
    if after and after[0].kind is not BlockKind.BLANK and not _tight(new[-1], after[0]):
        after.insert(0, _blank(doc))
    return replace(doc, blocks=(*before, *new, *after))


def _tight(above: Block, below: Block) -> bool:
    return above.shape is Shape.BULLET and below.shape is Shape.BULLET


def _settled(doc: Document) -> Document:
    """The edited document read anew. Raises UnwritableError where a reader would see other blocks than were meant."""
    fresh = parse_again(doc)
    meant = [(block.kind, block.raw) for block in doc.blocks if block.kind is not BlockKind.BLANK]
    seen = [(block.kind, block.raw) for block in fresh.blocks if block.kind is not BlockKind.BLANK]
    if meant != seen:
        raise UnwritableError
    return fresh
