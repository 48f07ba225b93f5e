"""What a Gemini CLI session's records come to: a person's turns, each once, without those that were taken back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from dreamd.clock import parse_time
from dreamd.transcripts import speaker
from dreamd.transcripts.counting import Sums
from dreamd.transcripts.event import Cursor, Growth, Origin, Reading
from dreamd.transcripts.gemini_record import (
    NOTICES,
    Message,
    Patch,
    Record,
    content_of,
    decode,
    decode_tolerantly,
)
from dreamd.transcripts.turn import PersonTurn

#: How messages in the user's place begin that the client put there.
_INJECTED = re.compile(r"\s*(?:<(?:session_context|state_snapshot|loaded_context|hook_context)\b|\[System[: ])")
#: What the client appends to a prompt that names files.
_FILES = re.compile(r"\s*--- Content from referenced files ---.*", re.DOTALL)
_COMMAND = re.compile(r"[/?](?:[a-z][\w-]*)?(?:\s|$)")
_WORKSPACE = re.compile(r"\*\*Workspace Directories:\*\*\s*\n\s*- (.+)|currently working in the directory: (.+)")
_SUBAGENT = "subagent"


@dataclass(slots=True)
class _Standing:
    """A message that was not taken back."""

    id: str
    offset: int
    turn: str | None


@dataclass(slots=True)
class GeminiPerson:
    """Hears the records of a session from the first one on and tells the person's turns, none of them twice.

    A `$set` of all messages changes what the model knows (at a resume, a compression), not what was said: what stands in it for the
    first time is heard, what is missing from it stands on. Only a rewind takes words back, those of its target among them.
    """

    undone: list[tuple[int, int]] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)  # ids of the turns that were taken back
    own: bool = False
    cwd: str | None = None
    session: str | None = None
    kind: str | None = None
    _standing: list[_Standing] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def hear(self, record: Record, offset: int) -> list[PersonTurn]:
        """The turns of this record."""
        if record.rewind_to is not None:
            self._rewind(record.rewind_to, offset)
        if record.patch is not None:
            self._header(record.patch)
            return [turn for each in record.patch.messages or () for turn in self._message(each, offset)]
        return self._message(record.message, offset) if record.message is not None else []

    @property
    def machine(self) -> bool:
        """Whether this is a sub-agent's session."""
        return self.kind == _SUBAGENT

    def _header(self, patch: Patch) -> None:
        self.session = self.session or patch.session_id
        self.kind = self.kind or patch.kind
        if patch.directories and not self.cwd:
            self.cwd = patch.directories[0]

    def _message(self, message: Message, offset: int) -> list[PersonTurn]:
        name = message.id or f"@{offset}"
        if name in self._known or message.type in NOTICES:
            return []
        self._known.add(name)
        turn = self._turn(message, name, offset) if message.type == "user" else None
        self._standing.append(_Standing(name, offset, turn.id if turn else None))
        if turn is not None:
            self.gone.discard(turn.id)
        return [turn] if turn else []

    def _turn(self, message: Message, name: str, offset: int) -> PersonTurn | None:
        said = "\n".join(content_of(message.content).texts)
        if self.cwd is None and (found := _WORKSPACE.search(said)) and _INJECTED.match(said):
            self.cwd = (found[1] or found[2]).strip()
        self.own = self.own or speaker.is_own(said)
        words = person_words(message)
        if not words or self.machine:
            return None
        digest = hashlib.blake2b(f"{name}\n{words}".encode("utf-8", "replace"), digest_size=16).hexdigest()
        return PersonTurn(digest, None, offset, parse_time(message.timestamp), Origin.TYPED, words, cwd=self.cwd)

    def _rewind(self, target: str, offset: int) -> None:
        """Back to before a message; to before all of them where it is not known."""
        first = next((number for number, one in enumerate(self._standing) if one.id == target), 0)
        taken_back, self._standing = self._standing[first:], self._standing[:first]
        if not taken_back:
            return
        self.gone.update(one.turn for one in taken_back if one.turn)
        self._known.difference_update(one.id for one in taken_back)
        self.undone.append((taken_back[0].offset, offset))

    def turn_of(self, name: str) -> str | None:
        """The id of the turn that a message is; None where it is no person's, or was taken back."""
        return next((one.turn for one in reversed(self._standing) if one.id == name), None)

    def stands(self) -> frozenset[str]:
        """The ids of the messages that were not taken back."""
        return frozenset(one.id for one in self._standing)


def person_words(message: Message) -> str:
    """What a person typed of a message in the user's place; "" for tools' answers, commands and what the client put there."""
    content = content_of(message.content)
    typed = content_of(message.display_content).texts or content.texts
    said = "\n".join(typed)
    if content.answers or _INJECTED.match(said) or _COMMAND.match(said):
        return ""
    return speaker.human_words(_FILES.sub("", said))


@dataclass(slots=True)
class GeminiTally:
    """What one stretch of a session adds up to; `hearer` has heard everything before it."""

    hearer: GeminiPerson
    sums: Sums = field(default_factory=Sums)
    tokens_in: dict[str, int] = field(default_factory=dict)
    tokens_out: dict[str, int] = field(default_factory=dict)

    @property
    def records(self) -> int:
        """How many there were."""
        return self.sums.records

    def run(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Reads the lines to their end."""
        for record, offset in self.sums.each(lines, decode, decode_tolerantly):
            self.count(record, offset)

    def close(self) -> None:
        """Nothing more comes; nothing waits for it."""

    def count(self, record: Record, offset: int) -> None:
        """Takes in one record."""
        self.sums.records += 1
        if record.unknown:
            self.sums.unknown[record.unknown] += 1
            return
        self.sums.turns += self.hearer.hear(record, offset)
        if record.message is not None:
            self.sums.time(record.message.timestamp)
            self._spent(record.message)
        elif record.patch is not None:
            self.sums.time(record.patch.last_updated)
            for message in record.patch.messages or ():
                self.sums.time(message.timestamp)

    def _spent(self, message: Message) -> None:
        if message.tokens is not None and message.id:
            self.tokens_in[message.id] = max(message.tokens.input or 0, self.tokens_in.get(message.id, 0))
            self.tokens_out[message.id] = max(message.tokens.output or 0, self.tokens_out.get(message.id, 0))

    def reading(self, growth: Growth, cursor: Cursor, *, bytes_read: int, oversized: int) -> Reading:
        """What the stretch comes to; turns that were taken back are not in it."""
        common = self.sums.reading(
            growth,
            cursor,
            bytes_read=bytes_read,
            oversized=oversized,
            stands=lambda turn: turn.id not in self.hearer.gone,
        )
        return replace(
            common,
            output_tokens=self.tokens_out,
            input_tokens=self.tokens_in,
            first_cwd=self.hearer.cwd,
            headless=self.hearer.machine,
            lineage=self.hearer.session,
            own=self.hearer.own,
        )
