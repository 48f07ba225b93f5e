"""How alike two lines are, and whether they may be the same: similarity proposes, rules decide."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import OSA

from dreamd.engines.offline.cues import rx, words

#: So many words of a line may be spelt in another way, where it shares as many at least.
_MISSPELT = 2
#: Letters that a word has at least to be taken for another way of spelling one: swapped or doubled letters, another vowel, any one letter, any two.
_SWAPPED, _VOWEL, _ONE, _TWO = 5, 6, 9, 13

#: So long no name is; German writes every noun with a capital letter.
_NO_NAME = 12

#: Lines that share less than this are not looked at further.
CANDIDATE = 0.6

_WORD = re.compile(r"`[^`]+`|[\w@./+#:-]*\w|[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_CJK = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]+")
_CAPITAL = re.compile(r"(?<=[^.!?:] )[A-Z][\w'-]+")
#: "option B", "team A"; English has no other such word but "I".
_LETTER = re.compile(r"(?<=[a-z] )[A-HJ-Z](?![\w'+#.]| [A-Z])")
_DOUBLED = re.compile(r"(.)\1")
_VOWELS = re.compile(r"[aeiouyäöüáéíóúàèùâêîôû]")
_DISTINCT = re.compile(r"\d|[_/@.]|[a-z][A-Z]|^[A-Z]{2,}$")
_CONTRAST = rx(
    r"(?:(?<!\bdo)(?<!does)(?<!\bdid)(?<!should)(?<!must)(?<!\bis)(?<!\bare)(?<!\bcan)(?<!\bmay)(?<!will),? (?:and )?not (?:with |in |on |to )?|, never |,? instead of |,? rather than |(?<= )over (?=\w+$)|"
    r",? in place of |(?:^|,? )no longer (?:uses? |needs? |supports? )?|[，,]?(?:而不是|不要用|别用|不用|而非|不要使用) ?)([^,;.，。；]+)"
)
_NEGATION = rx(
    r"\b(?:never|not|no|don'?t|doesn'?t|isn'?t|aren'?t|won'?t|can'?t|cannot|mustn'?t|shouldn'?t|avoid|stop|without|forbidden|banned|no longer|nie(?:mals)?|keine?|nicht|nunca|jamás|jamais|никогда|не)\b|不|别|勿|禁止|没有|未|ない|ません|마(?:세요|라)|않|금지"
)
_STOP = words(
    "a an the this that these those is are be was were am been it its to of in on at for with by from as and or we our us you your i my me they their them he she his her will would shall should must may might can could "
    "do does did have has had so if then than just only also please always ever again any all every now use used uses using make sure need needs when while into there here not no never don't dont avoid without "
    "first before after prefer prefers like likes want wants way thing things 的 了 是 在 要 请 都 和 与 用 我 们 你 就 把 一 个 以 后 每 次 不 别 也 很 会"
)
_IMPORTANT = words("before after first without every all only")
_SAME = {
    "don't": "not",
    "dont": "not",
    "writing": "write",
    "written": "write",
    "committing": "commit",
    "tests": "test",
    "running": "run",
    "postgres": "postgresql",
    "db": "database",
    "repo": "repository",
    "docs": "documentation",
    "config": "configuration",
    "colour": "color",
}


@dataclass(frozen=True, slots=True)
class Sense:
    """What of a line counts when two are compared."""

    words: frozenset[str]  # stems of its content words, CJK as bigrams; what is rejected ("not npm") left out
    rejected: frozenset[str]  # stems of what it says not to use
    distinct: frozenset[str]  # numbers, versions, identifiers, names with digits
    order: frozenset[str]  # words that turn a rule round: before, after, without
    negative: bool
    folded: str
    names: frozenset[str]  # of its words those that are written with a capital letter, though no sentence begins there
    normal: str  # folded text; equal means the same words
    touches: frozenset[str]  # all of the words above: lines that share none have nothing to do with each other


@lru_cache(maxsize=4096)
def sense(text: str) -> Sense:
    """Reads a line for comparing."""
    folded = unicodedata.normalize("NFKC", text).strip().rstrip(".。!！")
    rejected = " ".join(m[1] for m in _CONTRAST.finditer(folded))
    positive = _CONTRAST.sub(" ", folded)
    tokens = [t.strip("`.:") for t in _WORD.findall(positive)]
    content, against = frozenset(_stems(positive)), frozenset(_stems(rejected))
    distinct = frozenset(t.lower() for t in (*filter(_DISTINCT.search, tokens), *_LETTER.findall(positive)))
    return Sense(
        words=content,
        rejected=against,
        distinct=distinct,
        order=frozenset(t.lower() for t in tokens) & _IMPORTANT,
        negative=bool(_NEGATION.search(positive)),
        folded=folded.casefold(),
        names=frozenset(stem(name.lower()) for name in _CAPITAL.findall(folded)),
        normal=" ".join(re.sub(r"[^\w\s./@+#-]", " ", folded.casefold()).split()),
        touches=content | against | distinct,
    )


def likeness(a: Sense, b: Sense) -> float:
    """Dice coefficient of the content words, 0 to 1."""
    if not a.words or not b.words:
        return 1.0 if a.normal == b.normal else 0.0
    return 2 * len(a.words & b.words) / (len(a.words) + len(b.words))


def same(a: Sense, b: Sense) -> bool:
    """Whether two lines say the same thing. Numbers, identifiers, negation and what is rejected must agree.

    A line may say more than the other, but where each has words that the other lacks ("tabs", "spaces") they are two things.
    """
    if a.normal == b.normal or _extends(a, b) or _extends(b, a):
        return True
    if a.negative != b.negative or a.distinct != b.distinct or a.order != b.order:
        return False
    if (a.rejected & b.words) or (b.rejected & a.words):
        return False
    extra, missing = a.words - b.words, b.words - a.words
    spelt = _spelt_anew(extra, missing, a, b) if extra and missing else 0
    if len(extra) > spelt and len(missing) > spelt:
        return False
    smaller = min(len(a.words), len(b.words))
    alike = 2 * (len(a.words & b.words) + spelt) / (len(a.words) + len(b.words)) if spelt else likeness(a, b)
    return smaller >= 1 and alike >= (CANDIDATE if smaller > 1 else 1.0)


def _spelt_anew(extra: frozenset[str], missing: frozenset[str], a: Sense, b: Sense) -> int:
    """How many words of one line are words of the other spelt in another way ("seperate"); names are not."""
    if min(len(extra), len(missing)) > _MISSPELT or len(a.words & b.words) < _MISSPELT:
        return 0
    left = sorted(word for word in missing if word not in b.names or len(word) >= _NO_NAME)
    found = 0
    for word in sorted(word for word in extra if word not in a.names or len(word) >= _NO_NAME):
        other = next((one for one in left if _misspelt(word, one)), None)
        if other:
            left.remove(other)
            found += 1
    return found


@lru_cache(maxsize=4096)
def _misspelt(word: str, other: str) -> bool:
    """Whether two words are one, typed in two ways: what makes other words of short ones ("contact", "contract") is not taken."""
    length = min(len(word), len(other))
    if length < _SWAPPED or word[0] != other[0] or not (word.isalpha() and other.isalpha()):
        return False
    edits = OSA.distance(word, other, score_cutoff=2)
    if edits > 1:
        return edits == 2 and length >= _TWO  # noqa: PLR2004 - two letters
    if sorted(word) == sorted(other) or _DOUBLED.sub(r"\1", word) == _DOUBLED.sub(r"\1", other):
        return True
    if length >= _ONE:
        return True
    return length >= _VOWEL and len(word) == len(other) and _VOWELS.sub("", word) == _VOWELS.sub("", other)


def _extends(longer: Sense, shorter: Sense) -> bool:
    """Whether one line is the other with a clause behind it ("Answer briefly." and "Answer briefly, no recap.")."""
    return (
        len(shorter.words) > 1
        and len(longer.folded) > len(shorter.folded)
        and longer.folded.startswith(shorter.folded)
        and longer.folded[len(shorter.folded)] in ",;:，；："
    )


def opposed(a: Sense, b: Sense) -> bool:
    """Whether two lines cannot both hold: one uses what the other rejects, or the same words are once asked for and once forbidden."""
    if (a.words & b.rejected) and (b.words & a.rejected):
        return True
    if a.rejected and b.words and b.words <= a.rejected and len(b.words) == 1 and not b.negative:
        return True
    return (
        a.negative != b.negative
        and a.distinct == b.distinct
        and a.order == b.order
        and len(a.words) > 1
        and a.words == b.words
    )


def negative(text: str) -> bool:
    """Whether a clause says what not to do, or what is not."""
    return bool(_NEGATION.search(text))


def speaks_of(line: Sense, things: Iterable[str]) -> bool:
    """Whether a line's own words hold all of the given stems."""
    wanted = set(things)
    return bool(wanted) and wanted <= (line.words | line.distinct)


def _stems(text: str) -> list[str]:
    found: list[str] = []
    for token in _WORD.findall(_CJK.sub(" ", text)):
        word = token.strip("`.:'").lower()
        word = _SAME.get(word, word)
        if word and word not in _STOP:
            found.append(stem(word))
    for run in _CJK.findall(text):
        found.extend(_bigrams(run))
    return found


def _bigrams(run: str) -> list[str]:
    kept = "".join(c for c in run if c not in _STOP)
    return [kept] if len(kept) < 3 else [kept[i : i + 2] for i in range(len(kept) - 1)]  # noqa: PLR2004


def stem(word: str) -> str:
    """A light English stem: plural, -ing, -ed; names with digits or signs stay."""
    if len(word) <= 3 or _DISTINCT.search(word) or not word.isascii():  # noqa: PLR2004
        return word
    for suffix, least in (("ies", 5), ("ing", 6), ("ed", 5), ("es", 5), ("s", 4)):
        if word.endswith(suffix) and len(word) >= least and not word.endswith(("ss", "us", "is")):
            root = word[: -len(suffix)] + ("y" if suffix == "ies" else "")
            if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":  # noqa: PLR2004
                root = root[:-1]
            return root.removesuffix("e")
    return word.removesuffix("e")
