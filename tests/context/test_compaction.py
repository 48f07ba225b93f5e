"""Compaction: what stays to the letter, what may go, and that there is progress or an error."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamd.context.budget import Budget
from dreamd.context.compaction import MAX_LINES, CompactionFailed, compact
from dreamd.context.message import Message, Role, Text, ToolResult, ToolUse, answered, to_api, tokens, typed
from dreamd.context.tokens import estimate
from dreamd.errors import EngineError, Interrupted

LONG = "We looked at the scheduler again and it prunes as it should in every season. " * 12


def size(messages: Sequence[Message]) -> int:
    return sum(tokens(message, estimate) for message in messages)


def chat(turns: int, length: int = 1) -> list[Message]:
    """Question and answer, `turns` of each."""
    made = []
    for number in range(turns):
        made += [typed(f"question {number}: shall we?"), answered(f"Answer {number}. " + LONG * length)]
    return made


def budget_for(messages: Sequence[Message], used: float = 0.9) -> Budget:
    """A budget of which these messages use such a share."""
    return Budget(window=round(size(messages) / used), reserve=0)


def summary_of(messages: Sequence[Message]) -> str:
    assert messages[0].summary
    block = messages[0].blocks[0]
    assert isinstance(block, Text)
    return block.text


def typed_in(messages: Sequence[Message]) -> list[str]:
    return [block.text for message in messages for block in message.blocks if isinstance(block, Text) and block.typed]


def calls_of(messages: Sequence[Message]) -> tuple[list[str], list[str]]:
    calls = [block.id for one in messages for block in one.blocks if isinstance(block, ToolUse)]
    results = [block.id for one in messages for block in one.blocks if isinstance(block, ToolResult)]
    return calls, results


def test_a_hundred_messages_become_a_summary_and_the_recent_half() -> None:
    messages = chat(50)
    made = compact(messages, budget_for(messages, 0.8), lambda _: "- all is well")
    assert made.messages[0].summary
    assert made.messages[1:] == tuple(messages[50:])
    assert made.after < made.before
    assert (made.summary_lines, made.fell_back) == (1, False)


def test_what_a_person_typed_stays_word_for_word() -> None:
    messages = chat(50)
    made = compact(messages, budget_for(messages), lambda _: "- s")
    assert typed_in(made.messages) == typed_in(messages)


def test_a_long_paste_is_excerpted_and_marked() -> None:
    paste = "first words\n" + "log line\n" * 1000 + "last words"
    messages = [typed(paste), *chat(10)]
    made = compact(messages, budget_for(messages), lambda _: "- s")
    kept = typed_in(made.messages)[0]
    assert len(kept) <= 2000
    assert kept.startswith("first words")
    assert kept.endswith("last words")
    assert "characters left out" in kept
    again = compact(made.messages + tuple(chat(20)), budget_for(made.messages + tuple(chat(20))), lambda _: "- s")
    assert typed_in(again.messages)[0] == kept


def test_typed_text_does_not_count_among_the_200_lines() -> None:
    messages = [typed("\n".join(f"rule {n}" for n in range(150))), *chat(40, 3)]
    made = compact(messages, budget_for(messages), lambda _: "\n".join(f"- line {n}" for n in range(500)))
    assert made.summary_lines == MAX_LINES - 2
    assert "rule 149" in typed_in(made.messages)[0]


def test_there_is_one_summary_at_the_head_however_often_it_happens() -> None:
    asked: list[Sequence[Message]] = []

    def summarise(messages: Sequence[Message]) -> str:
        asked.append(messages)
        return f"- summary {len(asked)}"

    messages: tuple[Message, ...] = tuple(chat(20))
    for round_ in range(1, 5):
        made = compact(messages, budget_for(messages), summarise)
        assert [message.summary for message in made.messages].count(True) == 1
        assert f"- summary {round_}" in summary_of(made.messages)
        messages = (*made.messages, *chat(20))
    assert "- summary 3" in summary_of(asked[3])


def test_the_extractive_summary_folds_the_older_one_in() -> None:
    messages = [typed("go"), answered("We switched to Postgres 16 because SQLite locked under load."), *chat(20)]
    for _ in range(4):
        made = compact(messages, budget_for(messages))
        assert [message.summary for message in made.messages].count(True) == 1
        assert summary_of(made.messages).count("Postgres 16") == 1
        messages = [*made.messages, *chat(20)]


@pytest.mark.parametrize("fault", [EngineError("down"), ValueError("prose"), TimeoutError()])
def test_a_failing_summary_call_falls_back_to_the_extractive_one(fault: Exception) -> None:
    def summarise(_: Sequence[Message]) -> str:
        raise fault

    messages = [typed("go"), answered("Decision: we use port 8443 instead of 443."), *chat(20)]
    made = compact(messages, budget_for(messages), summarise)
    assert made.fell_back
    assert "8443" in summary_of(made.messages)


def test_an_empty_summary_is_a_failed_one() -> None:
    messages = chat(20)
    assert compact(messages, budget_for(messages), lambda _: " \n\n").fell_back


def test_an_interruption_is_not_swallowed() -> None:
    def summarise(_: Sequence[Message]) -> str:
        raise Interrupted("stop")

    messages = chat(20)
    with pytest.raises(Interrupted):
        compact(messages, budget_for(messages), summarise)


def test_a_summary_longer_than_its_room_is_cut_to_it() -> None:
    messages = chat(20)
    made = compact(messages, budget_for(messages), lambda _: "- a long line of nothing at all\n" * 10_000)
    assert made.after <= budget_for(messages).working // 2


def test_calls_and_their_results_are_never_parted() -> None:
    messages: list[Message] = [typed("look")]
    for number in range(20):
        messages += [
            Message(Role.ASSISTANT, (Text("Looking."), ToolUse(f"a{number}", "Read"), ToolUse(f"b{number}", "Read"))),
            Message(Role.USER, (ToolResult(f"a{number}", LONG * 2), ToolResult(f"b{number}", LONG))),
        ]
    for cut in range(len(messages) - 1):
        rest = messages[cut:]
        rest = rest if rest[0].role is Role.ASSISTANT or rest[0].typed else rest[1:]
        try:
            made = compact(rest, budget_for(rest), lambda _: "- s")
        except CompactionFailed:
            continue
        calls, results = calls_of(made.messages)
        assert calls == results


def test_one_huge_result_in_the_recent_half_is_excerpted() -> None:
    huge = [
        typed("read it"),
        Message(Role.ASSISTANT, (ToolUse("x", "Read"),)),
        Message(Role.USER, (ToolResult("x", "head\n" + LONG * 50 + "\ntail"),)),
    ]
    made = compact([*chat(2), *huge], budget_for([*chat(2), *huge]), lambda _: "- s")
    result = next(block for one in made.messages for block in one.blocks if isinstance(block, ToolResult))
    assert result.text.startswith("head")
    assert result.text.endswith("tail")
    assert "characters left out" in result.text


def test_only_typed_words_cannot_be_made_short() -> None:
    messages = [typed("x" * 1500) for _ in range(20)]
    with pytest.raises(CompactionFailed) as caught:
        compact(messages, budget_for(messages), lambda _: "- s")
    assert caught.value.code == "compaction_failed"
    assert "fresh conversation" in caught.value.hint


def test_compacting_what_is_short_already_is_an_error_and_no_loop() -> None:
    with pytest.raises(CompactionFailed):
        compact([typed("hi"), answered("hello")], Budget(window=200_000, system=5_000), lambda _: "- they greeted")
    with pytest.raises(CompactionFailed):
        compact([], Budget(window=200_000))


def test_the_summary_call_itself_fits_into_half_the_budget() -> None:
    messages = chat(100, 5)
    budget = Budget(window=8_000, reserve=0)
    seen: list[int] = []

    def summarise(asked: Sequence[Message]) -> str:
        seen.append(size(asked))
        return "- s"

    made = compact(messages, budget, summarise)
    assert made.after <= budget.working // 2
    assert not made.fell_back
    assert seen[0] <= budget.working // 2


def test_roles_alternate_in_what_is_sent() -> None:
    messages = chat(20)
    made = compact(messages, budget_for(messages), lambda _: "- s")
    roles = [message["role"] for message in to_api(made.messages)]
    assert roles[0] == "user"
    assert all(one != other for one, other in pairwise(roles))


blocks = st.one_of(
    st.builds(Text, st.text("ab \n", max_size=800)),
    st.builds(Text, st.text("cd \n", max_size=2500), typed=st.just(True)),
)
steps = st.one_of(
    st.builds(lambda block: [Message(Role.USER, (block,))], blocks),
    st.builds(lambda text: [answered(text)], st.text("ef. \n", max_size=2000)),
    st.builds(
        lambda key, text, failed: [
            Message(Role.ASSISTANT, (ToolUse(str(key), "Bash"),)),
            Message(Role.USER, (ToolResult(str(key), text, failed),)),
        ],
        st.uuids(),
        st.text("gh\n", max_size=3000),
        st.booleans(),
    ),
)
conversations = st.lists(steps, max_size=30).map(lambda made: [message for step in made for message in step])
summaries = st.one_of(st.none(), st.text("ij \n", max_size=4000))


@settings(max_examples=150, deadline=None)
@given(conversations, st.integers(100, 40_000), summaries, st.integers(1, 3))
def test_whatever_the_conversation_it_becomes_shorter_or_an_error(
    messages: list[Message], window: int, summary: str | None, rounds: int
) -> None:
    budget = Budget(window=window)
    summarise = None if summary is None else lambda _: summary
    before = messages
    for _ in range(rounds):
        try:
            made = compact(before, budget, summarise)
        except CompactionFailed:
            return
        assert size(made.messages) == made.after < made.before == size(before)
        assert made.after <= budget.working // 2
        assert sum(message.summary for message in made.messages) <= 1
        assert not any(message.summary for message in made.messages[1:])
        assert made.summary_lines <= MAX_LINES
        calls, results = calls_of(made.messages)
        assert calls == results
        kept = typed_in(made.messages)
        for words in typed_in(before):
            assert not words.strip() or len(words) > 2000 or words in kept
        before = [*made.messages, *messages]
