"""The database opens, waits, migrates, and says what is wrong with it."""

import os
import re
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from dreamd.errors import StateError
from dreamd.state.database import Database
from dreamd.state.marks import Marks
from dreamd.state.migrate import configuration
from dreamd.state.schema import REVISION, metadata
from dreamd.state.sessions import Sessions
from state.state_data import T0, see, sighting


def test_file_and_directory_are_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        database = Database.open(tmp_path / "a" / "state.db")
        Marks(database).set("x", "y")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "a").iterdir()}
        database.close()
    finally:
        os.umask(before)
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_database_that_others_could_read_is_closed_to_them(path):
    Database.open(path).close()
    path.chmod(0o644)
    Database.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_pragmas_hold(database):
    with database.write() as connection:
        found = [
            connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
        timeout = connection.execute(text("PRAGMA busy_timeout")).scalar()
    assert found == ["wal", 2, 1]
    assert timeout == 60_000


def test_readers_cannot_write(database):
    with pytest.raises(StateError, match="readonly"), database.read() as connection:
        connection.execute(text("DELETE FROM marks"))


def add(database: Database, *names: str, value: str = "x", fail: bool = False) -> None:
    with database.write() as connection:
        for name in names:
            connection.execute(text("INSERT INTO marks VALUES (:n, :v)"), {"n": name, "v": value})
        if fail:
            raise LookupError


def test_a_failed_writer_leaves_nothing(database):
    with pytest.raises(LookupError):
        add(database, "a", fail=True)
    assert Marks(database).text("a") is None


def tables(path: Path) -> set[tuple[str, str, str]]:
    """Every table and index as SQLite wrote it down, spaces and the order of constraints aside."""
    found = set()
    with sqlite3.connect(path) as connection:
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"):
            if name != "alembic_version":
                whole = re.sub(r", (\w+ [A-Z]+)(?=,)", r",\n\1", sql.replace("\t", " "))  # added later
                lines = sorted(line.strip().rstrip(",") for line in whole.splitlines())
                found.add((kind, name, "\n".join(line for line in lines if line.strip("()"))))
    connection.close()
    return found


def test_migrations_make_the_very_tables_of_the_schema(database, path, tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path / 'plain.db'}")
    metadata.create_all(engine)
    engine.dispose()
    assert tables(path) == tables(tmp_path / "plain.db")


def test_alembic_sees_no_difference_and_one_head(database):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    script = ScriptDirectory.from_config(configuration())
    assert script.get_heads() == [REVISION]
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_database_of_a_newer_dreamd_is_refused_and_left_alone(path):
    Database.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(StateError, match="newer dreamd") as caught:
        Database.open(path)
    assert caught.value.hint
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("9999",)
    connection.close()


def test_damaged_database_says_so(path):
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is not a database at all, however long one looks at it" * 100)
    with pytest.raises(StateError, match="not a database") as caught:
        Database.open(path)
    assert "dreamd doctor --fix" in caught.value.hint


def test_unusable_directory_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError) as caught:
        Database.open(tmp_path / "file" / "state.db")
    assert caught.value.hint


def test_opening_a_current_database_does_not_load_alembic(path):
    Database.open(path).close()
    code = f"""
import sys
from pathlib import Path
from dreamd.state.database import Database
Database.open(Path({str(path)!r})).close()
sys.exit(any(name.split('.')[0] == 'alembic' for name in sys.modules))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_two_processes_open_a_new_database_at_once(path):
    code = f"from pathlib import Path; from dreamd.state.database import Database; Database.open(Path({str(path)!r}))"
    both = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [one.wait() for one in both] == [0, 0]
    Database.open(path).close()


HOLD = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
connection.execute("COMMIT")
"""


def test_writer_waits_for_another_process(database, path):
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(path), "1"], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    Marks(database).set("x", "y")
    holder.stdout.close()
    assert holder.wait() == 0
    assert Marks(database).text("x") == "y"


def test_database_locked_for_too_long_is_a_state_error(path):
    Database.open(path).close()
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(path), "30"], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    holder.stdout.readline()
    impatient = Database.open(path, busy_seconds=0.1)
    try:
        with pytest.raises(StateError, match="locked") as caught:
            Marks(impatient).set("x", "y")
        assert "another process" in caught.value.hint
    finally:
        impatient.close()
        holder.kill()
        holder.stdout.close()
        holder.wait()


def test_threads_that_read_and_write_lose_no_update(database):
    marks = Marks(database)
    marks.set("n", "0")

    def count() -> None:
        for _ in range(25):
            with database.write() as connection:
                known = connection.execute(text("SELECT value FROM marks WHERE name = 'n'")).scalar()
                connection.execute(text("UPDATE marks SET value = :v WHERE name = 'n'"), {"v": str(int(known) + 1)})

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert marks.text("n") == "100"


def test_error_messages_hold_no_values(database):
    with pytest.raises(Exception, match="UNIQUE") as caught:
        add(database, "a", "a", value="somebody's words")
    assert "somebody" not in str(caught.value)


def test_moments_and_inodes_come_back_exactly(database):
    see(database, sighting("s1", ["a"]))
    session = Sessions(database).get("s1")
    assert session.first_at == T0
    (file,) = Sessions(database).files(session.row)
    assert file.cursor.stamp is not None
    assert file.cursor.stamp.inode == 2**64 - 1
