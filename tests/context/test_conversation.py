"""A conversation with a scripted model: measured, warned, compacted in pauses, stopped in time; small windows too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from dreamd.context.budget import Budget, Level, OutOfTokens
from dreamd.context.compaction import CompactionFailed
from dreamd.context.conversation import Conversation, Reply, Schema, Stop
from dreamd.context.message import Message, Role, Text, ToolResult, ToolUse, content, told, typed
from dreamd.context.prompt import Section, SystemPrompt
from dreamd.context.tokens import Calibration, estimate
from dreamd.errors import EngineError
from dreamd.log import logger
from dreamd.usage import Usage

SYSTEM = SystemPrompt((Section("role", "You read sessions."),))


@dataclass
class Model:
    """Answers and counts; `bytes_per_token` is the truth that estimates do not know."""

    answer: str = "Noted."
    bytes_per_token: float = 2.0
    usage: list[Usage] = field(default_factory=list)  # said instead of counted, in order
    silent: bool = False  # no usage at all
    calls: list[tuple[tuple[Message, ...], int]] = field(default_factory=list)
    fault: Exception | None = None
    stop: Stop = Stop.END
    blocks: tuple[ToolUse, ...] = ()

    def call(
        self, system: SystemPrompt, messages: Sequence[Message], *, max_tokens: int, schema: Schema | None
    ) -> Reply:
        if self.fault is not None:
            raise self.fault
        self.calls.append((tuple(messages), max_tokens))
        size = sum(len(content(block).encode()) for message in messages for block in message.blocks)
        counted = Usage(
            input=round(size / self.bytes_per_token),
            cache_read=system.tokens(),
            output=min(max_tokens, round(len(self.answer) / self.bytes_per_token)),
        )
        usage = Usage() if self.silent else self.usage.pop(0) if self.usage else counted
        return Reply(self.answer, usage=usage, stop=self.stop, blocks=self.blocks)


def conversation(model: Model, window: int = 8_000, **more: object) -> Conversation:
    return Conversation(model, SYSTEM, Budget(window=window, system=SYSTEM.tokens()), **more)  # type: ignore[arg-type]


def used_of(talk: Conversation, share: float) -> Usage:
    budget = talk._budget
    return Usage(input=round(budget.working * share) + budget.system)


def chunk(tokens: int) -> Message:
    return told("Port 8080 is taken. " * (tokens // 10))


def test_use_is_estimated_before_the_first_reply_and_measured_after_it() -> None:
    model = Model(usage=[Usage(input=1_000, cache_read=2_000, cache_write=300, output=50)])
    talk = conversation(model)
    assert talk.used == 0
    talk.ask(told("hello"), max_tokens=100)
    assert talk.used == 3_350 - SYSTEM.tokens()
    assert [message.role for message in talk.messages] == [Role.USER, Role.ASSISTANT]


def test_a_server_without_usage_is_estimated_throughout() -> None:
    talk = conversation(Model(silent=True))
    talk.ask(told("x" * 1_000), max_tokens=100)
    assert talk.used > 500
    assert talk.calibration == Calibration()


def test_calibration_follows_what_the_server_counts() -> None:
    talk = conversation(Model(bytes_per_token=4.0), window=100_000)
    for _ in range(12):
        talk.ask(chunk(500), max_tokens=100)
    assert talk.calibration.bytes_per_token > 3.5


def test_a_failed_call_adds_nothing() -> None:
    model = Model()
    talk = conversation(model)
    talk.ask(told("one"), max_tokens=100)
    before = talk.messages, talk.used
    model.fault = EngineError("down")
    with pytest.raises(EngineError):
        talk.ask(told("two"), max_tokens=100)
    assert (talk.messages, talk.used) == before


def test_80_percent_warn_once_and_compact_at_the_next_pause() -> None:
    model = Model(answer="Decision: we use uv instead of pip. " * 30)
    talk = conversation(model)
    logger()
    with capture_logs() as logs:
        for _ in range(3):
            talk.ask(chunk(700), max_tokens=1_000)
        model.usage = [used_of(talk, 0.82)]
        talk.ask(chunk(100), max_tokens=1_000)
        assert talk.level is Level.WARN
        assert not any(message.summary for message in talk.messages)
        made = talk.pause()
    assert made is not None
    assert talk.level is Level.FREE
    assert talk.messages[0].summary
    assert [one["event"] for one in logs] == ["budget.warned", "conversation.compacted"]


def test_the_next_question_is_a_pause_too() -> None:
    talk = conversation(model := Model())
    for _ in range(3):
        talk.ask(chunk(700), max_tokens=100)
    model.usage = [used_of(talk, 0.85)]
    talk.ask(chunk(100), max_tokens=100)
    talk.ask(chunk(100), max_tokens=100)
    assert model.calls[-1][0][0].summary


def test_a_pause_waits_for_the_tools_result_below_90_percent() -> None:
    talk = conversation(model := Model())
    for _ in range(3):
        talk.ask(chunk(700), max_tokens=100)
    model.usage = [used_of(talk, 0.85)]
    model.stop, model.blocks = Stop.TOOL, (ToolUse("t", "search"),)
    talk.ask(chunk(100), max_tokens=100)
    assert talk.pause() is None
    model.stop, model.blocks = Stop.END, ()
    model.usage = [used_of(talk, 0.86)]
    talk.ask(Message(Role.USER, (ToolResult("t", "found"),)), max_tokens=100)
    assert not model.calls[-1][0][0].summary
    assert talk.pause() is not None


def test_90_percent_compact_before_anything_else_even_with_a_call_open() -> None:
    talk = conversation(model := Model())
    for _ in range(3):
        talk.ask(chunk(700), max_tokens=100)
    model.usage = [used_of(talk, 0.92)]
    model.stop, model.blocks = Stop.TOOL, (ToolUse("t", "search"),)
    talk.ask(chunk(100), max_tokens=100)
    talk.ask(Message(Role.USER, (ToolResult("t", "found"),)), max_tokens=100)
    sent = model.calls[-1][0]
    assert sent[0].summary
    assert any(isinstance(block, ToolUse) for message in sent for block in message.blocks)


def test_95_percent_is_out_of_tokens_and_nothing_is_sent() -> None:
    talk = conversation(model := Model())
    model.usage = [used_of(talk, 0.951)]
    talk.ask(told("x"), max_tokens=100)
    with pytest.raises(OutOfTokens, match="out of tokens"):
        talk.ask(told("y"), max_tokens=100)
    assert len(model.calls) == 1
    assert talk.pause() is None


def test_at_90_percent_what_cannot_be_compacted_is_an_error() -> None:
    talk = conversation(model := Model())
    model.usage = [used_of(talk, 0.92)]
    talk.ask(typed("short"), max_tokens=100)
    with pytest.raises(CompactionFailed):
        talk.ask(typed("more"), max_tokens=100)


def test_an_input_larger_than_the_window_is_excerpted_with_a_mark() -> None:
    talk = conversation(model := Model())
    talk.ask(told("first line\n" + "dialogue " * 100_000 + "\nlast line"), max_tokens=500)
    (sent,), _ = model.calls[-1]
    assert sent.text.startswith("first line")
    assert sent.text.endswith("last line")
    assert "characters left out" in sent.text
    assert talk.level is not Level.STOP
    talk.ask(told("dialogue " * 100_000), max_tokens=500)
    assert talk.level is not Level.STOP


def test_a_persons_words_are_never_cut_to_fit() -> None:
    talk = conversation(Model(), window=1_000)
    with pytest.raises(OutOfTokens):
        talk.ask(typed("x" * 1_999), max_tokens=100)


def test_an_answer_may_not_run_out_of_the_window() -> None:
    talk = conversation(model := Model())
    talk.ask(chunk(4_000), max_tokens=50_000)
    sent, longest = model.calls[-1]
    assert estimate(sent[0].text) + longest <= 8_000


def test_a_system_prompt_larger_than_the_window_is_out_of_tokens() -> None:
    talk = Conversation(Model(), SYSTEM, Budget(window=1_000, system=1_000))
    with pytest.raises(OutOfTokens):
        talk.ask(told("x"), max_tokens=10)


@pytest.mark.parametrize("window", [8_000, 16_000, 32_000, 200_000])
def test_a_transcript_of_many_windows_goes_through_one_conversation(window: int) -> None:
    model = Model(answer="Decision: port 8443 instead of 443. The cause was a stale lock. " * 3, bytes_per_token=2.6)
    talk = conversation(model, window=window)
    for number in range(60):
        talk.ask(
            told(f"Chunk {number}: " + f"we talked about thing {number} at length. " * (window // 200)),
            max_tokens=1_000,
        )
        assert talk.level is not Level.STOP
    assert any(sent[0].summary for sent, _ in model.calls)
    assert all(sum(one.summary for one in sent) <= 1 for sent, _ in model.calls)


inputs = st.builds(
    lambda words, count, own: (typed if own else told)(words * count),
    st.text("ab .\n", min_size=1, max_size=40),
    st.integers(1, 3_000),
    st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(inputs, min_size=1, max_size=12), st.integers(500, 20_000), st.floats(1.2, 5.0), st.integers(1, 3_000))
def test_no_request_is_larger_than_the_window_and_no_conversation_loops(
    messages: list[Message], window: int, bytes_per_token: float, max_tokens: int
) -> None:
    model = Model(bytes_per_token=max(2.0, bytes_per_token))
    talk = conversation(model, window=window)
    for message in messages:
        try:
            talk.ask(message, max_tokens=max_tokens)
        except (OutOfTokens, CompactionFailed):
            break
    for sent, longest in model.calls:
        size = sum(len(content(block).encode()) for one in sent for block in one.blocks)
        assert SYSTEM.tokens() + size / model.bytes_per_token + longest <= window
        assert all(isinstance(block, Text) for one in sent for block in one.blocks)


def test_room_is_made_only_where_that_is_sure_to_be_enough() -> None:
    model = Model()
    talk = conversation(model)
    assert talk.admits(chunk(700), max_tokens=100)
    assert not talk.make_room(chunk(20_000), max_tokens=100)
    for _ in range(3):
        talk.ask(chunk(700), max_tokens=100)
    model.usage = [used_of(talk, 0.75)]
    talk.ask(chunk(700), max_tokens=100)
    before = talk.messages
    too_large, fitting = chunk(3_600), chunk(1_500)
    assert not talk.make_room(too_large, max_tokens=1_000)
    assert talk.messages == before
    assert not talk.admits(fitting, max_tokens=1_000)
    assert talk.make_room(fitting, max_tokens=1_000)
    assert talk.messages[0].summary
    talk.ask(fitting, max_tokens=1_000)
    assert model.calls[-1][0][-1] == fitting  # whole
    assert model.calls[-1][1] == 1_000


def test_a_full_window_makes_no_room() -> None:
    talk = conversation(model := Model())
    model.usage = [used_of(talk, 0.96)]
    talk.ask(chunk(100), max_tokens=100)
    assert not talk.make_room(told("x"), max_tokens=10)
