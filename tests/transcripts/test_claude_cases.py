"""Public bug reports with their right values, as far as reading transcripts reaches."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.event import Cursor, Growth, Origin, Role
from dreamd.transcripts.project import locate
from shared_material import shared
from transcripts.claude_session import read, scan, session_file, words

PROJECT = "-home-sam-work-orchard"
Copy = Callable[[str], Path]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """A writable copy of a case; gives its projects folder, or the copy itself where the case has none."""

    def make(case: str) -> Path:
        target = tmp_path / case
        shutil.copytree(shared("cases", case), target, copy_function=shutil.copyfile)
        for folder, _, _ in os.walk(target):
            Path(folder).chmod(0o755)
        projects = target / "home" / ".claude" / "projects"
        return projects if projects.exists() else target

    return make


def only(projects: Path) -> Path:
    """The one main transcript."""
    (found,) = [Path(file.path) for file in ClaudeCode().discover(projects) if file.kind == "main"]
    return found


def said(path: Path) -> list[str]:
    """The assistant's texts."""
    return [event.text for event in read(path) if event.role is Role.ASSISTANT]


def test_par_01_saves_glued_records_and_what_follows_a_cut_one(copy: Copy) -> None:
    path = only(copy("PAR-01"))
    reading = scan(path)
    assert (reading.records, reading.bad_lines) == (6, 2)
    everything = " ".join(event.text for event in read(path))
    assert "port 8181" in everything
    assert "that is all" in everything


def test_par_03_turns_lone_surrogates_into_replacement_characters(copy: Copy) -> None:
    path = only(copy("PAR-03"))
    reading = scan(path)
    assert (reading.records, reading.bad_lines) == (3, 0)
    everything = " ".join(event.text for event in read(path))
    assert everything.encode().decode() == everything
    assert everything.count("\ufffd") == 2
    assert "\N{ROCKET}" in everything


def test_par_05_tallies_unknown_types_and_goes_on(copy: Copy) -> None:
    path = only(copy("PAR-05"))
    reading = scan(path)
    assert reading.unknown_types["zz-future-kind"] == 2
    assert reading.unknown_types["no type"] == 1
    assert reading.bad_lines == 0
    everything = " ".join(event.text for event in read(path))
    assert (everything.count("trunk"), everything.count("signed")) == (2, 1)


def test_par_06_keeps_records_with_nulls_that_nobody_reads(copy: Copy) -> None:
    path = only(copy("PAR-06"))
    reading = scan(path)
    assert sum(reading.output_tokens.values()) == 443
    assert reading.bad_lines == 0
    answers = [event for event in read(path) if event.role is Role.ASSISTANT]
    assert [event.model for event in answers] == ["claude-sonnet-4-5"] * 2


def test_par_07_takes_any_shape_of_tool_result(copy: Copy) -> None:
    path = only(copy("PAR-07"))
    assert len(words(path)) == 1
    assert "moved the fixtures" in said(path)[-1]
    assert scan(path).bad_lines == 0


def test_par_08_merges_the_lines_of_one_message(copy: Copy) -> None:
    path = only(copy("PAR-08"))
    reading = scan(path)
    assert sum(reading.output_tokens.values()) == 301
    assert len(reading.turns) == 1
    texts = said(path)
    assert len(texts) == 2
    assert "ruff" in texts[0]
    assert "Line length is 100" in texts[0]
    assert texts[1].count("\n\n") == 0


def test_par_10_leaves_a_half_line_pending_until_it_is_whole(copy: Copy, tmp_path: Path) -> None:
    steps = copy("PAR-10")
    path = tmp_path / "session.jsonl"
    path.write_bytes((steps / "step1.bytes").read_bytes())
    first = scan(path, settled=False)
    assert (first.records, first.bad_lines) == (1, 0)
    with path.open("ab") as file:
        file.write((steps / "step2.bytes").read_bytes())
    second = scan(path, first.cursor, settled=False)
    assert (first.records + second.records, second.bad_lines) == (2, 0)
    with path.open("ab") as file:
        file.write((steps / "step3.bytes").read_bytes())
    live = scan(path, second.cursor, settled=False)
    assert (live.records, live.bad_lines) == (0, 0)
    idle = scan(path, live.cursor, settled=True)
    assert (idle.records, idle.bad_lines) == (1, 0)
    assert scan(path, idle.cursor).growth is Growth.UNCHANGED
    seen = [event.text for event in ClaudeCode().read(path, end=second.cursor.consumed)]
    assert sum("heron" in text for text in seen) == 1


def test_par_14_reads_utf8_whatever_the_locale(copy: Copy) -> None:
    path = only(copy("PAR-14"))
    program = (
        "import sys; from pathlib import Path; from dreamd.transcripts.claude_code import ClaudeCode; "
        "print(ascii([e.text for e in ClaudeCode().read(Path(sys.argv[1]))]))"
    )
    plain = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-c", program, path], env=plain, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ascii([event.text for event in read(path)])
    assert "\N{GEAR}" in " ".join(event.text for event in read(path))


def test_par_19_takes_no_api_error_for_a_statement(copy: Copy) -> None:
    path = only(copy("PAR-19"))
    assert [text for text in said(path) if "green lane" in text] == said(path)
    assert len(said(path)) == 1
    events = read(path)
    assert {event.origin for event in events if "API Error" in event.text} == {Origin.SYNTHETIC}
    assert "<synthetic>" not in {event.model for event in events}


def test_gat_01_counts_sub_agents_to_their_parent(copy: Copy) -> None:
    projects = copy("GAT-01")
    files = list(ClaudeCode().discover(projects))
    assert sorted(file.kind for file in files) == ["main", "subagent", "subagent", "subagent", "subagent"]
    assert {file.session_id for file in files} == {"00000000-0000-4000-8000-000000000101"}
    for file in files:
        if file.kind == "subagent":
            assert ClaudeCode().scan(file, Cursor(), settled=True).turns == ()
            assert {event.origin for event in read(Path(file.path))} <= {Origin.SIDECHAIN}


def test_gat_05_takes_no_wrapper_for_a_prompt(copy: Copy) -> None:
    folder = copy("GAT-05") / PROJECT
    assert words(folder / "00000000-0000-4000-8000-000000000301.jsonl") == []
    assert words(folder / "00000000-0000-4000-8000-000000000302.jsonl") == ["Never rebase shared branches."]


def test_gat_06_tells_projects_by_the_directory_not_by_the_folder(copy: Copy) -> None:
    found = [locate(scan(Path(file.path)).first_cwd) for file in ClaudeCode().discover(copy("GAT-06"))]
    assert len({project.key for project in found}) == 4
    assert {project.name for project in found} == {"my-app", "my_app", "蓝图", "草稿"}


def test_wat_04_reads_a_replaced_file_anew_and_marks_a_missing_one(copy: Copy) -> None:
    case = copy("WAT-04")
    folder = case / "projects" / PROJECT
    folder.mkdir(parents=True)
    path = folder / "00000000-0000-4000-8000-000000000555.jsonl"
    shutil.copy(case / "v1.jsonl", folder / ".tmp-x")
    assert list(ClaudeCode().discover(case / "projects")) == []
    (folder / ".tmp-x").replace(path)
    first = scan(path, settled=False)
    shutil.copy(case / "v2.jsonl", folder / ".tmp-x")
    (folder / ".tmp-x").replace(path)
    second = scan(path, first.cursor, settled=False)
    known = {turn.id for turn in first.turns} | {turn.id for turn in second.turns}
    assert known == {turn.id for turn in scan(path).turns}
    file = session_file(path)
    path.rename(case / "moved-away.jsonl")
    gone = ClaudeCode().scan(file, Cursor())
    assert gone.growth is Growth.GONE
    assert list(ClaudeCode().discover(case / "projects")) == []
