"""What was one person's and is another's now: the newer finding is told in the file of whoever had it before, too."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dreamd.engines.protocol import Finding, Scope
from dreamd.memory.plan import EntryRecord

#: Two people may have a thing together; their words say so.
_TOGETHER = re.compile(
    r"\b(?:also|too|both|together|jointly|as well|co-\w+|backup|deputy|stand-?in)\b|[也同]|共同|一起", re.IGNORECASE
)
_LONG_AGO = dt.datetime.min.replace(tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True)
class _Holder:
    name: str
    at: dt.datetime


def overtaken(finding: Finding, records: Iterable[EntryRecord]) -> bool:
    """Whether memory holds that what a finding says is somebody's was another's later: its session is read late."""
    if finding.scope is not Scope.PERSON or not finding.slot or _TOGETHER.search(f"{finding.text} {finding.quote}"):
        return False
    at = finding.at or _LONG_AGO
    return any(
        record.scope == Scope.PERSON
        and record.slot == finding.slot
        and (record.last_at or _LONG_AGO) > at
        and not _same(record.subject, finding.subject)
        for record in records
    )


def successions(findings: Sequence[Finding], records: Iterable[EntryRecord]) -> list[Finding]:
    """The findings about people again, each as one about the person who had the same slot last, where that is somebody else.

    Args:
        findings: of all topics; only those about people that give a slot its value are looked at.
        records: what memory holds.
    """
    held: defaultdict[str, list[_Holder]] = defaultdict(list)
    for record in records:
        if record.scope == Scope.PERSON and record.slot:
            held[record.slot].append(_Holder(record.subject, record.last_at or _LONG_AGO))
    told = []
    for finding in sorted(findings, key=lambda f: (f.at or _LONG_AGO, f.id)):
        if finding.scope is not Scope.PERSON or not finding.slot or _TOGETHER.search(f"{finding.text} {finding.quote}"):
            continue
        at = finding.at or _LONG_AGO
        before = [one for one in held[finding.slot] if one.at < at]
        last = max(before, key=lambda one: (one.at, one.name), default=None)
        if last is not None and not _same(last.name, finding.subject):
            told.append(replace(finding, subject=last.name))
        held[finding.slot].append(_Holder(finding.subject, at))
    return told


def _same(name: str, other: str) -> bool:
    """Whether two names may be one person's: "Ann" and "Ann Berger"."""
    mine, theirs = name.lower().split(), other.lower().split()
    return mine == theirs[: len(mine)] or theirs == mine[: len(theirs)]
