"""The lines of MEMORY.md that lead to the topic files, and the heads of those files: what one must know at a glance."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ulid import ULID

from dreamd.memory.document import entry_key
from dreamd.memory.layout import EPOCH, FOLDER_SECTION, FOLDER_TYPE, MEMORY, POINTER, part_of, rank
from dreamd.memory.plan import ChangeKind, EntryRecord, Reason, TopicHead
from dreamd.memory.wish import Caps, Ground, Place, Wish

LONGEST_HOOK = 280  # characters
SHORTEST_HOOK = 60


def pointers(
    standing: Sequence[Wish], old: Sequence[EntryRecord], places: Mapping[str, Place], ground: Ground, caps: Caps
) -> tuple[list[Wish], list[Wish]]:
    """One line of MEMORY.md for each topic file that a person does not point to already; those without a file go."""
    by_file: defaultdict[str, list[EntryRecord]] = defaultdict(list)
    for wish in standing:
        if wish.record.file != MEMORY:
            by_file[wish.record.file].append(wish.record)
    wanted = (set(by_file) | ground.topics) - ground.pointed
    known = {record.value: record for record in old}
    room = (caps.max_bytes - ground.bytes.get(MEMORY, 0)) // 2
    longest = max(SHORTEST_HOOK, min(LONGEST_HOOK, room // max(len(wanted), 1) - 40))
    wishes = []
    for file in sorted(wanted, key=lambda name: (-_newest(by_file.get(name, ())), name)):
        text = _pointer_text(file, by_file.get(file, []), places.get(file) or places.get(part_of(file)), longest)
        wishes.append(_pointer(file, text, known.get(file), by_file.get(file, [])))
    dangling = [
        Wish(record, ChangeKind.REMOVE, Reason.POINTER, record.text) for record in old if record.value not in wanted
    ]
    return wishes, dangling


def _newest(records: Iterable[EntryRecord]) -> float:
    return max((record.last_at.timestamp() for record in records if record.last_at), default=0.0)


def _pointer(file: str, text: str, known: EntryRecord | None, records: Sequence[EntryRecord]) -> Wish:
    last_at = max((record.last_at for record in records if record.last_at), default=None)
    if known is None:
        record = EntryRecord(
            id=str(ULID()),
            file=MEMORY,
            section=FOLDER_SECTION[file.split("/", maxsplit=1)[0]],
            text=text,
            key=entry_key(text),
            kind=POINTER,
            scope="pointer",
            value=file,
            last_at=last_at,
        )
        return Wish(record, ChangeKind.ADD, Reason.POINTER)
    if known.text == text:
        return Wish(known)
    record = replace(known, text=text, key=entry_key(text), last_at=last_at)
    return Wish(record, ChangeKind.UPDATE, Reason.POINTER, known.text)


def _pointer_text(file: str, records: Sequence[EntryRecord], place: Place | None, longest: int) -> str:
    """`[name](file): root. The two or three things one must know.`."""
    name = place.title if place else file.rsplit("/", maxsplit=1)[-1].removesuffix(".md")
    part = re.search(r"~(\d+)\.md$", file)
    label = f"{name}, part {part[1]}" if part else name
    head = f"[{label}]({file.replace(' ', '%20')})"
    if place is not None and place.isolated:
        return head
    pieces = [place.root] if place and place.root and not part else []
    pieces += _essentials(records, longest - sum(len(piece) + 2 for piece in pieces))
    return f"{head}: {'; '.join(pieces)}" if pieces else head


def _essentials(records: Sequence[EntryRecord], room: int) -> list[str]:
    chosen: list[str] = []
    for record in sorted(records, key=lambda r: (-rank(r), r.id)):
        text = " ".join(record.text.split()).rstrip(".。")
        if len(text) + 2 > room:
            continue
        chosen.append(text)
        room -= len(text) + 2
        if len(chosen) == 3:  # noqa: PLR2004 - a hook is read at a glance
            break
    return chosen


def heads(wishes: Sequence[Wish], places: Mapping[str, Place], zone: dt.tzinfo) -> tuple[TopicHead, ...]:
    """Front matter and title of every topic file that holds an entry of dreamd's."""
    by_file: defaultdict[str, list[EntryRecord]] = defaultdict(list)
    for wish in wishes:
        if wish.record.file != MEMORY:
            by_file[wish.record.file].append(wish.record)
    made = []
    for file, records in sorted(by_file.items()):
        place = places.get(file) or places.get(part_of(file))
        title = place.title if place else file.split("/")[-1].removesuffix(".md")
        newest = max((record.last_at for record in records if record.last_at), default=None)
        pieces = ([place.root] if place and place.root else []) + _essentials(records, 160)
        made.append(
            TopicHead(
                file=file,
                name=title,
                description="; ".join(pieces) or f"What is known of {title}",
                modified=(newest or EPOCH).astimezone(zone).date(),
                type=FOLDER_TYPE[file.split("/")[0]],
            )
        )
    return tuple(made)
