"""Relative dates made absolute from the day on which they were said."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass

from dreamd.engines.offline.cues import Cue, rx

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    w: n
    for n, w in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
} | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2}
_DAY = r"(?P<day>mon(?:day)?|tues?(?:day)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
_COUNT = r"(?P<count>\d{1,3}|an?|a couple of|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_BEFORE = r"(?:(?P<prep>by|until|till|since|from|before|after|on|as of|starting) )?"
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
_CN_NUMBERS = {
    "一": 1,
    "两": 2,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
    "日": 7,
    "天": 7,
    "末": 6,
}
_SMALL_HOURS = 4  # until then "last night" is the night that has not ended


@dataclass(frozen=True, slots=True)
class Dated:
    """A sentence with absolute dates. `vague`: something in it is relative and has no day ("recently")."""

    text: str
    happened: dt.date | None = None
    vague: bool = False
    changed: bool = False


@dataclass(frozen=True, slots=True)
class _Day:
    """What an expression stands for: one day, or words for a longer span."""

    on: dt.date | None
    words: str = ""  # instead of the ISO day
    note: str = ""


_Resolver = Callable[[re.Match[str], dt.datetime], _Day | None]


def _shift(days: int) -> _Resolver:
    return lambda _m, said: _Day(said.date() + dt.timedelta(days=days))


def _last_night(_match: re.Match[str], said: dt.datetime) -> _Day:
    return _Day(said.date() - dt.timedelta(days=0 if said.hour < _SMALL_HOURS else 1))


def _number(text: str) -> int | None:
    text = text.lower()
    if text.isdigit():
        return int(text)
    return _NUMBERS.get(text) or _CN_NUMBERS.get(text)


def _counted(sign: int) -> _Resolver:
    def resolve(match: re.Match[str], said: dt.datetime) -> _Day | None:
        count = _number(match["count"])
        unit = match["unit"].lower()
        if count is None:
            return None
        if unit.startswith(("day", "天", "日")):
            return _Day(said.date() + dt.timedelta(days=sign * count))
        if unit.startswith(("week", "周", "星期", "个星期", "礼拜", "个礼拜")):
            return _Day(said.date() + dt.timedelta(weeks=sign * count))
        if unit.startswith(("hour", "minute", "小时", "分钟", "个小时")):
            hours = count if unit.startswith(("hour", "小时", "个小时")) else count / 60
            return _Day((said + sign * dt.timedelta(hours=hours)).date())
        if unit.startswith(("month", "个月")):
            return _Day(None, _month_words(said.date(), sign * count))
        return _Day(None, str(said.year + sign * count))

    return resolve


def _month_words(day: dt.date, months: int) -> str:
    index = day.year * 12 + day.month - 1 + months
    return f"{index // 12:04d}-{index % 12 + 1:02d}"


def _weekday_of(name: str) -> int:
    return next(i for i, day in enumerate(_WEEKDAYS) if day.startswith(name.lower()[:3]))


def _weekday(match: re.Match[str], said: dt.datetime) -> _Day | None:
    """The day meant: "last" is the one before today, "this" and "coming" the next to come, "next" the one in the following week."""
    day = said.date()
    wanted = _weekday_of(match["day"])
    which = (match["which"] or "").lower()
    monday = day - dt.timedelta(days=day.weekday())
    if which in ("last", "past"):
        return _Day(day - dt.timedelta(days=(day.weekday() - wanted - 1) % 7 + 1))
    coming = day + dt.timedelta(days=(wanted - day.weekday() - 1) % 7 + 1)
    if which == "next":
        following = monday + dt.timedelta(days=7 + wanted)
        note = f" (or {coming.isoformat()}, ambiguous)" if coming != following else ""
        return _Day(following, note=note)
    if which in ("this", "coming", "the coming"):
        return _Day(coming)
    return None


def _bare_weekday(match: re.Match[str], said: dt.datetime) -> _Day | None:
    """A day with "on" before it: the one before in a sentence about the past, the one to come in one about the future."""
    text = match.string
    wanted = _weekday_of(match["day"])
    day = said.date()
    if _FUTURE.search(text):
        return _Day(day + dt.timedelta(days=(wanted - day.weekday() - 1) % 7 + 1))
    if _PAST.search(text):
        return _Day(day - dt.timedelta(days=(day.weekday() - wanted - 1) % 7 + 1))
    return None


def _span(weeks: int = 0, months: int = 0, years: int = 0) -> _Resolver:
    def resolve(_match: re.Match[str], said: dt.datetime) -> _Day:
        day = said.date()
        if weeks:
            monday = day - dt.timedelta(days=day.weekday()) + dt.timedelta(weeks=weeks)
            return _Day(None, f"the week of {monday.isoformat()}")
        return _Day(None, _month_words(day, months) if months else str(day.year + years))

    return resolve


def _day_of_month(match: re.Match[str], said: dt.datetime) -> _Day | None:
    month = next(i for i, name in enumerate(_MONTHS, 1) if name.startswith(match["month"].lower()[:3]))
    return _closest(month, int(match["num"]), int(match["year"]) if match["year"] else None, said.date())


def _closest(month: int, number: int, year: int | None, day: dt.date) -> _Day | None:
    """A day without a year is the one closest to when it was said."""
    try:
        found = [dt.date(y, month, number) for y in ([year] if year else [day.year - 1, day.year, day.year + 1])]
    except ValueError:
        return None
    return _Day(min(found, key=lambda d: abs((d - day).days)))


_FUTURE = rx(
    r"\b(?:will|is|are|due|starts?|begins?|ends?|expires?|going to|must|has to|have to|needs? to|planned|scheduled|by)\b"
)
_PAST = rx(r"\b(?:was|were|did|had|have|has|[a-z]{2,}ed|froze|went|cut|met|left|sent|chose|took|came|broke)\b")
_HABIT = rx(r"\b(?:never|always|every|each|usually|don'?t|do not|no)\b")

_ENGLISH: tuple[tuple[Cue, _Resolver], ...] = (
    (rx(_BEFORE + r"\b(?:the )?day before yesterday\b"), _shift(-2)),
    (rx(_BEFORE + r"\b(?:the )?day after tomorrow\b"), _shift(2)),
    (rx(_BEFORE + r"\b(?:late |early )?yesterday(?: (?:morning|afternoon|evening|night))?\b"), _shift(-1)),
    (rx(_BEFORE + r"\blast night\b"), _last_night),
    (rx(_BEFORE + r"\b(?:tomorrow(?: (?:morning|afternoon|evening|night))?|tmrw|tomorow)\b"), _shift(1)),
    (
        rx(
            _BEFORE
            + r"\b(?:(?:late |early |earlier )?today|tonight|this (?:morning|afternoon|evening)|just now|a (?:minute|moment) ago|just a (?:minute|moment) ago)\b"
        ),
        _shift(0),
    ),
    (
        rx(
            _BEFORE
            + rf"\b(?:about |around |roughly )?{_COUNT} (?P<unit>minutes?|hours?|days?|weeks?|months?|years?) (?:ago|back)\b"
        ),
        _counted(-1),
    ),
    (
        rx(
            _BEFORE
            + rf"\bin (?:about |around )?{_COUNT} (?P<unit>days?|weeks?|months?|years?)(?: time)?(?= *(?:$|[,.;!])| we\b| from now)"
        ),
        _counted(1),
    ),
    (rx(_BEFORE + rf"\b(?P<which>last|past|next|this|the coming|coming) {_DAY}\b"), _weekday),
    (rx(_BEFORE + r"\b(?:last week)\b"), _span(weeks=-1)),
    (rx(_BEFORE + r"\b(?:next week)\b"), _span(weeks=1)),
    (rx(_BEFORE + r"\b(?:last month)\b"), _span(months=-1)),
    (rx(_BEFORE + r"\b(?:next month)\b"), _span(months=1)),
    (rx(_BEFORE + r"\b(?:last year)\b"), _span(years=-1)),
    (rx(_BEFORE + r"\b(?:next year)\b"), _span(years=1)),
    (
        rx(
            rf"(?P<prep>on|by|until|till|since|from|before|after) {_MONTH} (?P<num>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>20\d\d))?\b(?!\.\d)"
        ),
        _day_of_month,
    ),
    (
        rx(
            rf"(?P<prep>on|by|until|till|since|from|before|after) (?:the )?(?P<num>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? (?P<year>20\d\d))?\b"
        ),
        _day_of_month,
    ),
    (rx(rf"(?P<prep>on|by|until|till|since|before|after) {_DAY}\b(?!s)"), _bare_weekday),
)
_CHINESE_UNIT = r"(?P<unit>天|日|周|个?星期|个?礼拜|个月|年|个?小时|分钟)"
_CHINESE_COUNT = r"(?P<count>\d{1,3}|[一两二三四五六七八九十])"


def _chinese_weekday(match: re.Match[str], said: dt.datetime) -> _Day:
    day = said.date()
    monday = day - dt.timedelta(days=day.weekday())
    which = match["which"]
    weeks = -which.count("上") + which.count("下")
    return _Day(monday + dt.timedelta(days=7 * weeks + _CN_NUMBERS[match["day"]] - 1))


def _chinese_day(match: re.Match[str], said: dt.datetime) -> _Day | None:
    return _closest(int(match["month"]), int(match["num"]), int(match["year"]) if match["year"] else None, said.date())


_CHINESE: tuple[tuple[Cue, _Resolver], ...] = (
    (rx("大前天"), _shift(-3)),
    (rx("前天(?:晚上|早上|上午|下午)?"), _shift(-2)),
    (rx("昨天(?:晚上|早上|上午|下午|夜里)?|昨晚|昨日"), _shift(-1)),
    (rx("今天(?:晚上|早上|上午|下午|起)?|今早|今晚|今日|刚刚|刚才"), _shift(0)),
    (rx("明天(?:晚上|早上|上午|下午)?|明日|明早|明晚"), _shift(1)),
    (rx("大后天"), _shift(3)),
    (rx("后天"), _shift(2)),
    (rx(f"{_CHINESE_COUNT}{_CHINESE_UNIT}(?:以?前|之前)"), _counted(-1)),
    (rx(f"{_CHINESE_COUNT}{_CHINESE_UNIT}(?:以?后|之后)"), _counted(1)),
    (rx("(?P<which>上上|下下|上|下|这|本)个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末])"), _chinese_weekday),
    (rx("上个?(?:周|星期|礼拜)"), _span(weeks=-1)),
    (rx("下个?(?:周|星期|礼拜)"), _span(weeks=1)),
    (rx("上个?月"), _span(months=-1)),
    (rx("下个?月"), _span(months=1)),
    (rx("去年"), _span(years=-1)),
    (rx("明年"), _span(years=1)),
    (rx(r"(?:(?P<year>20\d\d)年)?(?P<month>1[0-2]|0?[1-9])月(?P<num>[12]\d|3[01]|0?[1-9])[日号]"), _chinese_day),
)

#: Without one of these no date expression can match; most sentences have none.
_HINT = rx(
    rf"\b(?:yesterday|to(?:day|morrow|night)|tomorow|tmrw|ago|back|last|past|next|coming|just now|this (?:morning|afternoon|evening|{_DAY})|"
    rf"in (?:about |around )?{_COUNT} (?:day|week|month|year)s?|(?:on|by|until|till|since|from|before|after) (?:the )?(?:\d|{_DAY.replace('day>', 'weekday>')}|{_MONTH}))|[天日周期月年晚早刚才后前]"
)
_CJK = re.compile(r"[\u4e00-\u9fff]")
_VAGUE = rx(
    r"\b(?:recently|lately|the other day|a while (?:ago|back)|earlier(?: today| this)|earlier(?=$|[.,])|last time|next time|the next (?:few|couple)|(?<!as )soon(?!er)|later(?: on| today| this)|later(?=$|[.,])|shortly|yesterday|tomorrow|today|tonight|\w+ ago|"
    r"(?:last|next|this|coming) (?:week|month|year|quarter|sprint|night|weekend|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|"
    r"in (?:a few|some) (?:days|weeks|months)|these days|nowadays|so far|until now|this (?:morning|afternoon|evening))\b|"
    r"最近|近来|前几天|过几天|前阵子|不久|上次|下次|稍后|之后再|昨天|今天|明天|前天|后天|刚刚|刚才|上周|下周|上个月|下个月|本周|这周|(?<![每一个双])周[一二三四五六日末]|今年|去年|明年|"
    r"\b(?:вчера|сегодня|завтра|недавно|gestern|heute|morgen früh|übermorgen|neulich|ayer|mañana|hoy|hier soir|avant-hier|aujourd'hui|demain|récemment)\b|昨日|明日|今日|先週|来週|어제|오늘|내일|지난주|다음 ?주"
)
_ISO = re.compile(r"\b(20\d\d)-(\d\d)-(\d\d)\b")


def resolve(text: str, said: dt.datetime | None) -> Dated:
    """Makes the relative dates of a sentence absolute.

    Args:
        text: one sentence.
        said: when it was said, in the person's own zone; None where that is unknown.

    Returns:
        the sentence with ISO dates; `happened` is the first day it names.
    """
    if said is None:
        return Dated(text, vague=bool(_VAGUE.search(text)), happened=_first_iso(text))
    if not _HINT.search(text):
        return Dated(text, vague=bool(_VAGUE.search(text)), happened=_first_iso(text))
    new = text
    first: dt.date | None = None
    for pattern, resolver in _ENGLISH:
        new, day = _replace(new, pattern, resolver, said, english=True)
        first = first or day
    for pattern, resolver in _CHINESE if _CJK.search(text) else ():
        new, day = _replace(new, pattern, resolver, said, english=False)
        first = first or day
    return Dated(new, first or _first_iso(new), bool(_VAGUE.search(new)), new != text)


def is_relative(text: str) -> bool:
    """Whether a sentence holds a date that means another day tomorrow."""
    return bool(_VAGUE.search(text))


def _replace(
    text: str, pattern: Cue, resolver: _Resolver, said: dt.datetime, *, english: bool
) -> tuple[str, dt.date | None]:
    first: dt.date | None = None

    def put(match: re.Match[str]) -> str:
        nonlocal first
        if "`" in match.string and match.string.count("`", 0, match.start()) % 2:
            return match[0]
        day = None if english and resolver is _bare_weekday and _HABIT.search(match.string) else resolver(match, said)
        if day is None or (day.on is None and not day.words):
            return match[0]
        first = first or day.on
        words = day.on.isoformat() + day.note if day.on else day.words
        if not english:
            return f" {words.removeprefix('the week of ')}{' 那一周' if words.startswith('the week') else ''} "
        preposition = (match["prep"] or ("on" if day.on else "in")).lower()
        return f"{preposition} {words}"

    new = pattern.sub(put, text)
    return (" ".join(new.split()) if new != text else text), first


def _first_iso(text: str) -> dt.date | None:
    match = _ISO.search(text)
    if not match:
        return None
    try:
        return dt.date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None
