"""Where a model that knows what texts mean (`dreamd.meaning`) may join in the search: its order and that of the words become one.

None does by default. The one multilingual model that can be had from a package was measured (benchmarks/README.md) and made the order
worse; who has a better one hands it to `Index`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

#: So many hits by words are looked at again.
DEPTH = 50
_RANK = 10  # the constant of reciprocal rank fusion: small, so that the first places count
_SHARE = 0.3  # of the model's order beside that of the words

T = TypeVar("T")


def fused(ordered: Sequence[T], nearness: Sequence[float]) -> list[T]:
    """What words have put in order, put in order by words and meaning: reciprocal rank fusion with a fixed share.

    Args:
        ordered: best first.
        nearness: one number for each of them, in the same order.
    """
    by_meaning = sorted(range(len(ordered)), key=lambda place: -nearness[place])
    score = {place: 1 / (_RANK + place) for place in range(len(ordered))}
    for rank, place in enumerate(by_meaning):
        score[place] += _SHARE / (_RANK + rank)
    return [ordered[place] for place in sorted(score, key=lambda place: -score[place])]
