"""Whether two rules that share few words say the same: a model of meaning proposes, these rules confirm or refuse.

A model finds what contradicts as near as what repeats ("docstrings", "type hints"), most of all where the words are the same: so nearness
counts only between lines that have little else in common, and every value that either names must be named by the other.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dreamd.engines.offline.clauses import clauses
from dreamd.engines.offline.cues import Cue, rx
from dreamd.engines.offline.languages.detect import language_of
from dreamd.engines.offline.renewals import in_one_place
from dreamd.engines.offline.similar import Sense, likeness, sense
from dreamd.engines.offline.slots import families

#: As near as that two lines must be. Measured on pairs of both sorts (benchmarks/README.md).
NEAR = 0.75
#: Lines that share more of their words are judged by their words alone.
_FEW = 0.3
_FEW_CJK = 0.4  # of pairs of characters, of which chance has more

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LATIN = re.compile(r"[A-Za-z][\w.+-]*\w")
_CAPITAL = re.compile(r"(?<=[a-z,;] )(?!I\b|I'|TODO|PRs?\b|API)[A-Z][\w.]+")
#: Values by what they are, whatever the language: both lines name the same of a sort, or none.
_VALUES: tuple[tuple[str, Cue], ...] = (
    ("english", rx(r"\b(?:english|englisch\w*|anglais\w*|inglés|английск\w*)\b|英文|英语|英語|영어")),
    ("german", rx(r"\b(?:german|deutsch\w*|allemand\w*|alemán|немецк\w*)\b|德文|德语|ドイツ語|독일어")),
    ("french", rx(r"\b(?:french|französisch\w*|français\w*|francés|французск\w*)\b|法文|法语|フランス語|프랑스어")),
    ("spanish", rx(r"\b(?:spanish|spanisch\w*|espagnol\w*|español|испанск\w*)\b|西班牙|スペイン語|스페인어")),
    ("russian", rx(r"\b(?:russian|russisch\w*|russe|ruso|русск\w*)\b|俄文|俄语|ロシア語|러시아어")),
    ("chinese", rx(r"\b(?:chinese|mandarin|chinesisch\w*|chinois\w*|chino|китайск\w*)\b|中文|汉语|中国語|중국어")),
    ("japanese", rx(r"\b(?:japanese|japanisch\w*|japonais\w*|japonés|японск\w*)\b|日文|日语|日本語|일본어")),
    ("korean", rx(r"\b(?:korean|koreanisch\w*|coréen\w*|coreano|корейск\w*)\b|韩文|韩语|韓国語|한국어")),
    ("british", rx(r"\b(?:british|uk)\b|英式")),
    ("american", rx(r"\b(?:american|us)\b(?<!\bus)|美式")),
    ("monday", rx(r"\b(?:mondays?|montags?|lundis?|lunes|понедельник\w*)\b|[周星期]一|月曜|월요일")),
    ("tuesday", rx(r"\b(?:tuesdays?|dienstags?|mardis?|martes|вторник\w*)\b|[周期]二|火曜|화요일")),
    ("wednesday", rx(r"\b(?:wednesdays?|mittwochs?|mercredis?|miércoles|сред[ауы])\b|[周期]三|水曜|수요일")),
    ("thursday", rx(r"\b(?:thursdays?|donnerstags?|jeudis?|jueves|четверг\w*)\b|[周期]四|木曜|목요일")),
    ("friday", rx(r"\b(?:fridays?|freitags?|vendredis?|viernes|пятниц\w*)\b|[周期]五|金曜|금요일")),
    ("weekend", rx(r"\b(?:weekends?|wochenende\w*|week-?ends?|fin de semana|выходн\w*)\b|周末|週末|주말")),
    ("one", rx(r"\b(?:one|single|eine[mnr]?|une?|uno|один|одн\w+)\b")),
    ("two", rx(r"\b(?:two|both|double|zwei|deux|dos|дв[ае])\b|两|二")),
    ("three", rx(r"\b(?:three|drei|trois|tres|три)\b|三")),
    ("before", rx(r"\b(?:before|prior to|first|until|bevor|vor|zuerst|vorher|avant|d'abord|antes|primero|перед|прежде|сначала|до)\b|[之以]?前(?!端)|先|前に|まず|먼저|전에")),
    ("after", rx(r"\b(?:after|afterwards|once|nach|nachdem|danach|après|después|tras|после)\b|[之以完]后(?!端)|后(?=再)|後に|후에")),
    ("without", rx(r"\b(?:without|unless|ohne|sans|sin|без)\b|未经|没有|なしで|없이")),
)  # fmt: skip
#: What excludes each other, whatever the words around it.
_OPPOSED: tuple[tuple[Cue, Cue], ...] = (
    (
        rx(r"\b(?:short|brief\w*|concise\w*|terse|few words|minimum|kurz\w*|knapp\w*|bref|brève\w*|court\w*|concis\w*|brev\w*|corto\w*|pocas|кратк\w*|коротк\w*)\b|简短|简洁|短|精简|簡潔|짧|간결"),
        rx(r"\b(?:long|detail\w*|verbose|thorough\w*|in depth|ausführlich\w*|lang|détail\w*|longue?s?|detall\w*|largo\w*|подробн\w*|длинн\w*)\b|详细|详尽|长|詳|자세|길게"),
    ),
    (rx(r"\b(?:tabs?|tabulator\w*|tabulation\w*|tabulador\w*)\b|制表符|タブ|탭"), rx(r"\b(?:spaces?|leerzeichen|espaces?|espacios?)\b|空格|スペース|공백")),
    (rx(r"\basync\w*"), rx(r"\b(?:sync|synchronous\w*)\b")),
    (rx(r"\b(?:dark|dunkl\w*|dunkel\w*|sombre|oscuro)\b|深色"), rx(r"\b(?:light|hell\w*|clair|claro)\b|浅色")),
    (rx(r"\b(?:relative|relativ\w*)\b"), rx(r"\babsolut\w*\b")),
    (rx(r"\b(?:staging|test environment)\b|预发|测试环境"), rx(r"\b(?:prod|production|produktion\w*|producción)\b|生产")),
    (rx(r"\b(?:public|öffentlich\w*|publi\w+)\b|公开"), rx(r"\b(?:private|internal|intern\w*|priv\w+)\b|内部|私有")),
    (rx(r"\b(?:unit)\b|单元"), rx(r"\b(?:integration|end-to-end|e2e)\b|集成")),
    (rx(r"\b(?:mocks?|mocked|stubs?|fakes?)\b"), rx(r"\b(?:real|echte\w*)\b|真实")),
    (rx(r"\b(?:manual\w*|by hand|von hand)\b|手动|手工"), rx(r"\b(?:automatic\w*|automated|automatisch\w*)\b|自动")),
    (rx(r"\b(?:front-?end|client)\b|前端"), rx(r"\b(?:back-?end|server)\b|后端")),
    (rx(r"\b(?:small|tiny|klein\w*|petit\w*|pequeñ\w*)\b|小"), rx(r"\b(?:large|big|huge|groß\w*|grand\w*)\b|大")),
    (rx(r"\b(?:more|mehr)\b|多"), rx(r"\b(?:less|fewer|weniger)\b|少")),
)  # fmt: skip


@lru_cache(maxsize=4096)
def _values(text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _VALUES if pattern.search(text))


@lru_cache(maxsize=4096)
def _tools(text: str) -> frozenset[str]:
    """The tools a line names; in a line of Chinese, Japanese or Korean whatever is written in Latin letters."""
    latin = [word.lower() for word in _LATIN.findall(text)]
    return frozenset(latin if _CJK.search(text) else (word for word in latin if families(word)))


def confirmed(text: str, other: str) -> bool:
    """Whether nothing stands against two near lines' being one rule.

    Args:
        text: a line that a model finds near the other.
        other: the other line; their order does not count.
    """
    a, b = sense(text), sense(other)
    return not (
        a.negative != b.negative
        or a.distinct != b.distinct
        or (a.rejected & b.words)
        or (b.rejected & a.words)
        or likeness(a, b) >= (_FEW_CJK if _CJK.search(text) else _FEW)
        or in_one_place(text, other)
        or _parallel(text, other)
        or _values(text) != _values(other)
        or not _name_the_same(text, a, other, b)
        or any((p.search(text) and q.search(other)) or (q.search(text) and p.search(other)) for p, q in _OPPOSED)
    )


def _parallel(text: str, other: str) -> bool:
    """Whether two clauses of one length have a word in the same place: "throw errors early", "catch errors late"."""
    return any(
        len(mine.words) == len(theirs.words) and any(x == y for x, y in zip(mine.words, theirs.words, strict=True))
        for mine in clauses(text)
        for theirs in clauses(other)
        if not mine.cjk
    )


def _name_the_same(text: str, a: Sense, other: str, b: Sense) -> bool:
    """Whether two lines name the same tools, people and things."""
    if _names(text) - b.touches or _names(other) - a.touches:
        return False
    mine, theirs = _tools(text), _tools(other)
    if bool(_CJK.search(text)) == bool(_CJK.search(other)):
        return mine == theirs
    return (mine if _CJK.search(text) else theirs) <= (b.touches | theirs if _CJK.search(text) else a.touches | mine)


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    """Names with a capital letter; German writes every noun with one."""
    language = language_of(text)
    if language is not None and language.code == "de":
        return frozenset()
    return frozenset(word.lower().rstrip(".") for word in _CAPITAL.findall(text))
