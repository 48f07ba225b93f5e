"""What servers said of their models, as the state keeps it from run to run."""

from __future__ import annotations

from dreamd.dream.books import Books
from dreamd.state.model_record import ModelRecord


class Shelf:
    """What the state knows of models; implements `dreamd.engines.costly.Book`."""

    def __init__(self, shop: Books) -> None:
        self._shop = shop

    def get(self, place: str, model: str) -> ModelRecord | None:
        """See Book."""
        return self._shop.models.get(place, model, self._shop.clock.now())

    def put(self, place: str, model: str, said: ModelRecord) -> None:
        """See Book."""
        self._shop.models.put(place, model, said, self._shop.clock.now())
