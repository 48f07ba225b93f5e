"""What was said later and what was said first: a changed value takes the place of the old one, what both holds stays."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from dreamd.engines.offline.renewals import renewal, reversed_by
from engines.remembered import Remembered, after, holds, rates, read_late

TOLD: dict[str, Any] = tomllib.loads((Path(__file__).parent / "told_twice.toml").read_text())
BOTH = [pair for part in TOLD["both"].values() for pair in part]


@pytest.mark.parametrize(("part", "right"), [("looked_at", 0.8), ("counted", 0.65)])
def test_what_is_said_later_takes_the_place_of_what_it_changes(part: str, right: float) -> None:
    found = rates(TOLD["changed"][part])
    assert found.right >= right
    assert found.stale <= 0.1
    assert found.late <= 0.25


@pytest.mark.parametrize("pair", BOTH, ids=lambda pair: f"{pair[1]} / {pair[2]}")
def test_what_only_looks_like_a_change_leaves_both(pair: list[str]) -> None:
    _, first, later, one, other = pair
    lines = after(first, later)
    assert holds(lines, one) == holds(after(first), one)
    assert holds(lines, other) == holds(after(later), other)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("CI runs on Semaphore.", "CI runs on Buildkite now."),
        ("Sessions are kept in Memcached.", "Sessions are kept in Redis, Memcached is gone."),
        ("The upload limit is 10 MB.", "We raised the upload limit from 10 to 25 MB."),
        ("Put new scripts into tools/.", "Put new scripts into bin/, not into tools/."),
        ("Always answer in English.", "Always answer in German."),
        ("We ship on Thursdays.", "We ship on Tuesdays."),
        ("Write release notes in German.", "Release notes are written in English."),
        ("提交信息用中文写。", "提交信息用英文写。"),
        ("Der Standard-Branch ist master.", "Der Standard-Branch ist jetzt main."),
        ("Всегда отвечай на английском.", "Всегда отвечай на русском."),
    ],
)
def test_another_value_in_the_same_place_renews_a_line(older: str, newer: str) -> None:
    assert renewal(newer, newer, older)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Always run ruff before committing.", "From now on always run mypy before committing."),
        ("Never push to main.", "Never push to develop from now on."),
        ("The api runs on 3 replicas in staging.", "The api now runs on 5 replicas in production."),
        ("Tests live in tests/unit.", "Fixtures live in tests/unit now."),
        ("The CI matrix includes node 18.", "The CI matrix includes node 20 now."),
        ("In staging the log level is debug.", "In production the log level is warning now."),
        ("Keep functions under 40 lines.", "Keep modules under 400 lines."),
        ("The main host is db-7.", "The replica host is db-3."),
        ("Tests are mandatory.", "Tests are deterministic."),
        ("Use tabs in Makefiles.", "Use spaces in Python files."),
        ("The api listens on port 8080.", "The api listens on port 8443 too."),
        ("Use pnpm for the frontend.", "Use uv for the backend now."),
        ("前端端口是 3000。", "后端端口是 8080。"),
        ("Der API-Port ist 8080.", "Der Admin-Port ist jetzt 8081."),
    ],
)
def test_two_things_are_no_renewal(older: str, newer: str) -> None:
    assert renewal(newer, newer, older) is None


def test_the_opposite_in_the_same_words_reverses_a_line() -> None:
    assert reversed_by("Never squash before merging, we keep the history.", "Always squash before merging.")
    assert not reversed_by("Never squash on release branches.", "Always squash before merging.")


def test_one_change_alone_leaves_nothing() -> None:
    assert after("dev server doesn't use 3000 anymore, it's 3100") == []


def test_the_next_thing_to_do_is_no_change_however_often_it_is_said() -> None:
    assert after(*["now do the same for the parser and the printer"] * 3) == []
    assert after(*["we switched the button from left to right"] * 3) == []


def test_a_thing_that_holds_beside_the_older_one_replaces_nothing() -> None:
    lines = after("the api listens on port 8080", "the api listens on port 8443 too")
    assert len(lines) == 2


def test_a_renamed_file_is_renamed_in_what_is_known_of_it() -> None:
    assert after("the entry point is called main.py", "we renamed main.py to app.py") == [
        "The entry point is called app.py."
    ]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("always run the linter before committing", "forget what I said about the linter"),
        ("never use mocks in tests", "ignore my earlier rule about mocks"),
        ("niemals direkt auf staging arbeiten", "vergiss, was ich zu staging gesagt habe"),
        ("ne pousse jamais sur staging", "oublie ce que j'ai dit sur staging"),
        ("nunca subas a staging", "olvida lo que dije sobre staging"),
    ],
)
def test_what_is_taken_back_ends_wherever_it_held(rule: str, said: str) -> None:
    assert len(after(rule)) == 1
    assert not holds(after(rule, said), rule[:12])


def test_a_new_rule_behind_what_is_taken_back_stands() -> None:
    lines = after("prefer tabs for indentation", "scratch what I said about tabs, use spaces for indentation")
    assert holds(lines, "spaces")
    assert not holds(lines, "Prefer tabs")


def test_who_has_it_now_is_told_where_the_other_ones_file_said_it() -> None:
    memory = Remembered()
    memory.say("Ann Berger owns the billing service")
    memory.say("Ben Kowal owns the billing service")
    held = {
        topic.subject: [one.text for one in entries.values()] for topic, entries in memory.entries.items() if entries
    }
    assert held == {
        "Ann Berger": ["Ben Kowal owns the billing service."],
        "Ben Kowal": ["Ben Kowal owns the billing service."],
    }


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("CI runs on Travis", "CI runs on GitHub Actions, we left Travis"),
        ("Ann Berger owns the billing service", "Ben Kowal owns the billing service"),
        ("the upload limit is 10 MB", "the upload limit was raised to 25 MB"),
        ("we format with black", "we replaced black by ruff format"),
    ],
)
def test_a_session_that_is_read_late_does_not_bring_an_old_value_back(first: str, later: str) -> None:
    assert after(first)[0].lower() == f"{first.lower()}."
    assert not holds(read_late(first, later), first)
    assert len(read_late(first, later)) == 1


def test_two_people_may_have_a_thing_together() -> None:
    lines = after("Ann Berger owns the billing service", "Ben Kowal also owns the billing service")
    assert holds(lines, "Ann Berger owns")
