"""The `claude` command as the transport: what it is given, and what each of its answers comes to."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from dreamd.credentials import claude_command
from dreamd.engines.claude.caller import Patience
from dreamd.engines.claude.command import Command
from dreamd.engines.claude.engine import ClaudeEngine
from dreamd.engines.claude.prices import Prices
from dreamd.engines.claude.prompts import prompt
from dreamd.engines.faults import EngineBusy, EngineUnusable, UnusableAnswer
from dreamd.state.run_record import Outcome
from dreamd.transcripts.speaker import OWN_MARKER, is_own
from engines_claude.conftest import DAY, session
from engines_claude.scripted import finding
from world import World

RULE = "in quillmark we always squash before merging"
GOOD = {"findings": [finding("Squash before merging in quillmark.", "t1", RULE)]}
USED = {"input_tokens": 900, "output_tokens": 40, "cache_read_input_tokens": 10, "cache_creation_input_tokens": None}


def told(result: object, **more: object) -> str:
    text = result if isinstance(result, str) else json.dumps(result)
    return json.dumps(
        {"type": "result", "is_error": False, "result": text, "usage": USED, "total_cost_usd": 0.01} | more
    )


def program(folder: Path, output: str, *, status: int = 0, seconds: float = 0) -> Path:
    """A `claude` that notes how it was called and says what it shall."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "output").write_text(output)
    path = folder / "claude"
    path.write_text(
        f"#!{sys.executable}\n"
        "import json, os, sys, time\n"
        f"here = {str(folder)!r}\n"
        "called = {'arguments': sys.argv[1:], 'input': sys.stdin.read(), 'cwd': os.getcwd(), 'files': os.listdir()}\n"
        "with open(os.path.join(here, 'calls'), 'a') as file: file.write(json.dumps(called) + '\\n')\n"
        f"time.sleep({seconds})\n"
        "print(open(os.path.join(here, 'output')).read())\n"
        f"sys.exit({status})\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def calls(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "calls").read_text().splitlines()]


def engine(path: Path | None, timeout: float = 20) -> ClaudeEngine:
    return ClaudeEngine(
        Command(path, timeout=timeout),
        gather_model="claude-haiku-5-5",
        consolidate_model="claude-sonnet-5-5",
        prices=Prices.on(DAY.date()),
        patience=Patience(sleep=lambda _: None),
    )


def test_a_session_is_read_through_the_command_and_its_own_price_is_booked(tmp_path: Path) -> None:
    made = engine(program(tmp_path, told(GOOD))).extract(session(RULE), ())
    assert [one.text for one in made.findings] == ["Squash before merging in quillmark."]
    assert (made.usage.input, made.usage.output, made.usage.usd) == (900, 40, 0.01)


def test_all_content_goes_through_standard_input_in_an_empty_directory(tmp_path: Path) -> None:
    engine(program(tmp_path, told(GOOD))).extract(session(RULE), ())
    (call,) = calls(tmp_path)
    arguments, text = call["arguments"], str(call["input"])
    assert isinstance(arguments, list)
    assert not any(RULE in str(one) or "orchard" in str(one) for one in arguments)
    assert RULE in text
    assert text.startswith(OWN_MARKER)
    assert is_own(text)
    assert call["files"] == []
    assert not Path(str(call["cwd"])).exists()
    assert arguments[arguments.index("--system-prompt") + 1] == prompt("extract").static_text
    for option in (
        "-p",
        "--no-session-persistence",
        "--strict-mcp-config",
        "--disable-slash-commands",
        "--json-schema",
    ):
        assert option in arguments
    for option in ("--tools", "--setting-sources"):
        assert arguments[arguments.index(option) + 1] == ""


def test_a_structure_beside_the_text_is_taken(tmp_path: Path) -> None:
    made = engine(program(tmp_path, told("Done.", structured_output=GOOD))).extract(session(RULE), ())
    assert len(made.findings) == 1


@pytest.mark.parametrize(
    ("output", "fault", "called"),
    [
        (told("Invalid API key · Please run /login", is_error=True), EngineUnusable, 1),
        (told("Claude AI usage limit reached", is_error=True), EngineBusy, 4),
        (told("API Error: 529 overloaded_error", is_error=True), EngineBusy, 4),
        (told("Prompt is too long", is_error=True), UnusableAnswer, 1),
        (told("", is_error=True, subtype="error_during_execution"), UnusableAnswer, 1),
        (told("I would rather talk."), UnusableAnswer, 2),
        ("not json at all", EngineUnusable, 1),
        ("", EngineUnusable, 1),
    ],
)
def test_each_way_it_fails_has_one_consequence(
    tmp_path: Path, output: str, fault: type[Exception], called: int
) -> None:
    """Its exit status is 0 in all of them."""
    with pytest.raises(fault) as caught:
        engine(program(tmp_path, output)).extract(session(RULE), ())
    assert len(calls(tmp_path)) == called
    assert RULE not in str(caught.value)


def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    with pytest.raises(EngineBusy, match="timeout"):
        engine(program(tmp_path, told(GOOD), seconds=30), timeout=0.5).extract(session(RULE), ())
    assert len(calls(tmp_path)) <= 2


def test_a_missing_command_is_told_before_anything_is_asked() -> None:
    with pytest.raises(EngineUnusable, match="not found"):
        Command(None).check()


def test_the_command_is_found_by_path_and_where_its_installer_puts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert claude_command({"PATH": "/nowhere"}) in (None, Path("/usr/local/bin/claude"))
    path = program(tmp_path / ".local" / "bin", "")
    assert claude_command({"PATH": "/nowhere"}) == path
    first = program(tmp_path / "other", "")
    assert claude_command({"PATH": str(first.parent)}) == first


def test_a_whole_dream_through_the_command_is_not_limited_by_money(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("PATH", str(program(tmp_path / "bin", told(GOOD, total_cost_usd=9.0)).parent))
    world = World(tmp_path / "home")
    world.settings["engine"] = {"name": "claude", "provider": "claude-code"}
    world.settings["budget"] = {"max_usd_per_run": 0.01, "max_usd_per_day": 0.01}
    world.say(RULE)
    run = world.kick()
    assert (run.outcome, run.cost.usd) == (Outcome.COMMITTED, 9.0)
    assert "Squash before merging" in world.text()
    with world.app() as app:
        assert {gate.name: gate.open for gate in app.gates()}["budget"]
