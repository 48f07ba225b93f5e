"""Which language a sentence is in, by script and by its small words; only the languages that dreamd has rules for."""

from __future__ import annotations

import re

from dreamd.engines.offline.cues import Cues
from dreamd.engines.offline.languages.chinese import CHINESE
from dreamd.engines.offline.languages.english import ENGLISH
from dreamd.engines.offline.languages.french import FRENCH
from dreamd.engines.offline.languages.german import GERMAN
from dreamd.engines.offline.languages.japanese import JAPANESE
from dreamd.engines.offline.languages.korean import KOREAN
from dreamd.engines.offline.languages.russian import RUSSIAN
from dreamd.engines.offline.languages.spanish import SPANISH

ALL = (ENGLISH, CHINESE, RUSSIAN, JAPANESE, KOREAN, GERMAN, SPANISH, FRENCH)

#: The first script found decides; None: no rules for what is written in it.
_SCRIPTS: tuple[tuple[re.Pattern[str], Cues | None], ...] = (
    (re.compile(r"[\u3040-\u30ff]"), JAPANESE),
    (re.compile(r"[\uac00-\ud7af]"), KOREAN),
    (re.compile(r"[\u3400-\u9fff]"), CHINESE),
    (re.compile(r"[іїєґ]", re.IGNORECASE), None),
    (re.compile(r"[\u0400-\u04ff]"), RUSSIAN),
    (re.compile(r"[\u0370-\u03ff\u0530-\u06ff\u0900-\u0dff\u0e00-\u0e7f\u10a0-\u10ff]"), None),
)
_ELISION = re.compile(r"\b(?:[sldjnmct]|qu)'[a-zà-ü]")
#: Letters that English has not, and who has them.
_LETTERS = (
    ("fr", re.compile(r"[éèêàçùœ]", re.IGNORECASE)),
    ("es", re.compile(r"[ñ¿¡áíóú]", re.IGNORECASE)),
    ("de", re.compile(r"[äöüß]", re.IGNORECASE)),
    ("pt", re.compile(r"[ãõ]", re.IGNORECASE)),
    ("pl", re.compile(r"[ąęłńśźż]", re.IGNORECASE)),
)
_WORD = re.compile(r"(?<!\w)[^\W\d_]{2,}(?:'[^\W\d_]+)?(?!\w)|(?<!\w)[aAyY](?!\w)")

#: The words that tell a Latin-script language from its neighbours.
_SMALL_WORDS = {
    "en": "the a an and or of to in is are be we i you it for with not on this that use as by do don't never always from please no should must",
    "de": "der die das und oder nicht ist sind wir ich du ein eine einen mit auf für im zu bitte immer nie niemals statt keine kein von den dem wenn auch antworte verwende keine nichts ohne am in",
    "es": "el la los las y o no es son de del en un una con por para que nunca siempre usa usamos prefiero al lo se antes responde favor a hagas antes directo",
    "fr": "le la les et ou ne pas est sont de du des en un une avec pour que jamais toujours nous je on dans au ce désormais sur avant",
    "pt": "o os as e ou não é são do da dos das em um uma com para que nunca sempre você nós por mais antes faça direto sem favor",
    "it": "il lo gli e o non è sono di del della in un una con per che mai sempre usa prima dei delle",
    "nl": "de het een en of niet is zijn wij ik je met op voor nooit altijd gebruik geen van naar",
    "pl": "i nie jest są w z na do nigdy zawsze używaj że się dla po",
}
_SETS = {code: frozenset(words.split()) for code, words in _SMALL_WORDS.items()}
_BY_CODE = {cues.code: cues for cues in ALL}


def language_of(text: str) -> Cues | None:
    """The rules for a sentence, or None where it is in a language that has none.

    Words without any small word ("run make test") count as English: code talk is.
    """
    for script, cues in _SCRIPTS:
        if script.search(text):
            return cues
    found = [w.lower() for w in _WORD.findall(text)]
    scores = {code: sum(1 for w in found if w in small) for code, small in _SETS.items()}
    scores["fr"] += len(_ELISION.findall(text.lower()))
    for code, letters in _LETTERS:
        scores[code] += bool(letters.search(text))
    best = max(scores.values(), default=0)
    code = next(code for code, score in scores.items() if score == best)
    if scores["en"] == best or (best == 1 and code not in _BY_CODE):
        return ENGLISH
    return _BY_CODE.get(code)
