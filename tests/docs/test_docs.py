"""The documentation is under test: whatever a user can call, set or meet is documented, and what is documented exists."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import get_args

import pytest

from docs.pages import (
    CODE,
    HEADING,
    LINK,
    PAGES,
    ROOT,
    blocks,
    codes,
    config_tables,
    rows,
    section,
    slug,
    text_of,
    without_blocks,
)
from docs.product import (
    Command,
    calls,
    commands,
    doctor_checks,
    errors,
    events,
    examples_in,
    keyword,
    name_of,
    parse,
    problem_codes,
    run_reasons,
    verbs_named,
    words_in,
)
from dreamd import config as configuration
from dreamd.cli.main import VERBS, run
from dreamd.doctor.check import Why
from dreamd.engines.claude.reading import Left as LeftOfClaude
from dreamd.engines.offline.verdict import Left
from dreamd.engines.protocol import Kind
from dreamd.memory.guards import GuardReason
from dreamd.memory.plan import ChangeKind, Reason
from dreamd.memory.skipped import SkipReason
from dreamd.service.watch import WatchProblem
from dreamd.state.records import Excluded, SessionState
from dreamd.state.run_record import Outcome, Trigger
from dreamd.transcripts.event import Origin

#: Events whose second word is no past participle yet.
ODD_EVENTS: set[str] = set()
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_EACH_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda one: str(one.relative_to(ROOT)))
_EACH_COMMAND = pytest.mark.parametrize("command", commands()[1:], ids=lambda one: one.words)


def values(members: type[StrEnum]) -> set[str]:
    return {one.value for one in members}


@_EACH_COMMAND
def test_a_command_and_each_of_its_options_is_documented(command: Command) -> None:
    told = " ".join(CODE.findall(section("docs/commands.md", command.words)))
    for option in command.options:
        assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", told), f"{command.words} {option}"


def test_no_command_is_documented_that_does_not_exist() -> None:
    headings = {heading for _, heading in HEADING.findall(text_of("docs/commands.md")) if heading.startswith("dreamd ")}
    assert headings == {one.words for one in commands()[1:]}


@_EACH_COMMAND
def test_no_option_is_documented_that_does_not_exist(command: Command) -> None:
    told = [code.split()[0] for code in CODE.findall(section("docs/commands.md", command.words))]
    known = {option for one in commands() for option in one.options}
    mine = {one for one in told if one.startswith("-")} - ({"--if-due"} if command.words == "dreamd status" else set())
    assert mine <= {*command.options, *(known if command.children else ())}


def test_the_options_of_the_command_itself_are_documented() -> None:
    for option in commands()[0].options:
        assert f"dreamd {option}" in text_of("docs/commands.md")


@pytest.mark.parametrize("command", commands(), ids=lambda one: one.words)
def test_the_examples_of_a_help_text_parse(command: Command) -> None:
    epilog = str(command.made.epilog or "")
    found = examples_in(epilog) or [one for one in CODE.findall(epilog) if one.startswith("dreamd ")]
    assert found, f"{command.words} --help shows no example"
    for line in found:
        parse(line)


@_EACH_PAGE
def test_command_lines_in_shell_blocks_parse(page: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8"), "sh"):
        for line in block.splitlines():
            for part in line.split(" && "):
                if re.match(r"(?:[\w./]*/)?dreamd ", part.strip()):
                    parse(part.strip())


@_EACH_PAGE
def test_commands_named_in_the_text_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8").split("\n## Not yet\n")[0]
    named = {code.split()[1] for code in CODE.findall(without_blocks(text)) if code.startswith("dreamd ")}
    assert {one for one in named if not one.startswith("-")} <= set(VERBS)


def test_nothing_that_exists_is_said_to_be_missing() -> None:
    missing = {code.removeprefix("dreamd ") for code in CODE.findall(section("README.md", "Not yet"))}
    assert not missing & {one.words.removeprefix("dreamd ") for one in commands()}


@pytest.mark.parametrize("verb", sorted(verbs_named()))
def test_a_hint_names_a_command_that_exists(verb: str) -> None:
    assert verb in VERBS


def test_the_readmes_test_command_is_what_ci_runs() -> None:
    line = next(line for line in text_of(".ci/run").splitlines() if "pytest" in line)
    assert line in [one for block in blocks(text_of("README.md"), "sh") for one in block.splitlines()]


def test_each_one_command_start_stands_alone_in_its_block() -> None:
    starts = [block.strip() for block in blocks(text_of("README.md"), "sh") if "venv" in block]
    assert len(starts) == 2
    assert all("\n" not in block for block in starts)


def test_the_readme_shows_what_the_demo_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo"]) == 0
    printed = [_DATE.sub("DATE", line) for line in capsys.readouterr().out.splitlines()]
    shown = [
        *blocks(text_of("README.md"), "markdown")[0].splitlines(),
        *blocks(text_of("README.md"), "text")[0].splitlines(),
    ]
    for line in (_DATE.sub("DATE", one) for one in shown if one.strip()):
        start = line.removesuffix("…").rstrip()
        assert any(one == start or (line.endswith("…") and one.startswith(start)) for one in printed), line


def test_the_readme_stays_readable() -> None:
    assert len(text_of("README.md").splitlines()) <= 250


def test_the_configuration_tables_equal_the_settings() -> None:
    assert config_tables() in text_of("docs/configuration.md")


def test_every_key_without_its_feature_is_named() -> None:
    told = set(CODE.findall(section("docs/configuration.md", "Not there yet")))
    assert set(configuration._WORKING) <= told
    for key, working in configuration._WORKING.items():
        told_of = next(
            one for one in re.split(r"[,;:]\s", section("docs/configuration.md", "Not there yet")) if f"`{key}`" in one
        )
        assert {configuration.toml_value(one) for one in working} <= set(CODE.findall(told_of)), key


@_EACH_PAGE
def test_keys_named_in_the_text_exist(page: Path) -> None:
    known = {key for key, _ in configuration.keys()}  # noqa: SIM118 - a module's function
    sections = {key.split(".")[0] for key in known}
    for code in CODE.findall(without_blocks(page.read_text(encoding="utf-8"))):
        match = re.match(r"([a-z]+)\.([a-z_]+)(?: = .*)?$", code)
        if match and match[1] in sections and match[2] not in ("db", "md", "finished", "started", "closed"):
            assert f"{match[1]}.{match[2]}" in known or code in events(), code


@pytest.mark.parametrize("block", blocks(text_of("docs/configuration.md"), "toml"))
def test_an_example_configuration_is_valid(block: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(block, encoding="utf-8")
    assert configuration.load(tmp_path / "config.toml", {}).file_exists


@pytest.mark.parametrize(
    ("heading", "members"),
    [
        ("Outcomes", values(Outcome)),
        ("Triggers", values(Trigger)),
        ("Changes", values(ChangeKind)),
        ("Reasons of changes", values(Reason)),
        ("What the offline engine leaves", set(get_args(Left))),
        ("What the claude engine leaves", set(get_args(LeftOfClaude))),
        ("Guards", values(GuardReason)),
        ("Session states", values(SessionState)),
        ("Why a session is excluded", values(Excluded)),
        ("Notes of a run", {f"skipped_{one.value}" for one in SkipReason}),
        ("Errors", {one.code for one in errors()}),
        ("Watching", values(WatchProblem)),
    ],
)
def test_a_closed_set_is_documented_whole(heading: str, members: set[str]) -> None:
    assert codes("docs/reference.md", heading) == members


def test_kinds_of_findings_are_documented() -> None:
    assert codes("docs/how-it-decides.md", "What is kept, and as what") == values(Kind)


def test_origins_of_turns_are_documented() -> None:
    assert values(Origin) <= set(CODE.findall(section("docs/how-it-decides.md", "Whose words count")))


def test_gates_and_their_reasons_are_documented() -> None:
    made = {
        (name, reason)
        for call in calls("dream/gates.py")
        if name_of(call) == "Gate"
        for name in words_in(call.args[0])
        for reason in words_in(keyword(call, "reason"))
    }
    table = {(CODE.findall(row[0])[0], CODE.findall(row[1])[0]) for row in rows("docs/reference.md", "Gates")}
    assert table == made


def test_reasons_of_runs_are_documented() -> None:
    vanished = {"vanished"}  # refused before the guards, by the same name in `Refused.reasons`
    assert codes("docs/reference.md", "Reasons of runs") == run_reasons() | vanished


def test_problem_codes_are_documented() -> None:
    assert codes("docs/reference.md", "Problems") == problem_codes()


def test_what_the_doctor_can_find_is_documented() -> None:
    table = {tuple(cell.strip("`") for cell in row[:3]) for row in rows("docs/reference.md", "What the doctor finds")}
    assert table == {one for one in doctor_checks() if one[1] != "ok"}
    told = set(CODE.findall(section("docs/reference.md", "What the doctor finds")))
    assert {reason for _, _, reason in doctor_checks()} <= told
    assert {reason for _, _, reason in doctor_checks()} <= {one.value for one in Why}


def test_exit_statuses_of_errors_are_documented() -> None:
    statuses = {CODE.findall(row[0])[0]: int(row[1]) for row in rows("docs/reference.md", "Errors")}
    assert statuses == {one.code: one.exit_status for one in errors()}
    listed = {int(row[0]) for row in rows("docs/commands.md", "Exit status")}
    assert listed == {0, 6, *statuses.values()}


def test_every_event_is_documented_with_its_level() -> None:
    table = {CODE.findall(row[0])[0]: row[1] for row in rows("docs/reference.md", "Log events")}
    assert table == events()


@pytest.mark.parametrize("event", sorted(events()))
def test_an_event_is_a_noun_and_a_past_participle(event: str) -> None:
    if event in ODD_EVENTS:
        pytest.xfail("not renamed yet")
    assert re.fullmatch(r"[a-z_]+\.[a-z_]*(?:ed|en|known|taken_over|begun|lost|sent|read|found|kept|held|put)", event)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda one: str(one.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(without_blocks(page.read_text(encoding="utf-8"))):
        place = page.parent / target if target else page
        assert place.exists(), f"{page.name} → {target}"
        if anchor:
            headings = [
                slug(heading) for _, heading in HEADING.findall(without_blocks(place.read_text(encoding="utf-8")))
            ]
            assert anchor in headings, f"{page.name} → {target}#{anchor}"


def test_every_benchmark_is_described_and_its_figures_are_dated() -> None:
    page = text_of("benchmarks/README.md")
    for script in sorted((ROOT / "benchmarks").glob("*.py")):
        assert f"python benchmarks/{script.name}" in page
    assert re.search(r"measured on \d{4}-\d{2}-\d{2}: ", page)
