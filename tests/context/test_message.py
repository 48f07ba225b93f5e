"""Messages as the Messages API takes them, texts made short, and a session's events as messages."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from dreamd.context.excerpt import excerpt, excerpt_to
from dreamd.context.message import Message, Opaque, Role, Text, ToolResult, ToolUse, to_api, told
from dreamd.context.tokens import estimate
from dreamd.context.transcript import messages_of
from dreamd.transcripts.event import Event, Origin, RawPosition
from dreamd.transcripts.event import Role as Speaker


def event(role: Speaker, origin: Origin, text: str, **more: object) -> Event:
    return Event(
        "e" + text, None, dt.datetime(2026, 3, 2, tzinfo=dt.UTC), role, origin, text, RawPosition("f", 0), **more
    )  # type: ignore[arg-type]


def test_every_block_has_its_form() -> None:
    message = Message(
        Role.ASSISTANT,
        (
            Opaque("thinking", '{"type": "thinking", "thinking": "hm", "signature": "s"}'),
            Text("so"),
            ToolUse("1", "find", '{"q": 1}'),
        ),
    )
    result = Message(Role.USER, (ToolResult("1", "no", is_error=True),))
    assert to_api([message, result]) == [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "so"},
                {"type": "tool_use", "id": "1", "name": "find", "input": {"q": 1}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "no", "is_error": True}]},
    ]


def test_neighbours_of_one_role_are_joined_and_empty_texts_left_out() -> None:
    assert to_api([told("a"), told(" "), told("b")]) == [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    ]
    assert to_api([told("")]) == []


@given(st.text(max_size=600), st.integers(0, 500))
def test_an_excerpt_is_never_too_long_and_a_short_text_stays(text: str, longest: int) -> None:
    made = excerpt(text, longest)
    assert len(made) <= longest or made == text
    assert made == text or len(text) > longest


@given(st.text(max_size=600), st.integers(0, 300))
def test_an_excerpt_to_tokens_fits(text: str, tokens: int) -> None:
    assert estimate(excerpt_to(text, tokens, estimate)) <= tokens


def test_an_excerpt_is_not_made_shorter_again() -> None:
    once = excerpt("words and more words\n" * 500, 2_000)
    assert len(once) <= 2_000
    assert excerpt(once, 2_000) == once


def test_a_sessions_events_become_messages_without_what_was_injected() -> None:
    events = [
        event(Speaker.SUMMARY, Origin.COMPACT, "what was before"),
        event(Speaker.HUMAN, Origin.TYPED, "fix it, key sk-123"),
        event(Speaker.SYSTEM, Origin.INJECTED, "reminder"),
        event(Speaker.TOOL, Origin.TOOL, "failed", tool="Bash", is_error=True),
        event(Speaker.ASSISTANT, Origin.SIDECHAIN, "a helper's words"),
        event(Speaker.ASSISTANT, Origin.MODEL, "fixed"),
        event(Speaker.SUMMARY, Origin.COMPACT, "all of it again"),
    ]
    made = list(messages_of(events, lambda text: text.replace("sk-123", "[REDACTED]")))
    assert [message.text for message in made] == ["what was before", "fix it, key [REDACTED]", "", "failed", "fixed"]
    assert [message.summary for message in made] == [True, False, False, False, False]
    assert [message.typed for message in made] == [False, True, False, False, False]


def test_a_headless_prompt_counts_as_a_persons_only_when_asked_for() -> None:
    events = [event(Speaker.HUMAN, Origin.HEADLESS, "report")]
    assert not next(messages_of(events, str)).typed
    assert next(messages_of(events, str, headless=True)).typed
