"""What an OpenCode database of any size costs to look at: all of it once, then what a prompt adds, as a watcher asks for it.

Usage: python benchmarks/database.py [--sessions N] [--parts N]; each session has so many parts of 2 kB in ten messages. Prints times beside
the time that SQLite alone takes to count the rows.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from dreamd.transcripts.event import Cursor
from dreamd.transcripts.opencode import OpenCode

_LAYOUT = """
PRAGMA journal_mode=WAL;
CREATE TABLE session(id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
    revert TEXT, permission TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE INDEX message_session ON message(session_id, time_created, id);
CREATE INDEX part_session ON part(session_id);
"""
_MESSAGES = 10


def main() -> None:
    """Makes a database, looks, adds a prompt, looks again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=2000)
    parser.add_argument("--parts", type=int, default=100)
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as directory,
        closing(_made(Path(directory), chosen.sessions, chosen.parts)) as client,
    ):
        path = Path(directory, "opencode.db")
        print(f"{chosen.sessions} sessions, {chosen.sessions * chosen.parts} parts, {path.stat().st_size // 10**6} MB")
        counted = _seconds(lambda: client.execute("SELECT count(*), max(time_updated) FROM part").fetchone())
        reader = OpenCode()
        whole = _seconds(lambda: list(reader.discover(Path(directory))))
        again = _seconds(lambda: list(reader.discover(Path(directory))))
        _prompt(client, "ses_7")
        news = []
        look = _seconds(lambda: news.extend(reader.files_in(path, news=True)))
        [file] = news
        read = _seconds(lambda: reader.scan(file, Cursor()))
        print(f"SQLite counts all parts in {counted:.1f} ms")
        print(f"first look at all sessions: {whole:.1f} ms; while nothing changed: {again:.2f} ms")
        print(f"after a prompt: {look:.2f} ms to find its session, {read:.2f} ms to read it")


def _made(directory: Path, sessions: int, parts: int) -> sqlite3.Connection:
    client = sqlite3.connect(directory / "opencode.db", isolation_level=None)
    client.executescript(_LAYOUT)
    words = json.dumps({"type": "text", "text": "word " * 400})
    client.execute("BEGIN")
    for number in range(sessions):
        name = f"ses_{number}"
        client.execute("INSERT INTO session VALUES(?,'p',NULL,'/w','t','1',NULL,NULL,?,?)", (name, number, number))
        for place in range(_MESSAGES):
            role = json.dumps({"role": "user" if place % 2 == 0 else "assistant"}, separators=(",", ":"))
            client.execute("INSERT INTO message VALUES(?,?,?,?,?)", (f"m{number}_{place}", name, number, number, role))
        rows = (
            (f"p{number}_{part}", f"m{number}_{part % _MESSAGES}", name, number, number, words) for part in range(parts)
        )
        client.executemany("INSERT INTO part VALUES(?,?,?,?,?,?)", rows)
    client.execute("COMMIT")
    client.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return client


def _prompt(client: sqlite3.Connection, session: str) -> None:
    now = time.time_ns() // 10**6
    client.execute("INSERT INTO message VALUES('new',?,?,?,'{\"role\":\"user\"}')", (session, now, now))
    text = '{"type":"text","text":"use ruff"}'
    client.execute("INSERT INTO part VALUES('new','new',?,?,?,?)", (session, now, now, text))


def _seconds(work: Callable[[], object]) -> float:
    """Milliseconds of wall time."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
