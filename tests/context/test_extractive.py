"""The summary without a model: what must survive does, what may go goes."""

from __future__ import annotations

import pytest

from dreamd.context.extractive import extract, summary
from dreamd.context.mentions import paths_in
from dreamd.context.mentions import told as told_paths
from dreamd.context.message import Message, Role, Text, ToolResult, ToolUse, answered, told, typed
from dreamd.context.sift import Sort, statements

SESSION = [
    typed("the nightly prune job fails since Tuesday, please look"),
    answered("Let me look at the scheduler first. I'll check the logs."),
    Message(Role.ASSISTANT, (ToolUse("1", "Bash", '{"command": "cat src/prune/job.py"}'),)),
    Message(Role.USER, (ToolResult("1", "TimeoutError: lock not released after 30 s", is_error=True),)),
    answered("The root cause is a stale lock in `src/prune/lock.py`: it is never released after a crash."),
    Message(Role.ASSISTANT, (ToolUse("2", "Edit", '{"file_path": "/home/sam/work/orchard/src/prune/lock.py"}'),)),
    Message(Role.USER, (ToolResult("2", "File has not been read yet. Read it first.", is_error=True),)),
    answered("Timeout: 30 s\n\nWe switched to a lease instead of the lock file. All 41 tests pass."),
    typed("good. and set the timeout higher"),
    answered("Timeout: 90 s\n\nDone. The timeout is set in `config/prune.toml`."),
    typed("now deploy it"),
    Message(Role.ASSISTANT, (ToolUse("3", "Bash", '{"command": "make deploy"}'),)),
    Message(Role.USER, (ToolResult("3", "connecting\nfatal: host pruner-2 refused the connection", is_error=True),)),
    answered("The deployment is still blocked: host `pruner-2` refuses the connection.\n\nShall I try again tomorrow?"),
]


def test_decisions_and_causes_survive() -> None:
    found = extract(SESSION)
    assert any("lease instead of the lock file" in line for line in found.decisions)
    assert any("stale lock" in line for line in found.decisions)


def test_of_a_value_that_was_replaced_only_the_newest_stays() -> None:
    made = summary(SESSION)
    assert "Timeout: 90 s" in made
    assert "Timeout: 30 s" not in made


def test_files_are_named_once_however_they_were_written() -> None:
    found = extract(SESSION)
    assert found.paths == ("config: prune.toml", "src/prune: job.py, lock.py")


def test_only_errors_that_nothing_later_answered_survive() -> None:
    assert extract(SESSION).errors == ("fatal: host pruner-2 refused the connection",)


def test_talk_about_the_next_step_goes() -> None:
    assert "Let me look" not in summary(SESSION)


def test_the_last_answer_stands_at_length_and_the_turns_say_what_they_came_to() -> None:
    found = extract(SESSION)
    assert found.last[-1] == "Shall I try again tomorrow?"
    assert found.answers[0].startswith("“the nightly prune job fails since Tuesday")
    assert "All 41 tests pass." in found.answers[0]


def test_a_summary_keeps_to_its_lines_and_size_and_to_what_weighs_most() -> None:
    said = "We chose tool{0} instead of thing{0} for step{0}. Uses {0}.0.1 there."
    messages = [typed("go"), *(answered(said.format(number)) for number in range(300))]
    assert len(summary(messages).splitlines()) <= 200
    short = summary(messages, lines=10, size=900)
    assert len(short.splitlines()) <= 10
    assert len(short) <= 900
    assert "tool299" in short


def test_a_models_older_summary_is_kept_line_by_line_without_its_code() -> None:
    older = Message(
        Role.USER,
        (
            Text(
                "Analysis:\nlong thoughts\n\nSummary:\n1. The port is 8443.\n```py\nx = 1\n```\n2. Sam owns the pruner."
            ),
        ),
        summary=True,
    )
    found = extract([older, answered("Done.")])
    assert found.earlier == ("1. The port is 8443.", "2. Sam owns the pruner.")


def test_chunks_that_nobody_typed_are_summarised_too() -> None:
    made = summary(
        [told("The team decided to use pnpm instead of npm.\nVersion 20.11.1 is pinned."), answered("Noted.")]
    )
    assert "pnpm" in made
    assert "20.11.1" in made


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("We decided to keep the old index until May.", Sort.DECISION),
        ("我们决定采用 PostgreSQL，不再使用 SQLite。", Sort.DECISION),
        ("根因是锁没有释放。", Sort.CAUSE),
        ("The root cause is a missing flush.", Sort.CAUSE),
        ("The service listens on port 8443 now.", Sort.VALUE),
        ("Still to do: the migration of old rows.", Sort.OPEN),
        ("All 12 tests pass now.", Sort.DONE),
        ("The page shows a table of seasons.", Sort.PLAIN),
    ],
)
def test_statements_are_sorted(text: str, sort: Sort) -> None:
    assert [one.sort for one in statements(text)] == [sort]


@pytest.mark.parametrize(
    "text",
    [
        "Let me check the logs first.",
        "Now I'll update the tests.",
        "Shall I go on?",
        "让我先看一下日志文件。",
        "ok",
        "```\ncode = 1\n```",
    ],
)
def test_what_says_nothing_gives_no_statement(text: str) -> None:
    assert list(statements(text)) == []


def test_paths_are_files_and_no_addresses_dates_or_choices() -> None:
    text = "see https://example.com/a/b.html, and/or 2026/03/02, src/app.py, ./web/main.ts and /tmp/out.txt"
    assert paths_in(text) == ["src/app.py", "web/main.ts"]


def test_many_files_of_a_directory_share_lines() -> None:
    assert told_paths([f"src/m{n}.py" for n in range(10)], 9) == [
        "src: m0.py, m1.py, m2.py, m3.py, m4.py, m5.py, m6.py, m7.py",
        "src: m8.py",
    ]
