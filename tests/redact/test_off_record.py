"""What a person says off the record is never read: not sent, not stored, not found, not remembered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.redact.redactor import Redactor
from world import World, dreamd


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("a <private>b</private> c", "a [REDACTED:private] c"),
        ("a <private>b\nb2\n</private>\nc <PRIVATE>d</Private> e", "a [REDACTED:private]\nc [REDACTED:private] e"),
        ("a <private>b", "a [REDACTED:private]"),
        ("b </private> c", "[REDACTED:private] c"),
        ("a <private>b <private>c</private> d", "a [REDACTED:private] d"),
        ("a < private >b< / private > c", "a [REDACTED:private] c"),
        ("the mark `<private>` hides words", "the mark `<private>` hides words"),
        ("a private method, List<String>", "a private method, List<String>"),
    ],
)
def test_between_the_marks_nothing_is_read(said: str, read: str) -> None:
    assert Redactor().redact(said).text == read


@given(st.lists(st.sampled_from(["<private>", "</private>", "word ", "<Private>", "x\n"]), max_size=12))
def test_redacting_twice_changes_nothing_however_the_marks_stand(parts: list[str]) -> None:
    redactor = Redactor()
    once = redactor.redact("".join(parts)).text
    assert redactor.redact(once).text == once


def test_words_off_the_record_are_in_no_place_of_dreamds(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.say(
        "We always use pnpm in this repo. <private>Never tell Robin about the cormorant merger.</private>",
        "<private>\nOur cormorant budget is 40000.\n",
        "The API runs on port 8181.",
        answer="Noted. <private>the cormorant thing</private> stays between us.",
    )
    for _ in range(2):
        assert dreamd(world.home, "kick").returncode == 0
    assert "pnpm" in world.text()
    held = [
        path
        for path in [*world.state.rglob("*"), *world.root.rglob("*")]
        if path.is_file() and b"cormorant" in path.read_bytes()
    ]
    assert [path for path in held if "archive" not in path.parts] == []
    shown = dreamd(world.home, "sessions", "show", "0000", "--json").stdout
    assert "8181" in shown
    assert "cormorant" not in shown
    assert json.loads(dreamd(world.home, "search", "cormorant", "--json").stdout)["hits"] == []
    assert "cormorant" not in dreamd(world.home, "compact", "0000").stdout
    assert "cormorant" not in dreamd(world.home, "why", "pnpm").stdout
