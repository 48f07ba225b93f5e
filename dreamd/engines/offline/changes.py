"""What a sentence says is no more: the value that was replaced, moved off, renamed or handed over."""

from __future__ import annotations

import re
from functools import lru_cache

from dreamd.engines.offline.cues import rx, words
from dreamd.engines.offline.similar import stem

_OLD = r"(?P<old>[`\"']?[\w@./%+#-]+(?: (?!to\b|with\b|for\b|by\b|as\b|in\b|and\b|on\b|is\b|was\b|the\b|from\b|any\b)[\w@./%+#'-]+){0,4}?[`\"']?)"
_END = (
    r"(?=$|[,;:.)](?:\s|$)| (?:(?:with|for|by|in favou?r of|to|as|and|on|any ?more|is|since|because)\b|—|–|-|→|->|\())"
)
#: Where the old value stands; each was made for the sentence behind it.
_GONE = (
    rx(rf"\b(?:replaced?|swap(?:ped)?|exchanged?|traded?|ditch(?:ed)?|dropp?(?:ed)?|retired?|scrapp?(?:ed)?|abandon(?:ed)?) (?:the (?:old )?)?{_OLD} (?:with|for|by|in favou?r of)\b"),  # we replaced RQ with Celery as job queue
    rx(rf"\b(?:renamed?|chang(?:ed?|ing)|switch(?:ed)?|mov(?:ed?|ing)|migrat(?:ed?|ing)) {_OLD} (?:to|→|->|into)\s"),  # rename retry_budget to grace_window
    rx(rf"\bfrom {_OLD} to\b"),  # the queue went from RQ to Celery
    rx(rf"\b(?:instead of|rather than|in place of|no longer(?: uses?| on| is| run on)?|moved? off(?: of)?|got rid of|got off|away from|used to be|was called) {_OLD}{_END}"),  # Celery instead of RQ
    rx(rf"\b(?:is|are|it'?s|use|uses|on) [^,;]{{1,40}}?,? (?:and )?not {_OLD}{_END}"),  # the queue is Celery, not RQ
    rx(rf"\b(?:replaces|has replaced|supersedes|takes over from|took over from|takes the place of) {_OLD}{_END}"),  # Celery replaces RQ
    rx(rf"\btook over (?:the |our )?[\w -]{{2,40}}? from {_OLD}{_END}"),  # Ann took over the crew from Bob
    rx(rf"(?:^|[,;:.] ){_OLD} (?:is|are) (?:gone|history|no longer (?:used|in use|needed)|retired|out\b)"),  # RQ is gone
    rx(rf"(?:^|[,;:.] ){_OLD} was (?:the old one|before|replaced|retired|used before)"),  # RQ was the old one
)  # fmt: skip
_TELLING = 4  # letters of a word that tells what two lines are about
_COMMON = words(
    "the a an it this that we our is are now use uses used in on at of to for as and or not with have has had was were be been new old all only"
)


@lru_cache(maxsize=4096)
def gone(text: str) -> tuple[frozenset[str], ...]:
    """The values that a sentence says are no more, each as the stems of its words; the shortest reading first."""
    found = {
        stems(match["old"]): None
        for pattern in _GONE
        for match in pattern.finditer(text.strip().rstrip("."))
        if match["old"]
    }
    return tuple(sorted((old for old in found if old - _COMMON), key=lambda old: (len(old), sorted(old))))


def stems(text: str) -> frozenset[str]:
    """The words of a text for comparing values: names and numbers as they are."""
    return frozenset(stem(w.strip("`\"'.:,")) for w in re.findall(r"[\w@./%+#-]*[\w%+#]", text.lower()))


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
        if not old <= theirs:
            continue
        key = stems(slot or line_slot) - _COMMON
        about = (mine & theirs) - old - _COMMON
        if (key and key <= theirs and key <= mine) or (not key and any(len(word) >= _TELLING for word in about)):
            return True
    return False
