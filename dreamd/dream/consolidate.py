"""The third pass: findings meet what is known, topic by topic; the engine proposes, and code decides what that may be."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ulid import ULID

from dreamd.dream import contradiction
from dreamd.dream.clerk import Clerk, Fate, PersonLine, Shelf, Table, bare, topic_of
from dreamd.dream.elision import is_elision
from dreamd.dream.succession import overtaken, successions
from dreamd.engines.protocol import Finding, Kind, KnownEntry, Reconciliation, Scope, Topic
from dreamd.memory.document import entry_key
from dreamd.memory.layout import MEMORY, POINTER, part_of
from dreamd.memory.plan import ChangeKind, EntryRecord, Reason
from dreamd.memory.wish import Wish
from dreamd.usage import Usage


class Orders(Protocol):
    """What consolidation asks of an engine."""

    def broaden(
        self, findings: Sequence[Finding], entries: Sequence[tuple[str, KnownEntry]]
    ) -> tuple[frozenset[str], ...]:
        """See Engine."""
        ...

    def reconcile(self, topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> Reconciliation:
        """See Engine."""
        ...


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What memory holds when consolidation begins; records in the order they stand in their files."""

    records: tuple[EntryRecord, ...]
    retired: tuple[EntryRecord, ...]  # tombstones: a person deleted them
    person: tuple[PersonLine, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """Words that stand somewhere, by where they hold: in one project, or ("") everywhere."""

    lines: frozenset[tuple[str, str]]  # a person's own
    records: Mapping[tuple[str, str], Topic]
    retired: frozenset[tuple[str, str]]  # that a person deleted

    @classmethod
    def of(cls, knowledge: Knowledge) -> Said:
        """Everything that memory says, and what it shall not say again."""
        return cls(
            frozenset((_where(line.file), _plain(line.text)) for line in knowledge.person),
            {(_where(r.file), _plain(r.text)): topic_of(r) for r in knowledge.records if r.kind != POINTER},
            frozenset((_where(record.file), _plain(record.text)) for record in knowledge.retired),
        )

    def already(self, text: str, shelf: Shelf) -> Reason | None:
        """Why a sentence needs no saying on a shelf; how it meets its own topic's entries is for the engine to decide."""
        places = [(where, _plain(text)) for where in ("", _where(shelf.file))]
        if any(place in self.retired for place in places):
            return Reason.RETIRED_BY_HAND
        elsewhere = (self.records[place] != shelf.topic for place in places if place in self.records)
        return Reason.DUPLICATE if any(place in self.lines for place in places) or any(elsewhere) else None


def _where(file: str) -> str:
    return part_of(file) if file.startswith("projects/") else ""


def _plain(text: str) -> str:
    return entry_key(bare(text)).casefold().rstrip(".。!！")


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The wishes of all topics, what became of each finding, and what the engine cost."""

    wishes: tuple[Wish, ...]
    fates: tuple[Fate, ...]
    usage: tuple[Usage, ...]


def consolidate(
    engine: Orders,
    knowledge: Knowledge,
    findings: Sequence[Finding],
    shelve: Callable[[Finding], Shelf],
    *,
    withheld: Callable[[Finding], Reason | None],
    reject: Callable[[str], Reason | None],
    run_id: str,
    now: dt.datetime,
    zone: dt.tzinfo,
    isolated: Collection[str] = (),
    private: Callable[[EntryRecord], bool] = lambda _: False,
) -> Consolidation:
    """Asks the engine topic by topic and applies what it proposes; what stands in the same words elsewhere it is not asked.

    `shelve` says where a finding goes; `withheld` and `reject` say no with a reason (undone or forgotten before; junk or a
    secret). `isolated` are the keys of projects whose rules never leave them, `private` tells of the entries that rest on words
    which never leave this machine. Findings are taken oldest first, so that the newest value stands.
    """

    def screened(text: str) -> Reason | None:
        return reject(text) or (Reason.JUNK if is_elision(text) else None)

    table = Table({line.key: line for line in knowledge.person}, screened, run_id, now, zone)
    said = Said.of(knowledge)
    for record in knowledge.records:
        table.put(_standing(record, table.lines))
    findings = _broadened(engine, table, findings, isolated)
    told = [finding for finding in findings if finding.project_key not in isolated]
    held = [wish.record for wish in table.wishes.values()]
    late = {finding.id for finding in told if overtaken(finding, held)}
    table.fates += [Fate(finding, Reason.CONTRADICTED) for finding in sorted(late)]
    findings = [finding for finding in [*findings, *successions(told, held)] if finding.id not in late]
    shelves: dict[Topic, Shelf] = {}
    by_topic: defaultdict[Topic, list[Finding]] = defaultdict(list)
    for finding in sorted(findings, key=_by_time):
        shelf = shelve(finding)
        if reason := withheld(finding) or screened(finding.text) or said.already(finding.text, shelf):
            table.fates.append(Fate(finding.id, reason))
            continue
        shelves[shelf.topic] = shelf
        by_topic[shelf.topic].append(finding)
    usage = []
    for topic in sorted(by_topic, key=lambda t: (t.scope != Scope.GENERAL, t.scope, t.subject, t.project_key)):
        known = _known(topic, shelves[topic], table, knowledge, private)
        answer = engine.reconcile(topic, known, by_topic[topic])
        usage.append(answer.usage)
        clerk = Clerk(table, shelves[topic], {f.id: f for f in by_topic[topic]}, {k.id: k for k in known})
        for proposal in answer.proposals:
            clerk.apply(proposal)
        clerk.finish()
    return Consolidation(tuple(table.wishes[key] for key in table.order), _settled(table.fates), tuple(usage))


def _settled(fates: Sequence[Fate]) -> tuple[Fate, ...]:
    """One kind of fate a finding: what stands somewhere was not left, though another topic had no use for it."""
    kept = {fate.finding for fate in fates if fate.entry}
    return tuple(dict.fromkeys(fate for fate in fates if fate.entry or fate.finding not in kept))


def _standing(record: EntryRecord, lines: Collection[str]) -> Wish:
    """An entry as it stands; one under a person's line that is no more there speaks for itself from now on."""
    if not record.beneath or record.beneath in lines:
        return Wish(record)
    text = contradiction.plain(record.text)
    alone = replace(record, text=text, key=entry_key(text), beneath="")
    return Wish(alone, ChangeKind.UPDATE, Reason.NEWER_VALUE, record.text)


def _broadened(engine: Orders, table: Table, findings: Sequence[Finding], isolated: Collection[str]) -> list[Finding]:
    """The findings, those that hold in every project made general; entries that say the same move with them."""
    entries = {
        wish.record.id: wish.record
        for wish in table.wishes.values()
        if wish.record.scope == Scope.PROJECT
        and wish.record.kind != POINTER
        and wish.record.project_key not in isolated
        and not wish.record.beneath
    }
    open_ones = [finding for finding in findings if finding.project_key not in isolated]
    wide = engine.broaden(open_ones, [(r.project_key, _as_known(r, mine=True, private=True)) for r in entries.values()])
    for group in wide:
        for n, record in enumerate(entries[i] for i in sorted(group) if i in entries):
            table.put(replace(table.wishes[record.id], act=ChangeKind.REMOVE, reason=Reason.REPEATED, old=record.text))
            if n == 0:
                general = replace(
                    record, id=str(ULID()), file="", section="", scope=Scope.GENERAL, subject="", project_key=""
                )
                table.put(Wish(general, ChangeKind.ADD, Reason.REPEATED, findings=general.findings))
    everywhere = frozenset().union(*wide)
    return [replace(f, scope=Scope.GENERAL, subject="") if f.id in everywhere else f for f in findings]


def _by_time(finding: Finding) -> tuple[dt.datetime, str, int, str]:
    return (finding.at or dt.datetime.min.replace(tzinfo=dt.UTC), finding.path, finding.offset, finding.key)


def _known(
    topic: Topic, shelf: Shelf, table: Table, knowledge: Knowledge, private: Callable[[EntryRecord], bool]
) -> list[KnownEntry]:
    """What the engine may see for a topic: its own entries; a person's lines and general rules, which only stand."""
    here = shelf.file or MEMORY
    known = []
    for key in table.order:
        wish = table.wishes[key]
        if wish.act is ChangeKind.REMOVE or wish.record.kind == POINTER:
            continue
        own = topic_of(wish.record) == topic
        if own or wish.record.scope == Scope.GENERAL:
            known.append(_as_known(wish.record, mine=own, private=private(wish.record)))
    known += [
        KnownEntry(id=f"person:{line.key}", text=line.text, kind=None, mine=False)
        for line in knowledge.person
        if line.file in (here, MEMORY)
    ]
    known += [
        _as_known(record, mine=False, private=private(record))
        for record in knowledge.retired
        if topic_of(record) == topic
    ]
    return known


def _as_known(record: EntryRecord, *, mine: bool, private: bool) -> KnownEntry:
    return KnownEntry(
        id=record.id,
        text=bare(record.text),
        kind=Kind(record.kind),
        mine=mine,
        slot=record.slot,
        value=record.value,
        last_at=record.last_at,
        weight=record.weight,
        private=private,
    )
