"""A JSON text changed in place: values put in and taken out, every other character as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}]+")
_INDENT = re.compile(r"\n([ \t]+)\S")
_BARE = re.compile(r"\{\s*\}")
_DEFAULT_INDENT = "  "
_BOM = "\ufeff"

Step = str | int
Path = Sequence[Step]


class Edit(NamedTuple):
    """One replacement: at a character, what stood there, what stands there now."""

    at: int
    old: str
    new: str

    def apply(self, text: str) -> str:
        """The text with the edit made."""
        return text[: self.at] + self.new + text[self.at + len(self.old) :]

    @property
    def undone(self) -> Edit:
        """The edit that takes this one back."""
        return Edit(self.at, self.new, self.old)


@dataclass(frozen=True, slots=True)
class _Node:
    """A value and where it stands; `parts` are an object's or array's, each from its key (or itself) to its end."""

    start: int
    end: int
    parts: tuple[_Part, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    key: str | None
    start: int
    value: _Node


def value_of(text: str) -> Any:
    """The value of a JSON text; a byte order mark is passed over.

    Raises ValueError for anything else, comments and NaN included, and RecursionError where it is nested too deeply to be changed.
    """
    value = json.loads(text.removeprefix(_BOM), parse_constant=_no_constant)
    _tree(text)
    return value


def put(text: str, path: Path, value: object) -> Edit:
    """Puts a value at the end of the object or array that the path leads to.

    Args:
        text: strict JSON.
        path: keys from the root; the last one is the new member's key, or -1 for a new item of an array. All before it must be there.
        value: what json.dumps takes.
    """
    node = _find(_tree(text), path[:-1])
    key = path[-1] if isinstance(path[-1], str) else None
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = match[1] if (match := _INDENT.search(text)) else _DEFAULT_INDENT
    if node.parts:
        gap = text[node.start + 1 : node.parts[0].start]
        last = node.parts[-1].value.end
        if "\n" in gap:
            indent = gap.rsplit("\n", 1)[1]
            return Edit(last, "", f",{newline}{indent}{_written(key, value, indent, unit, newline)}")
        return Edit(last, "", f", {_compact(key, value)}")
    inside = text[node.start + 1 : node.end - 1]
    if "\n" not in text.strip() and not _BARE.fullmatch(text.removeprefix(_BOM).strip()):
        return Edit(node.start + 1, inside, _compact(key, value))
    base = _indent_at(text, node.start)
    indent = base + unit
    return Edit(
        node.start + 1,
        inside,
        f"{newline}{indent}{_written(key, value, indent, unit, newline)}{newline}{base}",
    )


def take(text: str, path: Path) -> Edit:
    """Takes the member or item at the path out, with the comma that belongs to it."""
    node = _find(_tree(text), path[:-1])
    number = _number(node, path[-1])
    if len(node.parts) == 1:
        start, end = node.start + 1, node.end - 1
    elif number == 0:
        start, end = node.parts[0].start, node.parts[1].start
    else:
        start, end = node.parts[number - 1].value.end, node.parts[number].value.end
    return Edit(start, text[start:end], "")


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _tree(text: str) -> _Node:
    return _scan(text, _skip(text, 1 if text.startswith(_BOM) else 0))


def _scan(text: str, at: int) -> _Node:
    """The value at a place of a text that is known to be JSON."""
    match text[at]:
        case "{" | "[" as mark:
            return _compound(text, at, keyed=mark == "{")
        case '"':
            return _Node(at, _end(_STRING, text, at))
        case _:
            return _Node(at, _end(_SCALAR, text, at))


def _compound(text: str, start: int, *, keyed: bool) -> _Node:
    parts: list[_Part] = []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        begin, key = at, None
        if keyed:
            end = _end(_STRING, text, at)
            key = json.loads(text[at:end], strict=False)
            at = _skip(text, _skip(text, end) + 1)
        value = _scan(text, at)
        parts.append(_Part(key, begin, value))
        at = _skip(text, value.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return _Node(start, at + 1, tuple(parts))


def _find(node: _Node, path: Path) -> _Node:
    for step in path:
        node = node.parts[_number(node, step)].value
    return node


def _number(node: _Node, step: Step) -> int:
    """The place of a member or item; of members with the same key the last counts, as for every reader."""
    if isinstance(step, int):
        return step
    return max(number for number, part in enumerate(node.parts) if part.key == step)


def _written(key: str | None, value: object, indent: str, unit: str, newline: str) -> str:
    body = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", f"{newline}{indent}")
    return body if key is None else f"{json.dumps(key, ensure_ascii=False)}: {body}"


def _compact(key: str | None, value: object) -> str:
    body = json.dumps(value, ensure_ascii=False)
    return body if key is None else f"{json.dumps(key, ensure_ascii=False)}: {body}"


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _skip(text: str, at: int) -> int:
    return _end(_SPACE, text, at)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    assert found is not None
    return found.end()
