"""What a conversation with a model is made of: messages of blocks, and whose words they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

_FRAME = 4  # tokens around a message and around each of its blocks
#: The Messages API takes four marks for the prompt cache in one request; the system prompt has one of them.
_MARKS = 3


class Role(StrEnum):
    """Who speaks, as the Messages API knows it."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Text:
    """Words. `typed`: a person's own, never shortened below 2,000 characters."""

    text: str
    typed: bool = False


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The model calls a tool; `arguments` is a JSON object as text."""

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back; `id` is that of its ToolUse."""

    id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """A block that is passed on as it came (thinking with its signature, an image); `payload` is its JSON."""

    kind: str
    payload: str


Block = Text | ToolUse | ToolResult | Opaque


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `summary`: it stands for what was compacted; at most one, at the head."""

    role: Role
    blocks: tuple[Block, ...]
    summary: bool = False
    cached: bool = False  # what was sent up to its end is sent again: worth a place in the prompt cache

    @property
    def typed(self) -> bool:
        """Whether a person's own words stand in it."""
        return any(isinstance(block, Text) and block.typed for block in self.blocks)

    @property
    def text(self) -> str:
        """The words of its blocks, tools' output included, a blank line between."""
        return "\n\n".join(block.text for block in self.blocks if isinstance(block, Text | ToolResult) and block.text)

    @property
    def calls(self) -> frozenset[str]:
        """The ids of the tool calls in it."""
        return frozenset(block.id for block in self.blocks if isinstance(block, ToolUse))

    @property
    def results(self) -> frozenset[str]:
        """The ids of the tool calls that it answers."""
        return frozenset(block.id for block in self.blocks if isinstance(block, ToolResult))


def told(text: str) -> Message:
    """A message to the model in dreamd's words (instructions, a chunk of a transcript)."""
    return Message(Role.USER, (Text(text),))


def typed(text: str) -> Message:
    """A message in a person's own words."""
    return Message(Role.USER, (Text(text, typed=True),))


def answered(text: str) -> Message:
    """The model's words."""
    return Message(Role.ASSISTANT, (Text(text),))


def tokens(message: Message, estimate: Callable[[str], int]) -> int:
    """Tokens of a message by `estimate`, with a few for the frame of each block."""
    return _FRAME + sum(_FRAME + estimate(content(block)) for block in message.blocks)


def content(block: Block) -> str:
    """What of a block costs tokens, as one text."""
    match block:
        case Text() | ToolResult():
            return block.text
        case ToolUse():
            return f"{block.name} {block.arguments}"
        case Opaque():
            return block.payload
        case _:
            assert_never(block)


def to_api(messages: Sequence[Message]) -> list[dict[str, object]]:
    """The Messages API's `messages`: neighbours of one role joined (some servers insist that roles alternate).

    Empty texts are left out, because the API refuses them; so is a message of which nothing remains. The newest `cached` messages
    are marked: an earlier mark is where the cache is read, the last one up to where it is written. Raises ValueError for a ToolUse
    or Opaque whose JSON is broken.
    """
    joined: list[tuple[Role, list[dict[str, object]]]] = []
    marked = [number for number, message in enumerate(messages) if message.cached][-_MARKS:]
    for number, message in enumerate(messages):
        sent = [block for block in message.blocks if not (isinstance(block, Text) and not block.text.strip())]
        blocks = [_to_api(block) for block in sent]
        if number in marked and sent and not isinstance(sent[-1], Opaque):  # thinking takes no mark
            blocks[-1]["cache_control"] = {"type": "ephemeral"}
        if blocks and joined and joined[-1][0] is message.role:
            joined[-1][1].extend(blocks)
        elif blocks:
            joined.append((message.role, blocks))
    return [{"role": role.value, "content": blocks} for role, blocks in joined]


def _to_api(block: Block) -> dict[str, object]:
    match block:
        case Text():
            return {"type": "text", "text": block.text}
        case ToolUse():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": json.loads(block.arguments)}
        case ToolResult():
            result: dict[str, object] = {"type": "tool_result", "tool_use_id": block.id, "content": block.text}
            return result | {"is_error": True} if block.is_error else result
        case Opaque():
            return dict(json.loads(block.payload))
        case _:
            assert_never(block)
