"""What a person wants forgotten: out of memory, findings, plans, index and archive, and not learned again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from dreamd.dream.clerk import bare
from dreamd.dream.erasing import Erasure, carry_out, note
from dreamd.dream.explain import find
from dreamd.dream.indexing import turn_mark
from dreamd.dream.orient import Orientation, look
from dreamd.dream.prune import prune
from dreamd.dream.revise import Desk, revision
from dreamd.dream.workshop import Workshop
from dreamd.errors import UsageError
from dreamd.memory.document import entry_key
from dreamd.memory.layout import POINTER
from dreamd.memory.plan import ChangeKind, EntryRecord, Reason
from dreamd.memory.survey import Theirs
from dreamd.memory.wish import Wish
from dreamd.state.records import FindingRecord, SessionRecord
from dreamd.state.run_record import RunRecord, Trigger
from dreamd.state.runs import Conclusion


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What went: the run, how much of each, and whether history still holds it."""

    run: RunRecord
    entries: int
    findings: int
    sessions: int
    history_holds: bool


@dataclass(frozen=True, slots=True)
class _Doomed:
    """What is to go, before anything does."""

    records: tuple[EntryRecord, ...]  # entries that rest on nothing else
    weakened: tuple[EntryRecord, ...]  # entries that lose some of their evidence
    findings: tuple[FindingRecord, ...]
    sessions: tuple[SessionRecord, ...]


def forget_line(shop: Workshop, text: str, *, purge_history: bool = False) -> Forgotten:
    """Forgets the remembered line that reads like `text`. Raises UsageError for none, or for a line of the person's own."""
    with revision(shop, Trigger.FORGET) as desk:
        ground = _ground(shop)
        line = find(ground.survey, text)
        if isinstance(line, Theirs):
            raise UsageError(
                f"{line.file}:{line.line} is your own line; dreamd never deletes those", hint="delete it in the file"
            )
        record = line.now
        cited = shop.findings.get(record.findings)
        doomed = _Doomed((record,), (), cited, ())
        return _carry_out(shop, desk, ground, doomed, purge_history=purge_history)


def forget_sessions(shop: Workshop, sessions: Collection[SessionRecord], *, purge_history: bool = False) -> Forgotten:
    """Forgets everything that rests on these sessions alone, and their archived copies. Their transcripts stay untouched."""
    with revision(shop, Trigger.FORGET) as desk:
        ground = _ground(shop)
        turns = {turn.id for session in sessions for turn in shop.sessions.turns(session.row)}
        rows = {session.row for session in sessions}
        findings = tuple(shop.findings.about(rows, turns))
        gone = {one.id for one in findings} | _from_history(shop, {session.name for session in sessions})
        records: list[EntryRecord] = []
        weakened: list[EntryRecord] = []
        for record in ground.knowledge.records:
            left = tuple(finding for finding in record.findings if finding not in gone)
            if record.kind != POINTER and len(left) < len(record.findings):
                (weakened if left else records).append(replace(record, findings=left) if left else record)
        doomed = _Doomed(tuple(records), tuple(weakened), findings, tuple(sessions))
        return _carry_out(shop, desk, ground, doomed, purge_history=purge_history)


def _carry_out(shop: Workshop, desk: Desk, ground: Orientation, doomed: _Doomed, *, purge_history: bool) -> Forgotten:
    """Memory first, through the one commit; then everything else, each step harmless to do twice."""
    gone = {record.id for record in doomed.records}
    weak = {record.id: record for record in doomed.weakened}
    wishes = [
        Wish(record, ChangeKind.REMOVE, Reason.FORGOTTEN, record.text)
        if record.id in gone
        else Wish(weak[record.id], ChangeKind.UPDATE, Reason.FORGOTTEN, record.text)
        if record.id in weak
        else Wish(record)
        for record in ground.knowledge.records
    ]
    plan, made = prune(shop, ground, wishes, desk.record.id, aging=False)
    now = shop.clock.now()
    words = [key for record in doomed.records for key in (record.key, entry_key(bare(record.text)))]
    words += [key for finding in doomed.findings for key in (finding.key, entry_key(finding.text))]
    words += [session.name for session in doomed.sessions]
    words += [turn_mark(finding.turn_id) for finding in doomed.findings]
    erasure = Erasure(
        run=desk.record.id,
        entries=tuple(sorted(gone)),
        findings=tuple(finding.id for finding in doomed.findings),
        sessions=tuple(session.row for session in doomed.sessions),
        names=tuple(_indexed(shop, doomed)),
        copies=tuple(_copies(doomed.sessions)),
        purge=purge_history,
    )
    note(shop, erasure)
    shop.withheld.add(words, reason="forgotten", run_id=desk.record.id, now=now)
    ended = desk.commit(ground.tree, ground.survey, plan, Conclusion(success=False), reason="forget", made=made)
    carry_out(shop, erasure)
    return Forgotten(
        ended, len(doomed.records), len(doomed.findings), len(doomed.sessions), not purge_history and bool(gone)
    )


def _indexed(shop: Workshop, doomed: _Doomed) -> Iterator[str]:
    """The sessions that leave the index: those forgotten, and those that hold a turn it rests on (they come back without it)."""
    rows = {finding.session for finding in doomed.findings} | {session.row for session in doomed.sessions}
    lineages = {one.lineage for one in shop.sessions.by_rows(rows)}
    return (one.name for one in shop.sessions.list() if one.row in rows or one.lineage in lineages)


def _from_history(shop: Workshop, names: Collection[str]) -> set[str]:
    """Findings of these sessions as the plans name them: a database that was rebuilt does not know them."""
    return {
        finding
        for entry in shop.history.log()
        if entry.plan is not None
        for finding, name in entry.plan.evidence
        if name in names
    }


def _copies(sessions: Iterable[SessionRecord]) -> Iterator[tuple[str, str]]:
    for session in sessions:
        if session.archive_path and session.archive_digest:
            yield session.archive_path, session.archive_digest


def _ground(shop: Workshop) -> Orientation:
    tree, found, knowledge = look(shop)
    return Orientation(tree, found, knowledge, (), 0)
