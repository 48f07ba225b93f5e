"""The documentation is under test: whatever a user can call, set, read in a JSON document or meet in the log is documented."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

from dreamd import config as configuration
from dreamd.cli.main import VERBS, build, run
from dreamd.dream import gates
from dreamd.engines.offline.verdict import Left
from dreamd.engines.protocol import Kind
from dreamd.errors import DreamdError
from dreamd.memory.guards import GuardReason
from dreamd.memory.plan import ChangeKind, Reason
from dreamd.memory.workbench import SkipReason
from dreamd.settings import Config
from dreamd.state.records import Excluded, SessionState
from dreamd.state.run_record import Outcome, Trigger
from dreamd.transcripts.event import Origin

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ROOT / "dreamd"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "benchmarks" / "README.md")

#: Events whose second word is no past participle yet.
ODD_EVENTS = {"transcript.unreadable"}
#: JSON objects whose keys are data: reasons, record types, configuration keys, file names.
FREE_KEYS = {"kept", "dropped", "unknown_types", "values", "files"}

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


# --- the pages as values ---


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return [body for found, body in _FENCE.findall(text) if found == language]


def without_blocks(text: str) -> str:
    return _FENCE.sub("", text)


def section(name: str, heading: str) -> str:
    """What stands under a heading, up to the next one of any level."""
    _, *parts = re.split(rf"^#{{1,6}} {re.escape(heading)}$", text_of(name), flags=re.MULTILINE)
    assert len(parts) == 1, f"{name} has {len(parts)} headings {heading!r}"
    return _HEADING.split(parts[0])[0]


def rows(name: str, heading: str) -> list[list[str]]:
    """The cells of the section's table, without its head."""
    lines = [line for line in section(name, heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def codes(name: str, heading: str) -> set[str]:
    """The code words in the table's first column."""
    return {code for row in rows(name, heading) for code in _CODE.findall(row[0])}


def slug(heading: str) -> str:
    """A heading's anchor, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def config_tables() -> str:
    """The tables of docs/configuration.md, made of the settings."""
    parts = []
    for name, field in Config.model_fields.items():
        table = get_args(field.annotation)
        model = table[0] if table else field.annotation
        head = f"[[{name}]]" if table else f"[{name}]"
        lines = [f"### {head}", "", str(model.__doc__), "", "| key | default | meaning |", "|---|---|---|"]
        for key, item in model.model_fields.items():
            meaning = str(item.description).replace("|", "\\|")
            lines.append(f"| `{name}.{key}` | `{configuration.toml_value(item.default)}` | {meaning} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


# --- the command line as values ---


@dataclass(frozen=True)
class Command:
    """One command: its words, the object behind it, its options (all spellings) and the examples of its help."""

    words: str
    made: Any

    @property
    def options(self) -> list[str]:
        return [name for one in self.made.params if one.param_type_name == "option" for name in one.opts]

    @property
    def children(self) -> dict[str, Any]:
        return dict(getattr(self.made, "commands", {}))


@cache
def commands() -> tuple[Command, ...]:
    return tuple(_walk("dreamd", typer.main.get_command(build(None))))


def _walk(words: str, made: Any) -> Iterator[Command]:
    yield Command(words, made)
    for name, child in getattr(made, "commands", {}).items():
        yield from _walk(f"{words} {name}", child)


def parse(line: str) -> None:
    """Parses a command line as the shell and dreamd would; raises where it would be refused."""
    words = shlex.split(line, comments=True)
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words.pop(0)
    assert words.pop(0).endswith("dreamd"), line
    for stop in ("|", "&&", ">", ";"):
        words = words[: words.index(stop)] if stop in words else words
    known, here = {one.words: one for one in commands()}, "dreamd"
    while words and f"{here} {words[0]}" in known:
        here = f"{here} {words.pop(0)}"
    command = known[here]
    if here == "dreamd":
        assert words, line
        assert set(words) <= {*command.options, "--help", "-h"}, f"no such command: {line}"
        return
    command.made.make_context(here, words)


def examples_in(epilog: str) -> list[str]:
    """The command lines of a help text's "Examples: … · …"."""
    found = []
    for part in re.split(r" · |, then ", epilog.removeprefix("Examples: ")):
        line = re.sub(r" \([^)]*\)$", "", part).rstrip("…")
        if re.match(r"(?:[A-Z_]+=\S+ )*dreamd ", line):
            found.append(line)
    return found


# --- the product's source as values ---


@cache
def modules() -> tuple[tuple[Path, ast.Module], ...]:
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(PRODUCT.rglob("*.py")))


def calls(*paths: str) -> Iterator[ast.Call]:
    """Every call in the product, or in some of its modules."""
    for path, tree in modules():
        if not paths or str(path.relative_to(PRODUCT)) in paths:
            yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def words_in(*nodes: ast.expr | None) -> set[str]:
    """The constant texts that an expression may come to; parts of f-strings are none."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.IfExp):
            found |= words_in(node.body, node.orelse)
    return found


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((one.value for one in call.keywords if one.arg == name), None)


@cache
def events() -> dict[str, str]:
    """Every event that is logged, with its level."""
    found = {}
    for call in calls():
        target = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(target, ast.Call) and name_of(target) == "logger":
            for event in words_in(*call.args[:1]):
                found[event] = name_of(call)
            assert words_in(*call.args[:1]), f"an event that is no constant: {ast.unparse(call)}"
    return found


def run_reasons() -> set[str]:
    """Every reason that the source gives a run by name."""
    dreaming = ("dream/cycle.py", "dream/night.py", "dream/revise.py", "dream/recovery.py", "state/lease.py")
    found: set[str] = set()
    for call in calls(*dreaming):
        if name_of(call) in ("end", "conclude"):
            found |= words_in(*call.args[1:2])
        elif name_of(call) in ("replace", "RunRecord", "values"):
            found |= words_in(keyword(call, "reason"))
    for path, tree in modules():
        if path.name == "cycle.py":
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and node.name == "_why_nothing":
                    found |= words_in(*(one.value for one in ast.walk(node) if isinstance(one, ast.Return)))
    return found


def errors(base: type[DreamdError] = DreamdError) -> Iterator[type[DreamdError]]:
    yield base
    for child in base.__subclasses__():
        if child.__module__.startswith("dreamd."):
            yield from errors(child)


def values(members: type[StrEnum]) -> set[str]:
    return {one.value for one in members}


# --- commands ---


@pytest.mark.parametrize("command", commands()[1:], ids=lambda one: one.words)
def test_a_command_and_each_of_its_options_is_documented(command: Command) -> None:
    told = " ".join(_CODE.findall(section("docs/commands.md", command.words)))
    for option in command.options:
        assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", told), f"{command.words} {option}"


def test_no_command_is_documented_that_does_not_exist() -> None:
    headings = {heading for _, heading in _HEADING.findall(text_of("docs/commands.md")) if heading.startswith("dreamd ")}
    assert headings == {one.words for one in commands()[1:]}


@pytest.mark.parametrize("command", commands()[1:], ids=lambda one: one.words)
def test_no_option_is_documented_that_does_not_exist(command: Command) -> None:
    told = [code.split()[0] for code in _CODE.findall(section("docs/commands.md", command.words))]
    known = {option for one in commands() for option in one.options}
    mine = {one for one in told if one.startswith("-")} - ({"--if-due"} if command.words == "dreamd status" else set())
    assert mine <= {*command.options, *(known if command.children else ())}


def test_the_options_of_the_command_itself_are_documented() -> None:
    for option in commands()[0].options:
        assert f"dreamd {option}" in text_of("docs/commands.md")


@pytest.mark.parametrize("command", commands(), ids=lambda one: one.words)
def test_the_examples_of_a_help_text_parse(command: Command) -> None:
    epilog = str(command.made.epilog or "")
    found = examples_in(epilog) or [one for one in _CODE.findall(epilog) if one.startswith("dreamd ")]
    assert found, f"{command.words} --help shows no example"
    for line in found:
        parse(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda one: str(one.relative_to(ROOT)))
def test_command_lines_in_shell_blocks_parse(page: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8"), "sh"):
        for line in block.splitlines():
            for part in line.split(" && "):
                if re.match(r"(?:[\w./]*/)?dreamd ", part.strip()):
                    parse(part.strip())


@pytest.mark.parametrize("page", PAGES, ids=lambda one: str(one.relative_to(ROOT)))
def test_commands_named_in_the_text_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8").split("\n## Not yet\n")[0]
    named = {code.split()[1] for code in _CODE.findall(without_blocks(text)) if code.startswith("dreamd ")}
    planned = {"run"} if page.name == "README.md" else set()
    assert {one for one in named if not one.startswith("-")} <= {*VERBS, *planned}


def test_hints_name_commands_that_exist() -> None:
    for _, tree in modules():
        texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        for text in texts:
            for verb in re.findall(r"`dreamd ([a-z]+)", text):
                assert verb in {*VERBS, "forget", "run"}, text


# --- the two one-command starts and what the README shows ---


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
    shown = [*blocks(text_of("README.md"), "markdown")[0].splitlines(), *blocks(text_of("README.md"), "text")[0].splitlines()]
    for line in (_DATE.sub("DATE", one) for one in shown if one.strip()):
        start = line.removesuffix("…").rstrip()
        assert any(one == start or (line.endswith("…") and one.startswith(start)) for one in printed), line


def test_the_readme_stays_readable() -> None:
    assert len(text_of("README.md").splitlines()) <= 250


# --- configuration ---


def test_the_configuration_tables_equal_the_settings() -> None:
    assert config_tables() in text_of("docs/configuration.md")


def test_every_key_without_its_feature_is_named() -> None:
    told = set(_CODE.findall(section("docs/configuration.md", "Not there yet")))
    assert {key for key, _, _ in configuration._NOT_YET} <= told


@pytest.mark.parametrize("page", PAGES, ids=lambda one: str(one.relative_to(ROOT)))
def test_keys_named_in_the_text_exist(page: Path) -> None:
    known = {key for key, _ in configuration.keys()}
    sections = {key.split(".")[0] for key in known}
    for code in _CODE.findall(without_blocks(page.read_text(encoding="utf-8"))):
        match = re.match(r"([a-z]+)\.([a-z_]+)(?: = .*)?$", code)
        if match and match[1] in sections and match[2] not in ("db", "md", "finished", "started", "closed"):
            assert f"{match[1]}.{match[2]}" in known or code in events(), code


@pytest.mark.parametrize("block", blocks(text_of("docs/configuration.md"), "toml"))
def test_an_example_configuration_is_valid(block: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(block, encoding="utf-8")
    assert configuration.load(tmp_path / "config.toml", {}).file_exists


# --- closed sets ---


@pytest.mark.parametrize(
    ("heading", "members"),
    [
        ("Outcomes", values(Outcome)),
        ("Triggers", values(Trigger)),
        ("Changes", values(ChangeKind)),
        ("Reasons of changes", values(Reason)),
        ("What the offline engine leaves", set(get_args(Left))),
        ("Guards", values(GuardReason)),
        ("Session states", values(SessionState)),
        ("Why a session is excluded", values(Excluded)),
        ("Notes of a run", {f"skipped_{one.value}" for one in SkipReason}),
        ("Errors", {one.code for one in errors()}),
    ],
)
def test_a_closed_set_is_documented_whole(heading: str, members: set[str]) -> None:
    assert codes("docs/reference.md", heading) == members


def test_kinds_of_findings_are_documented() -> None:
    assert codes("docs/how-it-decides.md", "What is kept, and as what") == values(Kind)


def test_origins_of_turns_are_documented() -> None:
    assert values(Origin) <= set(_CODE.findall(section("docs/how-it-decides.md", "Whose words count")))


def test_gates_and_their_reasons_are_documented() -> None:
    made = {
        (name, reason)
        for call in calls("dream/gates.py")
        if name_of(call) == "Gate"
        for name in words_in(call.args[0])
        for reason in words_in(keyword(call, "reason"))
    }
    assert {name for name, _ in made} == {
        name for name, _ in vars(gates).items() if name in ("enabled", "time", "sessions", "budget", "backoff", "lock")
    }
    table = {(_CODE.findall(row[0])[0], _CODE.findall(row[1])[0]) for row in rows("docs/reference.md", "Gates")}
    assert table == made


def test_reasons_of_runs_are_documented() -> None:
    from_triggers = {Trigger.UNDO.value, Trigger.ACCEPT.value}
    vanished = {"vanished"}
    assert codes("docs/reference.md", "Reasons of runs") == run_reasons() | from_triggers | vanished


def test_problem_codes_are_documented() -> None:
    made = {code for call in calls("status.py") if name_of(call) == "Problem" for code in words_in(*call.args[:1])}
    assert codes("docs/reference.md", "Problems") == made


def test_exit_statuses_of_errors_are_documented() -> None:
    statuses = {_CODE.findall(row[0])[0]: int(row[1]) for row in rows("docs/reference.md", "Errors")}
    assert statuses == {one.code: one.exit_status for one in errors()}
    listed = {int(row[0]) for row in rows("docs/commands.md", "Exit status")}
    assert listed == {0, 6, *statuses.values()}


# --- the log ---


def test_every_event_is_documented_with_its_level() -> None:
    table = {_CODE.findall(row[0])[0]: row[1] for row in rows("docs/reference.md", "Log events")}
    assert table == events()


@pytest.mark.parametrize("event", sorted(events()))
def test_an_event_is_a_noun_and_a_past_participle(event: str) -> None:
    if event in ODD_EVENTS:
        pytest.xfail("not renamed yet")
    assert re.fullmatch(r"[a-z_]+\.[a-z_]*(?:ed|en|known|taken_over|begun|lost|sent|read|found|kept|held|put)", event)


# --- JSON ---


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the demo dreamt, with a waiting plan and an archived session."""
    place = tmp_path_factory.mktemp("home")
    assert run(["demo", "--keep", str(place), "--json"]) == 0
    return place


@pytest.mark.parametrize(
    ("heading", "arguments"),
    [
        ("status", ["status"]),
        ("scan", ["scan"]),
        ("sessions", ["sessions"]),
        ("sessions show", ["sessions", "show", "2b55"]),
        ("runs", ["runs"]),
        ("runs show", ["runs", "show", "last"]),
        ("memory", ["memory"]),
        ("memory show", ["memory", "show", "harbor-api"]),
        ("diff", ["diff"]),
        ("why", ["why", "pnpm"]),
        ("search", ["search", "pnpm"]),
        ("restore", ["restore", "2b55"]),
        ("init", ["init", "--print"]),
        ("init", ["init"]),
        ("config show", ["config", "show"]),
        ("config check", ["config", "check"]),
        ("config path", ["config", "path"]),
        ("demo", ["demo"]),
        ("An error", ["runs", "show", "nothing"]),
        ("kick", ["kick", "--if-due"]),
        ("kick", ["kick", "--session", "2b55", "--dry-run"]),
        ("undo", ["undo"]),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else None,
)
def test_every_key_of_a_json_document_is_documented(
    home: Path, heading: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_home(home, monkeypatch)
    run([*arguments, "--json"])
    told = section("docs/json.md", heading)
    for further in ("A run", "kick", "sessions"):  # shapes that other documents hold
        if re.search(r"\b(?:a run|list of runs|as above)\b", told, re.IGNORECASE) or heading == "kick":
            told += section("docs/json.md", further)
    words = set(re.findall(r"[a-z_0-9]+", told))
    assert keys_in(json.loads(capsys.readouterr().out)) <= words


def test_log_lines_hold_the_documented_keys(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_home(home, monkeypatch)
    assert run(["scan", "--json"]) == 0
    assert run(["kick", "--json"]) == 0
    capsys.readouterr()
    assert run(["logs", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines
    assert all({"timestamp", "level", "event"} <= set(line) for line in lines)
    assert {line["event"] for line in lines} <= set(events())


def at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a directory the home, with nothing of the caller's environment in force."""
    for name in list(os.environ):
        if name.startswith(("DREAMD_", "XDG_")) or name == "CLAUDE_CONFIG_DIR":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))


def keys_in(value: object) -> set[str]:
    """Every key of a JSON value; those that are data are passed over."""
    if isinstance(value, list):
        return set[str]().union(*map(keys_in, value))
    if not isinstance(value, dict):
        return set()
    inner = (keys_in(one) for key, one in value.items() if not (key in FREE_KEYS and isinstance(one, dict)))
    return set(value).union(*inner)


# --- links and figures ---


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda one: str(one.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in _LINK.findall(without_blocks(page.read_text(encoding="utf-8"))):
        place = page.parent / target if target else page
        assert place.exists(), f"{page.name} → {target}"
        if anchor:
            headings = [slug(heading) for _, heading in _HEADING.findall(without_blocks(place.read_text(encoding="utf-8")))]
            assert anchor in headings, f"{page.name} → {target}#{anchor}"


def test_every_benchmark_is_described_with_a_dated_figure() -> None:
    page = text_of("benchmarks/README.md")
    for script in sorted((ROOT / "benchmarks").glob("*.py")):
        assert f"python benchmarks/{script.name}" in page
    assert len(_DATE.findall(page)) >= 1
    assert all(day <= time.strftime("%Y-%m-%d") for day in _DATE.findall(page))
