"""A session's events as messages, so that compaction may read a transcript like any conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dreamd.context.message import Message, Role, Text, ToolResult, ToolUse
from dreamd.transcripts.event import PERSON_ORIGINS, Event, Origin
from dreamd.transcripts.event import Role as Speaker


def messages_of(events: Iterable[Event], redact: Callable[[str], str], *, headless: bool = False) -> Iterator[Message]:
    """What the person, the agent and its tools said, redacted. What was injected, and what other agents said, is left out.

    A compaction summary of the agent's own at the very beginning, where the transcript goes on from another, becomes a summary
    message; later ones repeat what stands above them. `headless`: prompts nobody typed count as a person's.
    """
    spoken = PERSON_ORIGINS | {Origin.HEADLESS} if headless else PERSON_ORIGINS
    begun = False
    for event in events:
        text = redact(event.text) if event.text.strip() else ""
        match event.role:
            case Speaker.HUMAN if text:
                yield Message(Role.USER, (Text(text, typed=event.origin in spoken),))
            case Speaker.ASSISTANT if text and event.origin is Origin.MODEL:
                yield Message(Role.ASSISTANT, (Text(text),))
            case Speaker.TOOL if event.origin is Origin.TOOL:
                yield Message(Role.ASSISTANT, (ToolUse(event.id, event.tool or "tool"),))
                yield Message(Role.USER, (ToolResult(event.id, text, is_error=event.is_error),))
            case Speaker.SUMMARY if text and not begun:
                yield Message(Role.USER, (Text(text),), summary=True)
            case _:
                continue
        begun = True
