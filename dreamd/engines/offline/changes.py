"""What a sentence says is no more: the value that was replaced, moved off, renamed or handed over."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dreamd.engines.offline.cues import rx, words
from dreamd.engines.offline.renewals import TURNED, became
from dreamd.engines.offline.similar import stem
from dreamd.engines.offline.slots import families

#: What a change told in passing weighs: nothing by itself, however often it is said.
WEIGHT = 0.3

_OLD = r"(?P<old>[`\"']?[\w@./%+#-]+(?: (?!to\b|with\b|for\b|by\b|as\b|in\b|and\b|on\b|is\b|was\b|the\b|from\b|any\b)[\w@./%+#'-]+){0,4}?[`\"']?)"
_END = (
    r"(?=$|[,;:.)](?:\s|$)| (?:(?:with|for|by|in favou?r of|to|as|and|on|any ?more|is|since|because)\b|—|–|-|→|->|\())"
)
_NAME = r"(?P<old>[A-Za-z0-9][\w@./%+#-]*)"
#: Where a value stands that is given up altogether; each was made for the sentence behind it.
_GIVEN_UP = (
    rx(rf"\b(?:replaced?|swap(?:ped)?|exchanged?|traded?|ditch(?:ed)?|dropp?(?:ed)?|retired?|scrapp?(?:ed)?|abandon(?:ed)?) (?:the (?:old )?)?{_OLD} (?:with|for|by|in favou?r of)\b"),  # we replaced RQ with Celery as job queue
    rx(rf"(?:^|[,;:.] ){_OLD} (?:was|is|were|has been|got) (?:dropped|replaced|retired|swapped|abandoned|ditched) (?:by|with|for|in favou?r of)\b"),  # RQ was dropped in favour of Celery
    rx(rf"\b(?:renamed?|chang(?:ed?|ing)|switch(?:ed)?|mov(?:ed?|ing)|migrat(?:ed?|ing)) {_OLD} (?:to|→|->|into)\s"),  # rename retry_budget to grace_window
    rx(rf"\bfrom {_OLD} to\b"),  # the queue went from RQ to Celery
    rx(rf"\b(?:we|I|they|the team) (?:have |'ve )?(?:left|dropped|ditched|quit|abandoned) {_OLD}{_END}"),  # we left Travis
    rx(rf"\b(?:no longer (?:uses?|runs? on|have|has|on)|moved? off(?: of)?|got rid of|get rid of|got off|away from|used to be|was called|goodbye|forget|done with|scrap) {_OLD}{_END}"),  # we got rid of RQ
    rx(rf"\b(?:do|does|did|is|are)(?:n'?t| not|nt) (?:[\w']+ ){{0,3}}?(?:use|run|have|need|on|in|with|at|to) {_OLD} any ?(?:more|longer)\b"),  # we don't use RQ any more
    rx(rf"\b(?:replaces|has replaced|supersedes|takes over from|took over from|takes the place of) {_OLD}{_END}"),  # Celery replaces RQ
    rx(rf"\btook over (?:the |our )?[\w -]{{2,40}}? from {_OLD}{_END}"),  # Ann took over the crew from Bob
    rx(rf"(?:^|[,;:.] ){_OLD} (?:is|are) (?:gone|history|no longer (?:used|in use|needed)|retired|out|dead|deprecated)\b"),  # RQ is gone
    rx(rf"(?:^|[,;:.] ){_OLD} was (?:the old one|before|replaced|removed|dropped|retired|used before)"),  # RQ was the old one
    rx(rf"\b(?:vo[nm]|de|du|с) {_NAME} (?:auf|zu|à|vers|a|на) "),  # wir sind von yarn auf pnpm umgestiegen
    rx(rf"\b(?:ya no (?:usamos|se usa|uses?)|n'utilis\w+ plus|kein|больше не используем|더 이상) {_NAME}"),  # ya no usamos npm
    rx(rf"\b{_NAME} (?:nicht mehr|ist (?:raus|weg)|n'est plus|больше не)\b"),  # yarn ist raus
    rx(rf"(?:不再用?|不再使用|不用|别再用|弃用|放弃) ?{_NAME}"),  # 我们不再用 Jenkins
    rx(rf"从 ?{_NAME} ?(?:换|改|切|迁|升)"),  # 从 yarn 换到 pnpm
    rx(rf"{_NAME} ?(?:不用了|已弃用|废弃了|はもう|から[^、。]{{1,30}}に(?:移行|変更)|는 더 이상|에서 \S+로)"),  # 8080 はもう使いません
)  # fmt: skip
#: Where a value stands that another one is set against; it may live on elsewhere.
_SET_AGAINST = (
    rx(rf"\b(?:instead of|rather than|in place of|no longer(?: in| at| by)?) {_OLD}{_END}"),  # Celery instead of RQ
    rx(rf"\b(?:is|are|it'?s|use|uses|on) [^,;]{{1,40}}?,? (?:and )?not {_OLD}{_END}"),  # the queue is Celery, not RQ
    rx(rf"\b(?:statt|anstatt|au lieu de|en lugar de|вместо)(?: mit| auf| de)? {_NAME}"),  # Vitest statt Jest
)  # fmt: skip
_WORD = re.compile(r"[a-z0-9@./%+#_-]*[a-z0-9%+#_]|[\w@./%+#-]*[\w%+#]")
#: "Now do …" is the next thing to do and no change.
_NEXT = rx(r"^(?:(?:ok|and|so|then|great|good|thanks),? )*now\b(?! (?:we|the|it|that|all|every)\b)")
_TELLING = 4  # letters of a word that tells what two lines are about
_COMMON = words(
    "the a an it this that we our is are now use uses used in on at of to for as and or not with have has had was were be been new old all only"
)


_RENAMED = rx(
    r"\b(?:renamed?|mov(?:ed|e)|is now called|was renamed) (?:the \w+ )?[`\"']?(?P<old>[\w./@-]+)[`\"']? (?:to|into|→|->) [`\"']?(?P<new>[\w./@-]*\w/?)|把 ?`?(?P<cold>[\w./@-]+)`? ?(?:重命名为|改名为|改名成|移到) ?`?(?P<cnew>[\w./@-]+)"
)
_IDENTIFIER = re.compile(r"[_/.]\w|\w[-]\w|[a-z][A-Z]|\d")


@dataclass(frozen=True, slots=True)
class Gone:
    """A value that a sentence says is no more, as the stems of its words."""

    stems: frozenset[str]
    value: str  # in lower case
    altogether: bool  # given up, and not only set against another one


@lru_cache(maxsize=4096)
def gone(text: str) -> tuple[Gone, ...]:
    """The values that a sentence says are no more; the shortest reading first."""
    bare = text.strip().rstrip(".。")
    found: dict[frozenset[str], Gone] = {}
    for altogether, patterns in ((True, _GIVEN_UP), (False, _SET_AGAINST)):
        for pattern in patterns:
            for match in pattern.finditer(bare):
                old = stems(match["old"])
                found.setdefault(old, Gone(old, match["old"].strip("`\"'").lower(), altogether))
    named = (one for one in found.values() if one.stems - _COMMON)
    return tuple(sorted(named, key=lambda one: (len(one.stems), sorted(one.stems))))


def stems(text: str) -> frozenset[str]:
    """The words of a text for comparing values: names and numbers as they are."""
    return frozenset(stem(w.strip("`\"'.:,")) for w in _WORD.findall(text.lower()))


def ended_by(text: str, slot: str, line: str, line_slot: str, *, negative: bool) -> bool:
    """Whether a newer sentence ends an older line: it names the line's value as gone, and both are about the same thing.

    Args:
        text: the newer sentence.
        slot: what it gives a value to; "" for none.
        line: the older line.
        line_slot: see slot.
        negative: whether the older line says what not to do; such a line is ended by its opposite alone.
    """
    if negative or gone(line):
        return False
    mine, theirs = stems(text), stems(line)
    for old in gone(text):
        if not old.stems <= theirs:
            continue
        if old.altogether and _replaced_in_kind(old.value, text, line):
            return True
        key = stems(slot or line_slot) - _COMMON
        about = (mine & theirs) - old.stems - _COMMON
        if key and key <= theirs and (key <= mine or (old.altogether and key & mine)):
            return True
        if not key and any(len(word) >= _TELLING for word in about):
            return True
    return False


def renamed_in(text: str, line: str) -> str:
    """An older line with the new name of what a sentence says was renamed; "" where the line does not speak of it."""
    match = _RENAMED.search(text)
    if match is None:
        return ""
    old, new = match["old"] or match["cold"], match["new"] or match["cnew"]
    if not _IDENTIFIER.search(old) or not _IDENTIFIER.search(new) or gone(line):
        return ""
    renamed = re.sub(rf"(?<![\w./@-]){re.escape(old)}(?![\w/@-]|\.\w)", lambda _: new, line)
    return "" if renamed == line or new in line else renamed


def speaks_against(text: str, line: str) -> bool:
    """Whether a sentence says that what an older line holds is no more, so that the two cannot be one."""
    theirs = stems(line)
    return not gone(line) and any(old.stems <= theirs for old in gone(text))


def _replaced_in_kind(old: str, newer: str, line: str) -> bool:
    """Whether another tool of the same family takes the place of one, and the line is about no third."""
    kinds = frozenset[str]().union(*(families(word) for word in old.split()))
    mine, theirs = ({word.strip("`\"'.:,") for word in _WORD.findall(text.lower())} for text in (newer, line))
    return any(kinds & families(word) for word in mine - {old}) and not any(
        kinds & families(word) for word in theirs - {old}
    )


def tells(sentence: str) -> bool:
    """Whether a sentence says of itself that something is not as it was."""
    return bool(gone(sentence) or became(sentence) or (TURNED.search(sentence) and not _NEXT.match(sentence)))
