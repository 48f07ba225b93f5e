"""A Codex rollout as events: who said what, in file order, everything once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dreamd.clock import parse_time
from dreamd.transcripts.claude_events import EXCERPT, INJECTED_EXCERPT, SUMMARY_EXCERPT, excerpt
from dreamd.transcripts.codex_person import CodexPerson, own_texts
from dreamd.transcripts.codex_record import Payload, Record, output_of, records_in, text_of
from dreamd.transcripts.event import Event, Origin, RawPosition, Role
from dreamd.transcripts.jsonl import Lines, clean_text
from dreamd.transcripts.turn import PersonTurn

_MOST_WAITING = 256  # events held back behind an answer that may not be the turn's last
_MOST_TOOLS = 4096
_ENDS = frozenset({"task_complete", "turn_complete", "turn_aborted"})
_EXIT = "Process exited with code "
_FINAL = "final_answer"


def events(lines: Lines, path: str, undone: CodexPerson) -> Iterator[Event]:
    """The events of the lines, which begin with the file's first. `undone` has heard all of it: what was taken back is left out."""
    story = _Story(path)
    for offset, line in lines:
        for record in records_in(line):
            story.tell(record, offset)
        yield from (event for event in story.ready() if not undone.is_undone(event.raw.offset))
    story.end()
    yield from (event for event in story.ready() if not undone.is_undone(event.raw.offset))


@dataclass(slots=True)
class _Story:
    path: str
    _person: CodexPerson = field(default_factory=CodexPerson)
    _done: list[Event] = field(default_factory=list)
    _answer: Event | None = None  # the last thing the agent said in this turn
    _final: bool = False  # and it said so
    _behind: list[Event] = field(default_factory=list)  # what came after it
    _tools: dict[str, str] = field(default_factory=dict)
    _model: str | None = None

    def tell(self, record: Record, offset: int) -> None:
        """Takes in one record."""
        for turn in self._person.hear(record, offset):
            self._settle()
            self._add(self._human(turn))
        match record.kind:
            case "turn_context":
                self._model = record.payload.model or self._model
            case "response_item":
                self._item(record, offset)
            case "event_msg":
                self._event(record, offset)
            case "compacted":
                self._settle()
                summary = text_of(record.payload.message)[:SUMMARY_EXCERPT]
                self._add(self._made(record, offset, Role.SUMMARY, Origin.COMPACT, summary))
            case _:
                pass

    def end(self) -> None:
        """Nothing more comes."""
        for turn in self._person.close():
            self._settle()
            self._add(self._human(turn))
        self._settle()

    def ready(self) -> list[Event]:
        """What is certain."""
        if len(self._behind) > _MOST_WAITING:
            self._settle()
        done, self._done = self._done, []
        return done

    def _add(self, event: Event) -> None:
        if event.text or event.role is Role.TOOL:
            (self._done if self._answer is None else self._behind).append(event)

    def _settle(self) -> None:
        """What the agent said last stands."""
        if self._answer is not None:
            self._done += [self._answer, *self._behind]
        self._answer, self._final, self._behind = None, False, []

    def _say(self, record: Record, offset: int, text: str) -> None:
        """One message of the agent. Of each turn the last is told, or the one that is marked as final."""
        text = clean_text(text).strip()
        final = record.payload.phase == _FINAL
        if not text or (self._final and not final):
            return
        if self._answer is not None and self._answer.text == text:
            self._final = self._final or final
            return
        self._done += self._behind
        self._behind, self._final = [], final
        self._answer = self._made(record, offset, Role.ASSISTANT, Origin.MODEL, text)

    def _event(self, record: Record, offset: int) -> None:
        body = record.payload
        if body.type == "agent_message":
            self._say(record, offset, text_of(body.message))
        elif body.type == "item_completed" and body.item is not None and body.item.type == "AgentMessage":
            self._say(record, offset, text_of(body.item.content))
        elif body.type in _ENDS:
            if body.last_agent_message:
                self._say(record, offset, body.last_agent_message)
            self._settle()

    def _item(self, record: Record, offset: int) -> None:
        body = record.payload
        if body.type == "message" and body.role == "assistant":
            if not record.summary:
                self._say(record, offset, text_of(body.content))
        elif body.type == "message":
            self._message(record, offset)
        elif body.type in {"function_call", "custom_tool_call"}:
            if body.call_id and body.name:
                self._tools[body.call_id] = body.name
                while len(self._tools) > _MOST_TOOLS:
                    del self._tools[next(iter(self._tools))]
        elif body.type in {"function_call_output", "custom_tool_call_output"}:
            text, failed = output_of(body.output)
            event = self._made(record, offset, Role.TOOL, self._origin(Origin.TOOL), excerpt(text.strip()))
            tool = self._tools.pop(body.call_id or "", None)
            self._add(replace(event, tool=tool, is_error=failed or _failed(text)))

    def _message(self, record: Record, offset: int) -> None:
        """What the client put into the conversation; of a sub-agent also what its parent asked of it."""
        asked = record.payload.role == "user" and bool(own_texts(record.payload))
        if asked and not self._machine:
            return  # the person's: told as such
        text = text_of(record.payload.content)[: EXCERPT if asked else INJECTED_EXCERPT]
        origin = Origin.SIDECHAIN if asked else Origin.INJECTED
        self._add(self._made(record, offset, Role.SYSTEM, origin, text))

    @property
    def _machine(self) -> bool:
        return self._person.thread is not None and self._person.thread.machine

    def _origin(self, origin: Origin) -> Origin:
        return Origin.SIDECHAIN if self._machine else origin

    def _human(self, turn: PersonTurn) -> Event:
        raw = RawPosition(self.path, turn.offset)
        return Event(turn.id, None, turn.at, Role.HUMAN, turn.origin, turn.text, raw, cwd=turn.cwd, branch=turn.branch)

    def _made(self, record: Record, offset: int, role: Role, origin: Origin, text: str) -> Event:
        thread = self._person.thread
        body: Payload = record.payload
        return Event(
            id=f"{thread.id if thread else self.path}@{offset}",
            parent_id=None,
            at=parse_time(record.timestamp) or (thread.began if record.bare and thread else None),
            role=role,
            origin=self._origin(origin) if role is Role.ASSISTANT else origin,
            text=text,
            raw=RawPosition(self.path, offset),
            cwd=self._person.cwd,
            branch=thread.branch if thread else None,
            model=self._model if role is Role.ASSISTANT else None,
            message_id=body.id if role is Role.ASSISTANT else None,
        )


def _failed(text: str) -> bool:
    found = text[:EXCERPT].find(_EXIT)
    return found >= 0 and not text.startswith("0", found + len(_EXIT))
