"""Tombstones beside the database: keyed digests and their key in a file of their own, so that a lost database does not learn again."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import select

from dreamd.errors import StateError
from dreamd.state.dialect import insert
from dreamd.state.marks import Mark
from dreamd.state.schema import marks, withheld

if TYPE_CHECKING:
    from pathlib import Path

    from dreamd.state.database import Database

NAME = "tombstones.json"


@dataclass(frozen=True, slots=True)
class _Stone:
    digest: str
    reason: str
    run: str
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class _Stones:
    key: str  # hex
    stones: tuple[_Stone, ...]


def keep(database: Database) -> None:
    """Writes what the database withholds beside it; nothing happens where the file says so already. Raises StateError."""
    with database.read() as connection:
        key = connection.scalar(select(marks.c.value).where(marks.c.name == Mark.MACHINE_KEY.value))
        columns = (withheld.c.digest, withheld.c.reason, withheld.c.run, withheld.c.at)
        rows = connection.execute(select(*columns).order_by(withheld.c.digest)).all()
    if key is None:
        return
    data = msgspec.json.encode(_Stones(key, tuple(_Stone(*row) for row in rows)))
    path = database.path.with_name(NAME)
    with contextlib.suppress(OSError):
        if path.read_bytes() == data:
            return
    beside = path.with_name(f"{NAME}.tmp")
    try:
        beside.unlink(missing_ok=True)
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise StateError(
            f"{NAME} cannot be written: {error.strerror or type(error).__name__}",
            hint="check space and rights of the state directory",
        ) from error


def put_back(database: Database) -> int:
    """Lets a new database withhold what the file beside it names, under its key; how many. A file that cannot be read says nothing."""
    path: Path = database.path.with_name(NAME)
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Stones)
        bytes.fromhex(found.key)
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
        return 0
    with database.write() as connection:
        name = {"name": Mark.MACHINE_KEY.value, "value": found.key}
        connection.execute(insert(connection, marks).on_conflict_do_nothing(), [name])
        rows = [{"digest": one.digest, "reason": one.reason, "run": one.run, "at": one.at} for one in found.stones]
        if rows:
            connection.execute(insert(connection, withheld).on_conflict_do_nothing(), rows)
    return len(found.stones)
