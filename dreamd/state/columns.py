"""How values that SQL has no exact type for are stored: moments and unsigned 64-bit numbers, both as integers."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import BigInteger
from sqlalchemy.types import TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy import Row
    from sqlalchemy.engine import Dialect

    #: A row as a query gives it; it goes no further than the module that asked.
    AnyRow: TypeAlias = Row[*tuple[Any, ...]]

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROSECOND = dt.timedelta(microseconds=1)
_SIGN = 1 << 63
_SPAN = 1 << 64


def micros(moment: dt.datetime) -> int:
    """Microseconds since 1970 in UTC; exact, so that a stored moment equals the one that was given."""
    return (moment - EPOCH) // MICROSECOND


def moment(value: int) -> dt.datetime:
    """The aware UTC datetime of so many microseconds since 1970."""
    return EPOCH + dt.timedelta(microseconds=value)


def signed(value: int) -> int:
    """An unsigned 64-bit number as the signed one with the same bits (databases have no unsigned integers)."""
    return value - _SPAN if value >= _SIGN else value


class Moment(TypeDecorator[dt.datetime]):
    """A point in time as integer microseconds: the same in every database, ordered, and free of time zones."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002 - SQLAlchemy's signature
        """To the database."""
        return None if value is None else micros(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> dt.datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        """From the database."""
        return None if value is None else moment(value)


class Unsigned(TypeDecorator[int]):
    """A 64-bit number without a sign; inode numbers of some file systems use the top bit."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:  # noqa: ARG002 - SQLAlchemy's signature
        """To the database."""
        return None if value is None else signed(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> int | None:  # noqa: ARG002 - SQLAlchemy's signature
        """From the database."""
        return None if value is None else value % _SPAN
