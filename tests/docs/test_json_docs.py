"""Every key of every JSON document is documented: the commands are called on the demo's home and their output is compared."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from docs.pages import section
from docs.product import events
from dreamd.cli.main import run

#: JSON objects whose keys are data: reasons, record types, configuration keys, file names.
FREE_KEYS = {"kept", "dropped", "unknown_types", "values", "files"}


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
        ("context", ["context"]),
        ("compact", ["compact", "2b55"]),
        ("restore", ["restore", "2b55"]),
        ("export", ["export", "~/all.dreamd", "--force"]),
        ("import", ["import", "~/all.dreamd", "--force"]),
        ("init", ["init", "--print"]),
        ("init", ["init"]),
        ("init", ["init", "--integrate", "claude-code", "--yes"]),
        ("init", ["init", "--integrate", "claude-code", "--remove", "--yes"]),
        ("config show", ["config", "show"]),
        ("config check", ["config", "check"]),
        ("config path", ["config", "path"]),
        ("config example", ["config", "example"]),
        ("service status", ["service", "status"]),
        ("service print", ["service", "print"]),
        ("service print", ["service", "print", "--system"]),
        ("doctor", ["doctor"]),
        ("pause", ["pause", "3h"]),
        ("resume", ["resume"]),
        ("kick", ["kick", "--estimate"]),
        ("demo", ["demo"]),
        ("An error", ["runs", "show", "nothing"]),
        ("kick", ["kick", "--if-due"]),
        ("kick", ["kick", "--session", "2b55", "--dry-run"]),
        ("memory add", ["memory", "add", "Prefer short functions."]),
        ("memory pin", ["memory", "pin", "pnpm"]),
        ("forget", ["forget", "--line", "pnpm"]),
        ("undo", ["undo"]),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else None,
)
def test_every_key_of_a_json_document_is_documented(
    home: Path, heading: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_home(home, monkeypatch)
    if heading == "import":  # whichever process ran the export
        run(["export", *arguments[1:], "--json"])
        capsys.readouterr()
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
    monkeypatch.chdir(home)


def keys_in(value: object) -> set[str]:
    """Every key of a JSON value; those that are data are passed over."""
    if isinstance(value, list):
        return set[str]().union(*map(keys_in, value))
    if not isinstance(value, dict):
        return set()
    inner = (keys_in(one) for key, one in value.items() if not (key in FREE_KEYS and isinstance(one, dict)))
    return set(value).union(*inner)
