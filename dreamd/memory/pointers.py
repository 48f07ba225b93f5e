"""The lines of MEMORY.md that lead to the topic files, and the heads of those files: what one must know at a glance."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ulid import ULID

from dreamd.memory.document import entry_key
from dreamd.memory.front import one_line
from dreamd.memory.layout import EPOCH, FOLDER_SECTION, FOLDER_TYPE, MEMORY, POINTER, part_of, rank
from dreamd.memory.plan import ChangeKind, EntryRecord, Reason, TopicHead
from dreamd.memory.sharing import Room, leads, shared
from dreamd.memory.wish import Caps, Ground, Place, Wish

_DESCRIPTION = 160  # bytes
_ESSENTIALS = 3  # a hook is read at a glance
_IN_LINKS = re.compile(r"[ ()<>%\[\]]")


def pointers(
    standing: Sequence[Wish], old: Sequence[EntryRecord], places: Mapping[str, Place], ground: Ground, caps: Caps
) -> tuple[list[Wish], list[Wish]]:
    """One line of MEMORY.md for each topic file that a person does not point to already; those without a file go.

    Pointers take at most half of the lines and two thirds of the bytes that a person's own entries leave. Where there are
    more topics than that, those that nothing confirmed for longest share lines; beyond some 500 their folder has one.
    """
    if MEMORY in ground.closed:
        return [Wish(record) for record in old], []
    desk = _Desk(_by_file(standing), places, ground)
    wanted = (set(desk.records) | ground.topics) - ground.pointed
    ordered = sorted(wanted, key=lambda file: (-desk.newest(file), file))
    links = {file: desk.link(file) for file in ordered}
    lines, size = (caps.max_lines - ground.lines.get(MEMORY, 0), caps.max_bytes - ground.bytes.get(MEMORY, 0))
    room = Room(lines // 2, size * 2 // 3, caps.max_bytes * 3 // 4)
    plan = leads(ordered, links, room)
    free = list(old)
    wishes = []
    for file, longest in plan.single.items():
        known = next((record for record in free if record.value == file), None)
        wishes.append(desk.pointer((file,), file, desk.text(file, longest), known))
        free = [record for record in free if record is not known]
    for files in shared(plan, [_sharers(record) for record in old if _is_shared(record)]):
        known = next((record for record in free if _is_shared(record) and set(_sharers(record)) & set(files)), None)
        text = f"Older: {', '.join(links[file] for file in files)}"
        wishes.append(desk.pointer(files, "".join(f"{file}\n" for file in files), text, known))
        free = [record for record in free if record is not known]
    left = set(ordered) - set(plan.single) - set(plan.older)
    for folder in sorted({f"{file.partition('/')[0]}/" for file in left}):
        known = next((record for record in free if record.value == f"{folder}\n"), None)
        wishes.append(desk.pointer((folder,), f"{folder}\n", f"Older still: [more in {folder}]({folder})", known))
        free = [record for record in free if record is not known]
    return wishes, [Wish(record, ChangeKind.REMOVE, Reason.POINTER, record.text) for record in free]


def targets(pointer: EntryRecord) -> tuple[str, ...]:
    """The topic files that a pointer's line leads to; the folder, with a slash, for one that leads to all in it."""
    return _sharers(pointer) if _is_shared(pointer) else (pointer.value,)


def _is_shared(record: EntryRecord) -> bool:
    return record.value.endswith("\n")


def _sharers(record: EntryRecord) -> tuple[str, ...]:
    return tuple(record.value.splitlines())


def _by_file(wishes: Sequence[Wish]) -> dict[str, list[EntryRecord]]:
    by_file: defaultdict[str, list[EntryRecord]] = defaultdict(list)
    for wish in wishes:
        if wish.record.file != MEMORY:
            by_file[wish.record.file].append(wish.record)
    return dict(by_file)


@dataclass(frozen=True, slots=True)
class _Desk:
    """What a pointer's words are made of."""

    records: Mapping[str, list[EntryRecord]]  # topic file → dreamd's entries in it
    places: Mapping[str, Place]
    ground: Ground

    def newest(self, file: str) -> float:
        return max((r.last_at.timestamp() for r in self.records.get(file, ()) if r.last_at), default=0.0)

    def place(self, file: str) -> Place | None:
        return self.places.get(file) or self.places.get(part_of(file))

    def link(self, file: str) -> str:
        """`[name](file)`, as any reader of Markdown finds the file by it."""
        place = self.place(file)
        name = place.title if place else file.rsplit("/", maxsplit=1)[-1].removesuffix(".md")
        part = _part(file)
        label = f"{_part_name(name)}, part {part}" if part else name
        target = _IN_LINKS.sub(lambda found: f"%{ord(found[0]):02X}", file)
        return f"[{one_line(label).translate(_BRACKETS)}]({target})"

    def text(self, file: str, longest: int) -> str:
        """`[name](file): root; the two or three things one must know`."""
        head, place = self.link(file), self.place(file)
        if place is not None and place.isolated:
            return head
        pieces = [place.root] if place and place.root and not _part(file) else []
        about = self.ground.about.get(file, "")
        if about and not self.records.get(file):
            pieces.append(_cut(about, longest))
        left = longest - sum(len(piece.encode()) + 2 for piece in pieces)
        pieces += _essentials(self.records.get(file, ()), left, worth_cutting=not pieces)
        return f"{head}: {'; '.join(pieces)}" if pieces else head

    def pointer(self, files: tuple[str, ...], value: str, text: str, known: EntryRecord | None) -> Wish:
        times = [record.last_at for file in files for record in self.records.get(file, ()) if record.last_at]
        if known is None:
            record = EntryRecord(
                id=str(ULID()),
                file=MEMORY,
                section=FOLDER_SECTION[files[0].split("/", maxsplit=1)[0]],
                text=text,
                key=entry_key(text),
                kind=POINTER,
                scope="pointer",
                value=value,
                last_at=max(times, default=None),
            )
            return Wish(record, ChangeKind.ADD, Reason.POINTER)
        if known.text == text:
            return Wish(known)
        record = replace(known, text=text, key=entry_key(text), value=value, last_at=max(times, default=None))
        return Wish(record, ChangeKind.UPDATE, Reason.POINTER, known.text)


_BRACKETS = str.maketrans("[]", "()")


def _part(file: str) -> str:
    """The number of a topic's further part; "" for its first file."""
    found = re.search(r"~(\d+)\.md$", file)
    return found[1] if found else ""


def _part_name(name: str) -> str:
    return re.sub(r"~\d+$", "", name)


def _cut(text: str, longest: int) -> str:
    """The words that fit, with a mark where some do not."""
    text = text.rstrip(".。")
    if len(text.encode()) <= longest:
        return text
    fits = text.encode()[: max(longest - len("…".encode()), 0)].decode(errors="ignore")
    words = fits.rpartition(" ")[0] if not text[len(fits)].isspace() and " " in fits[len(fits) // 2 :] else fits
    return f"{words.rstrip(' ,;:')}…"


def _essentials(records: Iterable[EntryRecord], room: int, *, worth_cutting: bool = False) -> list[str]:
    """The two or three weightiest sentences that fit; the first of all cut short rather than none."""
    chosen: list[str] = []
    ordered = sorted(records, key=lambda r: (-rank(r), r.id))
    left = room
    for record in ordered:
        text = " ".join(record.text.split()).rstrip(".。")
        size = len(text.encode()) + 2
        if size > left:
            continue
        chosen.append(text)
        left -= size
        if len(chosen) == _ESSENTIALS:
            break
    if not chosen and ordered and worth_cutting and room > 0:
        return [_cut(" ".join(ordered[0].text.split()), room)]
    return chosen


def heads(wishes: Sequence[Wish], places: Mapping[str, Place], zone: dt.tzinfo) -> tuple[TopicHead, ...]:
    """Front matter and title of every topic file that holds an entry of dreamd's."""
    made = []
    for file, records in sorted(_by_file(wishes).items()):
        place = places.get(file) or places.get(part_of(file))
        title = place.title if place else file.split("/")[-1].removesuffix(".md")
        newest = max((record.last_at for record in records if record.last_at), default=None)
        pieces = ([place.root] if place and place.root else []) + _essentials(records, _DESCRIPTION)
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
