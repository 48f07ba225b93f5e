"""Single facts that outlive runs: when the last dream succeeded, until when dreams are paused, this machine's key."""

from __future__ import annotations

import datetime as dt
import secrets
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from dreamd.clock import parse_time
from dreamd.state.dialect import insert
from dreamd.state.schema import marks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from dreamd.state.database import Database


class Mark(StrEnum):
    """The marks that the state itself sets or reads; other modules may keep texts under names of their own."""

    LAST_SUCCESS_AT = "last_success_at"
    LAST_ATTEMPT_AT = "last_attempt_at"
    PAUSED_UNTIL = "paused_until"
    LAST_ERROR = "last_error"
    RULES = "rules"
    MACHINE_KEY = "machine_key"
    CONTRADICTIONS = "contradictions"  # lines of a person that newer evidence stands against
    REBUILT_AT = "rebuilt_at"
    REFUSED = "refused"  # what stood when a dream was refused


def put(connection: Connection, name: str, value: str | dt.datetime | None) -> None:
    """Sets one mark inside the caller's transaction; None removes it."""
    if value is None:
        connection.execute(delete(marks).where(marks.c.name == name))
        return
    text = value.astimezone(dt.UTC).isoformat() if isinstance(value, dt.datetime) else value
    statement = insert(connection, marks).values(name=name, value=text)
    connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_={"value": text}))


class Marks:
    """Names with one value each."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> Mapping[str, str]:
        """Every mark but the machine's key."""
        with self._database.read() as connection:
            found = dict(connection.execute(select(marks.c.name, marks.c.value)).all())
        found.pop(Mark.MACHINE_KEY, None)
        return found

    def text(self, name: str) -> str | None:
        """The value of a mark, None where it is not set."""
        with self._database.read() as connection:
            return connection.scalar(select(marks.c.value).where(marks.c.name == name))

    def time(self, name: str) -> dt.datetime | None:
        """The value of a mark that holds a time, in UTC."""
        return parse_time(self.text(name))

    def set(self, name: str, value: str | dt.datetime | None) -> None:
        """Sets a mark; None removes it."""
        with self._database.write() as connection:
            put(connection, name, value)

    def machine_key(self) -> bytes:
        """32 random bytes of this database, made when first asked for: the key of tombstones."""
        known = self.text(Mark.MACHINE_KEY)
        if known is None:
            with self._database.write() as connection:
                statement = insert(connection, marks).values(name=Mark.MACHINE_KEY.value, value=secrets.token_hex(32))
                connection.execute(statement.on_conflict_do_nothing())
                known = connection.scalar(select(marks.c.value).where(marks.c.name == Mark.MACHINE_KEY.value))
        return bytes.fromhex(known or "")
