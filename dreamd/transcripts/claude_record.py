"""One line of a Claude Code transcript as a typed record: only the fields that are read, whatever shape the others have."""

from __future__ import annotations

import json

import msgspec

from dreamd.transcripts import jsonl
from dreamd.transcripts.counting import Decoded

_ABSENT = msgspec.Raw(b"")


class Usage(msgspec.Struct, gc=False):
    """Token counts of one API message; repeated on each of its lines, `output_tokens` growing."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class Block(msgspec.Struct, gc=False):
    """One content block. `content` of a tool result stays undecoded: it may be megabytes."""

    type: str | None = None
    text: str | None = None
    content: msgspec.Raw = _ABSENT
    tool_use_id: str | None = None
    is_error: bool | None = None
    id: str | None = None
    name: str | None = None


class Message(msgspec.Struct, gc=False):
    """What went to or came from the model."""

    id: str | None = None
    model: str | None = None
    content: str | list[Block] | None = None
    usage: Usage | None = None


class Origin(msgspec.Struct, gc=False):
    """Who put a line into the user slot (newer versions)."""

    kind: str | None = None


class ForkedFrom(msgspec.Struct, gc=False, rename="camel"):
    """Where a line of a fork was copied from when its uuid was remapped."""

    message_uuid: str | None = None


class Attachment(msgspec.Struct, gc=False, rename="camel"):
    """Something the client put beside the conversation; a `queued_command` may hold a person's words."""

    type: str | None = None
    prompt: str | list[Block] | None = None
    command_mode: str | None = None
    origin: Origin | None = None
    human_turn: bool | None = None


class Record(msgspec.Struct, gc=False, rename="camel"):
    """A transcript line. Every field may be missing; `from_mapping` builds one where a value has an unexpected type."""

    type: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    session_kind: str | None = None
    session_id: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    agent_id: str | None = None
    team_name: str | None = None
    prompt_source: str | None = None
    origin: Origin | None = None
    row_source: str | None = None
    turn_origin: str | None = None
    user_feedback: str | None = None
    tool_denial_kind: str | None = None
    tool_use_result: msgspec.Raw = _ABSENT
    message: Message | None = None
    forked_from: ForkedFrom | None = None
    subtype: str | None = None
    content: str | list[Block] | None = None
    operation: str | None = None
    reason: str | None = None
    attachment: Attachment | None = None
    pr_repository: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None

    @property
    def identity(self) -> str | None:
        """The id that this line has in every copy of its session."""
        if self.forked_from is not None and self.forked_from.message_uuid:
            return self.forked_from.message_uuid
        return self.uuid or None

    @property
    def in_sidechain(self) -> bool:
        """Whether a sub-agent speaks here."""
        return bool(self.is_sidechain or self.agent_id)

    @property
    def headless(self) -> bool | None:
        """Whether the client that wrote this line ran without a person; None where the line does not say."""
        if self.session_kind and self.session_kind.startswith("daemon"):
            return True
        if not self.entrypoint:
            return None
        return self.entrypoint.startswith("sdk")


class Glance(msgspec.Struct, gc=False):
    """Nothing but the type: for lines that hold no words, yet must be whole."""

    type: str | None = None


_RECORD = msgspec.json.Decoder(Record)
_GLANCE = msgspec.json.Decoder(Glance)
#: Types whose lines are long and hold no words; they are checked, not read. The name stands first in such a line.
PASSED_OVER = (
    b'{"type":"api-request',
    b'{"type":"file-history-',
    b'{"type":"cost-state"',
    b'{"type":"attribution-snapshot"',
    b'{"type":"content-replacement"',
    b'{"type":"last-prompt"',
    b'{"type":"tools-used"',
    b'{"type":"atis-latch"',
    b'{"type":"mode"',
    b'{"type":"permission-mode"',
)


def decode(line: bytes) -> Record | None:
    """The record that a well-made physical line is; None for a line that needs `decode_tolerantly`."""
    try:
        return _RECORD.decode(line)
    except (ValueError, RecursionError):
        return None


def glance(line: bytes) -> str | None:
    """The type of a line that begins like one of `PASSED_OVER`; None where it is not one whole record."""
    try:
        return _GLANCE.decode(line).type
    except (ValueError, RecursionError):
        return None


def records_in(line: bytes) -> tuple[Record, ...]:
    """Every record of a physical line, well made or not."""
    if line.startswith(PASSED_OVER) and (kind := glance(line)):
        return (Record(kind),)
    record = decode(line)
    return (record,) if record is not None else decode_tolerantly(line).records


def decode_tolerantly(line: bytes) -> Decoded[Record]:
    """The records that can be saved of a line that `decode` refused. Never raises; a blank line holds none and is not bad."""
    if not line or line.isspace():
        return Decoded(())
    mended = jsonl.mend(line)
    bad = b"\x00" in line
    try:
        return Decoded((_RECORD.decode(mended),), bad=bad)
    except (ValueError, RecursionError):
        saved = jsonl.salvage(line)
    return Decoded(tuple(from_mapping(each) for each in saved.records), bad=not saved.whole)


def from_mapping(raw: dict[str, object]) -> Record:
    """A record out of untyped JSON: values of an unexpected type count as missing, the rest stands."""
    record = Record()
    for field in msgspec.structs.fields(Record):
        value = raw.get(field.encode_name)
        if isinstance(value, _SIMPLE.get(field.name, ())):
            setattr(record, field.name, value)
    record.content = _content(raw.get("content"))
    record.message = _message(raw.get("message"))
    record.attachment = _attachment(raw.get("attachment"))
    record.origin = _origin(raw.get("origin"))
    if isinstance(forked := raw.get("forkedFrom"), dict):
        record.forked_from = ForkedFrom(_text(forked.get("messageUuid")))
    if "toolUseResult" in raw:
        record.tool_use_result = _raw(raw["toolUseResult"])
    return record


_SIMPLE = {f.name: kind for kind in (str, bool) for f in msgspec.structs.fields(Record) if f.type == (kind | None)}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15 else None  # noqa: PLR2004 - beyond any count; keeps inf and nan out


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value).encode())


def _origin(value: object) -> Origin | None:
    return Origin(_text(value.get("kind"))) if isinstance(value, dict) else None


def _message(value: object) -> Message | None:
    if not isinstance(value, dict):
        return None
    usage = value.get("usage")
    counts = Usage(*(_number(usage.get(name)) for name in Usage.__struct_fields__)) if isinstance(usage, dict) else None
    return Message(_text(value.get("id")), _text(value.get("model")), _content(value.get("content")), counts)


def _content(value: object) -> str | list[Block] | None:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    return [_block(each) for each in value if isinstance(each, dict | str)]


def _block(value: dict[str, object] | str) -> Block:
    if isinstance(value, str):
        return Block(type="text", text=value)
    error = value.get("is_error")
    return Block(
        type=_text(value.get("type")),
        text=_text(value.get("text")),
        content=_raw(value["content"]) if "content" in value else _ABSENT,
        tool_use_id=_text(value.get("tool_use_id")),
        is_error=error if isinstance(error, bool) else None,
        id=_text(value.get("id")),
        name=_text(value.get("name")),
    )


def _attachment(value: object) -> Attachment | None:
    if not isinstance(value, dict):
        return None
    return Attachment(
        type=_text(value.get("type")),
        prompt=_content(value.get("prompt")),
        command_mode=_text(value.get("commandMode")),
        origin=_origin(value.get("origin")),
        human_turn=value.get("humanTurn") is True,
    )
