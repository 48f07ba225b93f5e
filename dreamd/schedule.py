"""Moments that a person wrote down: five-field cron lines and quiet hours, as pure functions of the time."""

from __future__ import annotations

import datetime as dt
import re
from zoneinfo import ZoneInfo

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS = 5
_HOURS = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)")


def cron_problem(text: str) -> str:
    """What is wrong with a cron line; "" for nothing."""
    try:
        _triggers(text, dt.UTC)
    except (ValueError, TypeError, KeyError) as fault:
        return f'not a cron line ({fault}); write five fields like "0 3 * * *"'
    return ""


def next_cron(text: str, after: dt.datetime, zone: dt.tzinfo) -> dt.datetime | None:
    """The first moment behind `after` that a cron line names in `zone`, in UTC; None where there is none.

    As in cron, 0 and 7 are Sunday, and where day of month and day of week are both restricted either is enough. A moment
    that a clock change skips comes right after it; one that it repeats comes once.
    """
    found = [trigger.get_next_fire_time(None, after + dt.timedelta(seconds=1)) for trigger in _triggers(text, zone)]
    moments = [moment.astimezone(dt.UTC) for moment in found if moment is not None]
    return min(moments, default=None)


def quiet_hours(text: str) -> tuple[dt.time, dt.time] | None:
    """Two times of day of "22:00-07:00"; None for "". Raises ValueError for anything else."""
    if not text.strip():
        return None
    match = _HOURS.fullmatch(text.strip())
    if match is None:
        raise ValueError('not hours; write "22:00-07:00"')
    begin, end = dt.time(int(match[1]), int(match[2])), dt.time(int(match[3]), int(match[4]))
    if begin == end:
        raise ValueError("the two times are equal: that is no time at all or always; leave it empty for always")
    return begin, end


def quiet_until(text: str, now: dt.datetime, zone: dt.tzinfo) -> dt.datetime | None:
    """When the quiet hours begin next, in UTC; None inside them, or where there are none."""
    hours = quiet_hours(text)
    if hours is None:
        return None
    begin, end = hours
    here = now.astimezone(zone)
    at = here.time().replace(tzinfo=None)
    inside = begin <= at < end if begin < end else at >= begin or at < end
    if inside:
        return None
    day = here.date() if at < begin else here.date() + dt.timedelta(days=1)
    return dt.datetime.combine(day, begin, tzinfo=zone).astimezone(dt.UTC)


def zone_named(name: str, local: dt.tzinfo) -> dt.tzinfo:
    """`schedule.timezone` as a zone."""
    return local if name == "local" else ZoneInfo(name)


def _triggers(text: str, zone: dt.tzinfo):  # type: ignore[no-untyped-def] # noqa: ANN202 - the library is loaded below
    from apscheduler.triggers.cron import CronTrigger  # noqa: PLC0415 - heavy, and only where a cron line is set

    fields = text.split()
    if len(fields) != _FIELDS:
        raise ValueError(f"{len(fields)} fields instead of {_FIELDS}")
    minute, hour, day, month, weekday = fields
    days = _weekdays(weekday)
    common = {"minute": minute, "hour": hour, "month": month, "timezone": zone}
    if day != "*" and weekday != "*":
        return [CronTrigger(day=day, **common), CronTrigger(day_of_week=days, **common)]
    return [CronTrigger(day=day, day_of_week=days, **common)]


def _weekdays(field: str) -> str:
    """Cron's days of the week by name: the library counts from Monday, cron from Sunday."""
    if field == "*":
        return "*"
    chosen: list[str] = []
    for part in field.lower().split(","):
        span, _, step = part.partition("/")
        first, _, last = ("0-6" if span == "*" else span).partition("-")
        begin = _day(first)
        end = _day(last) if last else (6 if step else begin)
        end += 7 if end < begin else 0
        chosen += [_DAYS[number % 7] for number in range(begin, end + 1, int(step or 1))]
    return ",".join(dict.fromkeys(chosen))


def _day(text: str) -> int:
    number = int(text) if text.isdigit() else _DAYS.index(text[:3])
    if number > len(_DAYS):
        raise ValueError(f"there is no day {text}")
    return number % 7 if text != "7" else 7 % 7
