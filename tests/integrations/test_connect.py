"""Connecting Claude Code by the installed command: what is the person's stays as it is, and all of it can be taken back."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dreamd.cli.main import run
from world import dreamd

COMMAND = Path(sys.executable).with_name("dreamd")
HOOK = f"{COMMAND} context --hook"
IMPORT = "@~/.claude/memory/MEMORY.md"
SETTINGS = {
    "absent": None,
    "empty": "",
    "bare": "{}",
    "small": '{"model":"opus"}',
    "tabs": '{\n\t"model": "opus",\n\t"x-unknown": {"deep": [1, 2.50, 1e3]}\n}',
    "hooks": '{\n  "hooks": {\n    "SessionStart": [ {"hooks": [{"type": "command", "command": "echo mine"}]} ],\n    "Stop": []\n  }\n}\n',
    "empty hooks": '{ "hooks" : { "SessionStart": [ ] } }\n',
    "windows": '{\r\n    "model": "opus"\r\n}\r\n',
    "bom": '\ufeff{"env": {"A": "\\u00e9 ü 部署"}}\n',
    "plugins": '{\n  "enabledPlugins": {"other@market": true},\n  "extraKnownMarketplaces": {}\n}\n',
}
INSTRUCTIONS = {
    "absent": None,
    "empty": "",
    "plain": "# Mine\n\nBe brief.\n",
    "no end": "Be brief.",
    "windows": "Be brief.\r\nAlways.\r\n",
    "open fence": "Run it:\n\n```sh\nmake\n",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    (made / ".claude").mkdir(parents=True)
    return made


def write(path: Path, text: str | None) -> None:
    if text is not None:
        path.write_bytes(text.encode())


def files(home: Path) -> dict[str, bytes]:
    """Everything of Claude Code's."""
    folder = home / ".claude"
    found = {str(one.relative_to(folder)): one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()}
    return found | {f"{one.relative_to(folder)}/": b"" for one in folder.rglob("*") if one.is_dir()}


def settings(home: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((home / ".claude" / "settings.json").read_bytes().decode("utf-8-sig"))
    return value


@dataclass(frozen=True)
class Said:
    """What a command said."""

    returncode: int
    stdout: str
    stderr: str


def init(home: Path, *more: str, **environ: str) -> Said:
    """`dreamd init --integrate claude-code`, in this process: it is called very often here."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        for name in [one for one in os.environ if one.startswith(("DREAMD_", "XDG_", "CLAUDE_"))]:
            patch.delenv(name)
        for name, value in {"HOME": str(home), **environ}.items():
            patch.setenv(name, value)
        status = run(["init", "--integrate", "claude-code", *more])
    return Said(status, out.getvalue(), err.getvalue())


def connect(home: Path, *more: str, **environ: str) -> dict[str, Any]:
    """Connects; what the command says of it."""
    done = init(home, "--yes", "--json", *more, **environ)
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)["integration"]
    return told


def hooks(home: Path) -> list[str]:
    groups = settings(home).get("hooks", {}).get("SessionStart", [])
    return [hook["command"] for group in groups for hook in group["hooks"]]


@pytest.mark.parametrize("mode", [(), ("--plugin",)], ids=["hook", "plugin"])
@pytest.mark.parametrize(
    ("begun", "instructions"),
    [*((one, "plain") for one in SETTINGS), *(("tabs", one) for one in INSTRUCTIONS if one != "plain")],
)
def test_what_was_connected_is_parted_to_the_very_bytes(
    home: Path, begun: str, instructions: str, mode: tuple[str, ...]
) -> None:
    write(home / ".claude" / "settings.json", SETTINGS[begun])
    write(home / ".claude" / "CLAUDE.md", INSTRUCTIONS[instructions])
    before = files(home)
    assert connect(home, *mode)["changed"]
    connected = files(home)
    value = settings(home)
    for key, kept in (json.loads((SETTINGS[begun] or "{}").removeprefix("\ufeff"))).items():
        if key not in ("hooks", "enabledPlugins", "extraKnownMarketplaces"):
            assert value[key] == kept
    assert IMPORT in (home / ".claude" / "CLAUDE.md").read_text().splitlines()
    assert not connect(home, *mode)["changed"]
    assert files(home) == connected
    assert connect(home, "--remove")["changed"]
    assert files(home) == before
    assert not (home / ".local" / "state" / "dreamd").exists()
    assert not connect(home, "--remove")["changed"]
    assert files(home) == before


def test_the_hook_calls_this_very_program_by_its_path(home: Path) -> None:
    told = connect(home)
    assert told["mode"] == "hook"
    assert hooks(home) == [HOOK]
    assert settings(home)["hooks"]["SessionStart"][0]["hooks"][0]["timeout"] == 3


def test_hook_and_plugin_never_stand_side_by_side(home: Path) -> None:
    write(home / ".claude" / "settings.json", SETTINGS["hooks"])
    before = files(home)
    connect(home)
    assert hooks(home) == ["echo mine", HOOK]
    connect(home, "--plugin")
    assert hooks(home) == ["echo mine"]
    assert settings(home)["enabledPlugins"] == {"dreamd@dreamd": True}
    connect(home)
    assert hooks(home) == ["echo mine", HOOK]
    assert "enabledPlugins" not in settings(home)
    assert not (home / ".local" / "state" / "dreamd" / "claude-code").exists()
    connect(home, "--remove")
    assert files(home) == before


def test_a_plugin_holds_hook_command_skill_and_server(home: Path) -> None:
    connect(home, "--plugin")
    market = Path(settings(home)["extraKnownMarketplaces"]["dreamd"]["source"]["path"])
    plugin = market / json.loads((market / ".claude-plugin" / "marketplace.json").read_text())["plugins"][0]["source"]
    hook = json.loads((plugin / "hooks" / "hooks.json").read_text())
    assert hook["hooks"]["SessionStart"][0]["hooks"][0]["command"] == HOOK
    assert json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["dreamd"] == {
        "type": "stdio",
        "command": str(COMMAND),
        "args": ["mcp"],
    }
    assert f"{COMMAND} kick --brief" in (plugin / "commands" / "dream.md").read_text()
    assert (plugin / "skills" / "memory" / "SKILL.md").read_text().startswith("---\nname: memory\n")


def test_another_plugin_of_that_name_is_not_doubled(home: Path) -> None:
    write(home / ".claude" / "settings.json", '{"enabledPlugins": {"dreamd@elsewhere": true}}')
    before = files(home)
    done = init(home, "--yes")
    assert done.returncode == 1
    assert "dreamd@elsewhere" in done.stderr
    assert files(home) == before


def test_settings_that_were_touched_since_lose_what_is_dreamds_alone(home: Path) -> None:
    write(home / ".claude" / "settings.json", SETTINGS["tabs"])
    write(home / ".claude" / "CLAUDE.md", "Be brief.\n")
    connect(home)
    value = settings(home) | {"theme": "dark"}
    value["hooks"]["SessionStart"].insert(0, {"hooks": [{"type": "command", "command": "echo mine"}]})
    write(home / ".claude" / "settings.json", json.dumps(value))
    with (home / ".claude" / "CLAUDE.md").open("a") as file:
        file.write("Be kind.\n")
    connect(home, "--remove")
    assert hooks(home) == ["echo mine"]
    assert settings(home)["theme"] == "dark"
    assert (home / ".claude" / "CLAUDE.md").read_text() == "Be brief.\nBe kind.\n"
    assert "commands/dream.md" not in files(home)


def test_without_its_receipt_what_is_recognised_is_taken_out(home: Path) -> None:
    write(home / ".claude" / "settings.json", SETTINGS["tabs"])
    connect(home)
    (home / ".local" / "state" / "dreamd" / "claude-code.json").unlink()
    connect(home, "--remove")
    assert (home / ".claude" / "settings.json").read_bytes().decode() == SETTINGS["tabs"]
    assert IMPORT not in (home / ".claude" / "CLAUDE.md").read_text()


def test_an_import_line_that_the_person_wrote_stays(home: Path) -> None:
    write(home / ".claude" / "CLAUDE.md", f"{IMPORT}\n")
    connect(home)
    assert (home / ".claude" / "CLAUDE.md").read_text() == f"{IMPORT}\n"
    connect(home, "--remove")
    assert (home / ".claude" / "CLAUDE.md").read_text() == f"{IMPORT}\n"


def test_a_dream_command_that_the_person_wrote_stays(home: Path) -> None:
    (home / ".claude" / "commands").mkdir()
    write(home / ".claude" / "commands" / "dream.md", "Tell me a dream.\n")
    told = connect(home)
    assert any("is yours" in note for note in told["notes"])
    connect(home, "--remove")
    assert files(home) == {"commands/": b"", "commands/dream.md": b"Tell me a dream.\n"}


def test_a_program_that_moved_is_followed(home: Path) -> None:
    connect(home)
    path = home / ".claude" / "settings.json"
    write(path, path.read_text().replace(str(COMMAND), "/gone/bin/dreamd"))
    connect(home)
    assert hooks(home) == [HOOK]


def test_a_program_in_a_folder_with_a_blank_is_called_right(home: Path) -> None:
    link = home / "my programs" / "dreamd"
    link.parent.mkdir()
    link.symlink_to(COMMAND)
    done = subprocess.run(
        [str(link), "init", "--integrate", "claude-code", "--yes"],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answered = subprocess.run(
        ["/bin/sh", "-c", hooks(home)[0]],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        input='{"hook_event_name": "SessionStart"}',
        capture_output=True,
        text=True,
        check=False,
    )
    assert answered.returncode == 0
    json.loads(answered.stdout)


def test_a_configuration_of_ones_own_is_named_in_the_hook(home: Path) -> None:
    connect(home, "--config", str(home / "my.toml"))
    assert hooks(home) == [f"{HOOK} --config {home / 'my.toml'}"]


@pytest.mark.parametrize("root", ["~/notes", "/srv/the memory", "~/my notes"])
def test_the_import_line_leads_to_the_memory_root(home: Path, root: str) -> None:
    write(home / "my.toml", f'[memory]\nroot = "{root}"\n')
    connect(home, "--config", str(home / "my.toml"))
    told = (home / ".claude" / "CLAUDE.md").read_text()
    assert told == f"@{root}/MEMORY.md\n".replace(" ", "\\ ")
    assert not connect(home, "--config", str(home / "my.toml"))["changed"]


def test_claude_config_dir_is_honoured(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    connect(home, CLAUDE_CONFIG_DIR=str(other))
    assert {one.name for one in other.iterdir()} == {"settings.json", "CLAUDE.md", "commands"}
    assert files(home) == {}


def test_links_are_followed_and_stay_and_modes_are_kept(home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    write(real, '{"model": "opus"}\n')
    real.chmod(0o640)
    link = home / ".claude" / "settings.json"
    link.symlink_to(real)
    connect(home)
    assert link.is_symlink()
    assert HOOK in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    connect(home, "--remove")
    assert link.is_symlink()
    assert real.read_text() == '{"model": "opus"}\n'
    assert [one.name for one in real.parent.iterdir()] == ["claude.json"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"model": "opus",}', "no valid JSON"),
        ('// mine\n{"model": "opus"}', "no valid JSON"),
        ("[1, 2]", "not what Claude Code expects"),
        ('{"hooks": []}', "hooks is not what Claude Code expects"),
        ('{"hooks": {"SessionStart": {}}}', "hooks.SessionStart is not"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--plugin",), ("--remove",)])
def test_settings_that_cannot_be_read_are_refused_and_nothing_changes(
    home: Path, text: str, told: str, more: tuple[str, ...]
) -> None:
    write(home / ".claude" / "settings.json", text)
    before = files(home)
    done = init(home, "--yes", "--json", *more)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (1, "integration")
    assert told in error["message"]
    assert files(home) == before


def test_a_write_protected_file_is_refused_and_nothing_changes(home: Path) -> None:
    write(home / ".claude" / "settings.json", "{}\n")
    write(home / ".claude" / "CLAUDE.md", "Mine.\n")
    (home / ".claude" / "CLAUDE.md").chmod(0o400)
    before = files(home)
    done = init(home, "--yes")
    assert done.returncode == 1
    assert "write-protected" in done.stderr
    assert files(home) == before


def test_where_one_file_cannot_be_written_the_others_are_put_back(home: Path) -> None:
    long = home / ("s" * 250)  # no longer name fits beside it
    write(long, "{}\n")
    (home / ".claude" / "settings.json").symlink_to(long)
    before = files(home)
    done = init(home, "--yes")
    assert done.returncode == 1
    assert "cannot write" in done.stderr
    assert files(home) == before
    assert not (home / ".local" / "state" / "dreamd" / "claude-code.json").exists()


def test_without_a_yes_nothing_changes_and_the_diff_was_shown(home: Path) -> None:
    done = dreamd(home, "init", "--integrate", "claude-code")
    assert done.returncode == 2
    assert f"+{IMPORT}" in done.stdout
    assert HOOK in done.stdout
    assert files(home) == {}


def test_print_shows_and_changes_nothing(home: Path) -> None:
    told = connect(home, "--print")
    assert not told["changed"]
    assert {Path(one["path"]).name: one["action"] for one in told["files"]} == {
        "settings.json": "create",
        "CLAUDE.md": "create",
        "dream.md": "create",
    }
    assert files(home) == {}
    assert not (home / ".config").exists()


def test_the_diff_shows_no_key_that_stands_nearby(home: Path) -> None:
    key = "sk-ant-api03-" + "Zq7Xw2Lk9Rt4" * 6
    write(home / ".claude" / "settings.json", json.dumps({"env": {"ANTHROPIC_API_KEY": key}}, indent=2))
    done = init(home, "--yes")
    assert done.returncode == 0
    assert HOOK in done.stdout
    assert key not in done.stdout
    assert key in (home / ".claude" / "settings.json").read_text()
    for one in (home / ".local" / "state" / "dreamd").rglob("*"):
        assert one.is_dir() or key not in one.read_text()


def test_connecting_writes_the_first_configuration_too(home: Path) -> None:
    done = init(home, "--yes", "--json")
    told = json.loads(done.stdout)
    assert told["written"]
    assert Path(told["config"]).is_file()


@pytest.mark.parametrize("arguments", [("--remove",), ("--plugin",), ("--integrate", "codex")])
def test_wrong_usage_is_said(home: Path, arguments: tuple[str, ...]) -> None:
    done = dreamd(home, "init", *arguments)
    assert done.returncode == 2
    assert "claude-code" in done.stderr


def test_without_claude_code_it_says_so(tmp_path: Path) -> None:
    done = init(tmp_path, "--yes")
    assert done.returncode == 1
    assert "there is no Claude Code here" in done.stderr


def test_hooks_that_are_switched_off_are_said(home: Path) -> None:
    write(home / ".claude" / "settings.json", '{"disableAllHooks": true}')
    assert any("disableAllHooks" in note for note in connect(home)["notes"])


def reading(home: Path) -> dict[str, Any]:
    """What the doctor says of the reading side."""
    checks = json.loads(dreamd(home, "doctor", "--json").stdout)["checks"]
    return next(dict(one) for one in checks if one["name"] == "reading")


def test_the_doctor_says_whether_it_is_connected_and_whether_what_it_calls_is_there(home: Path) -> None:
    assert reading(home)["reason"] == "missing"
    connect(home)
    assert reading(home)["message"].startswith(
        "Claude Code is told what is remembered by an import line and the hook, and cannot search: "
    )
    path = home / ".claude" / "settings.json"
    write(path, path.read_text().replace(str(COMMAND), "/gone/bin/dreamd"))
    assert reading(home)["reason"] == "outdated"
    connect(home, "--plugin")
    assert reading(home)["message"].endswith("by an import line and the plugin, and can search too")


def test_a_purge_says_that_claude_code_is_still_connected_and_parting_works_afterwards(home: Path) -> None:
    write(home / ".claude" / "settings.json", SETTINGS["tabs"])
    before = files(home)
    connect(home, "--plugin")
    done = dreamd(home, "service", "uninstall", "--purge", "--yes")
    if done.returncode:
        pytest.skip("no service manager to ask")
    assert "--integrate claude-code --remove" in done.stdout
    connect(home, "--remove")
    assert files(home) == before


def status(home: Path) -> tuple[dict[str, Any], str]:
    """What `dreamd status` says of the connection: its facts, its line."""
    facts = json.loads(dreamd(home, "status", "--json").stdout)["claude_code"]
    lines = dreamd(home, "status").stdout.splitlines()
    return facts, next((line for line in lines if line.startswith("claude code")), "")


def test_status_says_how_claude_code_is_connected_and_what_is_missing(home: Path) -> None:
    facts, line = status(home)
    assert facts == {"found": True, "import_line": False, "mode": None, "mcp": False, "gone": None}
    assert "not connected (`dreamd init --integrate claude-code`)" in line
    assert any("claude mcp add -s user dreamd -- " in note for note in connect(home)["notes"])
    facts, line = status(home)
    assert facts == {"found": True, "import_line": True, "mode": "hook", "mcp": False, "gone": None}
    assert "told by an import line and the hook; cannot search" in line
    server = {"type": "stdio", "command": "/opt/bin/dreamd", "args": ["mcp"], "env": {}}
    write(home / ".claude.json", json.dumps({"numStartups": 3, "mcpServers": {"memory": server, "web": {"url": "x"}}}))
    facts, line = status(home)
    assert facts["mcp"]
    assert line.endswith("told by an import line and the hook; can search")
    assert not any("claude mcp add" in note for note in connect(home)["notes"])


def test_status_knows_the_plugin_with_its_server_and_a_program_that_is_gone(home: Path) -> None:
    connect(home, "--plugin")
    assert status(home)[0] == {"found": True, "import_line": True, "mode": "plugin", "mcp": True, "gone": None}
    hook = {"SessionStart": [{"hooks": [{"type": "command", "command": "/gone/dreamd context --hook"}]}]}
    write(home / ".claude" / "settings.json", json.dumps({"hooks": hook}))
    facts, line = status(home)
    assert facts["gone"] == "/gone/dreamd context --hook"
    assert "is not there" in line


def test_status_says_nothing_of_claude_code_where_there_is_none(tmp_path: Path) -> None:
    facts, line = status(tmp_path)
    assert not facts["found"]
    assert line == ""
