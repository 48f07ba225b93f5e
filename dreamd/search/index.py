"""How memory and past sessions are found again: an index in a throw-away file, brought up to date piece by piece."""

from __future__ import annotations

import datetime as dt
import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter  # a stopwatch, not the time of day
from typing import NamedTuple

from dreamd.meaning import Meaning
from dreamd.search.candidates import Filters
from dreamd.search.file import Condition, IndexFailed, IndexFile
from dreamd.search.fusion import DEPTH, fused
from dreamd.search.past import ProjectDoc, named
from dreamd.search.query import Hit, Shelf, search_memory, search_sessions
from dreamd.search.words import indexed_words, is_question, project_word, query_terms

_LONGEST_TURN = 1 << 18  # characters of a turn that are indexed
#: The most turns that can be found; lines of memory do not count.
MOST_TURNS = 1_000_000
_MEMORY_BONUS = 1.1  # of two equally good answers the one that was worth remembering comes first


@dataclass(frozen=True, slots=True)
class SessionDoc:
    """A session as the index knows it. `id` is unique over agents ("claude-code:7f9c…")."""

    id: str
    agent: str
    project: str  # its name; "" for none
    project_key: str = ""
    path: str = ""  # the main transcript, or its archived copy
    lineage: str = ""
    cwd: str = ""  # where it began
    last_at: dt.datetime | None = None  # UTC
    about: str = ""  # what was asked first, in a sentence, redacted
    outcome: str = ""  # what the agent said last, in a sentence, redacted


@dataclass(frozen=True, slots=True)
class TurnDoc:
    """One redacted turn."""

    at: dt.datetime | None  # UTC
    role: str
    text: str
    offset: int  # of its line, in bytes
    path: str | None = None  # where it is another file than the session's
    speaker: str = ""  # a name, where several people speak


@dataclass(frozen=True, slots=True)
class Result:
    """What a query found, best first. `hint` says why there is nothing where that is not simply so."""

    query: str
    hits: tuple[Hit, ...]
    took_ms: float
    hint: str = ""


class Index:
    """The search index. Safe to share between threads and processes; raises IndexFailed, which callers may pass over."""

    def __init__(self, path: Path, meaning: Meaning | None = None) -> None:
        self._file = IndexFile(path)
        self._meaning = meaning

    @property
    def needs_rebuild(self) -> bool:
        """Whether there is no usable index: missing, damaged, or another version's. The next update starts a new one.

        A new one is empty: `indexed_sessions` then misses every session, so a caller that brings up to date what differs there
        rebuilds it without knowing.
        """
        return self._file.condition() is not Condition.READY

    def update_memory(self, files: Mapping[str, bytes]) -> int:
        """Makes the index hold exactly these files of the memory tree (name → content); returns how many had changed.

        Files that are not named are gone from it afterwards. Quick where nothing changed: one digest a file, no write.
        """
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        if not self.needs_rebuild:
            with self._file.reading() as db:
                if dict(db.execute("SELECT file, digest FROM memory_file")) == digests:
                    return 0
        with self._file.writing() as db:
            known = dict(db.execute("SELECT file, digest FROM memory_file"))
            changed = {name for name in known.keys() | digests.keys() if known.get(name) != digests.get(name)}
            for name in sorted(changed):
                _forget_file(db, name)
                if name in files:
                    _add_file(db, name, files[name], digests[name])
        return len(changed)

    def update_session(self, session: SessionDoc, turns: Iterable[TurnDoc], stamp: str, *, append: bool = False) -> int:
        """Puts a session's turns in the place of what was indexed of it, or with `append` behind it; returns how many.

        `stamp` is the caller's own mark of how far that was, as `indexed_sessions` gives it back. Either all of it happens or
        nothing. Sessions that are indexed oldest first are searched best.
        """
        prepared = [
            (turn, turn.text[:_LONGEST_TURN]) for turn in turns
        ]  # the caller's reading must not hold the transaction
        with self._file.writing() as db:
            if not append:
                _forget_session(db, session.id)
            known = _session_row(db, session, stamp)
            return sum(_add_turn(db, known, turn, text) for turn, text in prepared)

    def update_projects(self, projects: Iterable[ProjectDoc]) -> None:
        """Makes the index hold exactly these projects; no write where nothing changed."""
        wanted = {(one.key, one.name, one.root, one.stem) for one in projects}
        if not self.needs_rebuild:
            with self._file.reading() as db:
                if set(db.execute("SELECT key, name, root, stem FROM project")) == wanted:
                    return
        with self._file.writing() as db:
            db.execute("DELETE FROM project")
            db.executemany("INSERT INTO project (key, name, root, stem) VALUES (?, ?, ?, ?)", sorted(wanted))

    def move_session(self, session_id: str, path: str) -> None:
        """Notes that a session's words now lie elsewhere (its archived copy)."""
        with self._file.writing() as db:
            db.execute("UPDATE session SET path = ? WHERE name = ?", (path, session_id))

    def remove_session(self, session_id: str) -> None:
        """Takes a session and every word of it out of what can be found; `purge` takes it out of the file."""
        if self.needs_rebuild:
            return
        with self._file.writing() as db:
            _forget_session(db, session_id)

    def trim(self, most: int = MOST_TURNS) -> int:
        """Takes the turns of the sessions that are longest past out of what can be found, until `most` are left; returns how many.

        What such a session was about stays, and so does its stamp: it is not indexed again unless it goes on. The newest stays
        whole whatever its length, and so does every line of memory.
        """
        if self.needs_rebuild or self.counts()[2] <= most:
            return 0
        with self._file.writing() as db:
            rows = db.execute(
                "SELECT s.name, count(*) FROM session s JOIN turn t ON t.session = s.id"
                " GROUP BY s.id ORDER BY s.last_at, s.id"
            ).fetchall()
            over = sum(turns for _, turns in rows) - most
            gone = 0
            for name, turns in rows[:-1]:
                if gone >= over:
                    break
                _forget_turns(db, name)
                gone += turns
        return gone

    def indexed_sessions(self) -> dict[str, str]:
        """Session id → the stamp it was indexed with; empty where there is no usable index."""
        if self.needs_rebuild:
            return {}
        with self._file.reading() as db:
            return dict(db.execute("SELECT name, stamp FROM session"))

    def places(self) -> dict[str, str]:
        """Session id → where its words are said to lie; empty where there is no usable index."""
        if self.needs_rebuild:
            return {}
        with self._file.reading() as db:
            return dict(db.execute("SELECT name, path FROM session"))

    def counts(self) -> tuple[int, int, int]:
        """How many memory lines, sessions and turns can be found."""
        if self.needs_rebuild:
            return 0, 0, 0
        with self._file.reading() as db:
            lines, sessions, turns = db.execute(
                "SELECT (SELECT count(*) FROM memory), (SELECT count(*) FROM session), (SELECT count(*) FROM turn)"
            ).fetchone()
            return lines, sessions, turns

    def purge(self) -> None:
        """Rewrites the file so that no removed word is left in it (seconds for large ones)."""
        self._file.compact()

    def discard(self) -> None:
        """Deletes the index."""
        self._file.discard()

    def query(
        self,
        text: str,
        *,
        where: str | None = None,
        project: str | None = None,
        since: dt.datetime | None = None,
        limit: int = 20,
        apart: Sequence[str] = (),
        beside: bool | None = None,
    ) -> Result:
        """The best hits for any string, which is never an error; read-only, and never makes the file.

        `where`: "memory", "sessions", or None for both. `project` (name, key, root or stem) narrows
        to its sessions and topic files. `since` narrows sessions; lines of memory have no date, so with it they are left out unless
        `where` asks for them. `apart`: keys of projects whose sessions and topic files are left out.
        `beside`: also turns beside the best, which need not hold a word of the query: answers stand behind their questions. None:
        where the query is a question.
        """
        began = perf_counter()
        terms = query_terms(text)
        wide = is_question(text) if beside is None else beside
        most = limit if self._meaning is None else max(limit, DEPTH)
        hits: list[Hit] = []
        hint = ""
        if not terms:
            hint = "the query holds no word to look for"
        elif self.needs_rebuild:
            hint = "there is no search index yet; `dreamd kick` makes it"
        else:
            try:
                with self._file.reading() as db:
                    theirs = named(db, project) if project else ()
                    keys = [word for one in theirs for word in (one.key, one.name)] or ([project] if project else [])
                    filters = Filters(tuple(dict.fromkeys(keys)), _milliseconds(since), tuple(apart))
                    shelf = Shelf(
                        tuple(one.stem for one in theirs) or ((project,) if project else ()),
                        tuple(one.stem for key in apart for one in named(db, key)),
                    )
                    if where == "memory" or (where is None and since is None):
                        hits += search_memory(db, terms, text, most, shelf)
                    if where != "memory":
                        hits += search_sessions(db, terms, text, most, filters, beside=wide)
            except IndexFailed:
                if self._file.condition() is Condition.READY:
                    raise
                hint = "the search index was damaged; it is made anew after the next dream"
            else:
                hint = f"no project {project} is known; `dreamd sessions` shows them" if project and not theirs else ""
        hits.sort(key=lambda hit: -hit.score * (_MEMORY_BONUS if hit.where == "memory" else 1.0))
        if self._meaning is not None:
            hits = fused(hits[:most], self._meaning.nearness(text, [hit.text for hit in hits[:most]]))
        return Result(text, tuple(hits[: max(limit, 0)]), round((perf_counter() - began) * 1000, 1), hint)


def _add_file(db: sqlite3.Connection, name: str, content: bytes, digest: str) -> None:
    db.execute("INSERT INTO memory_file (file, digest) VALUES (?, ?)", (name, digest))
    lines = content.decode("utf-8-sig", "replace").replace("\0", " ").split("\n")
    behind = _behind_front_matter(lines)
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if number > behind and any(map(str.isalnum, text)):
            row = db.execute("INSERT INTO memory (file, line, text) VALUES (?, ?, ?)", (name, number, text)).lastrowid
            db.execute("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", (row, indexed_words(text)))


def _behind_front_matter(lines: list[str]) -> int:
    """How many lines the front matter takes: it only repeats what stands below it."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], start=2) if line.rstrip() == "---"), 0)


def _forget_file(db: sqlite3.Connection, name: str) -> None:
    for row, text in db.execute("SELECT id, text FROM memory WHERE file = ?", (name,)).fetchall():
        db.execute(
            "INSERT INTO memory_words (memory_words, rowid, words) VALUES ('delete', ?, ?)", (row, indexed_words(text))
        )
    db.execute("DELETE FROM memory WHERE file = ?", (name,))
    db.execute("DELETE FROM memory_file WHERE file = ?", (name,))


class _Known(NamedTuple):
    """A session's row. Its project stays as first indexed while there are turns that carry the project's word."""

    row: int
    project: str
    project_key: str


def _session_row(db: sqlite3.Connection, session: SessionDoc, stamp: str) -> _Known:
    db.execute(
        "INSERT INTO session (name, agent, project, project_key, lineage, path, stamp, cwd, last_at, about, outcome)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET lineage = excluded.lineage, path = excluded.path,"
        " stamp = excluded.stamp, cwd = excluded.cwd, last_at = excluded.last_at, about = excluded.about, outcome = excluded.outcome",
        (
            *(session.id, session.agent, session.project, session.project_key, session.lineage, session.path, stamp),
            *(session.cwd, _milliseconds(session.last_at), session.about, session.outcome),
        ),
    )
    found = db.execute("SELECT id, project, project_key FROM session WHERE name = ?", (session.id,)).fetchone()
    return _Known(*found)


def _add_turn(db: sqlite3.Connection, known: _Known, turn: TurnDoc, text: str) -> int:
    clean = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    if not any(map(str.isalnum, clean)):
        return 0
    at = _milliseconds(turn.at)
    number = db.execute(
        "INSERT INTO turn (session, at, role, speaker, path, line, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (known.row, at, turn.role, turn.speaker, turn.path, turn.offset, clean),
    ).lastrowid
    if turn.speaker:
        db.execute("INSERT OR IGNORE INTO speaker (name) VALUES (?)", (turn.speaker,))
    words = _turn_words(clean, known.project, known.project_key)
    db.execute("INSERT INTO turn_words (rowid, words) VALUES (?, ?)", (number, words))
    return 1


def _milliseconds(moment: dt.datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp() * 1000)


def _turn_words(text: str, project: str, project_key: str) -> str:
    return f"{indexed_words(text)}\n{project_word(project)} {project_word(project_key)}"


def _forget_session(db: sqlite3.Connection, session_id: str) -> None:
    _forget_turns(db, session_id)
    db.execute("DELETE FROM session WHERE name = ?", (session_id,))


def _forget_turns(db: sqlite3.Connection, session_id: str) -> None:
    found = db.execute("SELECT id, project, project_key FROM session WHERE name = ?", (session_id,)).fetchone()
    if found is None:
        return
    row, project, project_key = found
    for number, text in db.execute("SELECT id, text FROM turn WHERE session = ?", (row,)).fetchall():
        words = _turn_words(text, project, project_key)
        db.execute("INSERT INTO turn_words (turn_words, rowid, words) VALUES ('delete', ?, ?)", (number, words))
    db.execute("DELETE FROM turn WHERE session = ?", (row,))
