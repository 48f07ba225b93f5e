"""What a person said in a Claude Code transcript: every place where their words stand, each turn once."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import msgspec

from dreamd.clock import parse_time
from dreamd.transcripts import speaker
from dreamd.transcripts.claude_record import Block, Record
from dreamd.transcripts.event import Origin
from dreamd.transcripts.jsonl import clean_text
from dreamd.transcripts.turn import PersonTurn
from dreamd.transcripts.waiting import QueuedWords, WaitingRoom

#: Structured tool results up to this size are searched for answers to the agent's questions; they are small.
_MOST_ANSWER_BYTES = 256 * 1024
_REPLY_REACH = 400  # bytes of a result in which a person's reply announces itself
_SIGN = 10
#: How an output, plain or structured, may begin that holds answers of a person.
_ANSWER_SIGNS = frozenset({b'"User has ', b'"Your ques', b'{"question', b'{"answers"', b'{"annotati'})
_SPEAKING = frozenset({"user", "attachment", "system"})
_NOTHING: list[PersonTurn] = []
_PROMPT_SOURCES = frozenset({"typed", "queued", "sdk"})


@dataclass(frozen=True, slots=True)
class Words:
    """A person's words in one record, cleaned."""

    origin: Origin
    text: str


class PersonTurns:
    """Hears the records of one stretch of a transcript in file order and tells the person's turns, none of them twice."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._room = WaitingRoom()
        self._headless = False
        self.own = False  # dreamd, or another program that reads transcripts, wrote this session's prompt

    def hear(self, record: Record, offset: int) -> list[PersonTurn]:
        """The turns that are certain with this record; words from the queue come when it is known that they stand alone."""
        kind = record.type
        if kind == "attachment" and not is_queued(record):
            return _NOTHING
        if not self._room and (kind == "assistant" or _only_output(record)):
            return _NOTHING
        if kind == "assistant":
            return self._alone(self._room.answered())
        if kind == "queue-operation":
            return self._alone(self._room.operation(record, offset))
        if kind not in _SPEAKING:
            return _NOTHING
        headless = record.headless
        if headless is not None:
            self._headless = headless
        turns = self._alone(self._room.passed(record.timestamp, offset)) if self._room else []
        words = words_of(record)
        if text := _plain(record):
            turns += self._alone(self._room.delivered(text, by_person=words is not None))
            self.own = self.own or speaker.is_own(text)
        identity = record.identity
        if words is not None and identity is not None and identity not in self._seen:
            self._seen.add(identity)
            turns.append(
                PersonTurn(
                    id=identity,
                    parent_id=record.parent_uuid,
                    offset=offset,
                    at=parse_time(record.timestamp),
                    origin=words.origin,
                    text=words.text,
                    cwd=record.cwd,
                    branch=record.git_branch,
                )
            )
        return turns

    def close(self) -> list[PersonTurn]:
        """The words still in the queue when nothing more comes."""
        return self._alone(self._room.closed())

    def held_from(self) -> int | None:
        """Where the first words stand that may still come again as a line of their own."""
        return self._room.held_from()

    def held_since(self) -> dt.datetime | None:
        """When the last of them were typed; None also where the line has no time."""
        return self._room.held_since()

    def _alone(self, queued: list[QueuedWords]) -> list[PersonTurn]:
        turns = []
        for each in queued:
            if each.id not in self._seen:
                self._seen.add(each.id)
                origin = Origin.HEADLESS if self._headless else Origin.QUEUED
                turns.append(PersonTurn(each.id, None, each.offset, each.at, origin, each.words))
        return turns


def _only_output(record: Record) -> bool:
    """Whether this is the commonest of all lines, one tool's output and nothing else; a quick look, "no" when in doubt."""
    message = record.message
    if message is None or record.user_feedback or record.type != "user":
        return False
    content = message.content
    if not isinstance(content, list) or len(content) != 1:
        return False
    block = content[0]
    if block.type != "tool_result" or block.is_error:
        return False
    output = bytes(memoryview(block.content)[:_SIGN])
    return (
        output not in _ANSWER_SIGNS
        and output[:1] != b"["
        and bytes(memoryview(record.tool_use_result)[:_SIGN]) not in _ANSWER_SIGNS
    )


def words_of(record: Record) -> Words | None:
    """A person's words in this record; None where a machine speaks. Words from a client nobody typed in are HEADLESS."""
    words = _words_of(record)
    if words is None or not words.text:
        return None
    return Words(Origin.HEADLESS if record.headless else words.origin, clean_text(words.text))


def _words_of(record: Record) -> Words | None:
    if record.in_sidechain or record.is_meta or record.is_compact_summary or record.is_visible_in_transcript_only:
        return None
    match record.type:
        case "user":
            results = tool_results(record)
            return _beside_results(record, results) if results else _prompt(record)
        case "attachment":
            return _queued_prompt(record)
        case "system" if record.subtype == "local_command" and isinstance(record.content, str):
            return _command(record.content)
        case _:
            return None


def tool_results(record: Record) -> list[Block]:
    """The tool results in a record."""
    content = record.message.content if record.message else None
    return [block for block in content if block.type == "tool_result"] if isinstance(content, list) else []


def texts(content: str | list[Block] | None) -> list[str]:
    """The text blocks of a message; some clients put a text under `content`."""
    if isinstance(content, str):
        return [content]
    return [text for block in content or () if block.type == "text" and (text := block.text or result_text(block))]


def result_text(block: Block) -> str:
    """A block's `content` as text: a string, or the text blocks of a list; "" for anything else."""
    return "\n".join(texts(_inner(bytes(block.content))))


def _inner(raw: bytes) -> str | list[Block] | None:
    try:
        if raw.startswith(b'"'):
            return msgspec.json.decode(raw, type=str)
        if raw.startswith(b"["):
            return msgspec.json.decode(raw, type=list[Block])
    except (ValueError, RecursionError):
        pass
    return None


def _plain(record: Record) -> str:
    """What a delivered prompt is recognised by: the raw text of a user line without tool results, or of a queued prompt."""
    if record.type == "user" and record.message:
        return "\n".join(texts(record.message.content))
    if record.attachment is not None and is_queued(record):
        return "\n".join(texts(record.attachment.prompt))
    return ""


def is_queued(record: Record) -> bool:
    """Whether this attachment holds something that was typed while the agent worked."""
    return record.attachment is not None and record.attachment.type == "queued_command"


def _declared(record: Record) -> bool | None:
    """What the line itself says about who typed it; None for the versions that say nothing."""
    if record.origin is not None and record.origin.kind:
        return record.origin.kind == "human"
    if record.prompt_source:
        return record.prompt_source in _PROMPT_SOURCES
    if record.row_source or record.turn_origin:
        return False
    return None


def _prompt(record: Record) -> Words | None:
    said = texts(record.message.content) if record.message else []
    if len(said) == 1 and (typed := _command(said[0])):
        return typed
    declared = _declared(record)
    if declared is False or (record.team_name and not declared):
        return None
    kept = [words for text in said if (words := speaker.human_words(text, declared=bool(declared)))]
    return Words(Origin.QUEUED if record.prompt_source == "queued" else Origin.TYPED, "\n".join(kept))


def _command(text: str) -> Words | None:
    typed = speaker.command(text)
    return Words(Origin.COMMAND, speaker.command_words(typed)) if typed else None


def _queued_prompt(record: Record) -> Words | None:
    attached = record.attachment
    if attached is None or not is_queued(record) or attached.command_mode not in {None, "prompt"}:
        return None
    if attached.origin is not None and attached.origin.kind not in {None, "human"}:
        return None
    kept = [words for text in texts(attached.prompt) if (words := speaker.queued_words(text))]
    return Words(Origin.QUEUED, "\n".join(kept))


def _beside_results(record: Record, results: list[Block]) -> Words | None:
    """What a person said on a tool result's line: a refusal's reason, answers, or a message that came with it."""
    origin, spoken = _reply(record, results)
    content = record.message.content if record.message else None
    if _declared(record) is not False and not record.team_name:
        spoken += [words for text in texts(content) if (words := speaker.human_words(text))]
    return Words(origin, "\n".join(spoken)) if spoken else None


def _reply(record: Record, results: list[Block]) -> tuple[Origin, list[str]]:
    if record.user_feedback and (words := speaker.human_words(record.user_feedback, declared=True)):
        return (Origin.REFUSAL if record.tool_denial_kind else Origin.ANSWER), [words]
    for block in results:
        if block.is_error and (reason := speaker.refusal_reason(_reply_text(block, b"he user said:"))):
            return Origin.REFUSAL, [reason]
    pairs = _answers(record.tool_use_result) or [
        pair for block in results for pair in speaker.answers_in(_reply_text(block, b" answered"))
    ]
    if words := speaker.answer_words(pairs):
        return Origin.ANSWER, [words]
    return Origin.TYPED, []


def _reply_text(block: Block, sign: bytes) -> str:
    """A result's text if it has the sign of a person's reply near its beginning; saves decoding megabytes."""
    raw = memoryview(block.content)
    if len(raw) > _MOST_ANSWER_BYTES or sign not in bytes(raw[:_REPLY_REACH]):
        return ""
    return result_text(block)


class _Answered(msgspec.Struct):
    """The structured result of the tool that asks the person."""

    questions: list[msgspec.Raw]
    answers: dict[str, str | list[str]]
    annotations: dict[str, dict[str, object]] | None = None


_ANSWERED = msgspec.json.Decoder(_Answered)


def _answers(result: msgspec.Raw) -> list[tuple[str, str]]:
    raw = memoryview(result)
    if len(raw) > _MOST_ANSWER_BYTES or b'"answers"' not in bytes(raw):
        return []
    try:
        found = _ANSWERED.decode(raw)
    except (ValueError, RecursionError):
        return []
    pairs = []
    for question, answer in found.answers.items():
        notes = (found.annotations or {}).get(question, {}).get("notes")
        said = answer if isinstance(answer, str) else ", ".join(answer)
        pairs.append((question, f"{said} ({notes})" if isinstance(notes, str) and notes.strip() else said))
    return pairs
