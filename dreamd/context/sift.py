"""From a long text to the statements in it that matter next month, each with what it is; talk about work in progress is left out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

LONGEST = 300  # characters of one statement
_NAME_WORDS, _VALUE_LENGTH = 4, 60  # of "name: value"; more is a sentence with a colon
_SHORTEST, _SHORTEST_DENSE = 16, 6  # characters; scripts without spaces say more with fewer
_READ_AT_MOST = 40_000  # characters of one text

_FENCE = re.compile(r"(?:^|\n)[ \t]*(```|~~~)[^\n]*\n(.*?)(?:\n[ \t]*\1[^\n]*|\Z)", re.DOTALL)
_MARKER = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•·–]\s+|\(?\d{1,3}[.)]\s+|>\s?|\[[ xX]\]\s+)+")
_TABLE = re.compile(r"^\s*\|?[\s:|-]*-{3,}[\s:|-]*\|?\s*$")
_MACHINE = re.compile(r"^\s*(?:[+\-]{3}\s|@@ |diff --git|\d+[→\t]|[{}\[\]();,]+\s*$|at .+:\d+|[│┃├└┌╭╰║╔█▌⎿])")
_END = re.compile(r"(?<=[。！？；])|(?<=[.!?])[\"')\]*_]*(?=\s+[\"'(`*]?[A-Z0-9\u00c0-\u04ff])")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")

_PROGRESS = re.compile(
    r"^(?:[^\w`]*)(?:(?:now|ok(?:ay)?|good|great|perfect|excellent|alright|right|sure|yes|got it|i see|hmm+|wait|actually|interesting|so|and|but|"
    r"first|next|then|finally|also)[\s,.!:—–-]+)*(?:let(?:'|’)?s?\s+(?:me|us|see|check|look|try|run|start|first|now|also|verify)|i(?:'|’)?(?:ll|m going to| will| need to| should|"
    r" am going to|'m now| can see)|we need to (?:check|look|see)|looking at|checking|reading|searching|running|trying|here(?:'|’)?s (?:the|what|how|a)|"
    r"you(?:'|’)?re (?:absolutely )?right|good (?:catch|question|point|idea)|great question|would you like|do you want|shall i|should i|want me to|"
    r"thank|sorry|apolog|让我|我来|我先|接下来|现在我|好的|首先|まず|では|давай|сейчас я|ich (?:werde|schaue|prüfe)|je vais|voy a)",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decid(?:e|ed|ing) (?:to|on|that|against)|(?:the )?decision|agreed (?:to|on|that)|chose|chosen|opt(?:ed)? for|settled on|going with|went with|"
    r"we(?:'|’)?ll (?:use|keep|stay|go)|(?:we|let(?:'|’)?s) (?:use|keep|go with|stick|stay)|switch(?:ed)? (?:to|from|over)|migrat(?:e|ed) (?:to|from)|"
    r"replac(?:e|ed) .{1,60} (?:with|by)|instead of|rather than|in favou?r of|must(?: not| never| always)? \w+|by design|on purpose|intentional(?:ly)?|"
    r"deferred|out of scope|(?:we|it) won(?:'|’)?t|entschieden|statt|immer|niemals|décidé|plutôt que|toujours|jamais|decidi\w+|en lugar de|siempre|nunca|решили|вместо|всегда|никогда)\b"
    r"|^(?:\W*)(?:do not|don(?:'|’)t|never|always|only|use|keep|avoid|prefer)\b|决定|采用|改用|选择了|换成|不再|必须|禁止|不要|约定|一律|优先|ことにした|代わりに|必ず",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:root cause|the (?:bug|issue|problem|cause|reason|culprit) (?:is|was|lies)|because|caused by|due to|turns out|this (?:means|explains)|the fix|fixed by|"
    r"works? around|workaround|ursache|weil|la cause|parce que|la causa|porque|причина|потому что)\b|原因|因为|由于|根因|導致|导致|原因は",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"https?://\S+|(?<![\w./])v?\d+(?:\.\d+){1,3}\b(?!\.\w)|(?<![\w#./-])\d[\d,.]*\s?(?:%|ms|s|min|h|KB|MB|GB|TB|kB|tokens?|rows?|px|req|requests?)(?![\w])|"
    r"\b(?:port|version|timeout|limit|PR|issue|ticket|threshold|interval|size)s?\b[^.\n]{0,20}?\d|\b(?:branch|commit|tag|database|table|model|user) `[^`]+`|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|"
    r"\b[A-Z]{2,}-\d+\b|(?<!\w)#\d{2,}\b|`[\w.-]+ ?[=:] ?[^`\s][^`]*`|`[a-z][\w.-]* [^`]{3,80}`|\b[0-9a-f]{7,40}\b(?<=\d)"
)
_KEYED = re.compile(r"^[*_`]*([^\W\d][^:=：\n]{1,40}?)[*_`]*\s*(?:[:：]|=|\bis now\b|\bis\b)\s*[*_`]*(\S.*)$")
_LABEL = re.compile(
    r"(?:note|fix|problem|issue|cause|root cause|solution|result|results|file|files|location|line|change|changes|changed|example|before|after|"
    r"impact|risk|why|what|how|status|summary|test|tests|step|phase|it|this|that|there|which|here|注意|问题|原因|结果|文件)\b",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception)|error|fatal|panic|failed|failure|FAIL|traceback|segfault|cannot|can(?:'|’)t|denied|refused|timed? ?out|not found|"
    r"undefined|unresolved|conflict)\b|错误|失败|异常|报错|エラー|ошибка|fehler|erreur",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:still (?:fails?|failing|broken|open|to do|missing|need)|remaining|not yet|to[- ]?do|TODO|pending|next steps?|follow[- ]?up|left to do|blocked|open question|unresolved|known (?:issue|limitation))\b"
    r"|待办|尚未|还没|未完成|下一步|遗留|残って",
    re.IGNORECASE,
)
_SUCCESS = re.compile(
    r"\b(?:all (?:\d+ )?(?:tests?|checks?) (?:now )?pass\w*|(?:now )?(?:works?|working|passes|passing|succeed\w*|green)\b|fixed|resolved|done|complete[ds]?|implemented|pushed|merged|committed|released|deployed|successful(?:ly)?)\b"
    r"|✅|修复|解决了|通过|完成|成功|直りました|исправлен|behoben|corrigé|solucionado",
    re.IGNORECASE,
)


class Sort(StrEnum):
    """What a statement is, the first that fits."""

    OPEN = "open"  # something that is still to be done
    DECISION = "decision"
    CAUSE = "cause"
    ERROR = "error"
    VALUE = "value"
    DONE = "done"  # it works now
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Statement:
    """One line or sentence, without markers. `slot`: what it gives a value to ("port"), "" for nothing."""

    text: str
    sort: Sort
    slot: str = ""


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text in order; code blocks, tables' rules, diffs and talk about the next step left out."""
    for line in without_code(text).split("\n"):
        if _TABLE.match(line) or _MACHINE.match(line):
            continue
        bare = _EMPHASIS.sub(r"\2", _MARKER.sub("", line)).strip().strip("|").strip()
        if bare.endswith((":", "：")):
            continue
        for sentence in _END.split(bare):
            said = sentence.strip()
            if says_something(said) or (len(said) < _SHORTEST and _slot(said) and _VALUE.search(said)):
                yield Statement(shortened(said), _sort(said[:LONGEST]), _slot(said[:LONGEST]))


def without_code(text: str) -> str:
    """The text without its fenced code blocks."""
    return _FENCE.sub("\n", text[:_READ_AT_MOST])


def succeeds(text: str) -> bool:
    """Whether a text claims that something works now."""
    return _SUCCESS.search(text) is not None


def error_line(text: str) -> str:
    """The line of a tool's output that names the error; its last line where none does."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    named = [line for line in lines if _ERROR.search(line) and not _MACHINE.match(line)]
    return shortened((named or lines or [""])[-1])


def key(text: str) -> str:
    """What makes two statements the same: letters and digits alone."""
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()


def shortened(text: str) -> str:
    """A statement on one line of at most 300 characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1].rstrip() + "…"


def says_something(text: str) -> bool:
    """Whether a sentence states anything: no question, no fragment, no talk about the next step."""
    least = _SHORTEST_DENSE if _DENSE.search(text) else _SHORTEST
    if len(text) < least or text.endswith(("?", "？")) or not any(char.isalpha() for char in text):
        return False
    return _PROGRESS.match(text) is None


def _sort(text: str) -> Sort:
    if _slot(text) and _VALUE.search(text):
        return Sort.VALUE
    for pattern, sort in (
        (_OPEN, Sort.OPEN),
        (_DECISION, Sort.DECISION),
        (_CAUSE, Sort.CAUSE),
        (_ERROR, Sort.ERROR),
        (_VALUE, Sort.VALUE),
        (_SUCCESS, Sort.DONE),
    ):
        if pattern.search(text):
            return sort
    return Sort.PLAIN


def _slot(text: str) -> str:
    """The name that a short line gives a value to; labels that stand before any sentence ("Note:", "Fix:") are none."""
    keyed = _KEYED.match(text)
    if keyed is None or len(keyed[1].split()) > _NAME_WORDS or len(keyed[2]) > _VALUE_LENGTH:
        return ""
    return "" if _LABEL.match(keyed[1]) else key(keyed[1])
