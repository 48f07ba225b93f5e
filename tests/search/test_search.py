"""What can be found again, and what an index survives."""

import datetime as dt
import os
import sqlite3
import stat
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamd.search.file import IndexFailed
from dreamd.search.index import Index, SessionDoc, TurnDoc
from shared_material import shared

AT = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)


def session(name: str = "claude-code:s1", project: str = "orchard") -> SessionDoc:
    return SessionDoc(name, "claude-code", project, f"git:{project}", f"/t/{name}.jsonl")


def turn(text: str, *, minutes: int = 0, role: str = "human") -> TurnDoc:
    return TurnDoc(AT + dt.timedelta(minutes=minutes), role, text, minutes * 100)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "state" / "search.db")


def texts(index: Index, query: str, **how: object) -> list[str]:
    return [hit.text for hit in index.query(query, **how).hits]  # type: ignore[arg-type]


def test_a_line_of_memory_is_found_with_its_place(index: Index) -> None:
    index.update_memory({"MEMORY.md": b"# Memory\n\n- Deploys go to db-7.\n", "projects/orchard.md": b"- Uses uv.\n"})
    (hit,) = index.query("deploy").hits
    assert (hit.where, hit.path, hit.line, hit.text) == ("memory", "MEMORY.md", 3, "- Deploys go to db-7.")
    assert [hit.text[a:b] for a, b in hit.spans] == ["Deploys"]


def test_a_turn_is_found_with_its_session_and_time(index: Index) -> None:
    index.update_session(session(), [turn("The nightly export is broken again", minutes=3)], "1")
    (hit,) = index.query("exports").hits
    assert (hit.where, hit.session, hit.path, hit.offset) == (
        "session",
        "claude-code:s1",
        "/t/claude-code:s1.jsonl",
        300,
    )
    assert (hit.at, hit.role, hit.project, hit.agent) == (
        AT + dt.timedelta(minutes=3),
        "human",
        "orchard",
        "claude-code",
    )


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("expiring", "tokens expire after 30 minutes"),
        ("cafe", "das Café an der Ecke"),
        ("naïve", "a naive approach"),
        ("数据", "数据库迁移失败了"),
        ("迁移失败", "数据库迁移失败了"),
        ("库", "数据库迁移失败了"),
        ("データ", "データベースを移行する"),
        ("데이터", "데이터베이스를 이전했다"),
        ("snake_case_name", "rename snake_case_name please"),
        ("case", "rename snake_case_name please"),
        ("getUserName", "call getUserName twice"),
        ("user", "call getUserName twice"),
        ("HTTPServer", "the HTTPServer class"),
        ("server", "the HTTPServer class"),
        ("src/app/main.py", "see src/app/main.py line 3"),
        ("main.py", "see src/app/main.py line 3"),
        ("app", "see src/app/main.py line 3"),
        ("db-7", "restore from db-7, not db-3"),
        ("1.2.3", "pinned to v1.2.3"),
        ("C++", "the parser is C++"),
        ("c#", "a C# service"),
        ("agent*", "use agents here"),
        ("ＵＴＦ", "utf everywhere"),
        ("don't", "we don't know"),
        ("OC-41252", "Ticket OC-41252 was closed"),
    ],
)
def test_words_identifiers_and_scripts_are_found_and_marked(index: Index, query: str, text: str) -> None:
    index.update_session(session(), [turn(text), turn("nothing to see")], "1")
    hits = index.query(query).hits
    assert [hit.text for hit in hits] == [text]
    assert hits[0].spans


def test_a_whole_identifier_is_ranked_above_its_parts(index: Index) -> None:
    index.update_session(
        session(), [turn("7 things about the db"), turn("restore from db-7"), turn("db 3 and 7 more db")], "1"
    )
    assert texts(index, "db-7")[0] == "restore from db-7"


def test_rare_words_find_and_common_ones_rank(index: Index) -> None:
    turns = [turn(f"the test number {n} is about the build") for n in range(200)]
    index.update_session(session(), turns, "1")
    index.update_session(session("a:2"), [turn("the zeppelin"), turn("zeppelin test and build")], "1")
    assert texts(index, "the test of the zeppelin build") == ["zeppelin test and build", "the zeppelin"]


def test_a_query_of_common_words_alone_still_finds_rows_that_hold_all_of_them_first(index: Index) -> None:
    index.update_session(
        session(), [turn("test only") for _ in range(3)] + [turn(f"a test of build {n}") for n in range(90)], "1"
    )
    assert all("build" in text for text in texts(index, "test build", limit=5))


def test_a_removed_line_leaves_no_ghost(index: Index) -> None:
    index.update_memory({"MEMORY.md": b"- old rule about zeppelins\n- stays\n"})
    assert index.update_memory({"MEMORY.md": b"- stays\n"}) == 1
    assert index.update_memory({"MEMORY.md": b"- stays\n"}) == 0
    assert texts(index, "zeppelins") == []
    assert texts(index, "stays") == ["- stays"]


def test_a_session_is_replaced_appended_moved_and_removed(index: Index) -> None:
    index.update_session(session(), [turn("alpha first")], "1")
    index.update_session(session(), [turn("beta second", minutes=1)], "2", append=True)
    assert sorted(texts(index, "alpha beta")) == ["alpha first", "beta second"]
    assert index.indexed_sessions() == {"claude-code:s1": "2"}
    index.update_session(session(project="other"), [turn("gamma third")], "3")
    assert texts(index, "alpha beta gamma") == ["gamma third"]
    index.move_session("claude-code:s1", "/archive/s1.tar.zst")
    assert index.query("gamma").hits[0].path == "/archive/s1.tar.zst"
    index.remove_session("claude-code:s1")
    index.remove_session("claude-code:s1")
    assert index.query("gamma").hits == ()
    assert index.counts() == (0, 0, 0)


def test_searching_is_narrowed_to_a_project_a_time_and_a_place(index: Index) -> None:
    index.update_memory({"MEMORY.md": b"- the deploy rule\n"})
    index.update_session(session("a:1", "orchard"), [turn("deploy orchard"), turn("deploy late", minutes=60)], "1")
    index.update_session(session("a:2", "meadow"), [turn("deploy meadow")], "1")
    assert texts(index, "deploy", where="memory") == ["- the deploy rule"]
    assert texts(index, "deploy", where="sessions", project="meadow") == ["deploy meadow"]
    assert texts(index, "deploy", where="sessions", project="git:meadow") == ["deploy meadow"]
    assert texts(index, "deploy", since=AT + dt.timedelta(minutes=30)) == ["deploy late"]
    assert len(texts(index, "deploy")) == 4
    assert len(texts(index, "deploy", limit=2)) == 2


def test_common_words_are_found_in_a_small_project_among_many_turns(index: Index) -> None:
    index.update_session(session("a:1", "tiny"), [turn("the build fails here")], "1")
    index.update_session(session("a:2", "huge"), [turn(f"the build number {n}") for n in range(3000)], "1")
    assert texts(index, "the build", project="tiny", where="sessions") == ["the build fails here"]


def test_the_same_words_in_copies_of_a_session_come_once(index: Index) -> None:
    index.update_session(session("a:1"), [turn("a zeppelin landed")], "1")
    index.update_session(session("a:2"), [turn("a zeppelin landed")], "1")
    (hit,) = index.query("zeppelin").hits
    assert hit.times == 2


def test_a_prompt_that_had_to_wait_comes_once_and_another_role_saying_it_apart(index: Index) -> None:
    said = [turn("Land the zeppelin"), turn("land the  zeppelin\n"), turn("land the zeppelin", role="assistant")]
    index.update_session(session("a:1"), said, "1")
    assert [(hit.role, hit.times) for hit in index.query("zeppelin").hits] == [("human", 2), ("assistant", 1)]


def test_what_was_said_again_is_counted_behind_the_last_hit_too(index: Index) -> None:
    index.update_session(session("a:1"), [turn("zeppelin zeppelin"), turn("a zeppelin landed")], "1")
    index.update_session(session("a:2"), [turn("a zeppelin landed"), turn("zeppelin zeppelin")], "1")
    assert [hit.times for hit in index.query("zeppelin", limit=1).hits] == [2]


def test_a_long_turn_gives_a_short_snippet_around_the_words_found(index: Index) -> None:
    text = "lorem ipsum " * 300 + "here the zeppelin\nlanded " + "dolor sit " * 300
    index.update_session(session(), [turn(text)], "1")
    (hit,) = index.query("zeppelin landed").hits
    assert len(hit.text) <= 300
    assert [hit.text[a:b] for a, b in hit.spans] == ["zeppelin", "landed"]
    assert "\n" not in hit.text


@pytest.mark.parametrize("query", ["", " ", '"', "*", "---", "🎉", "(((", "\0", "\ud83d"])
def test_a_query_without_words_is_an_empty_answer_with_a_hint(index: Index, query: str) -> None:
    index.update_memory({"MEMORY.md": b"- something\n"})
    result = index.query(query)
    assert result.hits == ()
    assert result.hint


@settings(max_examples=150, deadline=None)
@given(query=st.text(max_size=60) | st.sampled_from(["NEAR(a b, 2)", "a AND", "NOT x", "w:y", "^a", "x" * 10_000, "a b " * 2500, '"""', "a* b* *c", "-a", "{x}: y"]))  # fmt: skip
def test_any_string_is_a_query(tmp_path_factory: pytest.TempPathFactory, query: str) -> None:
    index = Index(tmp_path_factory.getbasetemp() / "any-string.db")
    index.update_memory({"MEMORY.md": "- a rule AND NEAR w:y 数据 \ufffd x\n".encode()})
    index.query(query)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=8), st.lists(st.text(max_size=40), max_size=8))
def test_whatever_was_indexed_leaves_the_index_empty_when_it_is_removed(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], said: list[str]
) -> None:
    """The contentless index only forgets what it is given again exactly."""
    path = tmp_path_factory.getbasetemp() / "emptied.db"
    index = Index(path)
    index.update_memory({"MEMORY.md": "\n".join(lines).encode("utf-8", "replace")})
    index.update_session(session(), [turn(text) for text in said], "1")
    index.update_memory({})
    index.remove_session("claude-code:s1")
    index.purge()
    db = sqlite3.connect(path)
    for table in ("memory_words", "turn_words"):
        db.execute(f"CREATE VIRTUAL TABLE temp.v_{table} USING fts5vocab(main, {table}, row)")
        assert db.execute(f"SELECT term FROM v_{table}").fetchall() == []
    db.close()


def test_purging_leaves_no_removed_word_in_the_file(index: Index, tmp_path: Path) -> None:
    index.update_session(session(), [turn("zeppelinfahrt")], "1")
    index.remove_session("claude-code:s1")
    index.purge()
    assert all(b"zeppelin" not in file.read_bytes().lower() for file in (tmp_path / "state").iterdir())


def test_searching_never_makes_the_file(index: Index, tmp_path: Path) -> None:
    result = index.query("anything")
    assert (result.hits, index.indexed_sessions(), index.needs_rebuild) == ((), {}, True)
    assert result.hint
    assert not (tmp_path / "state").exists()


def test_the_file_is_its_owner_s_alone(index: Index, tmp_path: Path) -> None:
    index.update_memory({"MEMORY.md": b"- x\n"})
    assert {stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "state").iterdir()} == {0o600}
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


@pytest.mark.parametrize("harm", ["deleted", "text", "empty", "pages", "older"])
def test_a_harmed_index_heals_with_the_next_update(index: Index, tmp_path: Path, harm: str) -> None:
    path = tmp_path / "state" / "search.db"
    index.update_session(session(), [turn(f"zeppelin {n} " + "word " * 50) for n in range(300)], "1")
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    if harm == "deleted":
        path.unlink()
    elif harm == "text":
        path.write_bytes(b"this is no database at all" * 100)
    elif harm == "empty":
        path.write_bytes(b"")
    elif harm == "older":
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA user_version = 1")
        db.close()
    else:
        content = bytearray(path.read_bytes())
        content[4096:] = os.urandom(len(content) - 4096)
        path.write_bytes(content)
    result = index.query("zeppelin")
    assert result.hits == ()
    assert index.needs_rebuild
    assert index.indexed_sessions() == {}
    index.update_session(session(), [turn("zeppelin again")], "2")
    assert not index.needs_rebuild
    assert texts(index, "zeppelin") == ["zeppelin again"]


def test_an_index_that_cannot_be_written_says_so_in_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(IndexFailed) as caught:
        Index(tmp_path / "file" / "search.db").update_memory({"MEMORY.md": b"- x\n"})
    assert caught.value.hint


def test_a_failing_reader_of_turns_changes_nothing(index: Index) -> None:
    index.update_session(session(), [turn("alpha")], "1")

    def broken() -> object:
        yield turn("beta")
        raise OSError

    with pytest.raises(OSError):
        index.update_session(session(), broken(), "2")  # type: ignore[arg-type]
    assert texts(index, "alpha beta") == ["alpha"]
    assert index.indexed_sessions() == {"claude-code:s1": "1"}


def test_several_writers_and_readers_share_the_file(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    faults: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for n in range(10):
                Index(path).update_session(session(f"a:{name}{n}"), [turn(f"zeppelin {name} {n}")], "1")
                Index(path).query("zeppelin")
        except BaseException as fault:  # noqa: BLE001 - handed to the test
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(Index(path).indexed_sessions()) == 40


def test_idx_01_every_query_of_the_report_is_answered(index: Index) -> None:
    folder = shared("cases", "IDX-01", "home", ".claude", "projects", "-home-sam-work-orchard", "memory")
    index.update_memory({path.name: path.read_bytes() for path in folder.glob("*.md")})
    for line in shared("cases", "IDX-01", "queries.tsv").read_text(encoding="utf-8").splitlines():
        query, _, wanted = line.rpartition("\t")
        found = {hit.path for hit in index.query(query).hits}
        assert found >= ({wanted} - {"-"}), query
        if wanted == "-":
            assert found == set(), query


def test_idx_03_deleted_and_edited_notes_leave_no_ghosts(index: Index) -> None:
    folder = shared("cases", "IDX-03", "home", ".claude", "projects", "-home-sam-work-orchard", "memory")
    files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.md"))}
    index.update_memory(files)
    assert len(index.query("jwt").hits) == 12
    last = files["jwt_11.md"].replace(b"30", b"45")
    assert last != files["jwt_11.md"]
    index.update_memory({"jwt_live.md": last})
    (hit,) = index.query("jwt", limit=5).hits
    assert hit.path == "jwt_live.md"
    assert "45" in hit.text
    assert index.counts()[0] == 1


def test_front_matter_is_not_found(tmp_path: Path) -> None:
    index = Index(tmp_path / "search.db")
    text = b"---\nname: api\ndescription: heron everywhere\n---\n\n# api\n\n- The heron nests here.\n"
    index.update_memory({"projects/api.md": text, "projects/open.md": b"---\n- heron, no closing line\n"})
    assert [(hit.path, hit.line) for hit in index.query("heron").hits] == [
        ("projects/api.md", 8),
        ("projects/open.md", 2),
    ]


def test_beyond_the_limit_the_sessions_longest_past_leave_first_and_memory_never(index: Index) -> None:
    index.update_memory({"MEMORY.md": b"# Memory\n\n- Heron deploys to db-7.\n"})
    for day in (3, 1, 2):  # not in the order of their days
        doc = replace(session(f"claude-code:s{day}"), last_at=AT + dt.timedelta(days=day), about=f"day {day}")
        index.update_session(doc, [turn(f"heron number{day}x{n}", minutes=n) for n in range(4)], f"stamp{day}")
    assert index.trim(12) == 0
    assert index.trim(7) == 8  # whole sessions
    assert index.counts() == (2, 3, 4)
    assert texts(index, "number1x1") == texts(index, "number2x1") == []
    assert texts(index, "number3x1") == ["heron number3x1"]
    assert len(index.query("heron").hits) == 5
    assert index.trim(1) == 0  # the newest stays whole
    assert index.indexed_sessions() == {f"claude-code:s{day}": f"stamp{day}" for day in (1, 2, 3)}  # none is read again
    index.update_session(
        replace(session("claude-code:s1"), last_at=AT + dt.timedelta(days=4)), [turn("number1x1")], "on"
    )
    assert texts(index, "number1x1") == ["number1x1"]
    assert index.trim(4) == 4
    assert texts(index, "number3x1") == []
    index.remove_session("claude-code:s3")
    assert index.counts() == (2, 2, 1)
