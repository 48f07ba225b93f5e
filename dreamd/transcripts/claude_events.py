"""A Claude Code transcript as events: who said what, in file order, each message once."""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dreamd.clock import parse_time
from dreamd.transcripts import speaker
from dreamd.transcripts.claude_record import Block, Record, records_in
from dreamd.transcripts.event import Event, Origin, RawPosition, Role
from dreamd.transcripts.jsonl import Lines, clean_text
from dreamd.transcripts.person import PersonTurns, result_text, texts, tool_results
from dreamd.transcripts.turn import PersonTurn

EXCERPT = 2000  # characters of a tool's output
INJECTED_EXCERPT = 500
SUMMARY_EXCERPT = 8000
SYNTHETIC_MODEL = "<synthetic>"
_MOST_DECODED = 1024 * 1024  # bytes of a result decoded as a whole; of a longer one only the head is
_MOST_WAITING = 256  # events held back for later blocks of one message
_MOST_TOOLS = 4096
_QUOTE = ord('"')
_LONGEST_ESCAPE = 12  # bytes: a surrogate pair as two \\uXXXX


def events(lines: Lines, path: str) -> Iterator[Event]:
    """The events of the lines, streaming duplicates of a message merged at its first text's place."""
    story = _Story(path)
    for offset, line in lines:
        for record in records_in(line):
            story.tell(record, offset)
        yield from story.ready()
    story.end()
    yield from story.ready()


@dataclass(slots=True)
class _Slot:
    """A place in the story, kept until everything before it is certain."""

    offset: int
    event: Event
    open: bool = False

    def __lt__(self, other: _Slot) -> bool:
        return self.offset < other.offset


class _Story:
    def __init__(self, path: str) -> None:
        self._path = path
        self._slots: list[_Slot] = []
        self._message: _Slot | None = None  # the assistant message whose further blocks may still come
        self._blocks: list[str] = []
        self._message_id: str | None = None
        self._person = PersonTurns()
        self._tools: dict[str, str] = {}
        self._seen: set[int] = set()  # hashes of line ids: a re-appended segment is told once

    def tell(self, record: Record, offset: int) -> None:
        """Takes in one record."""
        turns = self._person.hear(record, offset)
        if turns:
            self._finish_message()
        for turn in turns:
            insort(self._slots, _Slot(turn.offset, self._human(turn)))
        if record.type not in {"user", "assistant"} or self._told(record):
            return
        if record.type == "assistant":
            self._assistant(record, offset)
        elif results := tool_results(record):
            words = next((turn for turn in turns if turn.id == record.identity), None)
            if words is None or words.origin not in {Origin.REFUSAL, Origin.ANSWER}:
                self._tool_outputs(record, offset, results, beside_words=words is not None)
        elif not any(turn.id == record.identity for turn in turns):
            self._machine(record, offset)

    def end(self) -> None:
        """Nothing more comes."""
        for turn in self._person.close():
            insort(self._slots, _Slot(turn.offset, self._human(turn)))
        self._finish_message()

    def ready(self) -> Iterator[Event]:
        """What stands at the front and cannot change any more."""
        if len(self._slots) > _MOST_WAITING:
            self._finish_message()
        held = self._person.held_from()
        count = 0
        for slot in self._slots:
            if slot.open or (held is not None and slot.offset > held):
                break
            count += 1
        done, self._slots = self._slots[:count], self._slots[count:]
        for slot in done:
            yield slot.event

    def _told(self, record: Record) -> bool:
        identity = record.identity
        if identity is None:
            return False
        key = hash(identity)
        if key in self._seen:
            return True
        self._seen.add(key)
        return False

    def _assistant(self, record: Record, offset: int) -> None:
        message = record.message
        if message is None:
            return
        if message.model == SYNTHETIC_MODEL or record.is_api_error_message:
            self._finish_message()
            self._add(
                record, offset, Role.SYSTEM, Origin.SYNTHETIC, "\n".join(texts(message.content))[:INJECTED_EXCERPT]
            )
            return
        if message.id is None or message.id != self._message_id:
            self._finish_message()
            self._message_id = message.id
        if isinstance(message.content, list):
            self._remember_tools(message.content)
        for text in texts(message.content):
            self._say(record, offset, clean_text(text).strip())

    def _say(self, record: Record, offset: int, text: str) -> None:
        if not text or any(text in known for known in self._blocks):
            return
        if self._message is None:
            origin = Origin.SIDECHAIN if record.in_sidechain else Origin.MODEL
            model = record.message.model if record.message else None
            self._message = self._add(
                record, offset, Role.ASSISTANT, origin, text, model=model, message_id=self._message_id
            )
            self._message.open = self._message_id is not None
        self._blocks = [known for known in self._blocks if not text.startswith(known)] + [
            text
        ]  # a longer form replaces
        self._message.event = replace(self._message.event, text="\n\n".join(self._blocks))
        if not self._message.open:
            self._finish_message()

    def _finish_message(self) -> None:
        if self._message is not None:
            self._message.open = False
        self._message = None
        self._message_id = None
        self._blocks = []

    def _remember_tools(self, blocks: list[Block]) -> None:
        for block in blocks:
            if block.type == "tool_use" and block.id and block.name:
                self._tools[block.id] = block.name
        while len(self._tools) > _MOST_TOOLS:
            del self._tools[next(iter(self._tools))]

    def _tool_outputs(self, record: Record, offset: int, results: list[Block], *, beside_words: bool) -> None:
        origin = Origin.SIDECHAIN if record.in_sidechain else Origin.TOOL
        for number, block in enumerate(results, start=int(beside_words)):
            slot = self._add(
                record,
                offset,
                Role.TOOL,
                origin,
                excerpt(speaker.without_injections(clean_text(_result_head(block))).strip()),
                tool=self._tools.pop(block.tool_use_id or "", None),
                is_error=bool(block.is_error),
            )
            if number:
                slot.event = replace(slot.event, id=f"{slot.event.id}#{number}")

    def _machine(self, record: Record, offset: int) -> None:
        text = "\n".join(texts(record.message.content if record.message else None)).strip()
        if record.is_compact_summary or record.is_visible_in_transcript_only:
            self._add(record, offset, Role.SUMMARY, Origin.COMPACT, clean_text(text)[:SUMMARY_EXCERPT])
        elif record.in_sidechain:
            self._add(record, offset, Role.SYSTEM, Origin.SIDECHAIN, clean_text(text)[:EXCERPT])
        elif not speaker.is_noise(text):
            peer = record.team_name is not None or speaker.is_peer(text) or _from_peer(record)
            self._add(
                record,
                offset,
                Role.SYSTEM,
                Origin.PEER if peer else Origin.INJECTED,
                clean_text(text)[:INJECTED_EXCERPT],
            )

    def _human(self, turn: PersonTurn) -> Event:
        return Event(
            id=turn.id,
            parent_id=turn.parent_id,
            at=turn.at,
            role=Role.HUMAN,
            origin=turn.origin,
            text=turn.text,
            raw=RawPosition(self._path, turn.offset),
            cwd=turn.cwd,
            branch=turn.branch,
        )

    def _add(
        self,
        record: Record,
        offset: int,
        role: Role,
        origin: Origin,
        text: str,
        *,
        model: str | None = None,
        tool: str | None = None,
        is_error: bool = False,
        message_id: str | None = None,
    ) -> _Slot:
        event = Event(
            id=record.identity or f"{self._path}@{offset}",
            parent_id=record.parent_uuid,
            at=parse_time(record.timestamp),
            role=role,
            origin=origin,
            text=text,
            raw=RawPosition(self._path, offset),
            cwd=record.cwd,
            branch=record.git_branch,
            model=model,
            tool=tool,
            is_error=is_error,
            message_id=message_id,
        )
        slot = _Slot(offset, event)
        insort(self._slots, slot)
        return slot


def _from_peer(record: Record) -> bool:
    return record.origin is not None and record.origin.kind in {"peer", "coordinator"}


def excerpt(text: str) -> str:
    """Beginning and end of a long output: the error usually stands last."""
    if len(text) <= EXCERPT:
        return text
    gap = "\n[...]\n"
    head = EXCERPT * 2 // 3
    return text[:head] + gap + text[-(EXCERPT - head - len(gap)) :]


def _result_head(block: Block) -> str:
    raw = memoryview(block.content)
    if len(raw) <= _MOST_DECODED or raw[0] != _QUOTE:
        return result_text(block)
    return _string_head(bytes(raw[1 : EXCERPT * 8]))


def _string_head(raw: bytes) -> str:
    """A JSON string's first part without its closing quote, cut back to where no escape or character is broken."""
    for cut in range(_LONGEST_ESCAPE + 1):
        try:
            return str(json.loads(b'"' + raw[: len(raw) - cut] + b'"', strict=False))
        except ValueError:
            continue
    return ""
