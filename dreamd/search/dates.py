"""The days, months and years that a query names."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905 - names
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH})\b", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)", re.IGNORECASE)
_MONTH_ALONE = re.compile(rf"\b(?:in|of|last|since|during|by|until|early|late|mid)[\s-]+({_MONTH})\b", re.IGNORECASE)
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")


@dataclass(frozen=True, slots=True)
class Dates:
    """What a moment must fit; nothing named fits nothing."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    @classmethod
    def named_in(cls, query: str) -> Dates:
        """The first date of each sort in a query."""
        if iso := _ISO.search(query):
            return cls(int(iso[1]), int(iso[2]), int(iso[3]) if iso[3] else None)
        year = _YEAR.search(query)
        in_year = int(year[1]) if year else None
        if found := _DAY_MONTH.search(query):
            return cls(in_year, _number(found[2]), int(found[1]))
        if found := _MONTH_DAY.search(query):
            return cls(in_year, _number(found[1]), int(found[2]))
        found = _MONTH_ALONE.search(query)
        return cls(in_year, _number(found[1]) if found else None)

    def __bool__(self) -> bool:
        return self != Dates()

    def hold(self, at: dt.datetime | None) -> bool:
        """Whether a moment is on that day, in that month, in that year."""
        return at is not None and all(
            wanted is None or wanted == given
            for wanted, given in ((self.year, at.year), (self.month, at.month), (self.day, at.day))
        )


def _number(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, start=1) if month.startswith(name.lower()[:3]))
