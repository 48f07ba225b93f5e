"""What servers said of their models, kept so that no dream asks again for weeks."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from dreamd.state.dialect import insert
from dreamd.state.model_record import ModelRecord
from dreamd.state.schema import models

if TYPE_CHECKING:
    from dreamd.state.database import Database

#: After so long a server is asked again: windows grow.
KEPT_FOR: Final = dt.timedelta(days=30)


class Models:
    """By server and model."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, place: str, model: str, now: dt.datetime) -> ModelRecord | None:
        """What was said of a model; None where nobody asked, or too long ago."""
        query = select(models).where(models.c.place == place, models.c.model == model)
        with self._database.read() as connection:
            row = connection.execute(query).first()
        if row is None or not dt.timedelta(0) <= now - row.asked_at < KEPT_FOR:
            return None
        return ModelRecord(row.window, row.answer)

    def put(self, place: str, model: str, said: ModelRecord, now: dt.datetime) -> None:
        """Keeps what was said, also that nothing was."""
        values = {"window": said.window, "answer": said.answer, "asked_at": now}
        with self._database.write() as connection:
            statement = insert(connection, models).values(place=place, model=model, **values)
            connection.execute(statement.on_conflict_do_update(index_elements=["place", "model"], set_=values))
