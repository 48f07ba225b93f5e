"""Which topic files have a line of MEMORY.md to themselves, how long it may be, and which share one."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

GROUP = 12  # files that share a line, unless there is no room for so many lines
#: How long hooks may be, in bytes, from the most recently confirmed topic on; the shortest for all behind these.
_HOOKS = (280,) * 12 + (160,) * 24
_SHORTEST_HOOK = 60
_AROUND = 5  # bytes of a line beside link and hook: bullet, colon, line end
_SHARED = 10  # bytes of a shared line beside its links


class Room(NamedTuple):
    """What MEMORY.md has for pointers."""

    lines: int
    bytes: int
    most: int  # bytes that links may take at the very most; beyond (some 500 topics) the folder of the oldest has one


@dataclass(frozen=True, slots=True)
class Leads:
    """How topics are pointed to."""

    single: Mapping[str, int]  # file → the longest hook of its own line, in bytes
    older: tuple[str, ...]  # files that share lines with others of their folder
    group: int = GROUP  # so many share one line


def leads(ordered: Sequence[str], links: Mapping[str, str], room: Room) -> Leads:
    """As many lines of their own as there is room for, for the topics that come first.

    A pure function of its arguments in which one topic more or less changes little: a hook's length depends on its place
    alone, and topics are taken into shared lines from the end.

    Args:
        ordered: every topic file, the most recently confirmed first.
        links: the Markdown link of each.
        room: what there is for all of them together.
    """
    sizes = [len(links[file].encode()) for file in ordered]
    hooks = [*_HOOKS, *([_SHORTEST_HOOK] * len(ordered))][: len(ordered)]
    own = [0, *accumulate(size + hook + _AROUND for size, hook in zip(sizes, hooks, strict=True))]
    rest = [0, *accumulate(size + len(", ") for size in reversed(sizes))]
    counts: Counter[str] = Counter()
    alone = len(ordered)
    while alone:
        lines = _lines(counts.values(), GROUP)
        size = own[alone] + rest[len(ordered) - alone] + lines * _SHARED
        if alone + lines <= room.lines and size <= room.bytes:
            break
        alone -= 1
        counts[_folder(ordered[alone])] += 1
    single = dict(zip(ordered[:alone], hooks[:alone], strict=True))
    known = bisect_right(list(accumulate(size + len(", ") + 1 for size in sizes[alone:])), room.most)
    return Leads(single, tuple(ordered[alone:][:known]), _group(counts, room.lines))


def _group(counts: Mapping[str, int], lines: int) -> int:
    """How many must share one line."""
    group = GROUP
    while _lines(counts.values(), group) > max(lines, len(counts)):
        group += GROUP
    return group


def _lines(counts: Iterable[int], group: int) -> int:
    return sum(-(-count // group) for count in counts)


def _folder(file: str) -> str:
    return file.split("/", maxsplit=1)[0]


def shared(plan: Leads, before: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """The files of each shared line. Those that shared one before still do, so that little changes.

    Args:
        plan: who shares.
        before: the files of each shared line as it was.
    """
    waiting = dict.fromkeys(plan.older)
    groups: defaultdict[str, list[list[str]]] = defaultdict(list)
    for files in before:
        stay = [file for file in files if file in waiting][: plan.group]
        for file in stay:
            del waiting[file]
        if stay:
            groups[_folder(stay[0])].append(stay)
    for file in waiting:
        _join(groups[_folder(file)], file, plan.group)
    made = []
    for folder in sorted(groups):
        lines = groups[folder]
        while len(lines) > _lines([sum(map(len, lines))], plan.group):
            for file in lines.pop():
                _join(lines, file, plan.group)
        made += [tuple(line) for line in lines]
    return made


def _join(lines: list[list[str]], file: str, group: int) -> None:
    for line in lines:
        if len(line) < group:
            line.append(file)
            return
    lines.append([file])
