"""What a conversation with a model is made of: messages of blocks, and whose words they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum


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

    @property
    def typed(self) -> bool:
        """Whether a person's own words stand in it."""
        return any(isinstance(block, Text) and block.typed for block in self.blocks)

    @property
    def text(self) -> str:
        """The texts of its blocks, tools' included, a blank line between."""
        raise NotImplementedError


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
    """Tokens of a message by `estimate`, with a few for its frame."""
    raise NotImplementedError


def to_api(messages: Sequence[Message]) -> list[dict[str, object]]:
    """The Messages API's `messages`: neighbours of one role joined (some servers insist that roles alternate)."""
    raise NotImplementedError
