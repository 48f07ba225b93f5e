"""One search: which rows hold the query's rare words, and how well each answers it."""

from __future__ import annotations

import datetime as dt
import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dreamd.search.words import Finder, Term, finder, folded, marked, project_word

#: A term in more rows than this finds nothing by itself, it only ranks what others found: FTS5's bm25 walks every row of a term.
_COMMON = 2_000
#: In a small table a term of every third row says as little.
_COMMON_SHARE = 0.34
_SMALL = 30
_MOST_ROWS = 6_000  # rows that the rare terms of one query may name together
_LOOKED_AT = 120  # candidates whose text is read and ranked by all terms, if not more are asked for
_SNIPPET = 300
_BEFORE = 80  # characters of a snippet before the first word found
_PART_WEIGHT = 0.5  # a part of an identifier beside the whole
_PHRASE_BONUS = 0.15
_SATURATED = 3  # the same word so often says no more
_MAX_SHOWN = 20_000  # characters of a text that are searched for marks


@dataclass(frozen=True, slots=True)
class Hit:
    """One line of memory or one turn of a session that answers a query."""

    where: str  # "memory" | "session"
    path: str  # memory: relative to the memory root; session: the transcript
    line: int | None  # memory: from 1; None for a turn
    offset: int | None  # session: the byte offset of the turn's line; None for memory
    session: str | None
    agent: str | None
    project: str | None
    role: str | None
    at: dt.datetime | None  # UTC
    text: str  # at most 300 characters around the words found; white space made plain
    spans: tuple[tuple[int, int], ...]  # (start, end) of the words found in `text`
    score: float  # 0 to about 1.2: the share of the query's weight that the row holds, more for the phrase itself


class Filters(NamedTuple):
    """What a search in sessions is narrowed to."""

    project: str | None = None  # a project's key or its name
    since: int | None = None  # milliseconds since 1970


class _Weighed(NamedTuple):
    term: Term
    rows: int  # exact up to the limit of what is common
    weight: float


class _Found(NamedTuple):
    row: int
    score: float


def search_memory(db: sqlite3.Connection, terms: Sequence[Term], query: str, limit: int) -> list[Hit]:
    """The best lines of memory."""
    found = _ranked(db, "memory", terms, query, limit, Filters())
    finders = [finder(term) for term in terms]
    hits = []
    for row, score in found:
        file, line, text = db.execute("SELECT file, line, text FROM memory WHERE id = ?", (row,)).fetchone()
        snippet, spans = _snippet(text, marked(finders, folded(text[:_MAX_SHOWN])))
        hits.append(
            Hit("memory", file, line, None, None, None, None, None, None, snippet, spans, round(score, 4)),
        )
    return hits


def search_sessions(
    db: sqlite3.Connection, terms: Sequence[Term], query: str, limit: int, filters: Filters
) -> list[Hit]:
    """The best turns; the same words said in copies of one session come once."""
    found = _ranked(db, "turn", terms, query, limit * 2, filters)
    finders = [finder(term) for term in terms]
    hits: list[Hit] = []
    seen: set[tuple[str, str]] = set()
    for row, score in found:
        name, agent, project, path, at, role, offset, text = db.execute(
            "SELECT s.name, s.agent, s.project, coalesce(t.path, s.path), t.at, t.role, t.line, t.text"
            " FROM turn t JOIN session s ON s.id = t.session WHERE t.id = ?",
            (row,),
        ).fetchone()
        if (role, text) in seen:
            continue
        seen.add((role, text))
        snippet, spans = _snippet(text, marked(finders, folded(text[:_MAX_SHOWN])))
        moment = None if at is None else dt.datetime.fromtimestamp(at / 1000, dt.UTC)
        hits.append(
            Hit("session", path, None, offset, name, agent, project, role, moment, snippet, spans, round(score, 4))
        )
        if len(hits) == limit:
            break
    return hits


def _ranked(
    db: sqlite3.Connection, table: str, terms: Sequence[Term], query: str, limit: int, filters: Filters
) -> list[_Found]:
    total = db.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0  # noqa: S608 - one of two fixed names
    weighed = [one for one in (_weigh(db, table, term, total) for term in terms) if one.rows]
    if not weighed:
        return []
    rows = _candidates(db, table, weighed, total, filters, max(_LOOKED_AT, limit))
    texts = dict(
        db.execute(
            f"SELECT id, substr(text, 1, {_MAX_SHOWN}) FROM {table} WHERE id IN ({','.join('?' * len(rows))})",  # noqa: S608 - as above
            rows,
        )
    )
    whole = sum(one.weight for one in weighed)
    finders = [(one.weight / whole, finder(one.term)) for one in weighed]
    phrase = folded(" ".join(query.split()))
    scored = [_Found(row, _score(folded(texts[row]), finders, phrase)) for row in rows if row in texts]
    order = {row: place for place, row in enumerate(rows)}  # among equals bm25's order
    scored.sort(key=lambda found: (-round(found.score, 3), order[found.row]))
    return scored[:limit]


def _weigh(db: sqlite3.Connection, table: str, term: Term, total: int) -> _Weighed:
    rows = db.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM {table}_words WHERE {table}_words MATCH ? LIMIT {_COMMON + 1})",  # noqa: S608 - as above
        (term.match,),
    ).fetchone()[0]
    weight = math.log(1 + max(total, rows) / rows) if rows else 0.0
    return _Weighed(term, rows, weight * (_PART_WEIGHT if term.part else 1.0))


def _candidates(
    db: sqlite3.Connection, table: str, weighed: Sequence[_Weighed], total: int, filters: Filters, most: int
) -> list[int]:
    limit = min(_COMMON, int(total * _COMMON_SHARE)) if total >= _SMALL else _COMMON
    rare: list[Term] = []
    named = 0
    for one in sorted(weighed, key=lambda one: one.rows):
        if one.rows <= limit and named + one.rows <= _MOST_ROWS:
            rare.append(one.term)
            named += one.rows
    rows = _by_bm25(db, table, rare, filters, most) if rare else []
    if (
        not rows
    ):  # only common words, or the rare ones are outside the filters: the newest rows that hold all, then any of them
        common = [one.term for one in weighed if one.term not in rare]
        rows = _newest(db, table, " AND ".join(term.match for term in common), filters, most) if common else []
        if len(common) > 1 and len(rows) < most:
            rows += _newest(db, table, " OR ".join(term.match for term in common), filters, most)
    return list(dict.fromkeys(rows))[: 2 * most]


def _by_bm25(db: sqlite3.Connection, table: str, rare: Sequence[Term], filters: Filters, most: int) -> list[int]:
    match = " OR ".join(term.match for term in rare)
    if table == "memory" or filters == Filters():
        statement = f"SELECT rowid FROM {table}_words WHERE {table}_words MATCH ? ORDER BY rank LIMIT ?"  # noqa: S608 - as above
        return [row for (row,) in db.execute(statement, (match, most))]
    where, values = _conditions(filters)
    statement = (
        "SELECT t.id FROM turn_words CROSS JOIN turn t ON t.id = turn_words.rowid CROSS JOIN session s ON s.id = t.session"  # noqa: S608 - conditions are fixed text
        f" WHERE turn_words MATCH ? {where} ORDER BY bm25(turn_words) LIMIT ?"
    )
    return [row for (row,) in db.execute(statement, (match, *values, most))]


def _newest(db: sqlite3.Connection, table: str, match: str, filters: Filters, most: int) -> list[int]:
    if table == "memory" or filters == Filters():
        statement = f"SELECT rowid FROM {table}_words WHERE {table}_words MATCH ? ORDER BY rowid DESC LIMIT ?"  # noqa: S608 - as above
        return [row for (row,) in db.execute(statement, (match, most))]
    if filters.project is not None:
        match = f'"{project_word(filters.project)}" AND ({match})'
    where, values = _conditions(filters)
    statement = (
        "SELECT t.id FROM turn_words CROSS JOIN turn t ON t.id = turn_words.rowid CROSS JOIN session s ON s.id = t.session"  # noqa: S608 - conditions are fixed text
        f" WHERE turn_words MATCH ? {where} ORDER BY turn_words.rowid DESC LIMIT ?"
    )
    return [row for (row,) in db.execute(statement, (match, *values, most))]


def _conditions(filters: Filters) -> tuple[str, list[object]]:
    where, values = "", list[object]()
    if filters.project is not None:
        where += " AND ? IN (s.project_key, s.project)"
        values.append(filters.project)
    if filters.since is not None:
        where += " AND t.at >= ?"
        values.append(filters.since)
    return where, values


def _score(text: str, finders: Sequence[tuple[float, Finder]], phrase: str) -> float:
    score = 0.0
    for weight, find in finders:
        times = len(find(text))
        if times:
            score += weight * (0.85 + 0.15 * min(times, _SATURATED) / _SATURATED)
    return score + (_PHRASE_BONUS if len(phrase) > 1 and phrase in text else 0.0)


def _snippet(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The stretch of a text with the most different words found, cut at words, with marks."""
    start = _best_start(text, spans)
    end = min(len(text), start + _SNIPPET)
    left = "…" if start else ""
    right = "…" if end < len(text) else ""
    body = text[start : end - len(left) - len(right)] if left or right else text[start:end]
    plain = "".join(" " if character.isspace() or not character.isprintable() else character for character in body)
    shift = len(left) - start
    inside = tuple((a + shift, b + shift) for a, b in spans if a >= start and b <= start + len(body))
    return left + plain + right, inside


def _best_start(text: str, spans: Sequence[tuple[int, int]]) -> int:
    if len(text) <= _SNIPPET or not spans:
        return 0
    room = _SNIPPET - _BEFORE
    best, most = spans[0][0], 0
    for index, (a, _) in enumerate(spans[:200]):
        words = {text[b:c].lower() for b, c in spans[index : index + 40] if c <= a + room}
        if len(words) > most:
            best, most = a, len(words)
    start = max(0, best - _BEFORE)
    space = text.find(" ", start, best)
    return space + 1 if start and 0 <= space < best else start
