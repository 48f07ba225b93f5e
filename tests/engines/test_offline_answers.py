"""Answers to the agent's questions, and what the agent itself says."""

import pytest

from dreamd.engines.protocol import Kind
from dreamd.transcripts.event import Origin
from engines.typed import answer, lines, read, turn


def asked(question: str, reply: str) -> list[str]:
    return lines(turn(f"Q: {question} A: {reply}", origin=Origin.ANSWER))


@pytest.mark.parametrize(
    ("question", "reply", "line"),
    [
        ("Which database should we use?", "PostgreSQL 16", "Database to use: PostgreSQL 16."),
        ("Which tools should we set up?", "Credo + mix_audit", "Chosen tools to set up: Credo + mix_audit."),
        ("Should we support Windows?", "No", "We should not support Windows."),
        (
            "Should the worker retry failed jobs by default?",
            "Yes, always",
            "The worker should retry failed jobs by default.",
        ),
        ("What is the license?", "MIT (Recommended)", "License: MIT."),
        (
            "How do you want errors to be handled?",
            "never swallow exceptions silently",
            "Never swallow exceptions silently.",
        ),
    ],
)
def test_an_answer_that_settles_something_becomes_a_statement(question: str, reply: str, line: str) -> None:
    assert asked(question, reply) == [line]


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("The plan is ready. What would you like to do next?", "Run the review"),
        ("How should we proceed?", "fix the issues"),
        ("Which option do you prefer?", "Option 2"),
        ("Should I commit this now?", "Yes"),
        ("Which bug should I fix first?", "the login one"),
    ],
)
def test_an_answer_about_the_task_is_left(question: str, reply: str) -> None:
    assert asked(question, reply) == []


def test_a_short_assent_takes_nothing_from_the_agent() -> None:
    assert read(answer("I suggest we always use Redis for caching. Shall I?", n=0), turn("yes", n=1)).findings == ()


def test_an_agents_words_make_no_rule() -> None:
    assert read(turn("what now?", n=0), answer("We always use Redis here. Never push to main.", n=1)).findings == ()


def test_a_cause_and_its_fix_named_by_the_agent_is_a_weak_learning_on_the_persons_turn() -> None:
    (found,) = read(
        turn("why is the checkout test flaky?", n=0),
        answer("The flaky checkout test was caused by a stale cache; clearing the cache in the set-up fixed it.", n=1),
    ).findings
    assert found.kind is Kind.LEARNING
    assert found.turn_id == "turn-0"
    assert found.weight < 1
