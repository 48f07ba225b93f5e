"""Long lists of ids in pieces that one SQL statement can take."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: SQLite takes 32,766 parameters in one statement, PostgreSQL 32,767.
SIZE: Final = 5_000

Item = TypeVar("Item")


def chunks(items: Iterable[Item], size: int = SIZE) -> Iterator[list[Item]]:
    """The items in lists of at most `size`, in their order; nothing for no items."""
    rest = iter(items)
    while piece := list(islice(rest, size)):
        yield piece
