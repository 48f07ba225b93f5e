"""Cron lines as cron reads them, and hours across midnight and clock changes."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from dreamd.schedule import cron_problem, next_cron, quiet_hours, quiet_until

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("line", "after", "expected"),
    [
        ("0 3 * * *", "2026-03-10T12:00", "2026-03-11T03:00"),
        ("0 3 * * 0", "2026-03-10T12:00", "2026-03-15T03:00"),
        ("0 3 * * 7", "2026-03-10T12:00", "2026-03-15T03:00"),
        ("0 3 * * 1", "2026-03-10T12:00", "2026-03-16T03:00"),
        ("0 3 * * sun", "2026-03-10T12:00", "2026-03-15T03:00"),
        ("0 3 * * 5-7", "2026-03-10T12:00", "2026-03-13T03:00"),
        ("0 3 * * 6-1", "2026-03-10T12:00", "2026-03-14T03:00"),
        ("*/15 * * * *", "2026-03-10T12:01", "2026-03-10T12:15"),
        ("0 3 13 * 5", "2026-03-01T00:00", "2026-03-06T03:00"),
        ("30 2 * * *", "2026-03-10T02:30", "2026-03-11T02:30"),
    ],
)
def test_a_cron_line_names_its_next_moment(line: str, after: str, expected: str) -> None:
    assert next_cron(line, at(after), dt.UTC) == at(expected)


def test_cron_is_read_in_its_zone_on_both_sides_of_a_clock_change() -> None:
    assert next_cron("0 3 * * *", at("2026-03-28T12:00"), BERLIN) == at("2026-03-29T01:00")
    assert next_cron("0 3 * * *", at("2026-10-24T12:00"), BERLIN) == at("2026-10-25T02:00")


def test_a_moment_that_the_clock_change_skips_still_comes_that_day() -> None:
    moment = next_cron("30 2 * * *", at("2026-03-28T12:00"), BERLIN)
    assert moment is not None
    assert moment.astimezone(BERLIN).date() == dt.date(2026, 3, 29)


def test_a_moment_that_the_clock_change_repeats_comes_once() -> None:
    first = next_cron("30 2 * * *", at("2026-10-24T12:00"), BERLIN)
    assert first is not None
    second = next_cron("30 2 * * *", first + dt.timedelta(minutes=90), BERLIN)
    assert second is not None
    assert second.astimezone(BERLIN).date() == dt.date(2026, 10, 26)


@pytest.mark.parametrize("line", ["", "* * * *", "0 3 * * 9", "61 * * * *", "a b c d e", "0 3 * * mon-xyz"])
def test_what_is_no_cron_line_is_told(line: str) -> None:
    assert "cron line" in cron_problem(line)


@pytest.mark.parametrize(
    ("now", "opens"),
    [
        ("2026-03-10T23:00", None),
        ("2026-03-10T03:00", None),
        ("2026-03-10T07:00", "2026-03-10T22:00"),
        ("2026-03-10T21:59", "2026-03-10T22:00"),
        ("2026-03-10T22:00", None),
    ],
)
def test_quiet_hours_reach_over_midnight(now: str, opens: str | None) -> None:
    assert quiet_until("22:00-07:00", at(now), dt.UTC) == (at(opens) if opens else None)


def test_quiet_hours_within_a_day() -> None:
    assert quiet_until("12:00-13:30", at("2026-03-10T12:10"), dt.UTC) is None
    assert quiet_until("12:00-13:30", at("2026-03-10T14:00"), dt.UTC) == at("2026-03-11T12:00")


@pytest.mark.parametrize("text", ["22-7", "25:00-07:00", "22:00", "10:00-10:00"])
def test_what_are_no_hours_is_told(text: str) -> None:
    with pytest.raises(ValueError, match=r"not hours|equal"):
        quiet_hours(text)


def test_no_hours_are_always() -> None:
    assert quiet_hours("") is None
    assert quiet_until("", at("2026-03-10T12:00"), dt.UTC) is None
