"""What is counted of one transcript file, and how a reading adds to it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Final

from dreamd.transcripts.event import Cursor, FileStamp, Growth, Reading

if TYPE_CHECKING:
    from dreamd.state.columns import AnyRow

#: So many messages may still be growing at the end of what was read (clients that share one session interleave).
RECENT_MESSAGES: Final = 8

_TYPES: Final = 50
_TYPE_NAME: Final = 60

#: The cursor columns of a file of which nothing was read.
UNREAD: Final = {"consumed": 0, "head": "", "tail": "", "crc": 0}

_NOTHING_READ: Final = Reading(growth=Growth.NEW, cursor=Cursor())


@dataclass(frozen=True, slots=True)
class _Known:
    """What was counted before."""

    records: int = 0
    bad_lines: int = 0
    oversized_lines: int = 0
    unknown_types: Mapping[str, int] = field(default_factory=dict)
    tokens_in: int = 0
    tokens_out: int = 0
    recent_messages: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    first_at: dt.datetime | None = None
    last_at: dt.datetime | None = None


_COUNTED: Final = tuple(one.name for one in fields(_Known))


def cursor_of(row: AnyRow) -> Cursor:
    """The cursor in a row of the files table."""
    stamp = None if row.size is None else FileStamp(size=row.size, mtime_ns=row.mtime_ns, inode=row.inode)
    return Cursor(consumed=row.consumed, head=row.head, tail=row.tail, crc=row.crc, stamp=stamp)


def after(row: AnyRow | None, reading: Reading | None, settled: bool, now: dt.datetime) -> dict[str, object]:
    """The columns of a file after a reading; `row` is what was stored before, None for a file never seen."""
    read = reading or _NOTHING_READ
    stamp = read.cursor.stamp
    values: dict[str, object] = {
        "size": stamp.size if stamp else None,
        "mtime_ns": stamp.mtime_ns if stamp else None,
        "inode": stamp.inode if stamp else None,
        "consumed": read.cursor.consumed,
        "head": read.cursor.head,
        "tail": read.cursor.tail,
        "crc": read.cursor.crc,
        "settled": settled,
        "lost_at": None,
    }
    if row is None or row.size is None or read.growth in {Growth.NEW, Growth.REWRITTEN}:
        return values | _counts(_Known(), read) | {"grown_at": now if _rewritten(row, read) else None}
    # A settled reading of an old tail is no growth; nor is anything else that left the size as it was.
    grown = stamp is not None and stamp.size != row.size
    return values | _counts(_known(row), read) | {"grown_at": now if grown else row.grown_at}


def _known(row: AnyRow) -> _Known:
    return _Known(**{name: getattr(row, name) for name in _COUNTED})


def _rewritten(row: AnyRow | None, read: Reading) -> bool:
    return row is not None and row.size is not None and read.growth is Growth.REWRITTEN


def _counts(known: _Known, read: Reading) -> dict[str, object]:
    tokens_in, tokens_out, recent = _tokens(known, read)
    return {
        "records": known.records + read.records,
        "bad_lines": known.bad_lines + read.bad_lines,
        "oversized_lines": known.oversized_lines + read.oversized_lines,
        "unknown_types": _types(known.unknown_types, read.unknown_types),
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "recent_messages": recent,
        "first_at": min(filter(None, (known.first_at, read.first_at)), default=None),
        "last_at": max(filter(None, (known.last_at, read.last_at)), default=None),
    }


def _types(*tallies: Mapping[str, int]) -> dict[str, int]:
    """The tallies added up; names are cut and only the commonest kept, for they come out of somebody's file."""
    total: Counter[str] = Counter()
    for tally in tallies:
        for name, number in tally.items():
            total[name[:_TYPE_NAME]] += number
    return dict(total.most_common(_TYPES))


def _tokens(known: _Known, read: Reading) -> tuple[int, int, dict[str, tuple[int, int]]]:
    """Each message's largest figures once, although its lines may be spread over several readings."""
    tokens_in, tokens_out = known.tokens_in, known.tokens_out
    recent = dict(known.recent_messages)
    for message in dict.fromkeys((*read.input_tokens, *read.output_tokens)):
        in_before, out_before = recent.pop(message, (0, 0))
        in_now = max(in_before, read.input_tokens.get(message, 0))
        out_now = max(out_before, read.output_tokens.get(message, 0))
        tokens_in += in_now - in_before
        tokens_out += out_now - out_before
        recent[message] = (in_now, out_now)
    return tokens_in, tokens_out, dict(list(recent.items())[-RECENT_MESSAGES:])
