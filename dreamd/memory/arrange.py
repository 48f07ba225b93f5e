"""What goes where: entries to their files and sections by scope and rank, within the caps."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ulid import ULID

from dreamd.memory.document import entry_key
from dreamd.memory.layout import (
    MEMORY,
    MEMORY_SECTIONS,
    OVERFLOW,
    POINTER,
    TOPIC_SECTIONS,
    confirmed_at,
    general_section,
    next_part,
    rank,
    topic_section,
)
from dreamd.memory.plan import Change, ChangeKind, EntryRecord, Reason
from dreamd.memory.pointers import heads, pointers
from dreamd.memory.wish import Arrangement, Caps, Excess, Ground, Place, Wish


def arrange(
    wishes: Sequence[Wish],
    places: Mapping[str, Place],
    ground: Ground,
    caps: Caps,
    now: dt.datetime,
    zone: dt.tzinfo,
    excess: Mapping[str, Excess] = MappingProxyType({}),
) -> Arrangement:
    """Places every wish. Entries that have a file keep it unless they are stale or their file has no room for them.

    What certainly is too much leaves at once. How long a file becomes is seen from the draft alone, so the caller says
    with `excess` how much more has to leave which file: no estimate moves a line that could have stayed.
    """
    standing = [
        _at_home(wish, ground.closed)
        for wish in wishes
        if wish.act is not ChangeKind.REMOVE and wish.record.kind != POINTER
    ]
    gone = [wish for wish in wishes if wish.act is ChangeKind.REMOVE]
    standing, stale = _age(standing, ground.closed, caps.stale_after, now)
    gone += stale
    standing = _make_room(standing, ground, caps, excess)
    old_pointers = [wish.record for wish in wishes if wish.record.kind == POINTER and wish.act is not ChangeKind.REMOVE]
    leading, dangling = pointers(standing, old_pointers, places, ground, caps)
    everything = standing + leading
    before = {wish.record.id: wish.record for wish in wishes}
    changes = _removals(gone + dangling) + _moves_and_updates(everything, before) + _additions(everything)
    kept = tuple(sorted((wish.record for wish in everything), key=lambda record: record.id))
    return Arrangement(tuple(changes), kept, heads(standing, places, zone))


def gives_way(record: EntryRecord) -> bool:
    """Whether an entry leaves a full file before a person's own lines do."""
    return record.kind != POINTER and not record.pinned and not record.beneath


def _at_home(wish: Wish, closed: frozenset[str]) -> Wish:
    """A wish with a file; what is new goes on in the next part of one that nothing can be put into."""
    record = wish.record
    if not record.file:
        if record.scope != "general":
            raise ValueError(f"entry {record.id} of scope {record.scope} has no file")
        record = replace(record, file=MEMORY, section=general_section(record.kind))
    if wish.act is ChangeKind.ADD and not record.beneath:
        while record.file in closed:
            further = _further(record.file, closed)
            section = topic_section(record.kind) if record.file == MEMORY else record.section
            record = replace(record, file=further, section=section, demoted=True)
    return replace(wish, record=record)


def _further(file: str, closed: frozenset[str]) -> str:
    """Where what a file has no room for goes."""
    further = OVERFLOW if file == MEMORY else next_part(file)
    while further in closed:
        further = next_part(further)
    return further


def _age(
    wishes: list[Wish], closed: frozenset[str], stale_after: dt.timedelta, now: dt.datetime
) -> tuple[list[Wish], list[Wish]]:
    """Unconfirmed for `stale_after`: out of MEMORY.md; for twice as long: out of the topic file."""
    standing, stale = [], []
    for wish in wishes:
        unconfirmed = now - confirmed_at(wish.record)
        if wish.record.pinned or unconfirmed <= stale_after:
            standing.append(wish)
        elif unconfirmed > 2 * stale_after and wish.act is not ChangeKind.ADD:
            text = wish.old if wish.old is not None else wish.record.text
            stale.append(replace(wish, act=ChangeKind.REMOVE, reason=Reason.STALE, old=text))
        elif wish.record.file == MEMORY:
            standing.append(_demoted(wish, _further(MEMORY, closed), Reason.STALE))
        else:
            standing.append(wish)
    return standing, stale


def _demoted(wish: Wish, further: str, reason: Reason) -> Wish:
    """A wish that leaves its file for the one that takes what it has no room for."""
    record = wish.record
    section = topic_section(record.kind) if record.file == MEMORY else record.section
    record = replace(record, file=further, section=section, demoted=True)
    return replace(wish, record=record, reason=wish.reason if wish.act else reason)


def _make_room(wishes: list[Wish], ground: Ground, caps: Caps, excess: Mapping[str, Excess]) -> list[Wish]:
    """Entries that their file has no room for leave for its overflow, the lowest-ranked first; the others stay."""
    by_file: defaultdict[str, list[Wish]] = defaultdict(list)
    for wish in wishes:
        by_file[wish.record.file].append(wish)
    left = dict(excess)
    waiting = sorted(by_file)
    while waiting:
        file = waiting.pop(0)
        if file in ground.closed:
            continue
        over = _too_much(file, by_file[file], ground, caps)
        more = left.pop(file, Excess())
        stay, leave = _parted(by_file[file], Excess(over.lines + more.lines, over.bytes + more.bytes))
        if leave:
            by_file[file] = stay
            further = _further(file, ground.closed)
            by_file[further] += [_demoted(wish, further, Reason.OVER_CAP) for wish in leave]
            waiting.append(further)
    order = {wish.record.id: number for number, wish in enumerate(wishes)}
    return sorted((w for file in by_file.values() for w in file), key=lambda w: order[w.record.id])


def _too_much(file: str, members: Sequence[Wish], ground: Ground, caps: Caps) -> Excess:
    """What certainly has no room, headings and pointers not counted."""
    lines = sum(_size(wish).lines for wish in members) + ground.lines.get(file, 0)
    if file != MEMORY:
        return Excess(max(lines - caps.topic_max_lines, 0))
    size = sum(_size(wish).bytes for wish in members) + ground.bytes.get(file, 0)
    return Excess(max(lines - caps.max_lines, 0), max(size - caps.max_bytes, 0))


def _parted(members: list[Wish], over: Excess) -> tuple[list[Wish], list[Wish]]:
    """Who stays and who leaves."""
    lines, size = over
    leaving: set[str] = set()
    for wish in sorted(members, key=lambda wish: (rank(wish.record), wish.record.id)):
        if lines <= 0 and size <= 0:
            break
        lines -= _size(wish).lines
        size -= _size(wish).bytes
        leaving.add(wish.record.id)
    stay = [wish for wish in members if wish.record.id not in leaving]
    return stay, [wish for wish in members if wish.record.id in leaving]


def _size(wish: Wish) -> Excess:
    text = wish.record.text
    return Excess(1 + text.count("\n"), len(text.encode()) + 3)


def _removals(wishes: Iterable[Wish]) -> list[Change]:
    return [
        Change(
            id=str(ULID()),
            kind=ChangeKind.REMOVE,
            entry=wish.record.id,
            file=wish.record.file,
            section=wish.record.section,
            after=None,
            old=wish.old if wish.old is not None else wish.record.text,
            new=None,
            reason=wish.reason or Reason.CONTRADICTED,
            findings=wish.findings,
        )
        for wish in wishes
    ]


def _moves_and_updates(wishes: Sequence[Wish], before: Mapping[str, EntryRecord]) -> list[Change]:
    """What already stood and changes its words or its place."""
    changes = []
    for wish in wishes:
        former = before.get(wish.record.id)
        if former is None or not former.file or wish.act is ChangeKind.ADD:
            continue
        reworded = wish.act is not None and wish.old is not None and entry_key(wish.old) != wish.record.key
        if former.file != wish.record.file and not reworded:  # new words come in the place that they shall have
            changes.append(
                _change(ChangeKind.MOVE, wish, wish.reason or Reason.OVER_CAP, after=None, from_file=former.file)
            )
        if wish.act is not None:
            changes.append(_change(wish.act, wish, wish.reason or Reason.REPEATED, after=None))
    return changes


def _additions(wishes: Sequence[Wish]) -> list[Change]:
    """New entries, each behind the last one of its section that ranks as high; the others do not move."""
    sections: defaultdict[tuple[str, str], list[EntryRecord]] = defaultdict(list)
    for wish in wishes:
        if wish.act is not ChangeKind.ADD:
            sections[wish.record.file, wish.record.section].append(wish.record)
    changes = []
    for wish in sorted((w for w in wishes if w.act is ChangeKind.ADD), key=_reading_order):
        here = sections[wish.record.file, wish.record.section]
        higher = [record for record in here if rank(record) >= rank(wish.record)]
        after = f"key:{wish.record.beneath}" if wish.record.beneath else higher[-1].id if higher else ""
        here.insert(here.index(higher[-1]) + 1 if higher else 0, wish.record)
        changes.append(_change(ChangeKind.ADD, wish, wish.reason or Reason.NEW, after=after))
    return changes


def _reading_order(wish: Wish) -> tuple[str, int, float, str]:
    order = MEMORY_SECTIONS if wish.record.file == MEMORY else TOPIC_SECTIONS
    section = order.index(wish.record.section) if wish.record.section in order else len(order)
    return (wish.record.file, section, -rank(wish.record), wish.record.id)


def _change(kind: ChangeKind, wish: Wish, reason: Reason, *, after: str | None, from_file: str = "") -> Change:
    return Change(
        id=str(ULID()),
        kind=kind,
        entry=wish.record.id,
        file=wish.record.file,
        section=wish.record.section,
        after=after,
        old=wish.record.text if kind is ChangeKind.MOVE else wish.old,
        new=wish.record.text,
        reason=reason,
        findings=wish.findings,
        from_file=from_file,
        record=wish.record,
    )
