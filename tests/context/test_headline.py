"""A text in one sentence."""

import pytest

from dreamd.context.headline import LONGEST, asked
from dreamd.context.outcome import came_to


@pytest.mark.parametrize(
    ("prompts", "sentence"),
    [
        (["Why is CI red? It was green."], "Why is CI red?"),
        (["Hi.", "ok", "Add a health endpoint."], "Add a health endpoint."),
        (["Hi."], "Hi."),
        ([], ""),
        (["", "!!", "```\ncode only\n```"], ""),
        (["## Task\n\n- **Fix** the login page in Safari"], "Fix the login page in Safari"),
        (["部署失败了。请看日志。"], "部署失败了。"),
        (["```py\nx = 1\n```\nWhat does this print?"], "What does this print?"),
    ],
)
def test_a_session_is_named_by_its_first_sentence_that_says_something(prompts: list[str], sentence: str) -> None:
    assert asked(prompts) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "Let me check the tests first. The cookie lacked its SameSite attribute.",
            "The cookie lacked its SameSite attribute.",
        ),
        ("I updated the README and the compose file to 8282.", "I updated the README and the compose file to 8282."),
        ("Should I go on?", ""),
        ("Here is what I found:\n\n- The index was missing.", "The index was missing."),
        ("", ""),
    ],
)
def test_an_answer_comes_to_its_first_statement(text: str, sentence: str) -> None:
    assert came_to(text) == sentence


def test_a_long_sentence_is_cut_at_a_word() -> None:
    cut = asked(["look " * 100 + "here"])
    assert len(cut) <= LONGEST
    assert cut.endswith("look…")
