"""What is said in no set form: remarks by their marks, choices of options, what an assent led to, what is named again and again."""

import datetime as dt
from dataclasses import replace

import pytest

from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.offline.exchange import Exchange
from dreamd.engines.offline.languages.chinese_marks import MARKS as CHINESE_MARKS
from dreamd.engines.offline.languages.english_marks import MARKS
from dreamd.engines.offline.languages.marks import Mark, found
from dreamd.engines.offline.outcomes import outcome, value
from dreamd.engines.offline.picks import picked
from dreamd.engines.offline.practices import practices, wording
from dreamd.engines.offline.verdict import WEAK
from dreamd.engines.protocol import Act, Finding, Scope, Topic
from dreamd.transcripts.event import Origin
from engines.test_offline_probe import LEFT
from engines.typed import SAID, answer, read, turn


def kept(*turns: object) -> list[str]:
    """The texts that would stand."""
    return [f.text for f in read(*turns).findings if f.weight >= WEAK]  # type: ignore[arg-type]


def exchange(proposal: str, said: str, reply: str, following: str = "") -> Exchange:
    return Exchange(turn(said, n=1), proposal, (answer(reply, n=2),), following)


@pytest.mark.parametrize(
    ("mark", "table"),
    [(mark, table) for table in (MARKS, CHINESE_MARKS) for mark in table],
    ids=lambda one: one.name if isinstance(one, Mark) else "",
)
def test_a_mark_is_found_in_its_example(mark: Mark, table: tuple[Mark, ...]) -> None:
    assert mark.name in found(mark.example, table)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("把 retry_limit 去掉，反正 grace_limit 已经覆盖了", "把 retry_limit 去掉，反正 grace_limit 已经覆盖了。"),
        ("我希望摘要只覆盖当前检查点，不用把整个会话都放进去", "我希望摘要只覆盖当前检查点，不用把整个会话都放进去。"),
    ],
)
def test_a_chinese_remark_is_kept(typed: str, line: str) -> None:
    assert kept(typed, answer("好的，已处理。", n=1), turn("继续", n=2)) == [line]


@pytest.mark.parametrize(
    ("typed", "reply", "line"),
    [
        (
            "can we make the summary a full page always, so if you click on a row it opens by itself",
            "I'm changing the row handler.",
            "Make the summary a full page always, so if you click on a row it opens by itself.",
        ),
        (
            "should manifest.json reference rows.jsonl so none of the consumers break when we rename it",
            "Yes. I added the reference.",
            "manifest.json should reference rows.jsonl so none of the consumers break when we rename it.",
        ),
        (
            "we should name our setting max_workers to be consistent with the scheduler",
            "Renamed it.",
            "We should name our setting max_workers to be consistent with the scheduler.",
        ),
    ],
)
def test_a_remark_with_the_marks_of_what_lasts_is_kept(typed: str, reply: str, line: str) -> None:
    assert kept(typed, answer(reply, n=1), turn("great", n=2)) == [line]


def test_a_remark_weighs_less_than_a_rule() -> None:
    found = read("we should name our setting max_workers to be consistent with the scheduler").findings
    assert [(f.scope, WEAK <= f.weight < 1) for f in found] == [(Scope.PROJECT, True)]


def test_the_agents_report_says_how_a_remark_was_settled() -> None:
    report = "The events carry a machine identifier instead of getUserId. All tests pass."
    typed = "can we replace getUserId by a machine identifier as there are no accounts"
    assert kept(typed, answer(report, n=1), turn("ok, commit", n=2)) == [
        "Replace getUserId by a machine identifier as there are no accounts. The events carry a machine identifier instead of getUserId."
    ]


@pytest.mark.parametrize("following", ["no, that's wrong", "it is still showing it", ""])
def test_a_report_that_the_person_did_not_let_stand_is_left(following: str) -> None:
    turns = [
        "I want to replace getUserId with a machine identifier, we have no accounts",
        answer("Since there are no accounts the events carry a machine identifier.", n=1),
        *([turn(following, n=2)] if following else []),
    ]
    assert kept(*turns) == ["Wants to replace getUserId with a machine identifier, we have no accounts."]


@pytest.mark.parametrize(
    ("reply", "following"),
    [("I would avoid that: it couples the two files.", "ok"), ("It could work.", "no, forget it")],
)
def test_a_proposal_that_was_not_taken_up_is_left(reply: str, following: str) -> None:
    typed = "maybe we should drop rows.jsonl and only keep manifest.json, because readers need one file"
    assert kept(typed, answer(reply, n=1), turn(following, n=2)) == []
    taken_up = "I dropped rows.jsonl; readers only need manifest.json."
    assert kept(typed, answer(taken_up, n=1), turn("great", n=2)) != []


@pytest.mark.parametrize("typed", LEFT)
def test_what_ends_with_the_task_makes_no_remark(typed: str) -> None:
    assert kept(typed, answer("Done.", n=1), turn("thanks", n=2)) == []


def test_a_headless_prompt_makes_no_remark() -> None:
    text = "we should name our setting max_workers to be consistent with the scheduler"
    assert kept(turn(text, origin=Origin.HEADLESS)) == []


TABLE = """**Next question:** How should failures of the nightly export be handled?

| Option | Description |
|--------|-------------|
| **A. Silent fallback (Recommended)** | Log the error, keep the old file. |
| **B. Fail the run** | Stop and mail. |

Which failure mode do you prefer?"""


@pytest.mark.parametrize(
    ("proposal", "said", "line"),
    [
        (TABLE, "A. is fine, ensure we log", "Failures of the nightly export should be handled: Silent fallback: Log the error, keep the old file; ensure we log."),
        (TABLE, "I think B, but only on weekdays - it leaves us time", "Failures of the nightly export should be handled: Fail the run: Stop and mail; but only on weekdays."),
        ("## Option 1: A prompt\nasks\n## Option 2: A one-line notice\ntells\n\nWhich way to announce it do you prefer?", "let's implement option 2", "Way to announce it: A one-line notice."),
    ],
)  # fmt: skip
def test_a_chosen_option_is_put_to_its_question(proposal: str, said: str, line: str) -> None:
    assert picked(proposal, said) == line


@pytest.mark.parametrize(
    ("proposal", "said"),
    [
        ("Which one first?\nA. Fix the test\nB. Update the docs", "A"),
        ("What would you like to do next?\n1. Revise the plan\n2. Start", "option 1"),
        (TABLE, "C"),
        (TABLE, "1. the export ran twice this week\n2. nobody noticed"),
        ("I added A. and B. to the list.", "A."),
        (TABLE, "a lot of that is unclear to me"),
    ],
)
def test_a_choice_of_the_next_step_or_no_choice_settles_nothing(proposal: str, said: str) -> None:
    assert picked(proposal, said) is None


def test_an_assent_keeps_what_the_report_says_holds_now() -> None:
    found = outcome(
        exchange(
            "We can keep the ignore entries in one function. Want me to refactor it?",
            "yes",
            "Done. All tests pass.\n1. **Consolidated** all ignore entries into one function, `ensureIgnored`.\n2. Updated the tests.",
        )
    )
    assert found is not None
    assert found[0] == "Consolidated all ignore entries into one function, `ensureIgnored`."


def test_what_is_to_be_written_down_is_what_the_agent_explained() -> None:
    said = exchange(
        "Both bugs have one cause.\n\nGit status paths are always relative to the repo root, not to the working directory.",
        "Can you add this to CLAUDE.md?",
        "Done. I documented paths relative to the repo root in CLAUDE.md.",
    )
    found = outcome(said)
    assert found is not None
    assert found[0] == "Git status paths are always relative to the repo root, not to the working directory."


@pytest.mark.parametrize(
    ("proposal", "said", "reply"),
    [
        ("Should I go on?", "yes", "All tests pass and the working tree is clean."),
        ("We could keep all entries in one function.", "why?", "Now all entries are kept in one function."),
        ("", "yes", "Now all entries are kept in one function."),
    ],
)
def test_what_nobody_agreed_to_is_left(proposal: str, said: str, reply: str) -> None:
    assert outcome(exchange(proposal, said, reply)) is None


def test_a_name_given_in_one_breath_is_kept_with_what_it_was_for() -> None:
    found = value(
        exchange("Who holds the copyright?", "Acme Inc.", "Created `LICENSE` with the MIT license, copyright Acme Inc.")
    )
    assert found is not None
    assert found[0] == "Created `LICENSE` with the MIT license, copyright Acme Inc."
    assert value(exchange("", "continue", "Continuing with the LICENSE of Acme Inc.")) is None


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("ok, spawn a worker to write the docs, then log it in Linear", [("worker",), ("linear",)]),
        ("push the notes to the team-wiki repo with the outline skill", [("outline", "team-wiki")]),
        ("save screenshots to the qa-evidence repo in an orphan branch", [("orphan branch", "screenshots", "qa-evidence")]),
        ("run the tests and commit", []),
        ("why is there no worker?", []),
        ("rename the handler in src/app/parser.py", []),
    ],
)  # fmt: skip
def test_a_request_names_what_may_come_again(typed: str, names: list[tuple[str, ...]]) -> None:
    assert [practice.names for practice in practices(typed)] == names


def asked(text: str, day: int) -> list[Finding]:
    found = [f for f in read(text).findings if f.weight < WEAK]
    return [
        replace(f, id=f"{day}-{n}", session_id=f"session-{day}", at=SAID + dt.timedelta(days=day))
        for n, f in enumerate(found)
    ]


def test_a_thing_named_on_three_days_in_different_requests_becomes_one_line() -> None:
    said = [
        "log a linear issue, Project Kite",
        "add a linear issue for that please, Project Kite",
        "create a linear ticket",
    ]
    findings = [f for day, text in enumerate(said) for f in asked(text, day)]
    proposals = OfflineEngine().reconcile(Topic(Scope.PROJECT, "orchard", "key"), (), findings).proposals
    assert [p.act for p in proposals] == [Act.ADD, Act.MERGE, Act.MERGE]
    assert proposals[0].text == "Often asks to add a linear issue, Project Kite."
    again = OfflineEngine().reconcile(Topic(Scope.PROJECT, "orchard", "key"), (), list(reversed(findings))).proposals
    assert proposals == again, "whatever the order, the same line"


def test_the_wording_of_a_practice_is_the_request_that_says_most_of_what_comes_again() -> None:
    said = [
        "Often asks to spawn a worker.",
        "Often asks to spawn a worker to update the wiki.",
        "Often asks to update the wiki with findings.",
    ]
    assert (
        wording(said, "qa-evidence")
        == wording(said[::-1], "qa-evidence")
        == "Often asks to spawn a worker to update the wiki."
    )


@pytest.mark.parametrize(
    "typed",
    [
        "we should always read the token [REDACTED:github] from settings.json because the build needs it",
        "spawn a worker with [REDACTED:anthropic] in a worktree",
    ],
)
def test_nothing_is_made_of_a_sentence_that_held_a_secret(typed: str) -> None:
    found = read(typed, answer("Done.", n=1), turn("ok", n=2)).findings
    assert [f.text for f in found if "REDACTED" in f.text] == []
