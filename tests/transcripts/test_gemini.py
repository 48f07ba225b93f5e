"""Gemini CLI sessions: a log of events or a document; what a person said counts once, what they took back does not."""

import json
from pathlib import Path

import pytest

from dreamd.transcripts.event import Cursor, Growth, Origin, Role, SessionFile
from dreamd.transcripts.gemini import Gemini
from dreamd.transcripts.retention import retention
from shared_material import shared
from transcripts.codex_lines import at, dump

HEAD: dict[str, object] = {"sessionId": "s1", "startTime": at(), "lastUpdated": at(), "kind": "main"}


def user(name: str, text: str, **more: object) -> dict[str, object]:
    return {"id": name, "timestamp": at(1), "type": "user", "content": [{"text": text}], **more}


def gemini(name: str, text: str, **more: object) -> dict[str, object]:
    return {"id": name, "timestamp": at(2), "type": "gemini", "content": text, "model": "g", **more}


def write(root: Path, *lines: dict[str, object], name: str = "session-2026-03-02T09-00-aaaa0001.jsonl") -> SessionFile:
    path = root / "lantern" / "chats" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dump(lines))
    return next(file for file in Gemini().discover(root) if file.path == str(path))


def told(file: SessionFile) -> list[tuple[str, str]]:
    """Speaker and words; the person's turns are those that are counted."""
    events = list(Gemini().read(Path(file.path)))
    reading = Gemini().scan(file, Cursor(), settled=True)
    assert [one.id for one in events if one.role is Role.HUMAN] == [turn.id for turn in reading.turns]
    return [(one.role.value, one.text) for one in events if one.role in (Role.HUMAN, Role.ASSISTANT)]


def test_the_real_clients_sessions() -> None:
    """A session with tools, gone on with in a second run, and another one."""
    root = shared("fixtures", "clients", "gemini", "basic", "home") / ".gemini" / "tmp"
    files = sorted(Gemini().discover(root), key=lambda one: one.path)
    assert [told(file) for file in files] == [
        [
            ("human", "use tools please: fix calc.py (\u65e5\u672c\u8a9e \U0001f64f)"),
            ("assistant", "Looking."),
            ("assistant", "Failing."),
            ("assistant", "Fixing."),
            ("assistant", "Fixed the sign. \u7d42\u308f\u308a\u307e\u3057\u305f \U0001f680"),
            ("human", "say beta"),
            ("assistant", "You said beta."),
        ],
        [("human", "say gamma, a new session"), ("assistant", "You said gamma.")],
    ]
    tools = [one.tool for one in Gemini().read(Path(files[0].path)) if one.role is Role.TOOL]
    assert tools == ["run_shell_command", "run_shell_command", "replace"]
    reading = Gemini().scan(files[0], Cursor())
    noted = (root / "proj" / ".project_root").read_text().strip()
    assert (reading.first_cwd, reading.bad_lines, dict(reading.unknown_types)) == (noted, 0, {})
    assert sum(reading.output_tokens.values()) == 20 * 5


def test_par_16_a_header_without_a_project_hash_is_no_reason_to_drop_a_session() -> None:
    [file] = Gemini().discover(shared("cases", "PAR-16", "home") / ".gemini" / "tmp")
    assert told(file) == [("human", "Snapshots go to the kelp bucket."), ("assistant", "Kelp bucket it is.")]
    assert Gemini().scan(file, Cursor()).first_cwd == "tide-pool"


def test_par_17_the_log_wins_over_its_stale_document_and_what_was_rewound_is_gone() -> None:
    files = sorted(Gemini().discover(shared("cases", "PAR-17", "home") / ".gemini" / "tmp"), key=lambda one: one.path)
    assert [Path(file.path).name for file in files] == [
        "session-2026-03-01T09-00-cccc0001.json",
        "session-2026-03-02T09-00-bbbb0001.jsonl",
    ]
    assert told(files[0]) == [("human", "Legacy file: alerts go to #shore."), ("assistant", "Alerts to #shore.")]
    assert told(files[1]) == [
        ("human", "Use tern as the queue name."),
        ("assistant", "Queue tern."),
        ("human", "Tern is right after all; retention 3 days."),
        ("assistant", "Tern, 3 days."),
    ]
    ids = [turn.id for file in files for turn in Gemini().scan(file, Cursor()).turns]
    assert len(set(ids)) == 3


def test_a_rewind_past_what_was_counted_makes_the_file_count_anew(tmp_path: Path) -> None:
    lines = [HEAD, user("m1", "keep"), user("m2", "call it gull")]
    reader = Gemini()
    first = reader.scan(write(tmp_path, *lines), Cursor())
    second = reader.scan(write(tmp_path, *lines, {"$rewindTo": "m2"}), first.cursor)
    assert (len(first.turns), len(second.turns), second.growth) == (2, 1, Growth.REWRITTEN)


def test_a_rewind_to_what_is_not_known_takes_everything_back(tmp_path: Path) -> None:
    assert told(write(tmp_path, HEAD, user("m1", "one"), {"$rewindTo": "x"}, user("m2", "two"))) == [("human", "two")]


def test_what_a_compression_drops_from_the_models_view_was_still_said(tmp_path: Path) -> None:
    summary = user("m9", "<state_snapshot>they use ruff</state_snapshot>")
    file = write(tmp_path, HEAD, user("m1", "use ruff"), {"$set": {"messages": [summary]}}, user("m2", "go on"))
    assert told(file) == [("human", "use ruff"), ("human", "go on")]


def test_a_message_that_comes_again_replaces_the_first(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD, user("m1", "use ruff"), gemini("m2", "Ru"), gemini("m2", "Ruff."))
    assert told(file) == [("human", "use ruff"), ("assistant", "Ruff.")]


@pytest.mark.parametrize("text", ["/clear", "/chat save x", "<session_context>x</session_context>", "?"])
def test_commands_and_the_clients_own_words_are_nobodys(tmp_path: Path, text: str) -> None:
    assert told(write(tmp_path, HEAD, user("m1", text))) == []


def test_the_contents_of_files_that_a_prompt_names_are_cut_off(tmp_path: Path) -> None:
    added = "look at @a.py\n--- Content from referenced files ---\nsecret\n--- End of content ---"
    shown = user("m2", "expanded text", displayContent=[{"text": "look at @b.py"}])
    assert told(write(tmp_path, HEAD, user("m1", added), shown)) == [
        ("human", "look at @a.py"),
        ("human", "look at @b.py"),
    ]


def test_the_registry_tells_a_projects_directory(tmp_path: Path) -> None:
    root = tmp_path / "tmp"
    file = write(root, HEAD, user("m1", "hello there"))
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {"/home/sam/work/lantern": "lantern"}}))
    assert Gemini().scan(file, Cursor()).first_cwd == "/home/sam/work/lantern"


def test_the_registry_tells_which_directory_an_older_clients_digest_means(tmp_path: Path) -> None:
    """As the client itself computes it: SHA-256 of the project's directory."""
    directory = "/home/sam/work/lantern"
    digest = "cd9b53984b12223aeb0cf348492a6ed303866e1ef6b9b831688d030f83061817"
    root = tmp_path / "tmp"
    write(root, HEAD, user("m1", "hello there"))
    (root / "lantern").rename(root / digest)
    [file] = Gemini().discover(root)
    assert Gemini().scan(file, Cursor()).first_cwd is None
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {"/else": "else", directory: "proj"}}))
    assert Gemini().scan(file, Cursor()).first_cwd == directory


def test_a_sub_agents_log_is_its_sessions_and_nobody_speaks_in_it(tmp_path: Path) -> None:
    write(tmp_path, HEAD, user("m1", "hello there"))
    folder = tmp_path / "lantern" / "chats" / "aaaa0001"
    folder.mkdir()
    (folder / "sub1.jsonl").write_bytes(dump([{**HEAD, "kind": "subagent"}, user("s1", "look into it")]))
    [sub] = [file for file in Gemini().discover(tmp_path) if file.kind == "subagent"]
    assert Gemini().scan(sub, Cursor()).turns == ()


def test_a_document_is_known_by_its_content(tmp_path: Path) -> None:
    document = json.dumps({**HEAD, "messages": [user("m1", "hello there")]}, indent=1)
    file = write(tmp_path, HEAD)
    Path(file.path).write_text(document)
    assert told(file) == [("human", "hello there")]


def test_a_document_that_is_just_being_written_is_looked_at_again(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD, name="session-2026-03-02T09-00-aaaa0001.json")
    document = json.dumps({**HEAD, "messages": [user("m1", "hello there")]}, indent=1)
    Path(file.path).write_text(document)
    [file] = Gemini().discover(tmp_path)
    first = Gemini().scan(file, Cursor())
    Path(file.path).write_text(document[:-20])
    [file] = Gemini().discover(tmp_path)
    half = Gemini().scan(file, first.cursor)
    assert (half.growth, half.cursor) == (Growth.UNCHANGED, first.cursor)
    assert Gemini().scan(file, first.cursor, settled=True).bad_lines == 1


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        ({}, 30),
        ({"general": {"sessionRetention": {"maxAge": "2w"}}}, 14),
        ({"general": {"sessionRetention": {"enabled": True, "maxAge": "30d"}}}, 30),
        ({"general": {"sessionRetention": {"enabled": False, "maxAge": "30d"}}}, None),
    ],
)
def test_the_clients_own_retention(tmp_path: Path, settings: dict[str, object], days: int | None) -> None:
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    found = retention("gemini", tmp_path / "tmp")
    assert (found.days if found else None) == days


def typed_at(root: Path, *sessions: str) -> None:
    """The client's list of what was typed, as its interactive mode writes it."""
    entries = [
        {"sessionId": one, "messageId": 0, "type": "user", "message": "x", "timestamp": at()} for one in sessions
    ]
    (root / "lantern" / "logs.json").write_text(json.dumps(entries, indent=2))


def test_a_session_that_the_list_of_typed_prompts_leaves_out_is_a_scripts(tmp_path: Path) -> None:
    typed = write(tmp_path, HEAD, user("m1", "use ruff"))
    script = write(
        tmp_path, {**HEAD, "sessionId": "s2"}, user("m2", "count the files"), name="session-x-aaaa0002.jsonl"
    )
    reader = Gemini()
    unknown = reader.scan(script, Cursor())
    assert (len(unknown.turns), unknown.headless) == (1, False)  # without the list nothing is known
    typed_at(tmp_path, "s1")
    first, second = reader.scan(typed, Cursor()), reader.scan(script, Cursor())
    assert (len(first.turns), first.headless) == (1, False)
    assert (second.turns, [one.origin for one in second.headless_turns], second.headless) == (
        (),
        [Origin.HEADLESS],
        True,
    )
    [event] = reader.read(Path(script.path))
    assert (event.id, event.origin) == (second.headless_turns[0].id, Origin.HEADLESS)
    typed_at(tmp_path, "s1", "s2")
    assert len(reader.scan(script, Cursor()).turns) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", "[1, null]", "[{", "\x00"])
def test_a_damaged_list_of_typed_prompts_says_nothing(tmp_path: Path, text: str) -> None:
    file = write(tmp_path, HEAD, user("m1", "use ruff"))
    (tmp_path / "lantern" / "logs.json").write_text(text)
    assert len(Gemini().scan(file, Cursor()).turns) == 1


def test_what_the_client_itself_wrote_beside_typed_words_is_read(tmp_path: Path) -> None:
    """As version 0.61.0 writes an interactive session: a list of prompts, commands among them, and the log without these."""
    lines = [
        HEAD,
        user("m1", "say alpha: we use ruff"),
        gemini("m2", "Alpha."),
        user("m3", "say beta"),
        gemini("m4", "Beta."),
    ]
    file = write(tmp_path, *lines)
    typed_at(tmp_path, "s1", "s1", "s1")
    assert [words for who, words in told(file) if who == "human"] == ["say alpha: we use ruff", "say beta"]
