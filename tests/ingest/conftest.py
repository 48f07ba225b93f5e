import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dreamd.ingest.scanner import Scanner
from dreamd.sources import Source
from dreamd.state.database import Database
from dreamd.state.sessions import Sessions
from ingest.toy_agent import IDLE, ToyAgent, locate


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "state" / "state.db")
    yield opened
    opened.close()


@pytest.fixture
def sessions(database: Database) -> Sessions:
    return Sessions(database)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "transcripts"
    made.mkdir()
    return made


@pytest.fixture
def agent() -> ToyAgent:
    return ToyAgent()


@pytest.fixture
def scanner(database: Database, root: Path, agent: ToyAgent) -> Callable[..., Scanner]:
    """Makes a scanner over the toy agent's sessions; keywords as Scanner's, `exclude` for the source."""

    def make(exclude: tuple[str, ...] = (), **more: object) -> Scanner:
        arguments = {"idle": IDLE, "adapters": {"toy": agent}, "locate": locate, **more}
        return Scanner([Source("toy", root, exclude)], database, **arguments)

    return make


@pytest.fixture
def dream(database: Database) -> Callable[[dt.datetime], tuple[str, ...]]:
    """Consolidates everything that is pending; returns the ids of the turns."""
    from dreamd.state.run_record import Outcome, RunRecord, Trigger
    from dreamd.state.runs import Conclusion, Runs

    def run(now: dt.datetime) -> tuple[str, ...]:
        from dataclasses import replace

        from ulid import ULID

        runs = Runs(database)
        pending = Sessions(database).pending(now, IDLE)
        record = runs.start(RunRecord(str(ULID()), Trigger.KICK, "offline", now))
        runs.select(record.id, {one.session.row: [turn.row for turn in one.turns] for one in pending})
        runs.conclude(replace(record, outcome=Outcome.COMMITTED, ended_at=now), Conclusion())
        return tuple(turn.id for one in pending for turn in one.turns)

    return run
