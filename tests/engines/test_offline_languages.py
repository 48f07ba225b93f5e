"""Every language's rules find the example they were made for; other languages make no nonsense."""

import pytest

from dreamd.engines.offline.cues import Cues, Frame
from dreamd.engines.offline.languages.detect import ALL, language_of
from dreamd.engines.protocol import Kind
from engines.typed import read

EXAMPLES = [
    pytest.param(cues, frame, id=f"{cues.code}-{frame.name}") for cues in ALL for frame in cues.frames + cues.dated
]


@pytest.mark.parametrize(("cues", "frame"), EXAMPLES)
def test_a_frame_finds_its_example(cues: Cues, frame: Frame) -> None:
    assert language_of(frame.example) is cues
    found = read(frame.example).findings
    assert found, f"nothing found in the example of {frame.name}"
    assert found[0].kind in (frame.kind, Kind.CORRECTION) or found[0].weight >= frame.strength


@pytest.mark.parametrize(
    "typed",
    [
        "Usa sempre il linter prima del commit, per favore.",
        "Nunca faça push direto para a main, por favor.",
        "Gebruik altijd de linter voor een commit.",
        "Zawsze uruchamiaj testy przed commitem, nigdy nie pomijaj.",
        "Ніколи не роби push у main.",
        "ห้าม push ไปที่ main โดยตรง",
        "लिंटर हमेशा चलाओ",
        "لا تدفع أبدا إلى الفرع الرئيسي",
    ],
)
def test_languages_without_rules_give_nothing(typed: str) -> None:
    assert read(typed).findings == ()


@pytest.mark.parametrize(
    "typed",
    [
        "Запусти тесты ещё раз, пожалуйста.",
        "Kannst du das bitte prüfen?",
        "Arregla el error de login.",
        "Peux-tu corriger ce bug ?",
        "このバグを直してください。",
        "이 버그 고쳐줘",
        "Heute bitte immer zuerst bauen.",
        "Пока не трогай схему без меня.",
    ],
)
def test_requests_in_other_languages_are_left(typed: str) -> None:
    assert read(typed).findings == ()
