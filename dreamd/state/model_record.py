"""What a server said of a model, as the state keeps it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """A model's limits in tokens; None: the server does not say."""

    window: int | None = None
    answer: int | None = None
