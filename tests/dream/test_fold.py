"""Entries that come to say the same."""

import datetime as dt

from dreamd.dream.clerk import Shelf
from dreamd.dream.consolidate import Consolidation, Knowledge, consolidate
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.protocol import Act, Finding, Kind, Proposal, Reconciliation, Scope, Topic
from dreamd.memory.document import entry_key
from dreamd.memory.plan import ChangeKind, EntryRecord, Reason

NOW = dt.datetime(2026, 3, 10, 12, tzinfo=dt.UTC)
TOPIC = Topic(Scope.PROJECT, "orchard", "k")


def record(number: int, text: str) -> EntryRecord:
    return EntryRecord(
        id=f"E{number}",
        file="projects/orchard.md",
        section="Facts",
        text=text,
        key=entry_key(text),
        kind="fact",
        scope="project",
        subject="orchard",
        project_key="k",
        last_at=NOW - dt.timedelta(days=3),
        findings=(f"old{number}",),
    )


def finding(number: int, text: str) -> Finding:
    return Finding(Kind.COMMAND, Scope.PROJECT, text, f"t{number}", NOW, text, id=f"f{number}", project_key="k")


def settled(known: list[EntryRecord], found: list[Finding], *proposals: Proposal) -> Consolidation:
    class Engine(OfflineEngine):
        def reconcile(self, *_: object) -> Reconciliation:
            return Reconciliation(proposals)

    return consolidate(
        Engine(),
        Knowledge(tuple(known), (), ()),
        found,
        lambda _: Shelf(TOPIC, "projects/orchard.md"),
        withheld=lambda _: None,
        reject=lambda _: None,
        run_id="R",
        now=NOW,
        zone=dt.UTC,
    )


def test_what_another_entry_says_already_takes_the_evidence_and_the_older_entry_goes() -> None:
    known = [record(1, "Run make check."), record(2, "Run make test.")]
    done = settled(
        known, [finding(1, "Run make check.")], Proposal(Act.SUPERSEDE, ("f1",), entry_id="E2", reason="newer_value")
    )
    acts = {wish.record.id: (wish.act, wish.reason) for wish in done.wishes}
    assert acts == {"E1": (ChangeKind.MERGE, Reason.NEWER_VALUE), "E2": (ChangeKind.REMOVE, Reason.DUPLICATE)}
    (kept,) = [wish.record for wish in done.wishes if wish.record.id == "E1"]
    assert set(kept.findings) == {"old1", "old2", "f1"}
    assert kept.last_at == NOW
    assert [(fate.finding, fate.entry) for fate in done.fates] == [("f1", "E1")]


def test_an_addition_that_becomes_another_entry_was_never_made() -> None:
    done = settled(
        [record(1, "Run make check.")],
        [finding(1, "Run make lint."), finding(2, "Run make check.")],
        Proposal(Act.ADD, ("f1",), reason="new"),
        Proposal(Act.SUPERSEDE, ("f2",), entry_id="f1", reason="newer_value"),
    )
    assert [(wish.record.id, wish.act) for wish in done.wishes] == [("E1", ChangeKind.MERGE)]
    assert {fate.entry for fate in done.fates} == {"E1"}
