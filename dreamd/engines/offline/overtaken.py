"""What a newer sentence overtakes without naming it: the same thing with another figure, version, time or place, told as a change.

`changes` needs the old value to be named, `renewals` the same sentence. People do neither: "backups run at 02:00", later "had to shift the
backups, they start at 04:30 from now on".
"""

from __future__ import annotations

import re
from functools import lru_cache

from dreamd.engines.offline.cues import rx, words
from dreamd.engines.offline.labels import of_one_thing
from dreamd.engines.offline.renewals import adds
from dreamd.engines.offline.similar import stem

#: Words with which something is told as not being as it was, in eight languages.
_CHANGED = rx(
    r"\b(?:switch(?:ed|ing)?|mov(?:ed?|ing)|upgrad\w+|downgrad\w+|bump(?:ed)?|rais(?:ed?|ing)|lower(?:ed)?|shift(?:ed)?|chang(?:ed?|ing)|replac\w+|no longer|any ?more|forget|dropp?ed|cut|reduced?|increased?|extended|shortened|"
    r"now|from now on|from here on|new (?:home|place|host|address|bucket|limit|value|default|owner|name)|instead|left|took over|retired|resampled|migrat\w+|"
    r"jetzt|umgestellt|umgestiegen|abgelöst|geändert|wechsel\w*|neuerdings|ab sofort|ahora|cambi\w+|migra\w+|pas(?:a|ó|amos) a|subi\w+|baj\w+|désormais|maintenant|basculé|pass(?:e|é|ons) à|changé|"
    r"теперь|перешли|перенесли|поменяли|сменил\w*|обновил\w*|подняли|снизили|переехал\w*)\b|"
    r"换|改(?:成|为|到|用)|搬|挪|升(?:到|级)|降到|调(?:了|成|到|整)|往后|以后|现在|不再|變更|換|に(?:変更|移行|上げ|下げ|切り替え)|になりました|(?:으로|로) ?(?:바꿨|옮겼|올렸|내렸|변경)|이제"
)
#: What a value is, by how it looks. Two of a kind exclude each other where there is one of the thing.
_VALUES = (
    ("time", re.compile(r"\b\d{1,2}:\d\d\b|\b\d{1,2} ?(?:am|pm)\b|\d{1,2} ?[点時시](?:半|반)?", re.IGNORECASE)),
    ("place", re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.(?:[a-z]{2,})(?::\d+)?\b(?!\()|(?<!\w)~?/[\w./-]+", re.IGNORECASE)),
    ("version", re.compile(r"\bv?\d+\.\d+(?:\.\d+)?\b")),
    (
        "figure",
        re.compile(
            r"(?<![\w.:-])\d[\d,]*(?![\w:]|\.\d)|(?<![\w.])\d[\d,.]*(?= ?(?:%|[a-zµ]{1,4}\b))|(?<=[\u4e00-\u9fff])\d+",
            re.IGNORECASE,
        ),
    ),
    ("count", re.compile(r"\b(?:one|two|three|four|five|six|seven|eight|ten|twelve|once|twice)\b", re.IGNORECASE)),
)
_WORD = re.compile(r"[^\W\d_][\w#+-]*\w|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
#: Words of every second sentence; and what a value is of, which two things share ("port", "version").
_COMMON = words(
    "the and our for with from this that are was were has have had not all use uses used run runs lives lived live stand stands start starts must should always never only need needs needed port ports host hosts version versions "
    "branch server service number value limit default minutes minute hours hour days day seconds second times time now new old last first they them then than when who how what people team today morning afternoon"
)
_LONGEST = 14  # words of a line that says one thing
_FEW = 3  # words of a line so short that one in common is enough


def overtaken(newer: str, older: str) -> bool:
    """Whether a newer sentence gives the thing of an older line another value.

    Args:
        newer: the person's own words.
        older: the line that stands.
    """
    if adds(newer) or len(older.split()) > _LONGEST or not of_one_thing(newer, older):
        return False
    mine, theirs = _about(newer), _about(older)
    shared = mine & theirs
    told = bool(_CHANGED.search(newer))
    enough = shared and (len(shared) > 1 or len(theirs) <= _FEW) if told else len(theirs) > 1 and theirs <= mine
    return bool(enough) and _differs(newer, older)


def _differs(newer: str, older: str) -> bool:
    """Whether both hold values of one kind, and none in common."""
    for name, pattern in _VALUES:
        new, old = (frozenset(m[0].lower().replace(",", "") for m in pattern.finditer(text)) for text in (newer, older))
        if old:
            return len(old) == 1 and bool(new) and not new & old and (name != "count" or len(new) == 1)
    return False


@lru_cache(maxsize=4096)
def _about(text: str) -> frozenset[str]:
    """The words that tell what a sentence is about: no value, no word of every second sentence."""
    bare = text.lower()
    for _, pattern in _VALUES[:4]:
        bare = pattern.sub(" ", bare)
    found = {stem(word) for word in _WORD.findall(bare) if len(word) > 2 and not _WIDE.match(word)}  # noqa: PLR2004
    pairs = {run[i : i + 2] for run in _WIDE.findall(bare) for i in range(len(run) - 1)}
    return frozenset(found - _COMMON) | pairs
