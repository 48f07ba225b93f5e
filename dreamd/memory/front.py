"""A topic file's front matter: read as plain values, changed key by key without touching the rest."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace

from dreamd.memory.document import BOM, Block, BlockKind, Document, parse
from dreamd.memory.plan import TopicHead

_KEY = re.compile(
    r"(?P<indent> *)(?P<key>[^\s:#'\"{}\[\],&*!|>%@`-][^:#]*?|[\w-]+)[ \t]*:(?=[ \t\r\n]|$)(?P<value>.*)", re.DOTALL
)
_BLOCK_SCALAR = re.compile(r"[|>][+-]?\d?$")
_PLAIN = re.compile(r"[\w(/$.][^\x00-\x1f\x7f\x85\u2028\u2029\ufeff]*")
_NOT_A_STRING = re.compile(
    r"(?:true|false|yes|no|on|off|y|n|null|nan|\.nan|[-+]?\.inf|[-+.\d][\d_.,:eExXoOa-fA-F+-]*|\d{4}-\d\d?-\d\d?.*)",
    re.IGNORECASE,
)


def head_values(head: TopicHead) -> dict[str, str]:
    """The front matter that a topic head stands for, in its order."""
    return {
        "name": head.name,
        "description": head.description,
        "modified": head.modified.isoformat(),
        "metadata.type": head.type,
    }


def value_digest(value: str) -> str:
    """A front matter value as it is remembered: enough to know it again, none of its words."""
    return hashlib.sha256(one_line(value).encode()).hexdigest()[:16]


def one_line(text: str) -> str:
    """Words on one line, without control characters and halves of characters."""
    kept = (char for char in text if char.isspace() or unicodedata.category(char) not in {"Cc", "Cs"})
    return " ".join("".join(kept).split())


def scalar(value: str) -> str:
    """A string on one line as any YAML reader reads it back: plain where that is safe, else double-quoted."""
    value = one_line(value)
    plain = _PLAIN.fullmatch(value) and ": " not in value and " #" not in value and not value.endswith(":")
    if plain and not _NOT_A_STRING.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def front_values(raw: str) -> dict[str, str]:
    """Scalar values of front matter (its fences included); those of `metadata` as `metadata.<key>`. {} for none."""
    values: dict[str, str] = {}
    parent = ""
    lines = raw.removeprefix(BOM).splitlines()[1:-1]
    for at, line in enumerate(lines):
        found = _KEY.match(line)
        if not found:
            continue
        key, value = found["key"].strip(), found["value"].strip()
        if not found["indent"]:
            parent = key
            if key != "metadata" or (value and value[0] not in "{#"):
                values.setdefault(key, _plain(value, lines[at + 1 :]))
            elif value.startswith("{"):
                values |= {f"metadata.{name}": _plain(text, []) for name, text in _FLOW.findall(value)}
        elif parent == "metadata":
            values.setdefault(f"metadata.{key}", _plain(value, []))
    return values


_FLOW = re.compile(r"[{,]\s*[\"']?([\w-]+)[\"']?\s*:\s*(\"[^\"]*\"|'[^']*'|[^,}]*)")


def _plain(value: str, following: list[str]) -> str:
    """A scalar without its quotes or comment; folded lines joined."""
    if value.startswith('"'):
        try:
            text, _ = json.JSONDecoder(strict=False).raw_decode(value)
        except ValueError:
            return value.strip('"')
        return str(text)
    if value.startswith("'"):
        return value[1:].rpartition("'")[0].replace("''", "'")
    if _BLOCK_SCALAR.match(value):
        value = ""
    elif " #" in f" {value}":
        value = f" {value}".partition(" #")[0].strip()
    folded = []
    for line in following:
        if line.strip() and not line.startswith((" ", "\t")):
            break
        folded.append(line.strip())
    if folded and (":" not in folded[0]):
        value = " ".join([value, *folded]).strip()
    return value


def set_front(doc: Document, values: Mapping[str, str]) -> Document:
    """Set front matter keys (`metadata.type` for a nested one); unknown keys, order and comments stay.

    Values are dates or strings; a date-like `modified` is written plain. Made if there is none.
    """
    at = next((n for n, block in enumerate(doc.blocks) if block.kind is BlockKind.FRONT), None)
    newline = doc.newline
    if at is None:
        first = 1 if doc.blocks and doc.blocks[0].raw == BOM else 0
        front = Block(BlockKind.FRONT, f"---{newline}---{newline}")
        gap = () if len(doc.blocks) == first or doc.blocks[first].kind is BlockKind.BLANK else (newline,)
        blanks = tuple(Block(BlockKind.BLANK, text) for text in gap)
        doc = replace(doc, blocks=(*doc.blocks[:first], front, *blanks, *doc.blocks[first:]))
        at = first
    lines = doc.blocks[at].raw.splitlines(keepends=True)
    for key, value in values.items():
        written = value if key == "modified" else scalar(value)
        lines = _with_key(lines, key, written, newline)
    changed = replace(doc.blocks[at], raw="".join(lines))
    return parse_again(replace(doc, blocks=(*doc.blocks[:at], changed, *doc.blocks[at + 1 :])))


def parse_again(doc: Document) -> Document:
    """The same text with fresh line numbers; marks go with their entries."""
    fresh = parse(doc.render())
    marks = iter([block.mark for block in doc.entries])
    blocks = (
        replace(block, mark=next(marks, "")) if block.kind is BlockKind.ENTRY else block for block in fresh.blocks
    )
    return replace(fresh, blocks=tuple(blocks))


def _with_key(lines: list[str], key: str, written: str, newline: str) -> list[str]:
    """The front matter's lines with one key set."""
    outer, _, inner = key.partition(".")
    start, end = _extent(lines, outer, 1, len(lines) - 1, nested=False)
    if not inner:
        return [*lines[:start], f"{outer}: {written}{newline}", *lines[end:]]
    if start == end:
        return [*lines[:start], f"{outer}:{newline}", f"  {inner}: {written}{newline}", *lines[end:]]
    flow = lines[start].partition(":")[2].strip()
    if flow and not flow.startswith("#"):
        if not flow.startswith("{") or end != start + 1:
            return lines  # not a mapping as we know it: a person's own business
        return [*lines[:start], _with_flow(lines[start], inner, written), *lines[end:]]
    indent = next((line[: len(line) - len(line.lstrip(" "))] for line in lines[start + 1 : end] if line.strip()), "  ")
    first, last = _extent(lines, inner, start + 1, end, nested=True)
    return [*lines[:first], f"{indent or '  '}{inner}: {written}{newline}", *lines[last:]]


def _with_flow(line: str, inner: str, written: str) -> str:
    """`metadata: {type: x}` with one key set."""
    pattern = re.compile(rf"([{{,]\s*[\"']?{re.escape(inner)}[\"']?\s*:\s*)(\"[^\"]*\"|'[^']*'|[^,}}]*)")
    if pattern.search(line):
        return pattern.sub(lambda found: f"{found[1]}{written}", line, count=1)
    close = line.rfind("}")
    gap = ", " if line[:close].rstrip()[-1] != "{" else ""
    return f"{line[:close].rstrip()}{gap}{inner}: {written}{line[close:]}"


def _extent(lines: list[str], key: str, start: int, end: int, *, nested: bool) -> tuple[int, int]:
    """The lines that a key takes up with its continuation; both at `end` where it is missing."""
    for at in range(start, end):
        found = _KEY.match(lines[at])
        if not found or found["key"].strip() != key or bool(found["indent"]) != nested:
            continue
        last = at + 1
        while last < end and _continues(lines[last], len(found["indent"])):
            last += 1
        while last > at + 1 and not lines[last - 1].strip():
            last -= 1
        return at, last
    return end, end


def _continues(line: str, indent: int) -> bool:
    bare = line.rstrip("\r\n")
    if not bare.strip():
        return True
    if bare.lstrip().startswith("- ") and len(bare) - len(bare.lstrip(" ")) == indent:
        return True
    return len(bare) - len(bare.lstrip(" ")) > indent or bare.startswith("\t")
