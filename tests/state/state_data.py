"""Sightings made by hand, for tests of the state without any transcript."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from ulid import ULID

from dreamd.state.database import Database
from dreamd.state.exclusion import Rules
from dreamd.state.records import FindingRecord, SessionRecord
from dreamd.state.run_record import Outcome, RunRecord, Trigger
from dreamd.state.runs import Conclusion, Runs
from dreamd.state.sessions import Sessions
from dreamd.state.sighting import Sighting
from dreamd.state.sightings import Sightings
from dreamd.transcripts.event import Cursor, FileStamp, Growth, HumanTurn, Origin, Reading, SessionFile

T0 = dt.datetime(2026, 3, 2, 9, 0, 0, 123456, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)
IDLE = dt.timedelta(minutes=30)
BEGINNING = Cursor()


def sighting(
    name: str, turns: Sequence[str], *, at: dt.datetime = T0, before: Cursor = BEGINNING, **more: object
) -> Sighting:
    """A first reading of a session with these turns."""
    size = 100 * (len(turns) + before.consumed // 100)
    stamp = FileStamp(size, 1, 2**64 - 1)
    file = SessionFile("toy", name, f"/t/{name}.jsonl", "main", stamp)
    reading = Reading(
        growth=Growth.APPENDED if before.consumed else Growth.NEW,
        cursor=Cursor(size, "h", "t", size, stamp),
        turns=tuple(HumanTurn(turn, 100 * number, at, Origin.TYPED) for number, turn in enumerate(turns)),
        first_at=at,
        last_at=at,
        lineage=more.pop("lineage", None),
    )
    return Sighting(file, "/t", before, replace(reading, **more))


def see(database: Database, *seen: Sighting, now: dt.datetime = T0 + DAY) -> None:
    """Stores sightings."""
    Sightings(database).take(seen, Rules(), now)


def start(database: Database, *, trigger: Trigger = Trigger.KICK, at: dt.datetime = T0 + DAY) -> RunRecord:
    """A run that begins and selects everything pending."""
    runs = Runs(database)
    record = runs.start(RunRecord(str(ULID()), trigger, "offline", at))
    pending = Sessions(database).pending(at, IDLE)
    runs.select(record.id, {one.session.row: [turn.row for turn in one.turns] for one in pending})
    return record


def ended(record: RunRecord, outcome: Outcome, *, after: dt.timedelta = HOUR, **more: object) -> RunRecord:
    """The run as it ends."""
    return replace(record, outcome=outcome, ended_at=record.started_at + after, **more)


def dream(database: Database, at: dt.datetime = T0 + DAY) -> RunRecord:
    """A whole dream that reads everything."""
    return Runs(database).conclude(ended(start(database, at=at), Outcome.COMMITTED), Conclusion())


def finding(session: SessionRecord, turn: str, key: str = "", **more: object) -> FindingRecord:
    """A finding that rests on a turn."""
    values = {
        "kind": "preference",
        "scope": "general",
        "text": f"Said in {turn}.",
        "turn_id": turn,
        "at": T0,
        "quote": "…",
        "key": key or f"key-{turn}",
        "project_key": "p",
        "path": session.path,
        **more,
    }
    return FindingRecord(**values)
