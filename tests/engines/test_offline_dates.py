"""Relative dates become the day they meant, from the day on which they were said."""

import datetime as dt

import pytest

from dreamd.engines.offline.dates import is_relative, resolve
from engines.typed import lines, read, turn

MONDAY = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("said", "meant", "day"),
    [
        ("yesterday we froze the API", "on 2026-03-01 we froze the API", "2026-03-01"),
        ("we froze it the day before yesterday", "we froze it on 2026-02-28", "2026-02-28"),
        ("the freeze starts tomorrow", "the freeze starts on 2026-03-03", "2026-03-03"),
        ("tagged 4.1 just now", "tagged 4.1 on 2026-03-02", "2026-03-02"),
        ("we moved two days ago", "we moved on 2026-02-28", "2026-02-28"),
        ("we moved 3 weeks ago", "we moved on 2026-02-09", "2026-02-09"),
        ("we moved last night", "we moved on 2026-03-01", "2026-03-01"),
        ("the demo is this Friday", "the demo is on 2026-03-06", "2026-03-06"),
        ("we met last Friday", "we met on 2026-02-27", "2026-02-27"),
        ("the audit is next Friday", "the audit is on 2026-03-13 (or 2026-03-06, ambiguous)", "2026-03-13"),
        ("the review is on Thursday", "the review is on 2026-03-05", "2026-03-05"),
        ("we agreed on Thursday", "we agreed on 2026-02-26", "2026-02-26"),
        ("it must be renewed by April 5th", "it must be renewed by 2026-04-05", "2026-04-05"),
        ("since yesterday we ship wheels", "since 2026-03-01 we ship wheels", "2026-03-01"),
        ("we switch in 3 weeks", "we switch on 2026-03-23", "2026-03-23"),
        ("昨天我们冻结了接口", "2026-03-01 我们冻结了接口", "2026-03-01"),
        ("两天前我们换成了 arq", "2026-02-28 我们换成了 arq", "2026-02-28"),
        ("审计定在下周五", "审计定在 2026-03-13", "2026-03-13"),
        ("上周三发布了 2.7", "2026-02-25 发布了 2.7", "2026-02-25"),
        ("3月15日上线", "2026-03-15 上线", "2026-03-15"),
    ],
)
def test_a_day_is_resolved_from_the_day_it_was_said(said: str, meant: str, day: str) -> None:
    dated = resolve(said, MONDAY)
    assert dated.text == meant
    assert dated.happened == dt.date.fromisoformat(day)
    assert not dated.vague


def test_spans_keep_their_width() -> None:
    assert resolve("we moved last week", MONDAY).text == "we moved in the week of 2026-02-23"
    assert resolve("we moved last month", MONDAY).text == "we moved in 2026-02"
    assert resolve("we drop it next year", MONDAY).text == "we drop it in 2027"


def test_next_monday_said_on_a_saturday_is_not_ambiguous() -> None:
    saturday = dt.datetime(2026, 3, 7, 9, 0, tzinfo=dt.UTC)
    assert resolve("the audit is next Monday", saturday).text == "the audit is on 2026-03-09"


def test_the_small_hours_belong_to_the_night_before_only_for_yesterday() -> None:
    late = dt.datetime(2026, 3, 2, 1, 30, tzinfo=dt.UTC)
    assert resolve("we moved last night", late).happened == dt.date(2026, 3, 2)
    assert resolve("we moved yesterday", late).happened == dt.date(2026, 3, 1)


@pytest.mark.parametrize(
    "text",
    [
        "never deploy on Fridays",
        "never deploy on Friday",
        "answer as soon as you can",
        "`yesterday` is a key of the report",
    ],
)
def test_habits_and_code_are_not_dates(text: str) -> None:
    assert resolve(text, MONDAY).text == text


@pytest.mark.parametrize(
    "text", ["recently we moved the docs to the wiki", "we switched the queue to arq a while ago", "最近我们换成了 arq"]
)
def test_a_sentence_whose_day_is_unknown_is_dropped(text: str) -> None:
    assert lines(text) == []
    assert is_relative(text)


def test_the_day_is_the_persons_own_not_utc() -> None:
    evening = turn("yesterday we froze the public API", at=dt.datetime(2026, 3, 2, 23, 30, tzinfo=dt.UTC))
    (found,) = read(evening, zone=dt.timezone(dt.timedelta(hours=2))).findings
    assert found.text == "On 2026-03-02 we froze the public API."
    assert found.happened == dt.date(2026, 3, 2)


def test_a_rule_with_a_day_in_it_is_a_task_of_that_day() -> None:
    assert lines("always use the staging key today") == []
