"""The third pass: findings meet what is known, topic by topic; proposals become wishes, and code alone decides what they may be."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ulid import ULID

from dreamd.engines.protocol import Act, Engine, Finding, Kind, KnownEntry, Proposal, Scope, Topic, Usage
from dreamd.memory.document import entry_key
from dreamd.memory.layout import MEMORY, POINTER, topic_section
from dreamd.memory.plan import ChangeKind, EntryRecord, Reason
from dreamd.memory.wish import Wish

#: Kinds whose line carries the day it was said: they were true then and may not be now.
_DATED = frozenset({Kind.DECISION, Kind.FACT, Kind.OUTCOME})
_DATE_SUFFIX = re.compile(r"\s*\(\d{4}-\d{2}-\d{2}\)([.。!！]?)$")
_STOPS = (".", "。", "!", "！")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

_REASONS = {
    "new": Reason.NEW,
    "repeated": Reason.REPEATED,
    "newer_value": Reason.NEWER_VALUE,
    "contradicted": Reason.CONTRADICTED,
    "duplicate": Reason.DUPLICATE,
    "weak": Reason.WEAK,
    "junk": Reason.JUNK,
}


@dataclass(frozen=True, slots=True)
class PersonLine:
    """An entry of the tree that is a person's: it may be seen and never changed."""

    file: str
    section: str
    text: str
    key: str


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What memory holds when consolidation begins; records in the order they stand in their files."""

    records: tuple[EntryRecord, ...]
    retired: tuple[EntryRecord, ...]  # tombstones: a person deleted them
    person: tuple[PersonLine, ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where a topic's entries go and what may be kept of it."""

    topic: Topic
    file: str  # "" for MEMORY.md


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one finding."""

    finding: str
    reason: Reason
    entry: str = ""  # the entry it supports now; "" where it was left


@dataclass(slots=True)
class _Desk:
    """The entries on the table while proposals are applied, in the order they stand; nothing leaves it but wishes."""

    order: list[str] = field(default_factory=list)
    wishes: dict[str, Wish] = field(default_factory=dict)
    added_for: dict[str, str] = field(default_factory=dict)  # finding id → entry that an ADD of this dream made of it
    fates: list[Fate] = field(default_factory=list)

    def put(self, wish: Wish) -> None:
        if wish.record.id not in self.wishes:
            self.order.append(wish.record.id)
        self.wishes[wish.record.id] = wish


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The wishes of all topics, what became of each finding, and what the engine cost."""

    wishes: tuple[Wish, ...]
    fates: tuple[Fate, ...]
    usage: tuple[Usage, ...]


def consolidate(
    engine: Engine,
    knowledge: Knowledge,
    findings: Sequence[Finding],
    shelve: Callable[[Finding], Shelf],
    *,
    withheld: Callable[[Finding], Reason | None],
    reject: Callable[[str], Reason | None],
    run_id: str,
    now: dt.datetime,
    zone: dt.tzinfo,
) -> Consolidation:
    """Asks the engine topic by topic and applies what it proposes.

    `shelve` says where a finding goes; `withheld` and `reject` say no with a reason (undone or forgotten before; junk or a
    secret). Findings are taken oldest first, so that the newest value stands.
    """
    desk = _Desk()
    for record in knowledge.records:
        desk.put(Wish(record))
    shelves: dict[Topic, Shelf] = {}
    by_topic: defaultdict[Topic, list[Finding]] = defaultdict(list)
    for finding in sorted(findings, key=_by_time):
        if reason := withheld(finding) or reject(finding.text):
            desk.fates.append(Fate(finding.id, reason))
            continue
        shelf = shelve(finding)
        shelves[shelf.topic] = shelf
        by_topic[shelf.topic].append(finding)
    usage = []
    for topic in sorted(by_topic, key=lambda t: (t.scope != Scope.GENERAL, t.scope, t.subject, t.project_key)):
        known = _known(topic, shelves[topic], desk, knowledge)
        answer = engine.reconcile(topic, known, by_topic[topic])
        usage.append(answer.usage)
        clerk = _Clerk(
            desk,
            shelves[topic],
            {f.id: f for f in by_topic[topic]},
            {k.id: k for k in known},
            reject,
            run_id,
            now,
            zone,
        )
        for proposal in answer.proposals:
            clerk.apply(proposal)
        clerk.finish()
    return Consolidation(tuple(desk.wishes[key] for key in desk.order), tuple(desk.fates), tuple(usage))


def _by_time(finding: Finding) -> tuple[dt.datetime, str, int, str]:
    return (finding.at or dt.datetime.min.replace(tzinfo=dt.UTC), finding.path, finding.offset, finding.key)


def bare(text: str) -> str:
    """An entry's words without the day that stands behind them."""
    return _DATE_SUFFIX.sub(r"\1", text)


def _known(topic: Topic, shelf: Shelf, desk: _Desk, knowledge: Knowledge) -> list[KnownEntry]:
    """What the engine may see for a topic: its own entries; a person's lines and general rules, which only stand."""
    here = shelf.file or MEMORY
    known = []
    for key in desk.order:
        wish = desk.wishes[key]
        if wish.act is ChangeKind.REMOVE or wish.record.kind == POINTER:
            continue
        own = _topic_of(wish.record) == topic
        if own or wish.record.scope == Scope.GENERAL:
            known.append(_as_known(wish.record, mine=own))
    known += [
        KnownEntry(id=f"person:{line.key}", text=line.text, kind=None, mine=False)
        for line in knowledge.person
        if line.file in (here, MEMORY)
    ]
    known += [_as_known(record, mine=False) for record in knowledge.retired if _topic_of(record) == topic]
    return known


def _as_known(record: EntryRecord, *, mine: bool) -> KnownEntry:
    return KnownEntry(
        id=record.id,
        text=bare(record.text),
        kind=Kind(record.kind),
        mine=mine,
        slot=record.slot,
        value=record.value,
        last_at=record.last_at,
        weight=record.weight,
    )


def _topic_of(record: EntryRecord) -> Topic:
    return (
        Topic(Scope(record.scope), record.subject, record.project_key)
        if record.kind != POINTER
        else Topic(Scope.GENERAL, "pointer")
    )


class _Clerk:
    """Applies one topic's proposals to the desk: invented ids fall away, a person's lines stay, every finding gets a fate."""

    def __init__(
        self,
        desk: _Desk,
        shelf: Shelf,
        findings: Mapping[str, Finding],
        known: Mapping[str, KnownEntry],
        reject: Callable[[str], Reason | None],
        run_id: str,
        now: dt.datetime,
        zone: dt.tzinfo,
    ) -> None:
        self.desk = desk
        self.shelf = shelf
        self.findings = findings
        self.known = known
        self.reject = reject
        self.run_id = run_id
        self.now = now
        self.zone = zone
        self.settled: set[str] = set()

    def apply(self, proposal: Proposal) -> None:
        """One proposal; what it cites and does not exist is passed over."""
        cited = [
            self.findings[i]
            for i in dict.fromkeys(proposal.finding_ids)
            if i in self.findings and i not in self.settled
        ]
        if not cited:
            return
        reason = _REASONS.get(proposal.reason, Reason.NEW if proposal.act is Act.ADD else Reason.REPEATED)
        if proposal.text and (junk := self.reject(proposal.text)):
            self._leave(cited, junk)
            return
        target = self._target(proposal.entry_id)
        match proposal.act:
            case Act.DROP:
                self._leave(cited, reason if proposal.reason else Reason.DUPLICATE)
            case Act.ADD:
                self._add(cited, proposal, reason)
            case Act.MERGE:
                self._merge(cited, target, proposal, reason)
            case Act.SUPERSEDE:
                self._supersede(cited, target, proposal, reason)

    def finish(self) -> None:
        """Findings that no proposal spoke of are left, and say so."""
        self._leave([f for i, f in self.findings.items() if i not in self.settled], Reason.WEAK)

    def _target(self, entry_id: str | None) -> Wish | None:
        """The entry of this topic that dreamd may change; None for a person's line, another topic's or an invented id."""
        if entry_id is None:
            return None
        key = self.desk.added_for.get(entry_id, entry_id)
        wish = self.desk.wishes.get(key)
        if wish is None or wish.act is ChangeKind.REMOVE or _topic_of(wish.record) != self.shelf.topic:
            return None
        return wish

    def _leave(self, cited: Iterable[Finding], reason: Reason) -> None:
        for finding in cited:
            self.settled.add(finding.id)
            self.desk.fates.append(Fate(finding.id, reason))

    def _keep(self, cited: Sequence[Finding], entry: str, reason: Reason) -> None:
        for finding in cited:
            self.settled.add(finding.id)
            self.desk.added_for[finding.id] = entry
            self.desk.fates.append(Fate(finding.id, reason, entry))

    def _add(self, cited: Sequence[Finding], proposal: Proposal, reason: Reason) -> None:
        lead = cited[-1]
        text = self._dated(proposal.text or lead.text, lead)
        record = EntryRecord(
            id=str(ULID()),
            file=self.shelf.file,
            section=topic_section(lead.kind) if self.shelf.file else "",
            text=text,
            key=entry_key(text),
            kind=lead.kind,
            scope=self.shelf.topic.scope,
            subject=self.shelf.topic.subject,
            project_key=self.shelf.topic.project_key,
            slot=lead.slot,
            value=lead.value,
            weight=sum(finding.weight for finding in cited),
            first_at=min((f.at for f in cited if f.at), default=None),
            last_at=max((f.at for f in cited if f.at), default=None),
            added_at=self.now,
            run_id=self.run_id,
            findings=tuple(finding.id for finding in cited),
        )
        beneath = ""
        if reason is Reason.CONTRADICTED and (proposal.entry_id or "").startswith("person:"):
            beneath = (proposal.entry_id or "").removeprefix("person:")
        if any(
            w.record.key == record.key and w.record.file == record.file and w.act is not ChangeKind.REMOVE
            for w in self.desk.wishes.values()
        ):
            self._leave(cited, Reason.DUPLICATE)
            return
        self.desk.put(Wish(record, ChangeKind.ADD, reason, findings=record.findings, beneath=beneath))
        self._keep(cited, record.id, reason)

    def _merge(self, cited: Sequence[Finding], target: Wish | None, proposal: Proposal, reason: Reason) -> None:
        if target is None:
            if proposal.entry_id in self.known:  # a person's line or a general rule says it already
                self._leave(cited, Reason.DUPLICATE)
            else:
                self._add(cited, proposal, Reason.NEW)
            return
        record = target.record
        text = (
            self._dated(proposal.text, cited[-1])
            if proposal.text and proposal.text != bare(record.text)
            else record.text
        )
        record = self._grown(record, cited, text)
        self._restand(target, record, ChangeKind.MERGE, reason, cited)

    def _supersede(self, cited: Sequence[Finding], target: Wish | None, proposal: Proposal, reason: Reason) -> None:
        if target is None:
            self._add(cited, proposal, Reason.CONTRADICTED if proposal.entry_id in self.known else Reason.NEW)
            return
        lead = cited[-1]
        if target.record.last_at and lead.at and lead.at < target.record.last_at:
            self._leave(cited, Reason.CONTRADICTED)  # older evidence never takes a newer value's place
            return
        text = self._dated(proposal.text or lead.text, lead)
        record = replace(
            self._grown(target.record, cited, text),
            kind=lead.kind,
            slot=lead.slot or target.record.slot,
            value=lead.value,
        )
        self._restand(target, record, ChangeKind.SUPERSEDE, reason, cited)

    def _restand(
        self, target: Wish, record: EntryRecord, kind: ChangeKind, reason: Reason, cited: Sequence[Finding]
    ) -> None:
        findings = (*target.findings, *(finding.id for finding in cited))
        if target.act is ChangeKind.ADD:  # made in this very dream: it is still one addition
            self.desk.put(replace(target, record=record, findings=findings))
        else:
            old = target.old if target.old is not None else target.record.text
            act = ChangeKind.SUPERSEDE if ChangeKind.SUPERSEDE in (kind, target.act) else kind
            self.desk.put(Wish(record, act, reason, old, findings))
        self._keep(cited, record.id, reason)

    def _grown(self, record: EntryRecord, cited: Sequence[Finding], text: str) -> EntryRecord:
        times = [moment for moment in (record.first_at, record.last_at, *(f.at for f in cited)) if moment]
        return replace(
            record,
            text=text,
            key=entry_key(text),
            weight=record.weight + sum(finding.weight for finding in cited),
            first_at=min(times, default=None),
            last_at=max(times, default=None),
            findings=(*record.findings, *(finding.id for finding in cited)),
        )

    def _dated(self, text: str, finding: Finding) -> str:
        """Adds the day something was said, in the person's zone, where it was true then and names no day itself."""
        if finding.kind not in _DATED or finding.at is None or _ISO_DATE.search(text):
            return text
        day = finding.at.astimezone(self.zone).date().isoformat()
        words, stop = (text[:-1], text[-1]) if text[-1:] in _STOPS else (text, "")
        return f"{words} ({day}){stop}"
