"""Which of several things a clause speaks of ("in step 3", "on staging", "of option B"): a name, and no value that a later one replaces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from dreamd.engines.offline.clauses import BEFORE, LETTERED, Clause, clauses
from dreamd.engines.offline.cues import rx, words
from dreamd.engines.offline.languages.english_words import ATTRIBUTE, VERSIONED

#: Words before what a clause speaks of; behind "into", "from" and "with" stands what it gives.
_SCOPES = words(
    "in on at for of during within inside before after until im am bei beim für während auf von vor nach dans pour pendant chez de du avant après "
    "en durante para antes después на в для при из до после 在 对 给"
)
#: Things that are told apart by numbers. In the plural a number counts them.
_NUMBERED = rx(
    r"^(?:step|stage|chapter|section|sprint|iteration|milestone|round|wave|lesson|exercise|question|task|ticket|issue|pr|story|epic|floor|test|case|page|figure|rule|item|point|"
    r"quarter|week|day|year|season|episode|module|api|queue|worker|replica|shard|partition|instance|zone|machine|server|host|device|sensor|slot|column|row|endpoint|generation|release|"
    r"schritt|stufe|kapitel|abschnitt|teil|etage|stock|raum|aufgabe|frage|woche|étape|chapitre|partie|étage|salle|tâche|semaine|paso|fase|etapa|capítulo|sección|parte|piso|sala|tarea|pregunta|semana|"
    r"шаг\w*|этап\w*|глав\w+|раздел\w*|част[ьи]\w*|этаж\w*|комнат\w+|задач\w+|вопрос\w*|недел\w+|спринт\w*|.*ステップ|[步章节節阶段層层楼樓期号號组組題题页頁周週课課단장층])$"
)
_LETTERED = rx(rf"^(?:{LETTERED})$")
_NUMERAL = re.compile(
    r"^(?:[#№]?\d+(?:\.\d+)*[a-z]?|[ivx]{2,}|[一二三四五六七八九十]|one|two|three|four|five|six|seven|eight|nine|ten|eins|zwei|drei|vier|deux|trois|dos|tres|два|три)$"
)
_LETTER = re.compile(r"^[a-zа-я]$")
_ORDINAL = re.compile(
    r"^(?:v\d[\d.]*|\d+(?:st|nd|rd|th)|first|third|fourth|fifth|sixth|erste[nrs]?|zweite[nrs]?|dritte[nrs]?|premi[eè]re?|deuxième|troisième|primer[ao]?|segund[ao]|tercer[ao]?)$"
)
_IN_ONE_WORD = re.compile(r"^(?P<of>[a-z]{2,})[-_/#.]?(?P<which>\d+|(?<=[-_/#.])[a-z])$")
_ENVIRONMENTS = {
    **dict.fromkeys(words("production prod"), "production"),
    **dict.fromkeys(words("development dev"), "development"),
    **{name: name for name in words("staging test qa preview sandbox preprod canary")},
}
_PARTS = words("frontend backend ios android mobile web desktop windows linux macos")
#: What is, happens or is chosen; the number behind it is what a later saying changes: "the demo is on floor 3", "we go with option B".
_LOCATING = words(
    "be start starts begin begins end ends happen happens ship ships land lands launch launches run runs live lives sit sits stay stays open opens close closes go goes meet meets "
    "move moves choose chose pick picked take takes use uses with place beginnt startet läuft liegt nehmen nutzen commence utilise empieza usa используем начинается 在 到 于 选"
)
_PUTTING = words("put keep store save host deploy release publish")
_UNITS = re.compile(r"^(?:second|minut|hour|day|week|month|year|tim|item|lin|percent|entr|[kmg]b|ms|s|min|h)\w{0,2}$")
_COUNTED = rx(rf"^(?:{ATTRIBUTE}|{VERSIONED}|most|least|about|around|next|last|only|max|min)$")
_VERBS = words("be use have need run go get take must stay")


def apart(text: str, other: str) -> bool:
    """Whether two sentences speak of two things, and so neither repeats nor contradicts the other."""
    mine, theirs = _spoken_of(text), _spoken_of(other)
    return bool(mine and theirs) and not (mine <= theirs or theirs <= mine)


def of_one_thing(text: str, other: str) -> bool:
    """Whether two sentences hold of the same: what holds of one step is neither the rule for all of them said again nor its end."""
    return _spoken_of(text) == _spoken_of(other)


def labelled(clause: Clause, start: int, end: int) -> bool:
    """Whether words of a clause tell by a number, a letter or an environment which thing it speaks of."""
    return any(start <= n < end for n in _labels(clause))


def leads(clause: Clause, start: int, end: int) -> bool:
    """Whether words of a clause say what it is about before it says something of that: "in src/app …", "the log level of billing is …"."""
    if start == 0 or end == len(clause.words) or clause.spelt[start - 1].lower() not in _SCOPES:
        return False
    if all(_NUMERAL.match(word) for word in clause.words[start:end]):
        return False
    return start == 1 or (not clause.cjk and clause.words[end] in _VERBS and _VERBS.isdisjoint(clause.words[:start]))


@lru_cache(maxsize=4096)
def _spoken_of(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(label for clause in clauses(text) for label in _labels(clause).values())


@lru_cache(maxsize=4096)
def _labels(clause: Clause) -> Mapping[int, tuple[str, str]]:
    """What a clause speaks of, by the place of the word that tells which: what it is one of, and which."""
    found = {}
    for n in range(len(clause.words)):
        label = _in_front(clause, n) or _behind(clause, n) or _alone(clause, n)
        if label and not _is_value(clause, n):
            found[n] = label
    return found


def _in_front(clause: Clause, n: int) -> tuple[str, str] | None:
    """A number or letter behind what it is the number of: "step 3", "option B", "in shard 7 …"."""
    word = clause.words[n]
    noun = "".join(clause.spelt[max(0, n - 4) : n]).lower() if clause.cjk else "".join(clause.spelt[n - 1 : n]).lower()
    if (_NUMERAL.match(word) or _LETTER.match(word)) and _LETTERED.match(noun):
        return noun, word
    if not _NUMERAL.match(word):
        return None
    if _NUMBERED.match(noun):
        return noun, word.lstrip("#№")
    goes_on = n + 1 < len(clause.words) and not _UNITS.match(clause.words[n + 1])
    scoped = n > 1 and clause.spelt[n - 2].lower() in _SCOPES and noun.isalpha() and noun not in BEFORE
    return (noun, word) if scoped and goes_on and word[:1].isdigit() and not _COUNTED.match(noun) else None


def _behind(clause: Clause, n: int) -> tuple[str, str] | None:
    """An ordinal before what it counts: "3rd floor", "v1 api", "第3步"."""
    word, noun = clause.words[n], "".join(clause.spelt[n + 1 : n + 2]).lower()
    if not (_NUMBERED.match(noun) or _LETTERED.match(noun)):
        return None
    counted = clause.cjk and (_told_as_ordinal(clause, n) or noun in "단장층") and _NUMERAL.match(word)
    return (noun, word) if counted or _ORDINAL.match(word) else None


def _told_as_ordinal(clause: Clause, n: int) -> bool:
    return n > 0 and clause.words[n - 1] == "第"


def _alone(clause: Clause, n: int) -> tuple[str, str] | None:
    """A name that tells by itself which of its sort it is: "shard-3", "in staging"."""
    word = clause.spelt[n].lower()
    joined = _IN_ONE_WORD.match(word)
    if joined and (_NUMBERED.match(joined["of"]) or _LETTERED.match(joined["of"])):
        return joined["of"], joined["which"]
    if n == 0 or clause.spelt[n - 1].lower() not in _SCOPES:
        return None
    if word in _ENVIRONMENTS:
        return "environment", _ENVIRONMENTS[word]
    return ("part", word) if word in _PARTS else None


def _is_value(clause: Clause, n: int) -> bool:
    """Whether a number is what the clause says of something: right behind "is", "starts in", "go with"; or where something is put."""
    start = n
    if start and (
        _NUMBERED.match(clause.spelt[start - 1])
        or _LETTERED.match(clause.spelt[start - 1])
        or _told_as_ordinal(clause, n)
    ):
        start -= 1
    last = n + 2 >= len(clause.words)
    if clause.spelt[0].lower() in _PUTTING and last:
        return True
    if start > 1 and clause.words[start - 1] not in _LOCATING and clause.spelt[start - 1].lower() in _SCOPES:
        start -= 1
    if start == 0 or (start == 1 and clause.spelt[0] == "在"):
        return False
    return clause.words[start - 1] in _LOCATING or clause.spelt[start - 1].lower() in _LOCATING
