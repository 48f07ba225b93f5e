"""Tombstones: what must not be learned again, kept as keyed digests so that the table does not hold the words."""

from __future__ import annotations

import datetime as dt
import hmac
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from dreamd.state import tombstones
from dreamd.state.chunks import chunks
from dreamd.state.dialect import insert
from dreamd.state.marks import Marks
from dreamd.state.schema import withheld

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dreamd.state.database import Database


class Withheld:
    """Texts (a finding's key, a normalised line, a session's name) that dreamd knows again without knowing them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._key = b""

    def digest(self, text: str) -> str:
        """HMAC-SHA256 under this database's own key: nobody can try words against a copied table without it."""
        self._key = self._key or Marks(self._database).machine_key()
        return hmac.digest(self._key, text.encode("utf-8", "surrogatepass"), "sha256").hex()

    def add(self, texts: Iterable[str], *, reason: str, run_id: str, now: dt.datetime) -> None:
        """Withholds these; what is withheld already keeps its first reason."""
        rows = [
            {"digest": digest, "reason": reason, "run": run_id, "at": now}
            for digest in sorted({self.digest(text) for text in texts})
        ]
        if not rows:
            return
        with self._database.write() as connection:
            connection.execute(insert(connection, withheld).on_conflict_do_nothing(), rows)
        self.keep()

    def holds(self, text: str) -> bool:
        """Whether this is withheld."""
        return bool(self.among([text]))

    def among(self, texts: Iterable[str]) -> dict[str, str]:
        """Those of the texts that are withheld, each with its reason."""
        digests = {self.digest(text): text for text in texts}
        found: dict[str, str] = {}
        with self._database.read() as connection:
            for piece in chunks(sorted(digests)):
                rows = connection.execute(
                    select(withheld.c.digest, withheld.c.reason).where(withheld.c.digest.in_(piece))
                )
                found.update((digests[digest], reason) for digest, reason in rows)
        return found

    def keep(self) -> None:
        """Writes them beside the database too (see `tombstones`). Raises StateError where that cannot be."""
        tombstones.keep(self._database)

    def put_back(self) -> int:
        """Takes over what the file beside a new database names; how many."""
        self._key = b""
        return tombstones.put_back(self._database)

    def release(self, texts: Iterable[str]) -> int:
        """Lets these be learned again (new evidence came). Returns how many were withheld."""
        digests = sorted({self.digest(text) for text in texts})
        with self._database.write() as connection:
            gone = sum(
                connection.execute(delete(withheld).where(withheld.c.digest.in_(piece))).rowcount
                for piece in chunks(digests)
            )
        self.keep()
        return gone

    def release_run(self, run_id: str) -> int:
        """Lets everything be learned again that this run withheld. Returns how many that were."""
        with self._database.write() as connection:
            gone = connection.execute(delete(withheld).where(withheld.c.run == run_id)).rowcount
        self.keep()
        return gone
