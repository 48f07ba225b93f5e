"""Proposals applied to entries: invented ids fall away, a person's lines stay, every finding gets a fate."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ulid import ULID

from dreamd.dream import contradiction
from dreamd.engines.earned import unearned, visible
from dreamd.engines.protocol import Act, Finding, Kind, KnownEntry, Proposal, Scope, Topic
from dreamd.memory.document import entry_key
from dreamd.memory.layout import POINTER, topic_section
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
class Table:
    """The entries on the table while proposals are applied, in the order they stand; nothing leaves it but wishes."""

    lines: Mapping[str, PersonLine]  # a person's lines by their key: seen, never changed
    reject: Callable[[str], Reason | None]  # why a sentence must not stand (junk, secret)
    run_id: str
    now: dt.datetime
    zone: dt.tzinfo
    order: list[str] = field(default_factory=list)
    wishes: dict[str, Wish] = field(default_factory=dict)
    added_for: dict[str, str] = field(default_factory=dict)  # finding id → entry that an ADD of this dream made of it
    fates: list[Fate] = field(default_factory=list)

    def put(self, wish: Wish) -> None:
        """Lays an entry down, or another wish for one that lies there."""
        if wish.record.id not in self.wishes:
            self.order.append(wish.record.id)
        self.wishes[wish.record.id] = wish

    def withdraw(self, wish: Wish, instead: str) -> None:
        """Takes an entry away for another one; what this dream had made of it counts for that one."""
        entry = wish.record.id
        if wish.act is ChangeKind.ADD:
            del self.wishes[entry]
            self.order.remove(entry)
        else:
            old = wish.old if wish.old is not None else wish.record.text
            self.put(Wish(wish.record, ChangeKind.REMOVE, Reason.DUPLICATE, old, wish.findings))
        self.added_for = {finding: instead if made == entry else made for finding, made in self.added_for.items()}
        self.fates = [replace(fate, entry=instead) if fate.entry == entry else fate for fate in self.fates]

    def twin(self, record: EntryRecord) -> Wish | None:
        """Another entry with the same words in the same file."""
        same = (record.key, record.file)
        return next(
            (
                wish
                for wish in self.wishes.values()
                if (wish.record.key, wish.record.file) == same
                and wish.record.id != record.id
                and wish.act is not ChangeKind.REMOVE
            ),
            None,
        )

    def holds(self, record: EntryRecord) -> bool:
        """Whether the same words stand in the same file already."""
        return any(
            wish.record.key == record.key and wish.record.file == record.file and wish.act is not ChangeKind.REMOVE
            for wish in self.wishes.values()
        )


def bare(text: str) -> str:
    """An entry's words without the day that stands behind or before them."""
    return _DATE_SUFFIX.sub(r"\1", contradiction.plain(text))


def topic_of(record: EntryRecord) -> Topic:
    """The topic an entry belongs to; pointers have one of their own."""
    return (
        Topic(Scope(record.scope), record.subject, record.project_key)
        if record.kind != POINTER
        else Topic(Scope.GENERAL, "pointer")
    )


class Clerk:
    """Applies one topic's proposals to the desk: invented ids fall away, a person's lines stay, every finding gets a fate."""

    def __init__(
        self, table: Table, shelf: Shelf, findings: Mapping[str, Finding], known: Mapping[str, KnownEntry]
    ) -> None:
        self.table = table
        self.shelf = shelf
        self.findings = findings
        self.known = known
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
        proposal = replace(proposal, text=visible(proposal.text))
        if proposal.text and (junk := self.table.reject(proposal.text)):
            self._leave(cited, junk)
            return
        target = self._target(proposal.entry_id)
        said = [words for one in cited for words in (one.text, one.quote)]
        if unearned(proposal.text, [*said, target.record.text] if target else said):
            self._leave(cited, Reason.UNEARNED)
            return
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
        key = self.table.added_for.get(entry_id, entry_id)
        wish = self.table.wishes.get(key)
        if wish is None or wish.act is ChangeKind.REMOVE or topic_of(wish.record) != self.shelf.topic:
            return None
        return wish

    def _leave(self, cited: Iterable[Finding], reason: Reason) -> None:
        for finding in cited:
            self.settled.add(finding.id)
            self.table.fates.append(Fate(finding.id, reason))

    def _keep(self, cited: Sequence[Finding], entry: str, reason: Reason) -> None:
        for finding in cited:
            self.settled.add(finding.id)
            self.table.added_for[finding.id] = entry
            self.table.fates.append(Fate(finding.id, reason, entry))

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
            added_at=self.table.now,
            run_id=self.table.run_id,
            findings=tuple(finding.id for finding in cited),
        )
        line = self.table.lines.get((proposal.entry_id or "").removeprefix("person:"))
        if line is not None and reason is Reason.CONTRADICTED:
            text = contradiction.under(bare(text), lead.at or self.table.now, self.table.zone)
            record = replace(
                record, text=text, key=entry_key(text), file=line.file, section=line.section, beneath=line.key
            )
        if self.table.holds(record) or self._stands(proposal.text or lead.text):
            self._leave(cited, Reason.DUPLICATE)
            return
        self.table.put(Wish(record, ChangeKind.ADD, reason, findings=record.findings))
        self._keep(cited, record.id, reason)

    def _stands(self, text: str) -> bool:
        """Whether a line that is not this topic's own, and that the engine was shown, says it in the same words."""
        words = entry_key(bare(text)).casefold()
        return any(not known.mine and entry_key(known.text).casefold() == words for known in self.known.values())

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
        twin = self.table.twin(record)
        if twin is not None:
            self._fold(target, twin, record, reason, cited)
            return
        findings = (*target.findings, *(finding.id for finding in cited))
        if target.act is ChangeKind.ADD:  # made in this very dream: it is still one addition
            self.table.put(replace(target, record=record, findings=findings))
        else:
            old = target.old if target.old is not None else target.record.text
            act = ChangeKind.SUPERSEDE if ChangeKind.SUPERSEDE in (kind, target.act) else kind
            self.table.put(Wish(record, act, reason, old, findings))
        self._keep(cited, record.id, reason)

    def _fold(self, target: Wish, twin: Wish, record: EntryRecord, reason: Reason, cited: Sequence[Finding]) -> None:
        """What an entry would become stands already as another one: that one gains its evidence, and the entry goes."""
        times = [at for at in (twin.record.first_at, twin.record.last_at, record.first_at, record.last_at) if at]
        grown = replace(
            twin.record,
            weight=twin.record.weight + sum(finding.weight for finding in cited),
            first_at=min(times, default=None),
            last_at=max(times, default=None),
            findings=tuple(dict.fromkeys((*twin.record.findings, *record.findings))),
        )
        act = twin.act or ChangeKind.MERGE
        old = twin.old if twin.act else twin.record.text
        added = (*twin.findings, *(finding.id for finding in cited))
        self.table.put(Wish(grown, act, twin.reason or reason, old, added))
        self.table.withdraw(target, twin.record.id)
        self._keep(cited, twin.record.id, reason)

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
        day = finding.at.astimezone(self.table.zone).date().isoformat()
        words, stop = (text[:-1], text[-1]) if text[-1:] in _STOPS else (text, "")
        return f"{words} ({day}){stop}"
