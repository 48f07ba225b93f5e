"""What goes where: entries to their files and sections by scope and rank, within the caps."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ulid import ULID

from dreamd.memory.layout import (
    FOLDER_SECTION,
    MEMORY,
    MEMORY_SECTIONS,
    OVERFLOW,
    POINTER,
    SECTION_LINES,
    TOPIC_HEAD_LINES,
    TOPIC_SECTIONS,
    confirmed_at,
    general_section,
    next_part,
    rank,
    topic_section,
)
from dreamd.memory.plan import Change, ChangeKind, EntryRecord, Reason
from dreamd.memory.pointers import SHORTEST_HOOK, heads, pointers
from dreamd.memory.wish import Arrangement, Caps, Ground, Place, Wish


def arrange(
    wishes: Sequence[Wish], places: Mapping[str, Place], ground: Ground, caps: Caps, now: dt.datetime, zone: dt.tzinfo
) -> Arrangement:
    """Places every wish. Entries that have a file keep it unless they are stale or MEMORY.md has no room for them."""
    standing = [_at_home(wish) for wish in wishes if wish.act is not ChangeKind.REMOVE and wish.record.kind != POINTER]
    gone = [wish for wish in wishes if wish.act is ChangeKind.REMOVE]
    standing, stale = _age(standing, caps.stale_after, now)
    gone += stale
    standing = _split_topics(_demote(standing, ground, caps), ground, caps)
    old_pointers = [wish.record for wish in wishes if wish.record.kind == POINTER and wish.act is not ChangeKind.REMOVE]
    leading, dangling = pointers(standing, old_pointers, places, ground, caps)
    everything = standing + leading
    before = {wish.record.id: wish.record for wish in wishes}
    changes = _removals(gone + dangling) + _moves_and_updates(everything, before) + _additions(everything)
    kept = tuple(sorted((wish.record for wish in everything), key=lambda record: record.id))
    return Arrangement(tuple(changes), kept, heads(standing, places, zone))


def _at_home(wish: Wish) -> Wish:
    record = wish.record
    if record.file:
        return wish
    if record.scope == "general":
        return replace(wish, record=replace(record, file=MEMORY, section=general_section(record.kind)))
    raise ValueError(f"entry {record.id} of scope {record.scope} has no file")


def _age(wishes: list[Wish], stale_after: dt.timedelta, now: dt.datetime) -> tuple[list[Wish], list[Wish]]:
    """Unconfirmed for `stale_after`: out of MEMORY.md; for twice as long: out of the topic file."""
    standing, stale = [], []
    for wish in wishes:
        unconfirmed = now - confirmed_at(wish.record)
        if wish.record.pinned or wish.act is not None or unconfirmed <= stale_after:
            standing.append(wish)
        elif unconfirmed > 2 * stale_after:
            stale.append(replace(wish, act=ChangeKind.REMOVE, reason=Reason.STALE, old=wish.record.text))
        elif wish.record.file == MEMORY:
            standing.append(_demoted(wish, Reason.STALE))
        else:
            standing.append(wish)
    return standing, stale


def _demoted(wish: Wish, reason: Reason) -> Wish:
    record = replace(wish.record, file=OVERFLOW, section=topic_section(wish.record.kind), demoted=True)
    return replace(wish, record=record, reason=wish.reason if wish.act else reason)


def _demote(wishes: list[Wish], ground: Ground, caps: Caps) -> list[Wish]:
    """Moves the lowest-ranked general entries out until MEMORY.md has room for the rest and for its pointers."""
    topics = {wish.record.file for wish in wishes if wish.record.file != MEMORY} | ground.topics
    own = sorted((w for w in wishes if w.record.file == MEMORY), key=lambda w: rank(w.record), reverse=True)
    sections = {w.record.section for w in own} | {FOLDER_SECTION[file.split("/")[0]] for file in topics}
    lines = caps.max_lines - ground.lines.get(MEMORY, 0) - SECTION_LINES * len(sections) - len(topics)
    room = caps.max_bytes - ground.bytes.get(MEMORY, 0) - 20 * len(sections) - len(topics) * SHORTEST_HOOK * 2
    stay: set[str] = set()
    for wish in own:
        size = len(wish.record.text.encode()) + 3
        if lines < 1 + wish.record.text.count("\n") or room < size:
            break
        lines -= 1 + wish.record.text.count("\n")
        room -= size
        stay.add(wish.record.id)
    return [w if w.record.file != MEMORY or w.record.id in stay else _demoted(w, Reason.OVER_CAP) for w in wishes]


def _split_topics(wishes: list[Wish], ground: Ground, caps: Caps) -> list[Wish]:
    """A topic over its lines goes on in "<name>~2.md": the lowest-ranked entries move, the others stay where they are."""
    by_topic: defaultdict[str, list[Wish]] = defaultdict(list)
    for wish in wishes:
        by_topic[wish.record.file].append(wish)
    result: list[Wish] = []
    for file in sorted(by_topic):
        members = by_topic[file]
        if file == MEMORY:
            result += members
            continue
        spilled = _spill(file, members, ground, caps)
        result += spilled
    return result


def _spill(file: str, members: list[Wish], ground: Ground, caps: Caps) -> list[Wish]:
    room = caps.topic_max_lines - max(ground.lines.get(file, 0), TOPIC_HEAD_LINES)
    room -= SECTION_LINES * len({wish.record.section for wish in members})
    lines = {wish.record.id: 1 + wish.record.text.count("\n") for wish in members}
    if sum(lines.values()) <= room:
        return members
    ordered = sorted(members, key=lambda wish: rank(wish.record), reverse=True)
    stay: list[Wish] = []
    spill: list[Wish] = []
    for wish in ordered:
        room -= lines[wish.record.id]
        (stay if room >= 0 else spill).append(wish)
    further = next_part(file)
    moved = [
        replace(w, record=replace(w.record, file=further, demoted=True), reason=w.reason if w.act else Reason.OVER_CAP)
        for w in spill
    ]
    return stay + _spill(further, moved, ground, caps)


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
        moved = former.file != wish.record.file
        if moved:
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
