"""What a stretch of a log adds up to, whoever wrote it: records, damaged lines, a person's turns, the times between."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from dreamd.clock import parse_time
from dreamd.transcripts.event import Cursor, Growth, Origin, Reading
from dreamd.transcripts.turn import PersonTurn

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Decoded(Generic[R]):
    """The records of one physical line; `bad`: it was not exactly one record."""

    records: tuple[R, ...]
    bad: bool = False


@dataclass(slots=True)
class Sums:
    """What was counted so far."""

    records: int = 0
    bad_lines: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    turns: list[PersonTurn] = field(default_factory=list)
    first_at: dt.datetime | None = None
    last_at: dt.datetime | None = None

    def each(
        self,
        lines: Iterable[tuple[int, bytes]],
        decode: Callable[[bytes], R | None],
        decode_tolerantly: Callable[[bytes], Decoded[R]],
    ) -> Iterator[tuple[R, int]]:
        """The records of the lines with the offsets of these; a line that `decode` refuses is read tolerantly and counted as bad if it is."""
        for offset, line in lines:
            record = decode(line)
            if record is not None:
                yield record, offset
                continue
            saved = decode_tolerantly(line)
            self.bad_lines += saved.bad
            for each in saved.records:
                yield each, offset

    def time(self, text: str | None) -> None:
        """A record's own time; what is none is passed over."""
        if (at := parse_time(text)) is not None:
            self.first_at = min(self.first_at or at, at)
            self.last_at = max(self.last_at or at, at)

    def reading(
        self,
        growth: Growth,
        cursor: Cursor,
        *,
        bytes_read: int,
        oversized: int,
        stands: Callable[[PersonTurn], bool],
    ) -> Reading:
        """What every agent's reading holds; of the turns those that were not taken back."""
        heard = [turn for turn in self.turns if stands(turn)]
        return Reading(
            growth=growth,
            cursor=cursor,
            bytes_read=bytes_read,
            records=self.records,
            bad_lines=self.bad_lines,
            oversized_lines=oversized,
            unknown_types=dict(self.unknown),
            turns=tuple(turn.counted for turn in heard if turn.origin is not Origin.HEADLESS),
            headless_turns=tuple(turn.counted for turn in heard if turn.origin is Origin.HEADLESS),
            first_at=self.first_at,
            last_at=self.last_at,
        )
