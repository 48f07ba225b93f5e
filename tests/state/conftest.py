from collections.abc import Iterator
from pathlib import Path

import pytest

from dreamd.state.database import Database
from dreamd.state.runs import Runs
from dreamd.state.sessions import Sessions


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    opened = Database.open(path)
    yield opened
    opened.close()


@pytest.fixture
def sessions(database: Database) -> Sessions:
    return Sessions(database)


@pytest.fixture
def runs(database: Database) -> Runs:
    return Runs(database)
