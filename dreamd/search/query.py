"""One search: the best rows for a query, each with a snippet around the words found."""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from dreamd.search.candidates import Filters, candidates, weighed
from dreamd.search.marks import finder, folded, marked
from dreamd.search.ranking import MAX_READ, Asked, Turn, ranked, read
from dreamd.search.words import Term

_LOOKED_AT = 120  # candidates whose text is read and ranked by all terms, if not more are asked for
_SNIPPET = 300
_PART = re.compile(r"(?:~\d+)?\.md$")
_WORDS_BEFORE = 80  # characters of a snippet before the first word found


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
    score: float  # about 1 for a row that holds every word once; more for repetition, the phrase, its neighbours
    times: int = 1  # how often the same was said, by the same role, among the rows that were looked at


class Shelf(NamedTuple):
    """Which files of memory are searched: the topic files of some projects (none: all files), and never those of others."""

    only: tuple[str, ...] = ()  # stems
    apart: tuple[str, ...] = ()

    def hold(self, file: str) -> bool:
        """Whether a file is asked for."""
        topic = _PART.sub("", file.removeprefix("projects/")) if file.startswith("projects/") else ""
        return topic not in self.apart and (not self.only or topic in self.only)


def search_memory(db: sqlite3.Connection, terms: Sequence[Term], query: str, limit: int, shelf: Shelf) -> list[Hit]:
    """The best lines of memory. Every line is a field of its own: lines beside it say nothing about it."""
    wanted = weighed(db, "memory", terms)
    rows = candidates(db, "memory", wanted, Filters(), max(_LOOKED_AT, limit))
    marks = ",".join("?" * len(rows))
    lines = {
        row: (file, line, text)
        for row, file, line, text in db.execute(f"SELECT id, file, line, text FROM memory WHERE id IN ({marks})", rows)  # noqa: S608 - question marks
        if shelf.hold(file)
    }
    turns = {row: Turn(row, row, "", "", None, text[:MAX_READ]) for row, (_, _, text) in lines.items()}
    finders = [finder(term) for term in terms]
    hits = []
    for row, score in ranked(None, Asked.of(wanted, query), turns, {row: n for n, row in enumerate(rows)})[:limit]:
        file, line, text = lines[row]
        snippet, spans = _snippet(text, marked(finders, folded(text[:MAX_READ])))
        hits.append(Hit("memory", file, line, None, None, None, None, None, None, snippet, spans, round(score, 4)))
    return hits


def search_sessions(
    db: sqlite3.Connection, terms: Sequence[Term], query: str, limit: int, filters: Filters, *, beside: bool = False
) -> list[Hit]:
    """The best turns, each text once: sessions that go on elsewhere repeat it, and prompts that had to wait. `beside`: and the turns around them."""
    wanted = weighed(db, "turn", terms)
    rows = candidates(db, "turn", wanted, filters, max(_LOOKED_AT, limit * 2))
    speakers = [folded(name) for (name,) in db.execute("SELECT name FROM speaker")]
    asked = Asked.of(wanted, query, (part for name in speakers for part in name.split()))
    found = ranked(db, asked, read(db, rows), {row: n for n, row in enumerate(rows)}, beside=beside)
    finders = [finder(term) for term in terms]
    hits: dict[tuple[str, str], Hit] = {}
    for row, score in found:
        name, agent, project, key, path, at, role, offset, text = db.execute(
            "SELECT s.name, s.agent, s.project, s.project_key, coalesce(t.path, s.path), t.at, t.role, t.line, t.text"
            " FROM turn t JOIN session s ON s.id = t.session WHERE t.id = ?",
            (row,),
        ).fetchone()
        said = (role, folded(" ".join(text.split())))
        if not filters.hold(project, key, at):
            continue
        if said in hits:
            hits[said] = replace(hits[said], times=hits[said].times + 1)
        elif len(hits) < limit:
            snippet, spans = _snippet(text, marked(finders, folded(text[:MAX_READ])))
            moment = None if at is None else dt.datetime.fromtimestamp(at / 1000, dt.UTC)
            hits[said] = Hit(
                "session", path, None, offset, name, agent, project, role, moment, snippet, spans, round(score, 4)
            )
    return list(hits.values())


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
    room = _SNIPPET - _WORDS_BEFORE
    best, most = spans[0][0], 0
    for index, (a, _) in enumerate(spans[:200]):
        words = {text[b:c].lower() for b, c in spans[index : index + 40] if c <= a + room}
        if len(words) > most:
            best, most = a, len(words)
    start = max(0, best - _WORDS_BEFORE)
    space = text.find(" ", start, best)
    return space + 1 if start and 0 <= space < best else start
