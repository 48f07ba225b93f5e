"""A Gemini CLI session as events: each message once, in its last form, at the place of its first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from dreamd.clock import parse_time
from dreamd.transcripts.claude_events import INJECTED_EXCERPT, excerpt
from dreamd.transcripts.event import Event, Origin, RawPosition, Role
from dreamd.transcripts.gemini_log import GeminiPerson
from dreamd.transcripts.gemini_record import Message, Record, ToolCall, content_of
from dreamd.transcripts.jsonl import clean_text
from dreamd.transcripts.turn import PersonTurn


def events(records: Iterable[tuple[int, Record]], path: str, cwd: str | None) -> Iterator[Event]:
    """The events of a whole session in file order. What was taken back is left out, so nothing is told before all is heard."""
    story = _Story(path, GeminiPerson(cwd=cwd))
    for offset, record in records:
        story.tell(record, offset)
    yield from story.told()


@dataclass(slots=True)
class _Story:
    path: str
    _person: GeminiPerson
    _told: dict[str, list[Event]] = field(default_factory=dict)  # by message, its excerpts only
    _called: bool = False  # the last answer came with its tools' results

    def tell(self, record: Record, offset: int) -> None:
        """Takes in one record."""
        turns = {turn.id: turn for turn in self._person.hear(record, offset)}
        for message in [record.message] if record.message else []:
            self._message(message, offset, turns, history=False)
        for message in (record.patch.messages or []) if record.patch else []:
            self._message(message, offset, turns, history=True)

    def told(self) -> Iterator[Event]:
        """What was said in the end."""
        standing = self._person.stands()
        made = [one for name, one in self._told.items() if name in standing and one]
        for each in sorted(made, key=lambda one: one[0].raw.offset):
            yield from each

    def _message(self, message: Message, offset: int, turns: dict[str, PersonTurn], *, history: bool) -> None:
        """One message; as `history` the client hands over once more, shortened, what stands above."""
        name = message.id or f"@{offset}"
        turn = turns.get(self._person.turn_of(name) or "")
        before = self._told.get(name)
        if turn is not None:
            self._told.pop(name, None)
            self._told[name] = [self._human(turn)]
        elif before is None:
            self._told[name] = (
                [] if history and content_of(message.content).answers else self._made(message, name, offset)
            )
        elif message.type == "gemini" and not history:
            place = before[0].raw if before else RawPosition(self.path, offset)
            self._told[name] = [replace(one, raw=place) for one in self._made(message, name, offset)]

    def _made(self, message: Message, name: str, offset: int) -> list[Event]:
        content = content_of(message.content)
        text = "\n".join(content.texts).strip()
        if message.type == "gemini":
            calls = message.tool_calls or []
            self._called = any(bytes(memoryview(call.result)) for call in calls)
            said = [self._event(message, name, offset, Role.ASSISTANT, Origin.MODEL, text)] if text else []
            return said + [self._output(message, call, f"{name}#{number}", offset) for number, call in enumerate(calls)]
        if content.answers:
            if self._called:
                return []  # told with the call
            output = excerpt("\n".join(content.answers).strip())
            return [self._event(message, name, offset, Role.TOOL, Origin.TOOL, output)]
        if message.type == "user" and text:
            return [self._event(message, name, offset, Role.SYSTEM, Origin.INJECTED, text[:INJECTED_EXCERPT])]
        return []

    def _output(self, message: Message, call: ToolCall, name: str, offset: int) -> Event:
        text = excerpt("\n".join(content_of(call.result).answers).strip())
        event = self._event(message, name, offset, Role.TOOL, Origin.TOOL, text)
        return replace(event, tool=call.name, is_error=call.status in {"error", "cancelled"})

    def _event(self, message: Message, name: str, offset: int, role: Role, origin: Origin, text: str) -> Event:
        aside = self._person.machine and role in {Role.ASSISTANT, Role.TOOL}
        return Event(
            id=name,
            parent_id=None,
            at=parse_time(message.timestamp),
            role=role,
            origin=Origin.SIDECHAIN if aside else origin,
            text=clean_text(text),
            raw=RawPosition(self.path, offset),
            cwd=self._person.cwd,
            model=message.model if role is Role.ASSISTANT else None,
            message_id=message.id if role is Role.ASSISTANT else None,
        )

    def _human(self, turn: PersonTurn) -> Event:
        raw = RawPosition(self.path, turn.offset)
        return Event(turn.id, None, turn.at, Role.HUMAN, turn.origin, turn.text, raw, cwd=turn.cwd)
