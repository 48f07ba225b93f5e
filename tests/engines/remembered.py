"""What memory holds after things were said in sessions on different days, a dream after each."""

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass, field, replace

from dreamd.dream.succession import overtaken, successions
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.protocol import Act, Finding, KnownEntry, Proposal, Scope, Topic
from dreamd.memory.plan import EntryRecord
from engines.typed import SAID, digest, turn


def _record(topic: Topic, entry: KnownEntry) -> EntryRecord:
    return EntryRecord(
        id=entry.id,
        file="",
        section="",
        text=entry.text,
        key=entry.text,
        kind=entry.kind or "",
        scope=topic.scope,
        subject=topic.subject,
        slot=entry.slot,
        last_at=entry.last_at,
    )


@dataclass
class Remembered:
    """Entries by topic, as a dream keeps them; a topic sees its own and the general ones."""

    engine: OfflineEngine = field(default_factory=OfflineEngine)
    entries: dict[Topic, dict[str, KnownEntry]] = field(default_factory=dict)
    sessions: int = 0
    open: list[Finding] = field(default_factory=list)  # too weak so far; the next dream looks at them again

    def say(self, *typed: str, day: int | None = None) -> None:
        """A session a day later (or of another day), and the dream over it."""
        self.sessions += 1
        at = SAID + dt.timedelta(days=self.sessions if day is None else day)
        found = self.engine.extract(digest(*(turn(text, n=n, at=at) for n, text in enumerate(typed))), ()).findings
        named = [
            replace(one, id=f"f{self.sessions}-{n}", session_id=f"s{self.sessions}", project_key="key")
            for n, one in enumerate(found)
        ]
        self.dream(named)

    def dream(self, found: list[Finding]) -> None:
        """Findings meet what is known, topic by topic, the general ones first."""
        found = [*self.open, *found]
        self.open = []
        by_topic: defaultdict[Topic, list[Finding]] = defaultdict(list)
        held = [_record(topic, one) for topic, entries in self.entries.items() for one in entries.values()]
        found = [one for one in found if not overtaken(one, held)]
        for one in [*found, *successions(found, held)]:
            key = one.project_key if one.scope is Scope.PROJECT else ""
            by_topic[Topic(one.scope, "orchard" if key else one.subject, key)].append(one)
        for topic in sorted(by_topic, key=lambda t: (t.scope is not Scope.GENERAL, t.scope, t.subject)):
            general = [] if topic.scope is Scope.GENERAL else list(self._of(Topic(Scope.GENERAL, "")).values())
            known = [*self._of(topic).values(), *(replace(one, mine=False) for one in general)]
            for proposal in self.engine.reconcile(topic, known, by_topic[topic]).proposals:
                (finding,) = (one for one in by_topic[topic] if one.id == proposal.finding_ids[0])
                self._apply(topic, finding, proposal)

    def _apply(self, topic: Topic, finding: Finding, proposal: Proposal) -> None:
        held, act, entry_id, text = self._of(topic), proposal.act, proposal.entry_id, proposal.text
        if act is Act.DROP and proposal.reason == "weak":
            self.open.append(finding)
        if act is Act.MERGE and entry_id in held:
            old = held[entry_id]
            held[entry_id] = replace(old, last_at=finding.at, weight=old.weight + finding.weight, text=text or old.text)
        elif act in (Act.ADD, Act.SUPERSEDE):
            held.pop(entry_id or "", None)
            held[finding.id] = KnownEntry(
                finding.id, text or finding.text, finding.kind, True, finding.slot, finding.value, finding.at
            )
            if act is Act.SUPERSEDE and entry_id:  # later proposals of the list name the older entry
                held[entry_id] = replace(held.pop(finding.id), id=entry_id)

    def _of(self, topic: Topic) -> dict[str, KnownEntry]:
        return self.entries.setdefault(topic, {})

    def lines(self) -> list[str]:
        """Every line that stands."""
        return [one.text for held in self.entries.values() for one in held.values()]


def after(*said: str) -> list[str]:
    """The lines that stand after each was said in a session of its own."""
    memory = Remembered()
    for one in said:
        memory.say(one)
    return memory.lines()


def read_late(first: str, later: str) -> list[str]:
    """The lines that stand where the older session was read after the newer one."""
    memory = Remembered()
    memory.say(later, day=2)
    memory.say(first, day=1)
    return memory.lines()


def holds(lines: list[str], value: str, without: str = "") -> bool:
    """Whether a line holds one value and not the other."""
    return any(value.lower() in line.lower() and not (without and without.lower() in line.lower()) for line in lines)


@dataclass
class Rates:
    """What became of pairs of an old and a new saying, as shares of them."""

    read: float = 0.0  # the first was kept by itself
    held: float = 0.0  # the new value stands
    stale: float = 0.0  # the old one stands as if it still held
    right: float = 0.0
    late: float = 0.0  # the old one stands where its session was read last
    wrong: list[str] = field(default_factory=list)


def rates(pairs: list[list[str]]) -> Rates:
    """How the pairs of `told_twice.toml` fare."""
    found, share = Rates(), 1 / len(pairs)
    for about, first, later, old, new in pairs:
        before, lines = after(first), after(first, later)
        known, stale, stands = holds(before, old), holds(lines, old, new), not new or holds(lines, new)
        found.read += share * known
        found.held += share * stands
        found.stale += share * stale
        found.late += share * holds(read_late(first, later), old, new)
        found.right += share * (known and stands and not stale)
        if not (known and stands and not stale):
            found.wrong.append(f"{about}: {first} / {later}\n    {before} -> {lines}")
    return found
