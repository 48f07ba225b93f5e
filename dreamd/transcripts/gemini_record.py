"""One record of a Gemini CLI session: a header, a message, a patch or a rewind, whatever shape the rest has."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from dreamd.transcripts import jsonl
from dreamd.transcripts.counting import Decoded
from dreamd.transcripts.jsonl import clean_text
from dreamd.transcripts.lenient import lenient

_ABSENT = msgspec.Raw(b"")


class Tokens(msgspec.Struct, gc=False):
    """What one answer cost."""

    input: int | None = None
    output: int | None = None


class ToolCall(msgspec.Struct, gc=False):
    """A tool's call with its result."""

    id: str | None = None
    name: str | None = None
    status: str | None = None
    result: msgspec.Raw = _ABSENT


class Message(msgspec.Struct, gc=False, rename="camel"):
    """What was said; `content` is a string or a list of parts, `display_content` what the person typed where the client added to it."""

    id: str | None = None
    timestamp: str | None = None
    type: str | None = None
    content: msgspec.Raw = _ABSENT
    display_content: msgspec.Raw = _ABSENT
    model: str | None = None
    tokens: Tokens | None = None
    tool_calls: list[ToolCall] | None = None


class Patch(msgspec.Struct, gc=False, rename="camel"):
    """A header, or what a `$set` changes in it; `messages` is all that the model knows from then on."""

    session_id: str | None = None
    start_time: str | None = None
    last_updated: str | None = None
    kind: str | None = None
    directories: list[str] | None = None
    messages: list[Message] | None = None


class Record(msgspec.Struct, gc=False):
    """One record: exactly one field is set; none for a type that nobody knows (`unknown`: what it is called)."""

    message: Message | None = None
    patch: Patch | None = None
    rewind_to: str | None = None
    unknown: str = ""


class _Line(msgspec.Struct, gc=False):
    id: str | None = None
    type: str | None = None
    set: msgspec.Raw = msgspec.field(default=_ABSENT, name="$set")
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")
    session_id: str | None = msgspec.field(default=None, name="sessionId")
    messages: msgspec.Raw = _ABSENT


_LINE = msgspec.json.Decoder(_Line)
_MESSAGE = msgspec.json.Decoder(Message)
_PATCH = msgspec.json.Decoder(Patch)
#: Kinds of messages: the conversation, and what the client tells the person.
CONVERSATION = frozenset({"user", "gemini"})
NOTICES = frozenset({"info", "warning", "error"})


def decode(line: bytes) -> Record | None:
    """The record that a well-made physical line is; None for a line that needs `decode_tolerantly`."""
    try:
        found = _LINE.decode(line)
        if found.rewind_to is not None:
            return Record(rewind_to=found.rewind_to)
        if memoryview(found.set):
            return Record(patch=_PATCH.decode(found.set))
        if found.session_id is not None or memoryview(found.messages):
            return Record(patch=_PATCH.decode(line))
        if found.id is not None and found.type in CONVERSATION | NOTICES:
            return Record(message=_MESSAGE.decode(line))
    except (ValueError, RecursionError):
        return None
    return Record(unknown=found.type or "no type")


def decode_tolerantly(line: bytes) -> Decoded[Record]:
    """The records that can be saved of a line that `decode` refused. Never raises; a blank line holds none and is not bad."""
    if not line or line.isspace():
        return Decoded(())
    mended = decode(jsonl.mend(line))
    if mended is not None:
        return Decoded((mended,), bad=b"\x00" in line)
    saved = jsonl.salvage(line)
    return Decoded(tuple(_from_mapping(each) for each in saved.records), bad=not saved.whole)


def records_in(line: bytes) -> tuple[Record, ...]:
    """Every record of a physical line, well made or not."""
    record = decode(line)
    return (record,) if record is not None else decode_tolerantly(line).records


def _from_mapping(raw: dict[str, object]) -> Record:
    """A record out of untyped JSON: values of an unexpected type count as missing, the rest stands."""
    body = raw.get("$set")
    if isinstance(rewind := raw.get("$rewindTo"), str):
        return Record(rewind_to=rewind)
    if isinstance(body, dict) or "sessionId" in raw or "messages" in raw:
        return Record(patch=_patch(body if isinstance(body, dict) else raw))
    kind = raw.get("type")
    if isinstance(raw.get("id"), str) and isinstance(kind, str) and kind in CONVERSATION | NOTICES:
        return Record(message=lenient(Message, raw))
    return Record(unknown=kind if isinstance(kind, str) else "no type")


def _patch(raw: dict[str, object]) -> Patch:
    patch = lenient(Patch, {name: value for name, value in raw.items() if name != "messages"})
    messages = raw.get("messages")
    if isinstance(messages, list):
        patch.messages = [lenient(Message, each) for each in messages if isinstance(each, dict)]
    return patch


class _Response(msgspec.Struct, gc=False):
    response: dict[str, object] | None = None


class _Part(msgspec.Struct, gc=False):
    text: str | None = None
    thought: bool | None = None
    function_response: _Response | None = msgspec.field(default=None, name="functionResponse")


_PARTS = msgspec.json.Decoder(list[_Part])
_TEXT = msgspec.json.Decoder(str)


@dataclass(frozen=True, slots=True)
class Content:
    """A message's content: its texts, and what tools answered."""

    texts: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


def content_of(raw: msgspec.Raw) -> Content:
    """A string, or a list of parts; anything else holds nothing."""
    data = memoryview(raw)
    shape = bytes(data[:1])
    try:
        if shape == b'"':
            return Content((clean_text(_TEXT.decode(data)),))
        if shape == b"[":
            parts = _PARTS.decode(data)
            said = tuple(clean_text(part.text) for part in parts if part.text and not part.thought)
            return Content(said, tuple(_answer(part.function_response) for part in parts if part.function_response))
    except (ValueError, RecursionError):
        pass
    return Content()


def _answer(found: _Response) -> str:
    for name in ("output", "error"):
        value = (found.response or {}).get(name)
        if isinstance(value, str):
            return clean_text(value)
    return ""


class _Document(msgspec.Struct, gc=False):
    messages: list[msgspec.Raw]


def document(data: bytes) -> list[tuple[int, Record]] | None:
    """The records of a session that is one JSON document, each with the offset of its first byte; None where it is not (yet) one."""
    whole = decode(data) or decode(jsonl.mend(data))
    if whole is None or whole.patch is None:
        return None
    messages, whole.patch.messages = whole.patch.messages or [], None
    found = [(0, whole)]
    try:
        raws = msgspec.json.decode(data, type=_Document).messages
    except (ValueError, RecursionError):
        raws = []
    position = 0
    for number, message in enumerate(messages):
        if number < len(raws):
            position = max(data.find(memoryview(raws[number]), position), position)
        kind = message.type or "no type"
        known = kind in CONVERSATION | NOTICES
        found.append((position, Record(message=message) if known else Record(unknown=kind)))
    return found
