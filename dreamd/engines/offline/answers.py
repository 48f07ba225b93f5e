"""What a person decided by answering: question and answer become one statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dreamd.engines.offline.cues import rx
from dreamd.engines.offline.rewrite import finish

_PAIR = re.compile(r"(?:^|\n)\s*Q:\s*(?P<q>.+?)\s*\n?\s*A:\s*(?P<a>.+?)(?=\n\s*Q:|\Z)", re.DOTALL)
_NOTE = re.compile(r"\s*\((?:recommended|default|推荐)\)\s*", re.IGNORECASE)
_ASIDE = re.compile(r"\s*\([^)]*\)")
_YES = rx(r"^(?:yes|yep|yeah|sure|correct|right|ok|是的?|对|好的?|要)(?:$|[\s,.，。!])")
_NO = rx(r"^(?:no|nope|不|否|不要|不用)(?:$|[\s,.，。!])")
_WHICH = rx(
    r"^(?:which|what) (?P<what>[\w`./ -]{3,50}?) (?:should|do|shall|would|will|must) (?:we|i|you|the [\w -]{2,30}|it|this|[\w-]+)(?: (?:want|like|prefer))?(?: (?:me|us))?(?: to)? (?P<verb>[a-z]+(?: (?:for|in|on|as|with|to|up|from) [\w`./ -]{2,40}| up)?)"
)
_WANTED = rx(
    r"^(?:which|what) (?P<what>[\w`./ -]{3,40}?) (?:do|would|should) (?:you|we|i) (?:want|prefer|like|favou?r|choose|pick)$"
)
_WHAT_IS = rx(r"^(?:what|which)(?: is|'s) (?:the |our )?(?P<what>[\w`./ -]{3,60})$")
_SHOULD = rx(
    r"^(?:should|shall|must|do) (?P<who>we|the [\w`./ -]{2,40}?|[\w`./-]+s|all [\w -]{2,30}?) (?P<what>(?:always |never |only )?(?:[a-z]+) .{3,120})$"
)
_TASK = rx(
    r"\b(?:next|now|proceed|first|continue|start|begin|fix(?:es)?|this|these|that|it|bug|issue|task|plan|pr|branch|commit|today|again|go ahead|approach|option|handle|do|beads?|ticket|here|belong|review|look)\b|下一步|继续|这"
)
_ACTION = rx(
    r"^(?:run|fix|do|skip|continue|start|stop|cancel|other|none|nothing|not sure|let me|i'll|let's|go|both|all|option|\d+$|[a-d]$|type something)\b"
)
_SET_UP = rx(r"(?:set up|install|add|enable|include|create|implement)\b")
_LONGEST_ANSWER = 90


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """The questions and answers of a turn as (question, answer); none where the turn has no such form."""
    for match in _PAIR.finditer(text):
        yield " ".join(match["q"].split()), " ".join(_NOTE.sub(" ", match["a"]).split())


def statement(question: str, answer: str) -> str | None:
    """What the answer settles, as a sentence; None where the question is about the task at hand or the answer does not stand alone."""
    asked = _ASIDE.sub("", question).strip().rstrip("\N{FULLWIDTH QUESTION MARK}?").strip()
    asked = re.split(r"(?<=[.!。])\s+", asked)[-1]
    if _TASK.search(asked) or len(answer) > _LONGEST_ANSWER or _ACTION.match(answer):
        return None
    yes_no = _SHOULD.match(asked)
    if yes_no:
        return _settled(yes_no, answer)
    which = _WHICH.match(asked)
    if which:
        chosen = "chosen " if _SET_UP.match(which["verb"]) else ""
        return finish(f"{chosen}{which['what']} to {which['verb']}: {answer}")
    what = _WANTED.match(asked) or _WHAT_IS.match(asked)
    return finish(f"{what['what']}: {answer}") if what else None


def _settled(asked: re.Match[str], answer: str) -> str | None:
    subject = asked["who"]
    if _YES.match(answer):
        return finish(f"{subject} should {asked['what']}")
    if _NO.match(answer):
        return finish(f"{subject} should not {asked['what']}")
    return None
