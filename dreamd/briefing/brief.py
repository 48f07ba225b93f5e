"""What a new session should be told: the static part first, then memory, this project, its recent past, what may be old."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dreamd.briefing.circle import Circle, circle
from dreamd.briefing.here import Here, here
from dreamd.briefing.lately import lately
from dreamd.briefing.own_memory import OwnMemory, own_memory
from dreamd.briefing.room import Room, fitting
from dreamd.clock import SystemClock, local_zone
from dreamd.config import Loaded, expand
from dreamd.context.tokens import estimate
from dreamd.memory.document import BlockKind, Document, parse
from dreamd.memory.front import front_values
from dreamd.memory.tree import INDEX
from dreamd.search.past import Past, PastSession
from dreamd.state.glance import Glance, glance

#: The mark of injected text: readers of transcripts take the whole block out, so that it is never learned again.
TAG = "dreamd-context"
DEFAULT_TOKENS = 8_000
LEAST_TOKENS = 500
_SESSIONS = 5
_RECENT_SHARE = 0.2
_PROJECT_SHARE = 0.5
_LARGEST = 1 << 20  # bytes of a memory file that are read
_QUIET = dt.timedelta(days=7)  # without a successful dream: worth a word
_TAGS = re.compile(rf"<(?=/?{TAG}\b)", re.IGNORECASE)

_STATIC = """# What dreamd remembers

Kept by dreamd, this person's memory daemon, from what they said in earlier sessions. It is background, not a request: do what is asked now.
Rules and preferences are the person's own: follow them. Facts may have changed: where the code or the person says otherwise now, that holds.
Topic files lie below {root} (projects/, patterns/, people/): read one when its subject comes up.
`dreamd search --here WORDS` looks through memory and past sessions, `dreamd why --here TEXT` says which words of the person a line rests on.
"""


class PartName(StrEnum):
    """The parts, in the order in which they are told: what changes least comes first, so that a prompt cache holds."""

    STATIC = "static"
    MEMORY = "memory"
    PROJECT = "project"
    RECENT = "recent"
    WARNINGS = "warnings"


@dataclass(frozen=True, slots=True)
class Part:
    """One part as it is told. `left_out`: entries that there was no room for."""

    name: PartName
    text: str
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants to be told."""

    directory: Path
    max_tokens: int = DEFAULT_TOKENS
    max_characters: int | None = None
    session: str = ""  # the agent's id of the session that asks: it is not its own past
    memory: bool = True  # False: MEMORY.md reaches the reader by itself
    claude_code: bool = (
        False  # the reader has Claude Code's own memory of the project before it: none of it is repeated
    )


@dataclass(frozen=True, slots=True)
class Briefing:
    """What to tell, with where it is for and how dreams went."""

    place: Here
    parts: tuple[Part, ...]
    glance: Glance

    @property
    def text(self) -> str:
        """All parts, inside the mark that keeps them from being learned again."""
        return _marked(part.text for part in self.parts)

    @property
    def tokens(self) -> int:
        """About how many tokens the text is."""
        return estimate(self.text)

    @property
    def tells(self) -> bool:
        """Whether there is more than the static part."""
        return any(part.name is not PartName.STATIC for part in self.parts)


def brief(loaded: Loaded, asked: Asked, zone: dt.tzinfo | None = None, now: dt.datetime | None = None) -> Briefing:
    """Reads memory files, the search index and the state's newest runs; opens nothing else, writes nothing, asks nobody.

    Missing, damaged and unreadable files are left out, never an error.
    """
    places, zone = loaded.places, zone or local_zone()
    past = Past(places.search)
    place = here(asked.directory, places.memory_root, past, loaded.config.projects)
    seen = glance(places.database)
    own = own_memory(places.claude_dir, place.root) if asked.claude_code else OwnMemory()
    around = circle(loaded, place)
    desk = _Desk(places.memory_root, place, zone, own, around)
    room = Room(asked.max_tokens, asked.max_characters or float("inf")).less(Room.of(_marked([""])))
    static = desk.static()
    room = room.less(Room.of(static))
    warnings = desk.warnings(loaded.config.memory.stale_after, seen, now or SystemClock().now())
    room = room.less(Room.of(warnings))
    sessions = lately(
        past, places.database, place, around, _SESSIONS, without=asked.session, extra=loaded.config.redact.extra
    )
    recent = desk.recent(sessions, room.share(_RECENT_SHARE))
    room = room.less(Room.of(recent.text))
    memory = desk.whole(PartName.MEMORY) if asked.memory else Part(PartName.MEMORY, "")
    project = desk.whole(PartName.PROJECT)
    if not room.less(Room.of(memory.text)).holds(Room.of(project.text)):
        spare = room.less(Room.of(memory.text))
        least = room.share(_PROJECT_SHARE)
        project = desk.cut(PartName.PROJECT, spare if spare.holds(least) else least)
        memory = desk.cut(PartName.MEMORY, room.less(Room.of(project.text))) if asked.memory else memory
    parts = (Part(PartName.STATIC, static), memory, project, recent, Part(PartName.WARNINGS, warnings))
    return Briefing(place, tuple(part for part in parts if part.text), seen)


@dataclass(frozen=True, slots=True)
class _Desk:
    """Where the parts are written."""

    root: Path
    place: Here
    zone: dt.tzinfo
    own: OwnMemory
    circle: Circle

    def static(self) -> str:
        return _STATIC.format(root=_short(self.root))

    def whole(self, name: PartName) -> Part:
        return self.cut(name, Room(float("inf"), float("inf")))

    def cut(self, name: PartName, room: Room) -> Part:
        """MEMORY.md or the project's topic files, as much from the top as there is room for."""
        files = (INDEX,) if name is PartName.MEMORY else self._files
        title = f"\n# {INDEX if name is PartName.MEMORY else f'This project: {self.place.name}'}\n"
        pieces = [piece for file in files for piece in self._pieces(file)]
        if not pieces:
            return Part(name, "")
        more = f"more: read {_short(self.root / files[-1])}"
        text, left = fitting(pieces, room.less(Room.of(title)), lambda number: f"\n({number} {more})\n")
        return Part(name, _harmless(title + text) if text else "", left)

    def _pieces(self, file: str) -> Iterator[str]:
        """A file block by block without front matter, comments and title, nor what the reader has already or may not be told."""
        for block in _document(self.root / file).blocks:
            match block.kind:
                case BlockKind.ENTRY if not self.own.tells(block.text):
                    if told := self.circle.told(block.raw):
                        yield told if told.endswith("\n") else f"{told}\n"
                case BlockKind.HEADING if block.level > 1:
                    yield f"\n{block.raw.rstrip()}\n"
                case _:
                    pass

    @property
    def _files(self) -> tuple[str, ...]:
        """The project's own topic files, unless its rule has them told to nobody."""
        return tuple(filter(self.circle.tells_file, self.place.files))

    def recent(self, sessions: Sequence[PastSession], room: Room) -> Part:
        if not sessions:
            return Part(PartName.RECENT, "")
        title = "\n# Last sessions here\n\n"
        lines = dict.fromkeys(map(self._session, sessions))  # a fork begins with the same words
        text, left = fitting(lines, room.less(Room.of(title)))
        return Part(PartName.RECENT, _harmless(title + text) if text else "", left)

    def _session(self, session: PastSession) -> str:
        day = f"{session.at.astimezone(self.zone):%Y-%m-%d}: " if session.at else ""
        outcome = f" → {session.outcome}" if session.outcome else ""
        return f"- {day}{session.about}{outcome}\n"

    def warnings(self, stale_after: dt.timedelta | None, seen: Glance, now: dt.datetime) -> str:
        """With dates instead of ages: the same text from day to day is not sent again when a session is resumed."""
        lines = []
        today = now.astimezone(self.zone).date()
        for file in self._files[:1]:
            newest = _modified(self.root / file)
            if newest and stale_after and today - newest > stale_after / 2:
                lines.append(f"- Nothing that is known of this project was confirmed since {newest}: check it first.\n")
        last = seen.last_success_at
        if last and today - last.astimezone(self.zone).date() > _QUIET:
            lines.append(f"- Memory was last brought up to date on {last.astimezone(self.zone):%Y-%m-%d}.\n")
        return "\n# May be old\n\n" + "".join(lines) if lines else ""


def _marked(parts: Iterator[str] | Sequence[str]) -> str:
    return f"<{TAG}>\n{''.join(parts)}</{TAG}>"


def _harmless(text: str) -> str:
    """Nothing that is told may end the mark."""
    return _TAGS.sub("&lt;", text)


def _document(path: Path) -> Document:
    try:
        with path.open("rb") as file:
            return parse(file.read(_LARGEST).decode("utf-8", "replace"))
    except OSError:
        return parse("")


def _modified(path: Path) -> dt.date | None:
    try:
        return dt.date.fromisoformat(front_values(_document(path).front).get("modified", "")[:10])
    except ValueError:
        return None


def _short(path: Path) -> str:
    home = expand("~")
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
