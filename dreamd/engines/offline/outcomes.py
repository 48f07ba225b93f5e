"""How it ended: when a person said yes to a proposal, the agent's report says what holds since; when they had it written down, what was learned.

Only what the person agreed to counts. The agent's other words are claims, and are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dreamd.engines.offline.cues import rx
from dreamd.engines.offline.exchange import Exchange
from dreamd.engines.offline.judge import reject
from dreamd.engines.offline.languages.english_marks import MARKS
from dreamd.engines.offline.languages.marks import found
from dreamd.engines.offline.rewrite import finish
from dreamd.engines.offline.sentences import own_words, split
from dreamd.engines.offline.similar import sense

_LONGEST_ASSENT = 90
_LONGEST_LINE = 190
_LONGEST_VALUE = 5  # words
_STANDS = 1.0
_SHARED = 2
_ASSENT = rx(
    r"^(?:\W|(?:yes|yep|yeah|yup|sure|ok(?:ay)?|correct|exactly|agreed|absolutely|definitely|perfect|great|good|please|pls|and|then|so|thanks|i agree|makes sense|sounds (?:good|better)|good idea|that works|"
    r"do (?:that|it|so|this)|go (?:ahead|for it|with (?:that|it|this))|let'?s (?:do|go with|implement|use|try) (?:that|it|this|options? \w|\w+ only)|implement (?:that|it|this|options? \w)|(?:please )?(?:add|fix|remove|rename|apply|implement|change|update) (?:it|that|this|them)|"
    r"for now|like that|all of (?:them|it)|lets|let'?s|capture|continue|proceed)\b)+$"
)
_WRITE_DOWN = rx(
    r"\b(?:add|put|document|note|record|write|mention|capture|save|include)\b (?:\w+ ){0,3}?(?:this|that|it|these)\b(?: \w+){0,3} (?:to|in|into|under|as)\b.{0,20}(?:claude\.?md|agents\.?md|agents md|readme|known[_ -]limitations|docs?|documentation|memory|learnings?|wiki|changelog)\b"
)
_NOW = rx(r"\bnow\b|\bno (?:longer|more)\b|\bsingle\b|\binstead of\b|\bonly\b|\bby default\b|→|->")
_BY_THE_WAY = rx(
    r"\?|^(?:i'?ll|i will|i'?m|let me|let'?s|want|would|should i|shall|if you|to verify|next|now let|here'?s|here is|summary|all (?:\w+ )?tests?|tests?\b|lint|note that i|done[.!]?$|key|the tests?|updated? (?:the )?(?:tests?|docs?)|added? (?:\w+ )?(?:unit )?tests?)\b|\b(?:tests? pass|passing|lint|committed|pushed|worktree is|line \d|lines \d|\+\d|pr #?\d|commit [0-9a-f]{6,}|worker|i (?:would|recommend|suggest|also)|let me know|working tree|untracked|origin/|i have|i've|would|could|might|options?|hook won'?t|thoughts)\b|[0-9a-f]{9,}"
)
_LABEL = re.compile(r"^(?:[-*•]\s+|\d+[.)]\s+|#+\s*|>\s*)+|\*\*|✅|✓|🎯")
_NO_VALUE = rx(
    r"^(?:yes|no|ok|sure|continue|done|stop|wait|go|push|commit|merge|thanks|good|great|nice|perfect|try|run|fix|hm+|why|what|how|d|p|\d+|[a-d])\b|\?$"
)


def outcome(exchange: Exchange) -> tuple[str, str] | None:
    """What an assent led to, as (sentence, the words it rests on); None where nothing was settled by it."""
    said = " ".join(exchange.turn.text.split())
    if not exchange.typed or not exchange.replies or not exchange.proposal:
        return None
    if _WRITE_DOWN.search(said):
        return _best([exchange.proposal], f"{exchange.replies[-1].text}", said, needs=0.75)
    if len(said) <= _LONGEST_ASSENT and _ASSENT.match(said):
        return _best([exchange.replies[-1].text], exchange.proposal, said, needs=_STANDS)
    return None


def value(exchange: Exchange) -> tuple[str, str] | None:
    """What a name given in one breath was for, by the report that uses it ("Entire Inc." → the licence names it)."""
    said = exchange.turn.text.strip().rstrip(".")
    if not said or len(said.split()) > _LONGEST_VALUE or _NO_VALUE.search(said) or not re.search(r"[A-Z0-9`_./]", said):
        return None
    for reply in exchange.replies:
        for line in _lines(reply.text):
            if said.lower() in line.lower() and len(line) > len(said) + 15 and not _BY_THE_WAY.search(line):
                text = finish(line)
                return None if reject(text) else (text, said)
    return None


def _best(texts: list[str], beside: str, said: str, *, needs: float) -> tuple[str, str] | None:
    """The line that says most, of what is also spoken of beside it."""
    about = sense(beside).touches | sense(said).touches
    best: tuple[float, int, str] = (0.0, 0, "")
    for text in texts:
        for line in _lines(text):
            own = sense(line).touches
            if len(own & about) < _SHARED or _BY_THE_WAY.search(line):
                continue
            marks = {
                k: v
                for k, v in found(line, MARKS).items()
                if k not in ("typeset", "step", "states", "looks", "trouble")
            }
            weight = sum(marks.values()) + (0.5 if _NOW.search(line) else 0.0)
            if weight >= needs and (weight, -len(line)) > best[:2]:
                best = (weight, -len(line), line)
    text = finish(best[2].rstrip(":")) if best[2] else ""
    return (text, f"{best[2][:200]} {said}"[:300]) if text and not reject(text) else None


def _lines(text: str) -> Iterator[str]:
    for line in split(own_words(text)):
        bare = " ".join(_LABEL.sub("", line).split()).strip(" :")
        if 25 <= len(bare) <= _LONGEST_LINE and "[REDACTED" not in bare:  # noqa: PLR2004 - a heading is shorter
            yield bare
