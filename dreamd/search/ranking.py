"""How well a row answers a query: its own words, who said it where and when, what stands beside it, the session it is part of."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dreamd.search.candidates import Weighed
from dreamd.search.dates import Dates
from dreamd.search.marks import counter, folded

MAX_READ = 20_000  # characters of a text that are looked at
_K1, _B = 0.9, 0.4  # BM25's saturation of repeated words and its share of length
_PHRASE = 0.15  # the query word for word
_FIELD = 1.5  # a word that is the turn's speaker or project, beside one in its text
_NAMED = 0.3  # a speaker's name in another's words
_DATE = 0.5  # the day, month or year of the query, in average words
#: Of what stands so many turns before or behind: an answer stands behind its question.
_STEPS = {-1: 0.5, -2: 0.2, 1: 0.15}
_SESSION = 0.2  # of the share of the query that the session's best turns hold together
_LOOKED_BESIDE = 25  # rows whose neighbours are looked at
_TYPED = 1.05  # of two equal answers the one that a person typed comes first
_FOUND = 0.02  # of a row that the index found by a form of a word that is not seen here


class Turn(NamedTuple):
    """What of a row counts. Lines of memory have the text alone."""

    row: int
    session: int
    speaker: str
    project: str
    at: int | None  # milliseconds since 1970
    text: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query made ready: weighted counters, the phrase, the days it names, who may have spoken."""

    terms: tuple[tuple[float, str, Callable[[str], float]], ...]
    whole: float  # what a row gets that holds each term once
    phrase: str
    dates: Dates
    speakers: frozenset[str]

    @classmethod
    def of(cls, terms: Sequence[Weighed], query: str, speakers: Iterable[str] = ()) -> Asked:
        """From the terms of `candidates.weighed`; `speakers`: folded names of those who speak in the index."""
        return cls(
            tuple((one.weight, folded(one.term.shown), counter(one.term)) for one in terms),
            sum(one.weight for one in terms) or 1.0,
            folded(" ".join(query.split())),
            Dates.named_in(query),
            frozenset(speakers),
        )


class Judged(NamedTuple):
    """A row's own score, and what each term of the query gave it."""

    score: float
    parts: tuple[float, ...]

    @property
    def held(self) -> bool:
        """Whether it holds any term."""
        return any(self.parts)


def own(asked: Asked, turn: Turn, average: float) -> Judged:
    """BM25 over the text with speaker, project and date as further fields; 1.0 for each term once."""
    text = folded(turn.text)
    length = 1 - _B + _B * len(text) / average
    speaker, project = folded(turn.speaker), folded(turn.project)
    parts = []
    for weight, word, count in asked.terms:
        times = count(text)
        if word in asked.speakers:
            times = _NAMED * min(times, 1) + _FIELD * any(name.startswith(word) for name in speaker.split())
        elif word == project or word in project.split("-"):
            times += _FIELD
        parts.append(weight * times * (_K1 + 1) / (times + _K1 * length) / asked.whole if times else 0.0)
    score, held = sum(parts), any(parts)
    if held and asked.dates and asked.dates.hold(_moment(turn.at)):
        score += _DATE / (len(asked.terms) or 1)
    if held and len(asked.phrase) > 1 and asked.phrase in text:
        score += _PHRASE
    return Judged(score * (_TYPED if turn.role == "human" else 1.0), tuple(parts))


def ranked(
    db: sqlite3.Connection | None,
    asked: Asked,
    turns: Mapping[int, Turn],
    order: Mapping[int, int],
    *,
    beside: bool = False,
) -> list[tuple[int, float]]:
    """(row, score) of turns, best first; rows that hold nothing of the query are left out.

    Args:
        db: where neighbours are read; None: there are none.
        asked: the query.
        turns: the candidates.
        order: row → its place by bm25; it decides among equals.
        beside: give what stands beside the best too.
    """
    average = _average(turns.values())
    judged = {row: own(asked, turn, average) for row, turn in turns.items()}
    judged = {row: one if one.held else Judged(_FOUND, one.parts) for row, one in judged.items()}
    best = sorted(judged, key=lambda row: -judged[row].score)[:_LOOKED_BESIDE]
    around = _around(db, best, turns) if db else {}
    for row, turn in around.items():
        judged[row] = own(asked, turn, average)
    known = {**turns, **around}
    shares = _shares(asked, known, judged)
    total = {
        row: one.score + (_lent(row, known, judged) if db else 0.0) + _SESSION * shares[known[row].session]
        for row, one in judged.items()
        if beside or row in turns
    }
    last = len(order)
    return sorted(
        ((row, score) for row, score in total.items() if beside or row in turns),
        key=lambda one: (-round(one[1], 3), order.get(one[0], last)),
    )


def _around(db: sqlite3.Connection, best: Iterable[int], turns: Mapping[int, Turn]) -> dict[int, Turn]:
    """The turns beside the best that are none of them, of the same sessions."""
    wanted = {(row + step, turns[row].session) for row in best for step in _STEPS}
    found = read(db, {row for row, _ in wanted} - turns.keys())
    return {row: turn for row, turn in found.items() if (row, turn.session) in wanted}


def _lent(row: int, turns: Mapping[int, Turn], judged: Mapping[int, Judged]) -> float:
    """What turns around a row lend it: of each term as much as they have more of it, less with distance."""
    session = turns[row].session
    near = [
        (weight, judged[row + step].parts)
        for step, weight in _STEPS.items()
        if row + step in judged and turns[row + step].session == session
    ]
    return sum(
        max(0.0, *(weight * parts[number] for weight, parts in near), 0.0) - had
        for number, had in enumerate(judged[row].parts)
        if any(weight * parts[number] > had for weight, parts in near)
    )


def _shares(asked: Asked, turns: Mapping[int, Turn], judged: Mapping[int, Judged]) -> dict[int, float]:
    """For each session the share of the query's weight that its turns hold together."""
    held: defaultdict[int, set[int]] = defaultdict(set)
    for row, one in judged.items():
        held[turns[row].session] |= {number for number, part in enumerate(one.parts) if part}
    return {session: sum(asked.terms[n][0] for n in numbers) / asked.whole for session, numbers in held.items()}


def read(db: sqlite3.Connection, rows: Iterable[int]) -> dict[int, Turn]:
    """Turns by row; those that do not exist are left out."""
    wanted = list(rows)
    marks = ",".join("?" * len(wanted))
    columns = "t.id, t.session, t.speaker, s.project, t.at, substr(t.text, 1, ?), t.role"
    statement = f"SELECT {columns} FROM turn t JOIN session s ON s.id = t.session WHERE t.id IN ({marks})"  # noqa: S608 - fixed words
    found = db.execute(statement, (MAX_READ, *wanted))
    return {turn[0]: Turn(*turn) for turn in found}


def _average(turns: Iterable[Turn]) -> float:
    lengths = [len(turn.text) for turn in turns]
    return max(sum(lengths) / len(lengths), 1.0) if lengths else 1.0


def _moment(at: int | None) -> dt.datetime | None:
    return None if at is None else dt.datetime.fromtimestamp(at / 1000, dt.UTC)
