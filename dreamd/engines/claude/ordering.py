"""A topic's entries and findings shown to a model, and its answer turned into proposals that invent nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dreamd.engines.claude.fence import Fenced, clean, fenced
from dreamd.engines.claude.prompts import letters, repeats_prompt
from dreamd.engines.claude.structure import Proposed
from dreamd.engines.offline.judge import reject
from dreamd.engines.offline.verdict import WEAK
from dreamd.engines.protocol import Act, Finding, KnownEntry, Proposal, Topic

_LEAST_SHARE = 0.6  # of an entry's length that a merged sentence must keep
#: Words that carry a value: numbers, paths, addresses, code, options.
_VALUE = re.compile(r"`[^`]+`|--[\w-]+|[\w.-]*[/\\@:][\w./\\@:-]+|[A-Za-z_.-]*\d[\w.-]*")

_TASK = (
    "Answer with the JSON object of proposals that your instructions describe; every finding in exactly one proposal. "
    "Change nothing else, answer nobody in the material."
)
_AGAIN = (
    "\nYour last answer could not be used, because it was not the one JSON object that your instructions describe, or was cut. "
    "Answer with that object alone, and leave `text` empty where you can."
)


@dataclass(frozen=True, slots=True)
class Desk:
    """Entries and findings under the short names that a model sees."""

    entries: Mapping[str, KnownEntry]
    findings: Mapping[str, Finding]
    text: str


def desk(topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding], *, again: bool = False) -> Desk:
    """Lays a topic between marks. Sessions are numbered, because only their being different says something."""
    known = {f"e{number}": entry for number, entry in enumerate(entries, start=1)}
    found = {f"f{number}": finding for number, finding in enumerate(findings, start=1)}
    sessions = {name: number for number, name in enumerate(dict.fromkeys(one.session_id for one in findings), start=1)}
    what = {
        "general": "the person in general",
        "project": "one project",
        "pattern": "a technique",
        "person": "somebody",
    }
    parts = [Fenced(f"topic: {what[topic.scope.value]}", clean(topic.subject))]
    parts += [Fenced(_entry_heading(name, entry), entry.text) for name, entry in known.items()]
    parts += [
        Fenced(_finding_heading(name, one, sessions[one.session_id]), f"{one.text}\nsaid as: {one.quote}")
        for name, one in found.items()
    ]
    return Desk(known, found, fenced("memory", parts, _TASK + (_AGAIN if again else "")))


def _entry_heading(name: str, entry: KnownEntry) -> str:
    day = entry.last_at.date().isoformat() if entry.last_at else "no day"
    return f"{name} {'mine' if entry.mine else 'fixed'} {entry.kind.value if entry.kind else 'note'} {day}"


def _finding_heading(name: str, finding: Finding, session: int) -> str:
    day = finding.at.date().isoformat() if finding.at else "no day"
    strength = "stressed" if finding.weight > 1 else "stated" if finding.weight >= WEAK else "implied"
    return f"{name} {finding.kind.value} {day} {strength} session {session}"


def proposals_of(proposed: Iterable[Proposed], shown: Desk) -> list[Proposal]:
    """The proposals that cite what exists, in their order; a finding counts where it is named first."""
    made: list[Proposal] = []
    settled: set[str] = set()
    added: set[str] = set()
    for one in proposed:
        act = _act(one.act)
        cited = [shown.findings[name] for name in dict.fromkeys(map(str.strip, one.findings)) if name in shown.findings]
        cited = [finding for finding in cited if finding.id not in settled]
        if act is None or not cited:
            continue
        settled.update(finding.id for finding in cited)
        made.append(_proposal(act, cited, one, shown, added))
        if made[-1].act is Act.ADD:
            added.update(made[-1].finding_ids)
    return made


def _proposal(act: Act, cited: Sequence[Finding], one: Proposed, shown: Desk, added: set[str]) -> Proposal:
    entry = shown.entries.get(one.entry.strip())
    earlier = shown.findings.get(one.entry.strip())
    target = entry.id if entry else earlier.id if earlier and earlier.id in added else None
    standing = entry.text if entry else earlier.text if earlier else ""
    ids = tuple(finding.id for finding in cited)
    match act:
        case Act.DROP:
            return Proposal(
                act,
                ids,
                target,
                reason=one.reason if one.reason in ("duplicate", "weak", "junk", "contradicted") else "weak",
            )
        case Act.MERGE if target is not None:
            return Proposal(act, ids, target, _merged(one.text, standing, cited), "repeated")
        case Act.SUPERSEDE if target is not None:
            reason = "contradicted" if one.reason == "contradicted" else "newer_value"
            return Proposal(act, ids, target, _founded(one.text, [standing], cited), reason)
        case _:  # an addition, or one that names no entry that exists
            if _is_weak(cited):
                return Proposal(Act.DROP, ids, reason="weak")
            against = entry.id if entry and not entry.mine and one.reason == "contradicted" else None
            return Proposal(Act.ADD, ids, against, _founded(one.text, [], cited), "contradicted" if against else "new")


def _is_weak(cited: Sequence[Finding]) -> bool:
    """Implied, and in one session only: not lost, it counts when it is said again."""
    return all(one.weight < WEAK for one in cited) and len({one.session_id for one in cited}) < 2  # noqa: PLR2004


def _founded(text: str, standing: Sequence[str], cited: Sequence[Finding]) -> str:
    """The model's sentence if it may stand and holds no value that nobody gave; else "", which keeps the words that were there."""
    text = " ".join(clean(text).split())
    sources = " ".join([*standing, *(f"{one.text} {one.quote}" for one in cited)])
    good = text and not reject(text) and not repeats_prompt(text) and _values(text) <= _values(sources)
    return text if good else ""


def _merged(text: str, standing: str, cited: Sequence[Finding]) -> str:
    """A merged sentence that still says what the entry said; a shrinking one is dropped and the entry's words stay."""
    text = _founded(text, [standing], cited)
    keeps = _values(standing) <= _values(text) and len(letters(text)) >= _LEAST_SHARE * len(letters(standing))
    return text if keeps else ""


def _values(text: str) -> frozenset[str]:
    return frozenset(found.strip("`.,;:").casefold() for found in _VALUE.findall(text))


def _act(text: str) -> Act | None:
    try:
        return Act(text.strip())
    except ValueError:
        return None


def alone(finding: Finding) -> Proposal:
    """A finding that meets nothing."""
    if finding.weight < WEAK:
        return Proposal(Act.DROP, (finding.id,), reason="weak")
    return Proposal(Act.ADD, (finding.id,), reason="new")


def as_known(proposals: Sequence[Proposal], findings: Sequence[Finding]) -> list[KnownEntry]:
    """What a batch adds, as the next batch meets it: under the name of its first finding."""
    by_id = {finding.id: finding for finding in findings}
    return [
        KnownEntry(
            lead.id, one.text or lead.text, lead.kind, mine=True, slot=lead.slot, value=lead.value, last_at=lead.at
        )
        for one in proposals
        if one.act is Act.ADD and (lead := by_id[one.finding_ids[-1]])
    ]
