"""One line of a Codex rollout as a typed record: with envelope or bare, only the fields that are read."""

from __future__ import annotations

import msgspec

from dreamd.transcripts import jsonl
from dreamd.transcripts.counting import Decoded
from dreamd.transcripts.jsonl import clean_text
from dreamd.transcripts.lenient import lenient

_ABSENT = msgspec.Raw(b"")


class Git(msgspec.Struct, gc=False):
    """The checkout a thread began in."""

    branch: str | None = None
    repository_url: str | None = None


class Passthrough(msgspec.Struct, gc=False):
    """What newer clients note about a message: its turn, and of each content item who put it there."""

    turn_id: str | None = None
    content_item_kinds: list[str] | None = None


class Attribution(msgspec.Struct, gc=False):
    """What set a turn off: "user" at a keyboard, "exec" a script."""

    turn_trigger: str | None = None


class Item(msgspec.Struct, gc=False):
    """What an `item_completed` event is about."""

    type: str | None = None
    content: msgspec.Raw = _ABSENT


class Totals(msgspec.Struct, gc=False):
    """Tokens of a thread up to here."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class TokenInfo(msgspec.Struct, gc=False):
    """The body of a `token_count` event."""

    total_token_usage: Totals | None = None


class Payload(msgspec.Struct, gc=False):
    """What is read of a payload of whatever kind; `message`, `content`, `output` and `source` have several shapes."""

    type: str | None = None
    role: str | None = None
    phase: str | None = None
    turn_id: str | None = None
    call_id: str | None = None
    name: str | None = None
    model: str | None = None
    message: msgspec.Raw = _ABSENT
    content: msgspec.Raw = _ABSENT
    output: msgspec.Raw = _ABSENT
    item: Item | None = None
    info: TokenInfo | None = None
    last_agent_message: str | None = None
    num_turns: int | None = None
    turn_attribution: Attribution | None = None
    internal_chat_message_metadata_passthrough: Passthrough | None = None
    # of session_meta
    id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: msgspec.Raw = _ABSENT
    thread_source: msgspec.Raw = _ABSENT
    forked_from_id: str | None = None
    git: Git | None = None

    @property
    def turn(self) -> str | None:
        """The turn that the payload says it belongs to."""
        noted = self.internal_chat_message_metadata_passthrough
        return self.turn_id or (noted.turn_id if noted else None)

    @property
    def kinds(self) -> list[str]:
        """Of each content item who put it there; empty in the versions that do not say."""
        noted = self.internal_chat_message_metadata_passthrough
        return (noted.content_item_kinds if noted else None) or []


class LineMetadata(msgspec.Struct, gc=False):
    """What newer clients write beside a payload."""

    compaction_output: bool | None = None


class _Line(msgspec.Struct, gc=False):
    timestamp: str | None = None
    type: str | None = None
    payload: msgspec.Raw = _ABSENT
    metadata: LineMetadata | None = None
    record_type: str | None = None
    id: str | None = None  # of a bare first line, which has no type


class Record(msgspec.Struct, gc=False):
    """A line: `kind` is the envelope's type, "response_item" or "session_meta" for a bare line that is one."""

    kind: str
    timestamp: str | None
    payload: Payload
    bare: bool = False
    summary: bool = False  # the model's text is a compaction summary


_LINE = msgspec.json.Decoder(_Line)
_PAYLOAD = msgspec.json.Decoder(Payload)
_TEXT = msgspec.json.Decoder(str)
_NO_PAYLOAD = Payload()
#: Items that stood alone on their lines before there was an envelope.
BARE_ITEMS = frozenset(
    "message reasoning function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call "  # noqa: SIM905 - a list of names is easier to keep as words
    "web_search_call".split()
)
#: Lines whose payload is checked, not read: nothing in it is said or counted.
_UNREAD = frozenset({"world_state", "token_usage_record", "inter_agent_communication_metadata"})


def decode(line: bytes) -> Record | None:
    """The record that a well-made physical line is; None for a line that needs `decode_tolerantly`."""
    try:
        return _record(line)
    except (ValueError, RecursionError):
        return None


def _record(line: bytes) -> Record:
    found = _LINE.decode(line)
    payload = memoryview(found.payload)
    if payload:
        kind = found.type or ""
        body = _NO_PAYLOAD if kind in _UNREAD else _PAYLOAD.decode(payload)
        return Record(kind, found.timestamp, body, summary=bool(found.metadata and found.metadata.compaction_output))
    if found.type in BARE_ITEMS:
        return Record("response_item", found.timestamp, _PAYLOAD.decode(line), bare=True)
    if found.type is None and found.id and found.timestamp:
        return Record("session_meta", found.timestamp, _PAYLOAD.decode(line), bare=True)
    return Record(found.type or (f"record_type:{found.record_type}" if found.record_type else ""), None, _NO_PAYLOAD)


def records_in(line: bytes) -> tuple[Record, ...]:
    """Every record of a physical line, well made or not."""
    record = decode(line)
    return (record,) if record is not None else decode_tolerantly(line).records


def decode_tolerantly(line: bytes) -> Decoded[Record]:
    """The records that can be saved of a line that `decode` refused. Never raises; a blank line holds none and is not bad."""
    if not line or line.isspace():
        return Decoded(())
    try:
        return Decoded((_record(jsonl.mend(line)),), bad=b"\x00" in line)
    except (ValueError, RecursionError):
        saved = jsonl.salvage(line)
    return Decoded(tuple(_from_mapping(each) for each in saved.records), bad=not saved.whole)


def _from_mapping(raw: dict[str, object]) -> Record:
    """A record out of untyped JSON: values of an unexpected type count as missing, the rest stands."""
    line = lenient(_Line, raw)
    payload = raw.get("payload")
    if isinstance(payload, dict):
        return Record(line.type or "", line.timestamp, lenient(Payload, payload))
    if line.type in BARE_ITEMS:
        return Record("response_item", line.timestamp, lenient(Payload, raw), bare=True)
    return Record(line.type or "", line.timestamp, _NO_PAYLOAD)


class _Part(msgspec.Struct, gc=False):
    type: str | None = None
    text: str | None = None


_PARTS = msgspec.json.Decoder(list[_Part])


def texts(raw: msgspec.Raw) -> list[str]:
    """The texts of a message's content, cleaned: a string, or its text items; an item without text gives ""."""
    data = memoryview(raw)
    shape = bytes(data[:1])
    try:
        if shape == b'"':
            return [clean_text(_TEXT.decode(data))]
        if shape == b"[":
            return [clean_text(part.text or "") for part in _PARTS.decode(data)]
    except (ValueError, RecursionError):
        pass
    return []


def text_of(raw: msgspec.Raw) -> str:
    """The texts as one."""
    return "\n".join(text for text in texts(raw) if text)


class _Output(msgspec.Struct, gc=False):
    """An output that is an object; older clients put this as JSON into a string."""

    content: str | None = None
    output: str | None = None
    success: bool | None = None
    metadata: dict[str, object] | None = None


def output_of(raw: msgspec.Raw) -> tuple[str, bool]:
    """A tool's output as text, and whether it failed."""
    data = memoryview(raw)
    text = text_of(raw) if bytes(data[:1]) != b"{" else bytes(data).decode("utf-8", "replace")
    if text.startswith("{"):
        try:
            found = msgspec.json.decode(text.encode("utf-8", "replace"), type=_Output)
        except (ValueError, RecursionError):
            return text, False
        said = found.output if found.output is not None else found.content
        failed = found.success is False or (found.metadata or {}).get("exit_code") not in {None, 0}
        return (text if said is None else clean_text(said)), failed
    return text, False


def word(raw: msgspec.Raw) -> str | None:
    """A value that may be a plain word ("exec") or an object named by its only key ({"subagent": …}); None for neither."""
    data = bytes(memoryview(raw))
    try:
        value = msgspec.json.decode(data) if data else None
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        return next(iter(value), None)
    return value if isinstance(value, str) else None
