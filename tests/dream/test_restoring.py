"""Archived sessions of every agent put back where its client finds them: the same bytes, the same rows."""

import datetime as dt
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agents_home import RULE, Home, say_in_codex, say_in_opencode, words
from dreamd.errors import TranscriptError
from transcripts import codex_lines as codex
from transcripts.specimens import KEPT_OPEN, OPENCODE_MS, snapshot

ROWS = ("project", "session", "message", "part")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    yield Home(tmp_path)
    close()


def close() -> None:
    """The client ends."""
    while KEPT_OPEN:
        KEPT_OPEN.pop().close()


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Everything in a database, each value with its type."""
    with closing(sqlite3.connect(path)) as database:
        there = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return {table: sorted(map(repr, database.execute(f"SELECT * FROM {table}"))) for table in there & {*ROWS}}


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for statement in statements:
            database.execute(statement)


def restore(home: Home, session: str, *, overwrite: bool = False) -> tuple[Path, ...]:
    with home.app() as app:
        return app.restore(session, overwrite=overwrite)[1]


@pytest.fixture
def copied(home: Home) -> Path:
    """An OpenCode database with an archived session, a sub-agent's session of it and a stranger; the client has ended."""
    path = say_in_opencode(home, RULE)
    client = KEPT_OPEN[-1]
    for name, parent in (("ses_2", "ses_1"), ("ses_9", None)):
        values = (name, parent, OPENCODE_MS, OPENCODE_MS)
        client.execute("INSERT INTO session VALUES(?,'p',?,'/x','t','1.18.33',NULL,NULL,?,?)", values)
        client.execute("INSERT INTO message VALUES(?,?,?,?,'{}')", (f"m{name}", name, *values[2:]))
    client.execute("CREATE TABLE project(id TEXT PRIMARY KEY, worktree TEXT)")
    client.execute("INSERT INTO project VALUES('p', '/x')")
    assert home.dream() == "committed"
    close()
    return path


def test_rows_that_the_client_deleted_come_back_as_they_were(home: Home, copied: Path) -> None:
    before = rows(copied)
    for table, owner in (("part", "session_id"), ("message", "session_id"), ("session", "id")):
        execute(copied, f"DELETE FROM {table} WHERE {owner} IN ('ses_1', 'ses_2')")
    with home.app() as app:
        app.scan()
        assert words(app, "ses_1")[0] == RULE  # out of the copy
    assert restore(home, "ses_1") == (copied,)
    assert rows(copied) == before
    assert home.dream() == "no_change"


def test_rows_that_are_there_are_left_alone(home: Home, copied: Path) -> None:
    before = rows(copied)
    restore(home, "ses_1")
    assert rows(copied) == before


def test_a_lost_database_is_made_again_out_of_the_copy(home: Home, copied: Path) -> None:
    before = rows(copied)
    copied.unlink()
    restore(home, "ses_1")
    assert copied.stat().st_mode & 0o777 == 0o600
    after = rows(copied)
    assert [one for one in before["session"] if "ses_9" not in one] == after["session"]
    assert (after["part"], after["project"]) == (before["part"], before["project"])


def test_nothing_is_put_into_a_database_that_a_client_has_open(home: Home, copied: Path) -> None:
    execute(copied, "DELETE FROM session WHERE id = 'ses_1'")
    with closing(sqlite3.connect(copied)) as client:
        client.execute("SELECT * FROM session").fetchall()
        before = snapshot(home.opencode)
        with pytest.raises(TranscriptError, match="open"):
            restore(home, "ses_1")
        assert snapshot(home.opencode) == before
    restore(home, "ses_1")


def test_what_the_client_wrote_since_is_replaced_only_when_asked_for(home: Home, copied: Path) -> None:
    before = rows(copied)
    execute(copied, "UPDATE part SET data = '{}' WHERE id = 'prt_1'", "DELETE FROM message WHERE id = 'msg_2'")
    changed = rows(copied)
    with pytest.raises(TranscriptError, match="already") as refused:
        restore(home, "ses_1")
    assert "--overwrite" in refused.value.hint
    assert rows(copied) == changed
    restore(home, "ses_1", overwrite=True)
    assert rows(copied) == before


def test_a_newer_layout_takes_what_it_knows_and_a_stranger_one_is_refused(home: Home, copied: Path) -> None:
    execute(copied, "DELETE FROM session", "ALTER TABLE session ADD COLUMN colour TEXT DEFAULT 'grey'")
    restore(home, "ses_1")
    assert any("'grey'" in one and "ses_1" in one for one in rows(copied)["session"])
    execute(copied, "DROP TABLE part")
    with pytest.raises(TranscriptError, match="part"):
        restore(home, "ses_1", overwrite=True)


def legacy_session(home: Home) -> Path:
    """A session from before OpenCode had a database."""
    storage = home.opencode / "storage"

    def write(*parts: str, **body: object) -> Path:
        path = storage.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(body))
        return path

    write("message", "ses_1", "msg_1.json", id="msg_1", role="user", time={"created": OPENCODE_MS})
    write("part", "msg_1", "prt_1.json", id="prt_1", type="text", text=RULE)
    write("message", "ses_1", "msg_2.json", id="msg_2", role="assistant", time={"created": OPENCODE_MS + 1})
    write("part", "msg_2", "prt_2.json", id="prt_2", type="text", text="Understood.")
    write("todo", "ses_1.json", todo=[])
    write("message", "ses_9", "msg_9.json", id="msg_9", role="user", time={"created": OPENCODE_MS})
    time = {"created": OPENCODE_MS, "updated": OPENCODE_MS}
    return write("session", "p", "ses_1.json", id="ses_1", directory=codex.CWD, time=time)


def gemini_session(home: Home) -> Path:
    """A session with a sub-agent's log and a tool's output of its own, and another's beside it."""
    project = home.gemini / "lantern"
    head = {"sessionId": "bbbb0001-0000-4000-8000-000000000001", "startTime": codex.at(), "kind": "main"}
    said = {"id": "m1", "timestamp": codex.at(1), "type": "user", "content": RULE}
    answer = {"id": "m2", "timestamp": codex.at(2), "type": "gemini", "content": "Understood."}
    path = project / "chats" / "session-2026-03-02T09-00-bbbb0001.jsonl"
    sub = project / "chats" / str(head["sessionId"]) / "helper.jsonl"
    output = project / "tool-outputs" / f"session-{head['sessionId']}" / "shell.txt"
    for file, data in (
        (path, codex.dump([head, said, answer])),
        (sub, codex.dump([{**head, "kind": "subagent"}])),
        (output, b"out\n"),
        (project / "tool-outputs" / "session-cccc" / "shell.txt", b"another's\n"),
        (project / ".project_root", codex.CWD.encode()),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return path


def gemini_document(home: Home) -> Path:
    path = home.gemini / "lantern" / "chats" / "session-2026-03-02T09-00-bbbb0001.json"
    path.parent.mkdir(parents=True)
    said = {"id": "m1", "timestamp": codex.at(1), "type": "user", "content": RULE}
    answer = {"id": "m2", "timestamp": codex.at(2), "type": "gemini", "content": "Understood."}
    head = {"sessionId": "bbbb0001-0000-4000-8000-000000000001", "startTime": codex.at(), "kind": "main"}
    path.write_text(json.dumps({**head, "messages": [said, answer]}, indent=2))
    return path


def packed_rollout(home: Home) -> Path:
    import zstandard

    plain = say_in_codex(home, RULE)
    packed = plain.with_name(f"{plain.name}.zst")
    packed.write_bytes(zstandard.compress(plain.read_bytes()))
    plain.unlink()
    return packed


def rollout(home: Home) -> Path:
    return say_in_codex(home, RULE)


@pytest.mark.parametrize("make", [rollout, packed_rollout, gemini_session, gemini_document, legacy_session])
def test_files_come_back_byte_for_byte(home: Home, make) -> None:
    """Deleted by dreamd once they are dreamt of, then read out of the copy, then put back; what is another session's stays."""
    home.originals = "delete"
    main = make(home)
    source = next(one for one in (home.codex, home.gemini, home.opencode) if main.is_relative_to(one))
    before = {path: path.read_bytes() for path in source.rglob("*") if path.is_file()}
    assert home.dream() == "committed"
    [session] = home.sessions()
    home.clock.at = dt.datetime.now(dt.UTC) + dt.timedelta(days=3)
    assert home.dream() == "no_change"
    assert not main.exists()
    with home.app() as app:
        app.scan()
        assert words(app, session) == [RULE, "Understood."]
    gone = before.keys() - {path for path in source.rglob("*") if path.is_file()}
    assert set(restore(home, session)) == gone
    assert {path: path.read_bytes() for path in source.rglob("*") if path.is_file()} == before
    assert {path.stat().st_mode & 0o777 for path in gone} == {0o600}
    home.originals = "keep"
    assert home.dream() == "no_change"
    with home.app() as app:
        assert words(app, session) == [RULE, "Understood."]


def test_a_session_that_moved_into_the_database_is_copied_anew(home: Home) -> None:
    legacy_session(home)
    assert home.dream() == "committed"
    shutil.rmtree(home.opencode / "storage")
    path = say_in_opencode(home, RULE)
    record = home.sessions()["ses_1"]
    assert (record.path, record.human_turns, record.lost_at) == (str(path), 2, None)
    home.clock.at += dt.timedelta(hours=1)
    at = int(home.clock.at.timestamp() * 1000)
    KEPT_OPEN[-1].execute("INSERT INTO message VALUES('msg_7','ses_1',?,?,'{\"role\":\"user\"}')", (at, at))
    assert home.sessions()["ses_1"].grown_at == home.clock.at
    home.clock.at += dt.timedelta(days=2)
    home.dream()
    close()
    before = rows(path)
    execute(path, "DELETE FROM session", "DELETE FROM part")
    assert restore(home, "ses_1") == (path,)
    assert rows(path) == before
