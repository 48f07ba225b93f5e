"""`why` finds a line by the words one remembers of it; what changes memory wants the line itself."""

from __future__ import annotations

import pytest

from dreamd.errors import UsageError
from world import World


@pytest.fixture
def dreamt(world: World) -> World:
    world.say("We always use pnpm in this repo, never npm.")
    world.say("Robin owns the deployment scripts.", session=2)
    world.kick()
    return world


@pytest.mark.parametrize("asked", ["use pnpm", "never npm, pnpm", "npm pnpm repo", "NPM never; PNPM"])
def test_why_finds_a_line_by_its_words_in_any_order(dreamt: World, asked: str) -> None:
    with dreamt.app() as app:
        told = app.why(asked)
    assert "pnpm" in told.text
    assert told.file.startswith("projects/")  # the line itself, not the pointer that repeats it


@pytest.mark.parametrize("asked", ["xylophones in winter", "pnpm xylophones winter", "  ", "…"])
def test_why_says_so_where_nothing_reads_like_that(dreamt: World, asked: str) -> None:
    with dreamt.app() as app, pytest.raises(UsageError):
        app.why(asked)


def test_forget_and_pin_take_no_line_that_only_resembles(dreamt: World) -> None:
    before = dreamt.tree()
    with dreamt.app() as app:
        for act in (lambda: app.forget_line("npm pnpm repo", purge_history=False), lambda: app.pin("npm pnpm repo")):
            with pytest.raises(UsageError):
                act()
    assert dreamt.tree() == before
