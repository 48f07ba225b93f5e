"""A Markdown memory file as blocks that give back every byte of it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

BOM = "\ufeff"


class BlockKind(StrEnum):
    """What a block of lines is."""

    FRONT = "front"  # YAML front matter with its fences
    HEADING = "heading"
    ENTRY = "entry"  # a bullet with its continuation, a paragraph or table, a code block
    BLANK = "blank"
    OTHER = "other"  # a byte order mark, HTML comments, rules


class Shape(StrEnum):
    """What an entry looks like."""

    BULLET = "bullet"
    PARAGRAPH = "paragraph"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole lines of a file. The raws of all blocks in a row are the file."""

    kind: BlockKind
    raw: str
    line: int = 0  # 1-based line of the first
    text: str = ""  # ENTRY: the sentence without its bullet, as wrapped; HEADING: its title
    section: str = ""  # title of the nearest heading above; "" for none
    key: str = ""  # ENTRY: entry_key(text)
    occurrence: int = 0  # ENTRY: which of equals in this file, from 0
    level: int = 0  # HEADING: 1..6
    shape: Shape | None = None  # ENTRY
    mark: str = ""  # whose it is while a draft is made; not part of the text


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file; `render()` gives back exactly what was parsed."""

    blocks: tuple[Block, ...]
    newline: str = "\n"  # the file's first line end
    bullet: str = "-"  # the file's first bullet

    def render(self) -> str:
        """The file's text."""
        return "".join(block.raw for block in self.blocks)

    @property
    def entries(self) -> tuple[Block, ...]:
        """The entries from top to bottom."""
        return tuple(block for block in self.blocks if block.kind is BlockKind.ENTRY)

    @property
    def headings(self) -> tuple[Block, ...]:
        """The headings from top to bottom."""
        return tuple(block for block in self.blocks if block.kind is BlockKind.HEADING)

    @property
    def front(self) -> str:
        """The front matter with its fences, as it stands; "" for none (front.front_values reads it)."""
        return next((block.raw for block in self.blocks if block.kind is BlockKind.FRONT), "")


def entry_key(text: str) -> str:
    """The identity of a sentence: NFC, without its bullet, white space and wrapping.

    All white space goes, not only runs of it: text without spaces between words (Chinese) wraps anywhere.
    """
    words = _LEADING_BULLET.sub("", text, count=1).split()
    return unicodedata.normalize("NFC", "".join(words))


def count_lines(text: str) -> int:
    """Lines as a reader counts them, with or without a final line end."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def is_one_piece(doc: Document) -> bool:
    """Whether a file holds one entry alone: however long it is, it cannot be divided."""
    return len(doc.entries) == 1


@lru_cache(maxsize=128)
def parse(text: str) -> Document:
    """Any text as blocks; `parse(text).render() == text`.

    The block rules are CommonMark's (https://spec.commonmark.org/0.31.2/) as far as they decide where an entry begins
    and ends. Nested lists belong to their outermost item.
    """
    lines = _LINES.findall(text)
    blocks: list[Block] = []
    at = 0
    if lines and lines[0].startswith(BOM):
        blocks.append(Block(BlockKind.OTHER, BOM))
        lines[0] = lines[0][1:]
        if not lines[0]:
            lines.pop(0)
    while at < len(lines):
        block, end = _front(lines) if at == 0 else (None, 0)
        if block is None:
            block, end = _block(lines, at)
        blocks.append(block)
        at = end
    first = next((line for line in lines if line.endswith("\n")), "\n")
    bullets = (_BULLET.match(block.raw) for block in blocks if block.shape is Shape.BULLET)
    bullet = next((found["mark"] for found in bullets if found and found["mark"] in "-*+"), "-")
    return Document(_placed(blocks), "\r\n" if first.endswith("\r\n") else "\n", bullet)


_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_LEADING_BULLET = re.compile(r"\s*[-*+]\s+")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
_BULLET = re.compile(r"(?P<indent> {0,3})(?P<mark>[-*+]|\d{1,9}[.)])(?P<gap>[ \t]+(?=\S)|[ \t]*(?=[\r\n]|$))")
_COMMENT = re.compile(r" {0,3}<!--")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)")


def _bare(line: str) -> str:
    """A line without its end."""
    return line.rstrip("\n").removesuffix("\r")


def _placed(blocks: list[Block]) -> tuple[Block, ...]:
    """Blocks with their first line and section, and entries with their occurrence number."""
    seen: Counter[str] = Counter()
    section = ""
    line = 1
    placed = []
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            section = block.text
        occurrence = 0
        if block.kind is BlockKind.ENTRY:
            occurrence = seen[block.key]
            seen[block.key] += 1
        first = 0 if block.raw == BOM else line  # the mark is no line
        placed.append(replace(block, line=first, section=section, occurrence=occurrence))
        line += block.raw.count("\n")
    return tuple(placed)


def _front(lines: list[str]) -> tuple[Block | None, int]:
    """Front matter at the top of the file, if it is closed."""
    if _bare(lines[0]).rstrip() != "---":
        return None, 0
    for at in range(1, len(lines)):
        if _bare(lines[at]).rstrip() in {"---", "..."}:
            return Block(BlockKind.FRONT, "".join(lines[: at + 1])), at + 1
    return None, 0


def _block(lines: list[str], at: int) -> tuple[Block, int]:  # noqa: PLR0911 - a decision table
    """The block that begins at a line, and the line after it."""
    bare = _bare(lines[at])
    if not bare.strip():
        end = _while(lines, at, lambda line: not line.strip())
        return Block(BlockKind.BLANK, "".join(lines[at:end])), end
    if _FENCE.match(bare):
        return _entry(lines, at, _fence_end(lines, at), Shape.CODE)
    if heading := _ATX.match(bare):
        title = (heading[2] or "").strip()
        return Block(BlockKind.HEADING, lines[at], text=title, level=len(heading[1])), at + 1
    if _RULE.match(bare):
        return Block(BlockKind.OTHER, lines[at]), at + 1
    if _COMMENT.match(bare):
        end = next((n + 1 for n in range(at, len(lines)) if "-->" in lines[n]), len(lines))
        return Block(BlockKind.OTHER, "".join(lines[at:end])), end
    if _BULLET.match(bare):
        return _entry(lines, at, _item_end(lines, at), Shape.BULLET)
    if _INDENTED.match(bare):
        return _entry(lines, at, _indented_end(lines, at), Shape.CODE)
    return _paragraph(lines, at)


def _while(lines: list[str], at: int, holds: Callable[[str], bool]) -> int:
    while at < len(lines) and holds(lines[at]):
        at += 1
    return at


def _entry(lines: list[str], at: int, end: int, shape: Shape) -> tuple[Block, int]:
    raw = "".join(lines[at:end])
    text = _item_text(lines[at:end]) if shape is Shape.BULLET else "\n".join(_bare(line) for line in lines[at:end])
    return Block(BlockKind.ENTRY, raw, text=text.rstrip(), key=entry_key(text), shape=shape), end


def _fence_end(lines: list[str], at: int) -> int:
    """The line after a fenced block; the end of the file if nothing closes it."""
    opening = _FENCE.match(_bare(lines[at]))
    fence = opening["fence"] if opening else "```"
    for number in range(at + 1, len(lines)):
        if _closes(_bare(lines[number]), fence):
            return number + 1
    return len(lines)


def _closes(bare: str, fence: str) -> bool:
    inner = bare.strip()
    return len(inner) >= len(fence) and set(inner) == {fence[0]}


def _indented_end(lines: list[str], at: int) -> int:
    """The line after an indented code block; blank lines inside it belong to it."""
    end = at
    while at < len(lines):
        bare = _bare(lines[at])
        if _INDENTED.match(bare) and bare.strip():
            end = at + 1
        elif bare.strip():
            break
        at += 1
    return end


def _paragraph(lines: list[str], at: int) -> tuple[Block, int]:
    """A paragraph or table; with an underline it is a heading."""
    end = at + 1
    while end < len(lines):
        bare = _bare(lines[end])
        if underline := _SETEXT.match(bare):
            title = " ".join(_bare(line).strip() for line in lines[at:end])
            level = 1 if underline[1].startswith("=") else 2
            return Block(BlockKind.HEADING, "".join(lines[at : end + 1]), text=title, level=level), end + 1
        if not bare.strip() or _interrupts(bare):
            break
        end += 1
    return _entry(lines, at, end, Shape.PARAGRAPH)


def _interrupts(bare: str) -> bool:
    """Whether a line begins a new block although a paragraph is open above it."""
    if _FENCE.match(bare) or _ATX.match(bare) or _RULE.match(bare) or _COMMENT.match(bare):
        return True
    item = _BULLET.match(bare)
    if not item or not bare[item.end() :].strip():
        return False
    return item["mark"] in {"-", "*", "+", "1.", "1)"}


def _content_offset(bare: str) -> int:
    """The column at which a list item's content begins (CommonMark 5.2): one to four columns after its marker."""
    item = _BULLET.match(bare)
    if not item:
        return 0
    marker = len(item["indent"]) + len(item["mark"])
    wide = bare.expandtabs(4)
    gap = len(wide[marker:]) - len(wide[marker:].lstrip(" "))
    return marker + (gap if 1 <= gap <= 4 and wide[marker:].strip() else 1)  # noqa: PLR2004 - the rule's own numbers


def _indent(bare: str) -> int:
    wide = bare.expandtabs(4)
    return len(wide) - len(wide.lstrip(" "))


def _item_end(lines: list[str], at: int) -> int:
    """The line after a list item with everything nested in it, lazy continuation lines included."""
    first = _bare(lines[at])
    offset = _content_offset(first)
    ordered = first.lstrip(" ")[0] not in "-*+"
    fence = _opened(first.expandtabs(4)[offset:])
    lazy = not fence
    end = at + 1
    while end < len(lines):
        bare = _bare(lines[end])
        if not bare.strip():
            following = _while(lines, end, lambda line: not line.strip())
            if following == len(lines) or _indent(_bare(lines[following])) < offset:
                break
            end, lazy = following, False
            continue
        inside = _indent(bare) >= offset
        if not inside and (fence or not lazy or _ends_item(bare, ordered=ordered)):
            break
        if fence:
            fence, lazy = ("", False) if _closes(bare, fence) else (fence, False)
        elif inside and (opened := _opened(_nested_content(bare.expandtabs(4)[offset:]))):
            fence, lazy = opened, False
        else:
            lazy = True
        end += 1
    return end


def _nested_content(inner: str) -> str:
    """What stands after the markers of nested items."""
    while item := _BULLET.match(inner.lstrip(" ")):
        inner = inner.lstrip(" ")[item.end() :]
    return inner.lstrip(" ")


def _opened(inner: str) -> str:
    """The fence that a line of content opens; "" for none."""
    opening = _FENCE.match(inner)
    return opening["fence"] if opening else ""


def _ends_item(bare: str, *, ordered: bool) -> bool:
    """Whether a line left of an item's content begins something else than a lazy continuation."""
    if _interrupts(bare):
        return True
    item = _BULLET.match(bare)
    return item is not None and (ordered or item["mark"] in "-*+")


def _item_text(lines: list[str]) -> str:
    """An item's words: without its marker, continuation lines without their indentation."""
    first = _bare(lines[0])
    item = _BULLET.match(first)
    offset = _content_offset(first)
    texts = [first[item.end() :] if item else first]
    for line in lines[1:]:
        wide = _bare(line).expandtabs(4)
        texts.append(wide[min(offset, _indent(wide)) :])
    return "\n".join(texts)
