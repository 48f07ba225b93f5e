"""Which rows a query is about: its rare words find them, its common ones do not."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from dreamd.search.marks import folded
from dreamd.search.words import Term, project_word

#: A term in more rows than this finds nothing by itself, it only ranks what others found: FTS5's bm25 walks every row of a term.
COMMON = 2_000
#: In a small table a term of every third row says as little.
_COMMON_SHARE = 0.34
_SMALL = 30
_MOST_ROWS = 6_000  # rows that the rare terms of one query may name together
_SAMPLE = 4_000  # newest rows in which the rows of a common term are counted
_PART_WEIGHT = 0.5  # a part of an identifier beside the whole
_LEAST_WEIGHT = 0.5  # of a word that nearly every row holds: it still ranks
_EMPTY_WEIGHT = 0.1  # a word that only holds a sentence together
_MOST_COMPLETIONS = 64  # words that a prefix stands for
_COMPLETION_ROWS = 4_000  # rows that all of them together may name


class Filters(NamedTuple):
    """What a search in sessions is narrowed to."""

    projects: tuple[str, ...] = ()  # keys and names; empty: all
    since: int | None = None  # milliseconds since 1970
    apart: tuple[str, ...] = ()  # keys of projects that are left out

    def hold(self, project: str, key: str, at: int | None) -> bool:
        """Whether a turn of this project at this time is asked for."""
        return (
            (not self.projects or project in self.projects or key in self.projects)
            and (self.since is None or (at is not None and at >= self.since))
            and key not in self.apart
        )


class Weighed(NamedTuple):
    """A term with the rows that hold it (exact up to the limit of what is common) and what it says (its idf)."""

    term: Term
    match: str  # in FTS5's query language
    rows: int
    weight: float


def weighed(db: sqlite3.Connection, table: str, terms: Sequence[Term]) -> list[Weighed]:
    """Every term with BM25's idf, of which a part of an identifier has half, an empty word a tenth.

    A term that no row holds weighs too: it may be a project's name, and what is missing counts against what is there.
    """
    last = db.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0  # noqa: S608 - one of two fixed names
    found = []
    for term in terms:
        match = _completed(db, table, term) if term.prefix else term.match
        rows = _rows(db, table, match, last)
        idf = max(math.log(1 + (max(last - rows, 0) + 0.5) / (rows + 0.5)), _LEAST_WEIGHT)
        found.append(
            Weighed(
                term, match, rows, idf * (_PART_WEIGHT if term.part else 1.0) * (_EMPTY_WEIGHT if term.empty else 1.0)
            )
        )
    return found


def _completed(db: sqlite3.Connection, table: str, term: Term) -> str:
    """A beginning of words as the words of the index that begin so: FTS5 itself would merge all their rows before the first.

    Of very many the rarer ones; the word itself is always among them.
    """
    db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{table}_vocabulary USING fts5vocab(main, {table}_words, row)")
    begun = folded(term.text)
    found = db.execute(
        f"SELECT term, doc FROM temp.{table}_vocabulary WHERE term >= ? AND term < ? LIMIT ?",  # noqa: S608 - one of two fixed names
        (begun, f"{begun}\U0010ffff", _MOST_COMPLETIONS),
    )
    words, rows = [term.text], 0
    for word, count in sorted(found, key=lambda one: one[1]):
        rows += count
        if rows > _COMPLETION_ROWS:
            break
        words.append(word)
    return "(" + " OR ".join(f'"{word}"' for word in dict.fromkeys(words)) + ")"


def _rows(db: sqlite3.Connection, table: str, match: str, last: int) -> int:
    """How many rows hold a term; of a common one about how many, by the newest."""
    count = f"SELECT count(*) FROM (SELECT 1 FROM {table}_words WHERE {table}_words MATCH ? {{}} LIMIT {{}})"  # noqa: S608 - one of two fixed names
    rows = int(db.execute(count.format("", COMMON + 1), (match,)).fetchone()[0])
    if rows <= COMMON or last <= _SAMPLE:
        return rows
    sampled = db.execute(count.format("AND rowid > ?", _SAMPLE), (match, last - _SAMPLE)).fetchone()[0]
    return max(rows, int(sampled) * last // _SAMPLE)


def candidates(db: sqlite3.Connection, table: str, terms: Sequence[Weighed], filters: Filters, most: int) -> list[int]:
    """At most twice `most` rows, the likeliest first: by bm25 over the rare terms, else the newest that hold the common ones."""
    full = any(not one.term.empty for one in terms)
    terms = [one for one in terms if one.rows and not (full and one.term.empty)]
    if not terms:
        return []
    last = db.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0  # noqa: S608 - one of two fixed names
    limit = min(COMMON, int(last * _COMMON_SHARE)) if last >= _SMALL else COMMON
    rare: list[Weighed] = []
    named = 0
    for one in sorted(terms, key=lambda one: one.rows):
        if one.rows <= limit and named + one.rows <= _MOST_ROWS:
            rare.append(one)
            named += one.rows
    rows = _by_bm25(db, table, rare, filters, most) if rare else []
    if (
        not rows
    ):  # only common words, or the rare ones are outside the filters: the newest that hold all, then any of them
        common = [one for one in terms if one not in rare]
        rows = _newest(db, table, " AND ".join(one.match for one in common), filters, most) if common else []
        if len(common) > 1 and len(rows) < most:
            rows += _newest(db, table, " OR ".join(one.match for one in common), filters, most)
    return list(dict.fromkeys(rows))[: 2 * most]


_FILTERED = (
    "SELECT t.id FROM turn_words CROSS JOIN turn t ON t.id = turn_words.rowid CROSS JOIN session s ON s.id = t.session"
    " WHERE turn_words MATCH ? {where} ORDER BY {order} LIMIT ?"
)


def _by_bm25(db: sqlite3.Connection, table: str, rare: Sequence[Weighed], filters: Filters, most: int) -> list[int]:
    match = " OR ".join(one.match for one in rare)
    if table == "memory" or filters == Filters():
        statement = f"SELECT rowid FROM {table}_words WHERE {table}_words MATCH ? ORDER BY rank LIMIT ?"  # noqa: S608 - one of two fixed names
        return [row for (row,) in db.execute(statement, (match, most))]
    where, values = _conditions(filters)
    statement = _FILTERED.format(where=where, order="bm25(turn_words)")
    return [row for (row,) in db.execute(statement, (match, *values, most))]


def _newest(db: sqlite3.Connection, table: str, match: str, filters: Filters, most: int) -> list[int]:
    if table == "memory" or filters == Filters():
        statement = f"SELECT rowid FROM {table}_words WHERE {table}_words MATCH ? ORDER BY rowid DESC LIMIT ?"  # noqa: S608 - one of two fixed names
        return [row for (row,) in db.execute(statement, (match, most))]
    if filters.projects:
        theirs = " OR ".join(f'"{project_word(one)}"' for one in filters.projects)
        match = f"({theirs}) AND ({match})"
    where, values = _conditions(filters)
    statement = _FILTERED.format(where=where, order="turn_words.rowid DESC")
    return [row for (row,) in db.execute(statement, (match, *values, most))]


def _conditions(filters: Filters) -> tuple[str, list[object]]:
    where, values = "", list[object]()
    if filters.projects:
        marks = ",".join("?" * len(filters.projects))
        where += f" AND (s.project_key IN ({marks}) OR s.project IN ({marks}))"
        values += [*filters.projects, *filters.projects]
    if filters.since is not None:
        where += " AND t.at >= ?"
        values.append(filters.since)
    if filters.apart:
        where += f" AND s.project_key NOT IN ({','.join('?' * len(filters.apart))})"
        values += filters.apart
    return where, values
