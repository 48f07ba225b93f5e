"""OpenCode's sessions: rows of a database that is only read, and the JSON files from before."""

import datetime as dt
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from dreamd.transcripts.event import Cursor, Growth, Origin, Role, SessionFile
from dreamd.transcripts.opencode import OpenCode
from shared_material import shared
from transcripts.specimens import CWD, KEPT_OPEN, OPENCODE_MS, grow_opencode, snapshot


@pytest.fixture(autouse=True)
def _closed():
    yield
    while KEPT_OPEN:
        KEPT_OPEN.pop().close()


def told(file: SessionFile, opencode: OpenCode | None = None) -> list[tuple[str, str]]:
    """Speaker (of a person: how) and words; the person's turns are those that are counted."""
    reader = opencode or OpenCode()
    events = list(reader.reader(file.session_id).read(Path(file.path)))
    reading = reader.scan(file, Cursor())
    counted = {turn.id for turn in (*reading.turns, *reading.headless_turns)}
    assert {one.id for one in events if one.role is Role.HUMAN} == counted
    return [
        (one.origin.value if one.role is Role.HUMAN else one.role.value, one.text)
        for one in events
        if one.role in (Role.HUMAN, Role.ASSISTANT)
    ]


def execute(root: Path, query: str, *values: object) -> None:
    with closing(sqlite3.connect(root / "opencode.db", isolation_level=None)) as database:
        database.execute(query, values)


def add(root: Path, number: int, role: str, *parts: dict[str, object], session: str = "ses_1") -> None:
    at = OPENCODE_MS + number * 1000
    name = f"{session}_{number}"
    data = json.dumps({"role": role, "time": {"created": at}})
    execute(root, "INSERT INTO message VALUES(?,?,?,?,?)", f"msg_{name}", session, at, at, data)
    for place, part in enumerate(parts):
        execute(
            root,
            "INSERT INTO part VALUES(?,?,?,?,?,?)",
            *(f"prt_{name}_{place}", f"msg_{name}", session, at, at, json.dumps(part)),
        )


def text(words: str, **more: object) -> dict[str, object]:
    return {"type": "text", "text": words, **more}


def test_the_real_clients_database(tmp_path: Path) -> None:
    """Three prompts of `opencode run`, the last in a fork that copies the others under new ids; the newest rows are in the -wal file."""
    source = shared("fixtures", "clients", "opencode", "basic", "home") / ".local" / "share" / "opencode"
    root = tmp_path / "opencode"
    shutil.copytree(source, root, copy_function=shutil.copyfile)
    root.chmod(0o755)
    before = snapshot(root)
    reader = OpenCode()
    first, fork = reader.discover(root)
    answers = ["Looking.", "Failing.", "Fixing.", "Fixed the sign. \u7d42\u308f\u308a\u307e\u3057\u305f \U0001f680"]
    common = [
        ("headless", "use tools please: fix calc.py (\u65e5\u672c\u8a9e \U0001f64f)"),
        *(("assistant", answer) for answer in answers),
        ("headless", "say beta"),
        ("assistant", "You said beta."),
    ]
    assert told(first) == common
    assert told(fork) == [*common, ("headless", "say gamma in a fork"), ("assistant", "You said gamma.")]
    one, other = reader.scan(first, Cursor()), reader.scan(fork, Cursor())
    assert one.lineage == other.lineage
    assert [turn.id for turn in one.headless_turns] == [turn.id for turn in other.headless_turns[:2]]
    assert (one.headless, one.version, one.bad_lines, dict(one.unknown_types)) == (True, "1.18.33", 0, {})
    assert sum(one.output_tokens.values()) == 100
    tools = {event.tool for event in reader.reader(first.session_id).read(Path(first.path)) if event.tool}
    assert tools == {"bash", "read", "edit"}
    assert snapshot(root) == before


def test_par_18_database_and_legacy_files_are_read_side_by_side(tmp_path: Path) -> None:
    shutil.copyfile(shared("cases", "PAR-18", "build.py"), tmp_path / "build.py")
    subprocess.run([sys.executable, "build.py"], cwd=tmp_path, check=True)
    root = tmp_path / "home" / ".local" / "share" / "opencode"
    before = snapshot(root)
    files = list(OpenCode().discover(root))
    assert {file.session_id: told(file) for file in files} == {
        "s1": [("typed", "Reef legacy note one.")],
        "s2": [("typed", "Reef fresh text of two.")],
        "s3": [("typed", "Reef note three.")],
        "s4": [("typed", "Reef note four.")],
    }
    assert len(files) == 4
    for file in files:
        reading = OpenCode().scan(file, Cursor())
        assert {turn.at for turn in reading.turns} == {dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)}
        assert reading.first_cwd == "/home/sam/work/reef"
    assert snapshot(root) == before


def test_a_writer_is_not_held_up_and_its_rows_are_seen(tmp_path: Path) -> None:
    grow_opencode(tmp_path, 2)
    reader = OpenCode()
    [file] = reader.discover(tmp_path)
    first = reader.scan(file, Cursor())
    writer = KEPT_OPEN[-1]
    writer.execute("BEGIN IMMEDIATE")
    assert reader.scan(next(reader.discover(tmp_path)), first.cursor).growth is Growth.UNCHANGED
    events = reader.reader("ses_1").read(Path(file.path))
    next(events)
    writer.execute("COMMIT")
    grow_opencode(tmp_path, 4)
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    [file] = reader.discover(tmp_path)
    assert len(reader.scan(file, first.cursor).turns) == 2


def test_of_a_databases_sessions_each_is_read_alone(tmp_path: Path) -> None:
    grow_opencode(tmp_path, 5)
    execute(
        tmp_path,
        "INSERT INTO session VALUES('ses_2','p',NULL,?,'t','1',NULL,NULL,?,?)",
        *(CWD, OPENCODE_MS + 1, OPENCODE_MS + 1),
    )
    add(tmp_path, 1, "user", text("another session"), session="ses_2")
    reader = OpenCode()
    first, second = reader.discover(tmp_path)
    assert first.path == second.path
    before = {file.session_id: reader.scan(file, Cursor()).cursor for file in (first, second)}
    assert told(second) == [("typed", "another session")]
    add(tmp_path, 2, "user", text("and more"), session="ses_2")
    grown = {file.session_id: reader.scan(file, before[file.session_id]).growth for file in reader.discover(tmp_path)}
    assert grown == {"ses_1": Growth.UNCHANGED, "ses_2": Growth.REWRITTEN}


def test_every_channel_has_its_database(tmp_path: Path) -> None:
    grow_opencode(tmp_path, 2)
    KEPT_OPEN.pop().close()
    (tmp_path / "opencode.db").rename(tmp_path / "opencode-beta.db")
    assert [Path(file.path).name for file in OpenCode().discover(tmp_path)] == ["opencode-beta.db"]


def test_a_database_may_have_any_name_and_others_beside_it_are_left_alone(tmp_path: Path) -> None:
    grow_opencode(tmp_path, 2)
    KEPT_OPEN.pop().close()
    (tmp_path / "opencode.db").rename(tmp_path / "mine.db")
    with closing(sqlite3.connect(tmp_path / "another.db")) as another:
        another.execute("CREATE TABLE notes(text TEXT)")
    (tmp_path / "empty.db").touch()
    assert [Path(file.path).name for file in OpenCode().discover(tmp_path)] == ["mine.db"]


def test_a_database_that_cannot_be_read_is_told_after_all_others(tmp_path: Path) -> None:
    grow_opencode(tmp_path, 2)
    (tmp_path / "opencode-beta.db").write_bytes(b"SQLite format 3\x00" + b"junk" * 2000)
    found = OpenCode().discover(tmp_path)
    assert next(found).session_id == "ses_1"
    with pytest.raises(OSError, match="cannot be read") as fault:
        next(found)
    assert fault.value.filename == str(tmp_path / "opencode-beta.db")


def test_what_the_client_adds_to_a_prompt_is_not_the_persons(tmp_path: Path) -> None:
    grow_opencode(tmp_path, 1)
    add(tmp_path, 9, "user", text("look at @a.py"), text("<file>secret</file>", synthetic=True), {"type": "file"})
    [file] = OpenCode().discover(tmp_path)
    assert told(file) == [("typed", "use ruff"), ("typed", "look at @a.py")]
    injected = [one.text for one in OpenCode().read(Path(file.path)) if one.origin is Origin.INJECTED]
    assert injected == ["<file>secret</file>"]


def test_what_the_person_went_back_behind_is_gone(tmp_path: Path) -> None:
    grow_opencode(tmp_path, 5)
    execute(tmp_path, "UPDATE session SET revert = ?", json.dumps({"messageID": "msg_3"}))
    [file] = OpenCode().discover(tmp_path)
    assert told(file) == [("typed", "use ruff"), ("assistant", "Ruff.")]


def test_a_sub_agents_session_is_nobodys(tmp_path: Path) -> None:
    grow_opencode(tmp_path, 2)
    execute(tmp_path, "UPDATE session SET parent_id = 'ses_0'")
    [file] = OpenCode().discover(tmp_path)
    assert file.kind == "subagent"
    assert OpenCode().scan(file, Cursor()).turns == ()


def test_a_session_that_was_deleted_is_gone(tmp_path: Path) -> None:
    grow_opencode(tmp_path, 2)
    reader = OpenCode()
    [file] = reader.discover(tmp_path)
    execute(tmp_path, "DELETE FROM session")
    assert list(reader.discover(tmp_path)) == []
    assert reader.scan(file, Cursor()).growth is Growth.GONE


def test_a_database_that_a_writer_keeps_shut_is_a_matter_for_later(tmp_path: Path) -> None:
    grow_opencode(tmp_path, 2)
    [file] = OpenCode().discover(tmp_path)
    while KEPT_OPEN:
        KEPT_OPEN.pop().close()
    with closing(sqlite3.connect(file.path, isolation_level=None)) as writer:
        writer.execute("PRAGMA locking_mode=EXCLUSIVE")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE session SET title = 'x'")
        writer.execute("COMMIT")
        with pytest.raises(OSError, match="busy"):
            OpenCode().scan(file, Cursor())


@pytest.mark.parametrize("permission", [[{"permission": "question", "pattern": "*", "action": "deny"}], None])
def test_a_script_of_before_the_database_is_told_by_its_permissions_or_its_quotes(
    tmp_path: Path, permission: object
) -> None:
    """As version 1.1.65 writes it: the argument in quotes and a newline behind them; a fork has no permissions."""
    storage = tmp_path / "storage"
    time = {"created": OPENCODE_MS, "updated": OPENCODE_MS}
    words = '"say beta"\n'
    for path, body in {
        "session/p/ses_1.json": {"id": "ses_1", "directory": CWD, "time": time, "permission": permission},
        "message/ses_1/msg_1.json": {"id": "msg_1", "role": "user", "time": time},
        "part/msg_1/prt_1.json": {"id": "prt_1", "type": "text", "text": words},
    }.items():
        (storage / path).parent.mkdir(parents=True)
        (storage / path).write_text(json.dumps(body, indent=2))
    [file] = OpenCode().discover(tmp_path)
    assert told(file) == [("headless", "say beta")]
    assert OpenCode().scan(file, Cursor()).headless


def test_a_message_that_is_added_to_a_session_of_before_the_database_is_growth(tmp_path: Path) -> None:
    """The session's own file stays as it is."""
    storage = tmp_path / "storage"

    def write(path: str, body: dict[str, object]) -> None:
        (storage / path).parent.mkdir(parents=True, exist_ok=True)
        (storage / path).write_text(json.dumps(body))

    time = {"created": OPENCODE_MS, "updated": OPENCODE_MS}
    write("session/p/ses_1.json", {"id": "ses_1", "directory": CWD, "time": time})
    for number, text_ in enumerate(("use ruff", "deploy on Fridays"), start=1):
        write(f"message/ses_1/msg_{number}.json", {"id": f"msg_{number}", "role": "user", "time": time})
        write(f"part/msg_{number}/prt_1.json", {"id": "prt_1", "type": "text", "text": text_})
        [file] = OpenCode().discover(tmp_path)
        if number == 1:
            first = OpenCode().scan(file, Cursor())
    second = OpenCode().scan(file, first.cursor)
    assert (len(first.turns), second.growth, len(second.turns)) == (1, Growth.REWRITTEN, 2)
    assert OpenCode().transcript_at(str(storage / "part" / "msg_2" / "prt_1.json")) == file.path
    assert OpenCode().transcript_at(str(storage / "message" / "ses_1" / "msg_2.json")) == file.path
