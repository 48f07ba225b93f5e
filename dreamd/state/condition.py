"""What can be seen of the state database before it is opened."""

from __future__ import annotations

import contextlib
import sqlite3
from enum import StrEnum
from urllib.parse import quote

from dreamd.config import Places


class DatabaseCondition(StrEnum):
    """What can be seen of the state database without changing it."""

    GOOD = "good"
    NEW = "new"  # there is none, and nothing says that there ever was
    LOST = "lost"  # there is none, or an empty one, and history knows of dreams
    DAMAGED = "damaged"
    BUSY = "busy"
    UNREADABLE = "unreadable"


#: Conditions that a rebuild mends.
REBUILT = frozenset({DatabaseCondition.LOST, DatabaseCondition.DAMAGED})


def database_condition(places: Places, *, thorough: bool = True) -> DatabaseCondition:
    """Looks at the database read-only; `thorough` reads every page of it (PRAGMA quick_check)."""
    path = places.database
    if not path.exists() or path.stat().st_size == 0:
        return DatabaseCondition.LOST if _dreamt(places) else DatabaseCondition.NEW
    try:
        with contextlib.closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=5)) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            sound = not thorough or database.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except sqlite3.OperationalError as fault:
        busy = "locked" in str(fault) or "busy" in str(fault)
        return DatabaseCondition.BUSY if busy else DatabaseCondition.UNREADABLE
    except sqlite3.DatabaseError:
        return DatabaseCondition.DAMAGED
    if not sound:
        return DatabaseCondition.DAMAGED
    if "sessions" in tables:
        return DatabaseCondition.GOOD
    return DatabaseCondition.LOST if _dreamt(places) else DatabaseCondition.NEW


def _dreamt(places: Places) -> bool:
    """Whether history has a commit, looked up without opening a repository, or something lies there that was paid for."""
    heads = places.history / "refs" / "heads"
    packed = places.history / "packed-refs"
    committed = (heads.is_dir() and any(heads.iterdir())) or (packed.is_file() and packed.stat().st_size > 0)
    return committed or any((places.state_dir / "answers").glob("reading-*"))
