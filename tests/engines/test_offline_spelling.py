"""Slips of the keyboard: mended only by what the agent wrote, and only where they make no other word."""

import pytest

from dreamd.engines.offline.spelling import Spelling
from engines.typed import answer, digest, turn

SPOKEN = "The conversations stay private. I updated the instructions automatically, at an existing interval, labelled as the judgment says. `compatibility`"


def mended(text: str) -> str:
    return Spelling(digest(turn(text), answer(SPOKEN))).mended(text)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("no conversatins in public", "no conversations in public"),
        ("improve the instrucitons", "improve the instructions"),
        ("open it automaticlaly", "open it automatically"),
        ("Conversatiions are private", "Conversations are private"),
        ("keep the compatbility layer", "keep the compatibility layer"),
    ],
)
def test_a_slip_is_spelled_as_the_agent_spells_the_word(typed: str, meant: str) -> None:
    assert mended(typed) == meant


@pytest.mark.parametrize(
    "typed",
    [
        "the internal port",  # another letter makes another word
        "every instruction",  # a form of the word
        "a labeled row, in my judgement",  # another country
        "run `conversatins --all`",
        "see conversatins.md and src/conversatins/x",
        "the flag conversatins_all",
        "use kubernetess",  # the agent never wrote it
        "save before exiting",  # a word of its own, too near to another ("existing")
        "ask Convversations Ltd",  # a name
        "the conversatins table and its conversatins view",  # twice is no slip
    ],
)
def test_everything_else_stays_as_it_was_typed(typed: str) -> None:
    assert mended(typed) == typed
