"""How it ended: when a person said yes to a proposal, the agent's report says what holds since; when they had it written down, what was learned.

Only what the person agreed to counts. The agent's other words are claims, and are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dreamd.engines.offline.cues import Cues, rx
from dreamd.engines.offline.exchange import OBJECTS, Exchange
from dreamd.engines.offline.judge import reject
from dreamd.engines.offline.judgement import answered, judged, told
from dreamd.engines.offline.languages.detect import language_of
from dreamd.engines.offline.languages.english import ENGLISH
from dreamd.engines.offline.languages.english_marks import MARKS
from dreamd.engines.offline.languages.marks import found
from dreamd.engines.offline.rewrite import finish
from dreamd.engines.offline.sentences import own_words, split
from dreamd.engines.offline.similar import sense

_LONGEST_ANSWER = 120
_MOST_WORDS = 16
_LONGEST_LINE = 190
_LONGEST_VALUE = 5  # words
#: What a line of a report must reach to hold from now on, after an assent and after a choice: log odds, marks, words in common.
_STANDS = 3.5
_CHOSEN = 1.0
#: Log odds from which on a question is a wish.
_WISHED = -1.0
_QUESTION = 400  # characters of a proposal in which its question stands
_SHARED = 2
_ASSENT = rx(  # each word in one way only, so that a long row of them is read in one pass
    r"^(?:\W|(?:yes|yep|yeah|yup|sure|ok(?:ay)?|correct|exactly|agreed|absolutely|definitely|perfect|great|good(?: idea)?|please|pls|and|then|so|thanks|i agree|makes sense|sounds (?:good|better)|that works|"
    r"go (?:ahead|for it)|(?:do|go with|implement|use|try) (?:that|it|this|so|options? \w|\w+ only)|(?:add|fix|remove|rename|apply|change|update) (?:it|that|this|them)|"
    r"for now|like that|all of (?:them|it)|let'?s|capture|continue|proceed)\b)+$"
)
_WRITE_DOWN = rx(
    r"\b(?:add|put|document|note|record|write|mention|capture|save|include)\b (?:\w+ ){0,3}?(?:this|that|it|these)\b(?: \w+){0,3} (?:to|in|into|under|as)\b.{0,20}(?:claude\.?md|agents\.?md|agents md|readme|known[_ -]limitations|docs?|documentation|memory|learnings?|wiki|changelog)\b"
)
_BY_THE_WAY = rx(
    r"\?|^(?:i'?ll|i will|i'?m|let me|let'?s|want|would|should i|shall|if you|to verify|next|now let|here'?s|here is|summary|all (?:\w+ )?tests?|tests?\b|lint|note that i|done[.!]?$|key|the tests?|updated? (?:the )?(?:tests?|docs?)|added? (?:\w+ )?(?:unit )?tests?)\b|\b(?:tests? pass|passing|lint|committed|pushed|worktree is|line \d|lines \d|\+\d|pr #?\d|commit [0-9a-f]{6,}|worker|i (?:would|recommend|suggest|also)|let me know|working tree|untracked|origin/|i have|i've|would|could|might|options?|hook won'?t|thoughts)\b|[0-9a-f]{9,}"
)
#: What a line gains where all its words were spoken of before, and where the report has no more than a line or two.
_SPOKEN_OF = 3.0
_BRIEF = 1.0
_FEW = 2
#: What a line gains in a language without marks.
_UNMARKED = 2.5
_NOW = rx(r"\bnow\b|\bno (?:longer|more)\b|\bsingle\b|\binstead of\b|\bonly\b|\bby default\b|→|->")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ASKS = re.compile(r"[?\N{FULLWIDTH QUESTION MARK}]")
#: What a report says of the work and not of the thing: it is over tomorrow, or it is the agent's opinion.
_OF_THE_WORK = rx(
    r"\b(?:is|are|was|were|has been|have been) (?:now |fully |already |all |also )*(?:enhanced|completed?|deleted|updated|ready|clean(?:er)?|done|fixed|finished|in place|solid|saved|written|pushed|merged|committed|rebased|closed|resolved|verified|tested|passing|green|up to date)\b|"
    r"\bplan is\b|\b(?:i'd|i would|we could|recommend\w*|my (?:view|take|recommendation)|so yes)\b|\bbut is not populated\b|\bno (?:more )?dead code\b|^no \w+ (?:changes?|issues?) (?:needed|found)\b"
)
_SUGGESTS = rx(
    r"\b(?:i (?:suggest|propose)|i'?d|i would|could|would|should|proposal|propose|recommend\w*|let'?s|what if|instead|rather)\b"
)
_LABEL = re.compile(r"^(?:[-*•]\s+|\d+[.)]\s+|#+\s*|>\s*)+|\*\*|✅|✓|🎯")
_NO_VALUE = rx(
    r"^(?:yes|no|ok|sure|continue|done|stop|wait|go|push|commit|merge|thanks|good|great|nice|perfect|try|run|fix|hm+|why|what|how|d|p|\d+|[a-d])\b|\?$"
)


def outcome(exchange: Exchange) -> tuple[str, str] | None:
    """What an answer or a suggestion led to, as (sentence, the words it rests on); None where nothing was settled by it.

    An assent settles what was proposed, a choice what was asked, and a suggestion put as a question what it suggests:
    by the sentence of the agent's report that speaks of the same things as one that holds from now on.
    """
    said = " ".join(exchange.turn.text.split())
    if not exchange.typed or not exchange.replies or OBJECTS.match(exchange.following.strip()):
        return None
    reply = exchange.replies[-1].text
    if _WRITE_DOWN.search(said) and exchange.proposal:
        return _best(exchange.proposal, (sense(f"{reply} {said}").touches,), said, needs=_STANDS)
    cues = language_of(said) or ENGLISH
    if exchange.proposal and _is_short(said):
        answer = answered(said, cues.code)
        if _ASSENT.match(said) or (answer == "yes" and _proposes(exchange.proposal, cues)):
            return _best(reply, (sense(exchange.proposal).touches,), said, needs=_STANDS)
        if answer == "pick" and _ASKS.search(exchange.proposal[-_QUESTION:]):
            return _best(reply, (sense(exchange.proposal).touches, sense(said).touches), said, needs=_CHOSEN)
    if any(_suggests(sentence) for sentence in split(own_words(exchange.turn.text))):
        return _best(reply, (sense(said).touches,), said, needs=_STANDS)
    return None


def _proposes(text: str, cues: Cues) -> bool:
    """Whether the agent's last words ask or suggest something that could be accepted."""
    end = text[-_QUESTION:]
    return bool(_ASKS.search(end)) or cues is not ENGLISH or bool(_SUGGESTS.search(end))


def _is_short(said: str) -> bool:
    return len(said) <= _LONGEST_ANSWER and len(said.split()) <= _MOST_WORDS


def _suggests(sentence: str) -> bool:
    """Whether a question is a wish in disguise: "why don't we …?", "wäre es nicht sinnvoller, …?"."""
    if not _ASKS.search(sentence[-2:]):
        return False
    cues = language_of(sentence)
    judgement = judged(sentence, cues, "question") if cues else None
    return judgement is not None and judgement.lasts > _WISHED


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


def _best(text: str, about: tuple[frozenset[str], ...], said: str, *, needs: float) -> tuple[str, str] | None:
    """The line that is likeliest to hold from now on, of those that speak of what was spoken about.

    Args:
        text: what the agent said.
        about: what a line must touch; two words of one thing, or one of each of two.
        said: the person's words.
        needs: log odds that it must have.
    """
    best: tuple[float, int, str] = (needs, 0, "")
    lines = list(_lines(text))
    brief = _BRIEF if len(lines) <= _FEW else 0.0
    for line in lines:
        own = sense(line).touches
        shared = [len(own & things) for things in about]
        cues = language_of(line)
        needed = _SHARED if len(about) == 1 and cues is ENGLISH else 1
        if min(shared) < 1 or max(shared) < needed or _BY_THE_WAY.search(line) or _OF_THE_WORK.search(line):
            continue
        weight = (
            ((told(line, cues.code) if cues else None) or 0.0)
            + _marked(line, cues)
            + brief
            + max(shared) / len(own) * _SPOKEN_OF
        )
        if (weight, -len(line)) > best[:2]:
            best = (weight, -len(line), line)
    settled = finish(best[2].rstrip(":"), stop="。" if _WIDE.search(best[2]) else ".") if best[2] else ""
    return (settled, f"{best[2][:200]} {said}"[:300]) if settled and not reject(settled) else None


def _marked(line: str, cues: Cues | None) -> float:
    """What the marks of a lasting statement add in English."""
    if cues is not ENGLISH:
        return _UNMARKED
    marks = {k: v for k, v in found(line, MARKS).items() if k not in ("typeset", "step", "states", "looks", "trouble")}
    return sum(marks.values()) + (0.5 if _NOW.search(line) else 0.0)


def _lines(text: str) -> Iterator[str]:
    for line in split(own_words(text)):
        bare = " ".join(_LABEL.sub("", line).split()).strip(" :")
        if (25 if bare.isascii() else 8) <= len(bare) <= _LONGEST_LINE and "[REDACTED" not in bare:
            yield bare
