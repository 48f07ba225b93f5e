"""Relative dates made absolute from the day on which they were said."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from dreamd.engines.offline.code_words import inside_code
from dreamd.engines.offline.cues import Cue, Cues, Days
from dreamd.engines.offline.languages.detect import ALL, language_of
from dreamd.engines.offline.languages.english import ENGLISH

_SMALL_HOURS = 4  # until then "last night" is the night that has not ended
_ISO = re.compile(r"\b(20\d\d)-(\d\d)-(\d\d)\b")


@dataclass(frozen=True, slots=True)
class Dated:
    """A sentence with absolute dates. `vague`: something in it is relative and has no day ("recently")."""

    text: str
    happened: dt.date | None = None
    vague: bool = False
    changed: bool = False


_Width = Literal["day", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class _Meant:
    """What an expression stands for: the day, or a day in the week, month or year; `other`: the day that it may mean too."""

    on: dt.date
    width: _Width = "day"
    other: dt.date | None = None


_Reader = Callable[[re.Match[str], dt.datetime, Cues], _Meant | None]


def resolve(text: str, said: dt.datetime | None, cues: Cues) -> Dated:
    """Makes the relative dates of a sentence absolute.

    Args:
        text: one sentence.
        said: when it was said, in the person's own zone; None where that is unknown.
        cues: the language's rules.

    Returns:
        the sentence with ISO dates; `happened` is the first day it names.
    """
    if said is None or not cues.days.hint.search(text):
        return Dated(text, _first_iso(text), is_vague(text, cues))
    new, first = text, None
    for pattern, read in ((d := cues.days).exact, _exact), (d.span, _span), (d.weekday, _weekday), (d.date, _date):
        new, day = _replace(new, pattern, read, said, cues)
        first = first or day
    return Dated(new, first or _first_iso(new), is_vague(new, cues), new != text)


def without_days(text: str, cues: Cues) -> str:
    """The sentence without its absolute days: people put them anywhere, and a rule has no place for them."""
    lead = cues.days.forms[0].partition("{")[0]
    return re.sub(rf"\s*(?:{lead})?{_ISO.pattern}(?: \([^)]*\))?,?\s*", " ", text, flags=re.IGNORECASE).strip()


def is_relative(text: str) -> bool:
    """Whether a sentence holds a date that means another day tomorrow."""
    vague = [cues for cues in ALL if is_vague(text, cues)]
    return bool(vague) and (language_of(text) or ENGLISH) in vague


def is_vague(text: str, cues: Cues) -> bool:
    """Whether something in a sentence of one language is relative, whether a day can be told from it or not."""
    return bool(cues.days.vague.search(text))


def _replace(text: str, pattern: Cue, read: _Reader, said: dt.datetime, cues: Cues) -> tuple[str, dt.date | None]:
    first: dt.date | None = None

    def put(match: re.Match[str]) -> str:
        nonlocal first
        meant = None if inside_code(match.string, match.start()) else read(match, said, cues)
        if meant is None:
            return match[0]
        first = first or (meant.on if meant.width == "day" else None)
        return _written(meant, match.groupdict().get("prep"), cues.days)

    new = pattern.sub(put, text)
    return (" ".join(new.split()) if new != text else text), first


def _written(meant: _Meant, prep: str | None, days: Days) -> str:
    """The day in the words of a language; a form that begins without a word of its own is set off by spaces."""
    week = meant.on - dt.timedelta(days=meant.on.weekday())
    widths = {"day": meant.on, "week": week, "month": f"{meant.on:%Y-%m}", "year": f"{meant.on:%Y}"}
    form = days.forms[tuple(widths).index(meant.width)]
    text = form.format(widths[meant.width]) + (days.alternative.format(meant.other) if meant.other else "")
    if prep:
        own = "" if form.startswith("{") else form.split(" ", 1)[0]
        text = f"{prep.lower()} {text[len(own) :].lstrip()}"
    return f" {text} " if form.startswith("{") else text


def _exact(match: re.Match[str], said: dt.datetime, cues: Cues) -> _Meant | None:
    """The very day ("yesterday", "three weeks ago"); of what is counted in months or years only the month or year is known."""
    if match.groupdict().get("night"):
        return _Meant(said.date() - dt.timedelta(days=0 if said.hour < _SMALL_HOURS else 1))
    found = _understood(_what(match), said, cues.days, cues.code)
    if found is None:
        return None
    on, width = found
    return _Meant(on, width if width in ("month", "year") else "day")


def _span(match: re.Match[str], said: dt.datetime, cues: Cues) -> _Meant | None:
    found = _understood(_what(match), said, cues.days, cues.code)
    return _Meant(*found) if found else None


def _date(match: re.Match[str], said: dt.datetime, cues: Cues) -> _Meant | None:
    """A day without a year is the one closest to when it was said."""
    day = said.date()
    year = match.groupdict().get("year")
    asked = _what(match) if year else cues.days.yearless.format(what=_what(match), year=day.year)
    found = _understood(asked, said, cues.days, cues.code)
    if found is None:
        return None
    if year:
        return _Meant(found[0])
    try:
        near = [found[0].replace(year=one) for one in (day.year - 1, day.year, day.year + 1)]
    except ValueError:  # the 29th of February
        return _Meant(found[0])
    return _Meant(min(near, key=lambda one: abs((one - day).days)))


def _weekday(match: re.Match[str], said: dt.datetime, cues: Cues) -> _Meant | None:
    """The day meant: "last" is the one before today, "this" the next to come, "next" the one in the following week."""
    day = said.date()
    named = _understood(match["name"], said, cues.days, cues.code)
    if named is None:
        return None
    wanted = named[0].weekday()
    monday = day - dt.timedelta(days=day.weekday())
    before = day - dt.timedelta(days=(day.weekday() - wanted - 1) % 7 + 1)
    coming = day + dt.timedelta(days=(wanted - day.weekday() - 1) % 7 + 1)
    which = {name for name, words in match.groupdict().items() if words}
    if "week" in which:
        return _Meant(monday + dt.timedelta(weeks=cues.days.weeks[match["week"]], days=wanted))
    if "next" in which:
        following = monday + dt.timedelta(days=7 + wanted)
        return _Meant(following, other=coming if coming != following else None)
    if "last" in which:
        return _Meant(before)
    return (
        _Meant(coming) if which & {"coming", "coming_after"} else _bare_weekday(match.string, before, coming, cues.days)
    )


def _bare_weekday(text: str, before: dt.date, coming: dt.date, days: Days) -> _Meant | None:
    """Of a day without more the one before in a sentence about the past, the one to come in one about the future."""
    if days.habits.search(text):
        return None
    if days.future.search(text):
        return _Meant(coming)
    return _Meant(before) if days.past.search(text) else None


def _what(match: re.Match[str]) -> str:
    return match.groupdict().get("what") or match[0]


def _understood(words: str, said: dt.datetime, days: Days, code: str) -> tuple[dt.date, _Width] | None:
    words = words.lower().strip()
    for pattern, known in days.means:
        words = re.sub(pattern, known, words)
    return _parsed(words, said.replace(tzinfo=None), code)


@lru_cache(maxsize=512)
def _parsed(words: str, base: dt.datetime, code: str) -> tuple[dt.date, _Width] | None:
    """What dateparser makes of an expression, and how wide it is."""
    from dateparser.date import DateDataParser  # noqa: PLC0415 - 0.1 s that only a sentence with a day in it needs

    found = DateDataParser(languages=[code], settings={"RELATIVE_BASE": base}).get_date_data(words)
    return (found.date_obj.date(), found.period) if found.date_obj else None


def _first_iso(text: str) -> dt.date | None:
    match = _ISO.search(text)
    if not match:
        return None
    try:
        return dt.date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None
