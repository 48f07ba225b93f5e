"""The clauses of a sentence as the words that count when two sentences are laid side by side."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dreamd.engines.offline.cues import rx, words
from dreamd.engines.offline.similar import negative, stem

_CLAUSES = re.compile(
    r"(?:[,;，；。、]|\.(?=\s)|:(?=\s)| - | – | — )\s*|\s(?=(?:because|since|so that|statt|instead of)\b)"
)
_TOKEN = re.compile(r"`[^`]+`|[\w./+#:@%-]*[\w/+#%]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CHANGED = r"(?:(?:was|were|is|are|has|have|been|got|just|now|recently|finally|it) )*(?:raised|lowered|changed|moved|renamed|set|switched|bumped|increased|reduced|extended|shortened|upgraded|downgraded|updated|migrated|relocated|went)"
#: Ways to say that something has another value, each told as "X is Y".
_BECAME = (
    (rx(rf"^(?:(?:on|since) [\d-]+ |yesterday |last \w+ )?(?:we|i|they|the team)(?:'ve)? {_CHANGED} (?:the |our )?(?P<what>(?!from\b|to\b|over\b)[\w/-]+(?: (?!from\b|to\b|over\b)[\w/-]+){{0,4}})(?: from [^,;]{{1,40}}?)?(?: over)? (?:to|into) (?P<value>.+)$"), r"\g<what> is now \g<value>"),
    (rx(rf"^(?P<what>[\w/ -]{{3,50}}?) {_CHANGED}(?: from [^,;]{{1,40}}?)?(?: over| on| up| down)? to (?P<value>.+)$"), r"\g<what> is now \g<value>"),
)  # fmt: skip
_NAMED = rx(r" (?:is|are|was) (?:called|named|set to) ")
_PASSING = rx(
    r"\b(?:from now on|as of (?:now|today|\d{4}-\d\d-\d\d)|these days|any ?more|any longer|since yesterday|a partir de ahora|desde ahora|ab (?:jetzt|sofort)|à partir de maintenant|(?<=\d )port(?= )|port(?= \d))\b|从现在起"
)
#: What stands around a value without being part of what is said; "be" stands for every form of it.
_FILLERS = words(
    "the a an our we i you please always only now just currently today nowadays henceforth still already also btw ok so has have had been got it "
    "should must will shall can instead new again heads-up "
    "bitte immer jetzt inzwischen künftig wir nur désormais maintenant toujours s'il te plaît ahora siempre por favor теперь всегда 이제 이제부터 항상 앞으로 現在"
)
FORMS = (
    {
        "is": "be",
        "are": "be",
        "was": "be",
        "were": "be",
        "ist": "be",
        "sind": "be",
        "est": "be",
        "sont": "be",
        "es": "be",
        "son": "be",
    }
    | dict.fromkeys("用是为由归成叫", "be")
    | {"written": "write"}
)
_CJK_FILLERS = re.compile(
    r"现在|目前|以后|今后|从现在起|已经|统一|一律|必须|请|都|了|的|改|换成|必ず|今後|これから|항상|이제부터|이제|앞으로"
)
#: Things that are told apart by letters or numbers: "option A". "A" behind one is no article.
LETTERED = (
    r"option|plan|variant|team|group|squad|track|lane|part|appendix|phase|table|room|building|gate|batch|lab|hall|"
    r"variante|gruppe|équipe|groupe|equipo|grupo|opción|вариант\w*|план\w*|групп\w+|команд\w+"
)
_LETTERED = rx(rf"\b(?:{LETTERED})$")
#: Words before a value that is the one of its kind.
BEFORE = words(
    "be in on at to into under by with for as below above over within until after from via of called named use auf in mit bei unter nach zu à en sur dans avec a en con на в с по per than every"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause as the words that count; `spelt` are the same words as they stand."""

    words: tuple[str, ...]
    spelt: tuple[str, ...]
    cjk: bool
    negative: bool
    became: bool  # says of itself that something changed: "… was raised to …"


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a sentence that hold anything to compare."""
    parts = (_clause(part) for part in _CLAUSES.split(text.strip().rstrip(".。!！")) if part)
    return tuple(part for part in parts if part.words)


def _clause(text: str) -> Clause:
    cjk = bool(_CJK.search(text))
    kept = _PASSING.sub(" ", text)
    became = False
    for pattern, simple in _BECAME:
        told = pattern.sub(simple, kept)
        became, kept = became or told != kept, told
    kept = _NAMED.sub(" is ", kept)
    if cjk:
        kept = _CJK.sub(r" \g<0> ", _CJK_FILLERS.sub(" ", kept))
    found: list[tuple[str, str]] = []
    for written in _TOKEN.findall(kept):
        word = written.strip("`.:'").lower()
        lettered = written == "A" and found and _LETTERED.search(found[-1][1])
        if word and (lettered or word not in _FILLERS):
            found.append((stem(FORMS.get(word, word)), written.strip("`.:'")))
    return Clause(tuple(w for w, _ in found), tuple(s for _, s in found), cjk, negative(text), became)
