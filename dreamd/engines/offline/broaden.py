"""Which rules hold everywhere because a person typed them in more than one project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from dreamd.engines.offline import habits
from dreamd.engines.offline.scope import names_project_things
from dreamd.engines.offline.similar import Sense, same, sense
from dreamd.engines.offline.verdict import WEAK
from dreamd.engines.protocol import Finding, Kind, KnownEntry, Scope

#: Kinds that are about the person's way of working; facts and decisions stay with their project.
_KINDS = frozenset({Kind.PREFERENCE, Kind.PROHIBITION, Kind.CONVENTION, Kind.CORRECTION})


@dataclass(frozen=True, slots=True)
class _Said:
    id: str
    project: str
    sense: Sense
    slot: str
    value: str
    fresh: bool


def broaden(findings: Sequence[Finding], entries: Sequence[tuple[str, KnownEntry]]) -> tuple[frozenset[str], ...]:
    """Groups of ids that say the same in at least two projects, a new finding among them.

    Args:
        findings: of all projects, this dream's.
        entries: what memory holds of single projects, each with its project's key.
    """
    said = [
        _Said(e.id, key, sense(e.text), e.slot, e.value, fresh=False)
        for key, e in entries
        if e.mine and _may(e.kind, e.text)
    ]
    said += [
        _Said(f.id, f.project_key, sense(f.text), f.slot, f.value, fresh=True)
        for f in findings
        if f.scope is Scope.PROJECT and f.weight >= WEAK and not habits.is_request(f) and _may(f.kind, f.text)
    ]
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for i, one in enumerate(said):
        for word in one.sense.words:
            by_word[word].append(i)
    values: defaultdict[str, set[str]] = defaultdict(set)
    for one in said:
        values[one.slot].add(one.value.lower())
    groups: list[frozenset[str]] = []
    taken: set[int] = set()
    for i, one in enumerate(said):
        if i in taken or (one.slot and len(values[one.slot]) > 1):  # projects differ in it: each keeps its own
            continue
        near = sorted({j for word in one.sense.words for j in by_word[word]} - taken)
        group = [j for j in near if j == i or same(one.sense, said[j].sense)]
        if len({said[j].project for j in group}) > 1 and any(said[j].fresh for j in group):
            taken.update(group)
            groups.append(frozenset(said[j].id for j in group))
    return tuple(groups)


def _may(kind: Kind | None, text: str) -> bool:
    return kind in _KINDS and not names_project_things(text)
