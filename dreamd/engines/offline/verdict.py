"""Whether one sentence is worth keeping: what kind of thing it says, how strongly, or why it is left."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, replace
from typing import Literal

from dreamd.engines.offline.cues import Cues, Frame, rx, words
from dreamd.engines.offline.dates import Dated, resolve, without_days
from dreamd.engines.offline.languages.english_words import VERBS, VERBS_ONLY, WORK
from dreamd.engines.protocol import Kind
from dreamd.transcripts.event import Origin

#: Why a sentence or a turn is left. Closed.
Left = Literal[
    "question",
    "praise",
    "passing",
    "doubt",
    "pointer",
    "request",
    "statement",
    "quoted",
    "pasted",
    "undated",
    "unclear",
    "secret",
    "junk",
    "language",
    "short",
    "long",
]

#: From here on a sentence is kept by itself; from WEAK on if it is said again.
KEEP = 1.0
WEAK = 0.75

_LONGEST = 420
_LASTING_BONUS = 0.5
_REASON_BONUS = 0.25
_CONTRAST_BONUS = 0.25
_CORRECTION_BONUS = 0.5
_ORIGIN_BONUS = {Origin.REFUSAL: 0.25, Origin.ANSWER: 0.25}
_STRESS_BONUS = 0.25
_DOUBT = 1.0
_STRONG = 1.5

#: Kinds that tell of something and may so carry a past day; a rule with a day in it is a task of that day.
_TELLING = frozenset({Kind.DECISION, Kind.FACT, Kind.LEARNING, Kind.OUTCOME})
#: Kinds that may say what a thing must be: of a screen or a function that is a piece of work.
_OF_THINGS = frozenset({Kind.CONVENTION, Kind.PROHIBITION, Kind.DECISION, Kind.FACT})
_ORDERS = rx(r"^(?:always|never|do not|don'?t|no|use|only|avoid|we|you|i)\b")
#: Frames whose sentence speaks of a moment and gets the turn's day where it names none.
_MOMENTS = frozenset({"event_release", "event_done", "event_secret", "发布"})

_LONG_QUOTE = re.compile(r"[\"“”「『](?:[^\"“”」』]{25,})[\"“”」』]|(?:^|\s)'[^']{30,}'(?:\s|$)")
IMPERATIVE = rx(
    rf"^(?:always |never |just |only |then |now |please |first |also )*(?:{VERBS})\b(?! (?:is|are|was|were|should|must|has|have|needs?|will|does|do|run|runs|lives?|belongs?)\b)"
)
_ONLY_VERB = rx(rf"^(?:{VERBS_ONLY})$")
_VERB_FIRST = rx(rf"^(?:{VERBS})$")
_AFTER_VERB = words(
    "the a an it this that these those my your our if whether all to in on at up out into for and with me us"
)
_CLAUSE = rx(
    rf"(?P<sep>;|—|–| - |, ?(?:and|but|so|then|however|though|eventually)?| so| but| and| eventually)\s+(?=maybe\b|perhaps\b|however\b|(?:can|could|would|should|shall|will) (?:you|we|i)\b|please\b|ask (?:me |first )*before\b|i\b|i'm\b|i'll\b|we\b|you\b|don'?t\b|do not\b|never\b|always\b|let'?s\b|it'?s?\b|that'?s?\b|this\b|what\b|how\b|why\b|is (?:it|that|this)\b|"
    rf"(?<=[,;–—-] )(?:{VERBS})\b|(?<=however )\w)|(?P<csep>[，；,])\s*(?=请|麻烦|帮|另外|还有|顺便|以后|你|我们?|先|然后|再|能不能|可以|怎么|为什么|这|那|但)"
)
_CONDITION = rx(r"^(?:when(?:ever)?|before|after|if|once|unless|every time|each time) ")
_REFUSES = rx(r"^(?:never|don'?t|do not|dont|stop|avoid|no) ")
_WORK_FIRST = rx(rf"^(?:just |then |now |please )*(?:{WORK})\b")
#: What somebody took for true, and the words with which it is told as a change.
_THOUGHT = rx(r"^(?:(?:so|but|hm+|oh|wait|also|and|well|ok(?:ay)?),? )*i th[oug]{2,4}h?t?h?\b")
_CHANGED = rx(r"\b(?:no longer|removed|renamed?|replaced|dropped|agreed|decided|deprecated)\b")
_IF = re.compile(r"\b(?:if|in case|when|once|assuming)\b", re.IGNORECASE)
_OF_A_CASE = rx(r"^(?:if|when|whenever) (?:an?|any|some|one of) [^,]+, ")
_NAMED_LATER = rx(r"\b(?:him|her|them|instead)\b")
#: Before days are made absolute: what is for today is over tomorrow.
_FOR_A_DAY = rx(r"\b(?:for|until|till) (?:today|tonight|tomorrow|this (?:week|morning|afternoon))\b")
_REQUEST = rx(r"^(?:can|could|would|will) (?:you|we|i)\b|^(?:please|帮我|请帮|麻烦)")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A sentence worth keeping, not yet rewritten."""

    core: str  # its words without fillers and passing clauses, dates absolute
    frame: Frame
    strength: float
    dated: Dated
    cues: Cues
    person: str = ""
    stressed: bool = False
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """A sentence without its fillers, and what they were."""

    core: str
    corrected: bool = False
    stressed: bool = False
    opinion: bool = False


def weigh(sentence: str, cues: Cues, origin: Origin, said: dt.datetime | None) -> Verdict | Left:
    """Judges one sentence of a person.

    Args:
        sentence: the words, one sentence.
        cues: the language's rules.
        origin: where it was typed; a refusal counts more.
        said: when, in the person's zone.
    """
    text = sentence.strip(" .。!！~")
    plain: Left | None = "passing" if _FOR_A_DAY.search(text) else plainly_left(text, cues)
    if plain:
        return plain
    head = take_heads(text, cues)
    if len(head.core) < (4 if cues.code in ("zh", "ja", "ko") else 8):
        return "short"
    head = replace(head, core=_without_secrets(cues.asides.sub("", head.core)))
    dated = resolve(head.core, said, cues)
    left: Left = "statement"
    for start in _starts(dated.text):
        outcome = _from_clause(
            dated.text[start:], head if start == 0 else replace(head, stressed=False), cues, origin, dated, said
        )
        if not isinstance(outcome, str):
            return outcome
        left = outcome if start == 0 or left == "statement" else left
    return left


def plainly_left(text: str, cues: Cues) -> Left | None:
    """Why a sentence needs no closer look."""
    if cues.praise.match(text):
        return "praise"
    if len(text) > _LONGEST:
        return "long"
    if _LONG_QUOTE.search(text) or cues.reported.match(text):
        return "quoted"
    if _THOUGHT.match(text) and not _CHANGED.search(text):
        return "doubt"
    if text.endswith(("?", "\N{FULLWIDTH QUESTION MARK}")) and not _CLAUSE.search(text):
        return "question"
    return None


def take_heads(text: str, cues: Cues) -> Head:
    """Fillers, corrections, stress and "I think" off the beginning, in whatever order they come."""
    head = Head(text)
    for _ in range(6):
        for name, pattern in (
            ("", cues.heads),
            ("corrected", cues.corrections),
            ("stressed", cues.stresses),
            ("opinion", cues.opinions),
        ):
            match = pattern.match(head.core)
            if match and match.end() and match.end() < len(head.core):
                head = replace(head, core=head.core[match.end() :], **({name: True} if name else {}))
                break
        else:
            return head
    return head


def _without_secrets(text: str) -> str:
    """The sentence without its last clauses where those are about a secret that was taken out."""
    while "[REDACTED" in text and re.search(r"[,;，；]", text):
        text = re.split(r"[,;，；](?=[^,;，；]*$)", text)[0]
    return text


def _starts(text: str) -> list[int]:
    """Where a clause begins that may be judged by itself; what follows from a condition may not."""
    return [0, *(m.end() for m in _CLAUSE.finditer(text) if not (_IF.search(text, 0, m.start()) and "then" in m[0]))]


def _from_clause(
    text: str, head: Head, cues: Cues, origin: Origin, dated: Dated, said: dt.datetime | None
) -> Verdict | Left:
    """Judges the sentence from one clause on: what follows it stays as long as it only supports it."""
    before = text
    if head.core != text:
        again = take_heads(text, cues)
        text, head = again.core, replace(head, corrected=head.corrected or again.corrected, opinion=again.opinion)
    if _THOUGHT.match(before) and not _CHANGED.search(before):
        return "doubt"
    text = _to_last_figure(text) if _tells_figures(text, cues) else _without_passing_tail(text, cues)
    bad = _left_for(text, cues)
    if bad:
        return bad
    found = _best_frame(text, cues, dated)
    if found is None and dated.happened and not cues.dated:
        found = _best_frame(without_days(text, cues), cues, dated)
    if found is None:
        return "request" if IMPERATIVE.match(text) else "statement"
    strength = _strength(text, found[0], head, cues, origin)
    if strength < WEAK:
        return "doubt" if cues.hedges.search(text) else "request"
    day = _day(text, found[0], said, cues)
    if isinstance(day, str):
        return day
    person = found[1].groupdict().get("person") or ""
    return Verdict(text, found[0], strength, day, cues, person, head.stressed, head.corrected)


def _tells_figures(text: str, cues: Cues) -> bool:
    """Whether a sentence tells an outcome as a whole: its figure of before stands in a clause of its own."""
    return not cues.questions.search(text) and any(
        frame.kind is Kind.OUTCOME and frame.pattern.match(text) for frame in cues.frames
    )


def _to_last_figure(text: str) -> str:
    """An outcome without what is asked for behind it."""
    cut = next((m for m in _CLAUSE.finditer(text) if not re.search(r"\d", text[m.end() :])), None)
    return text[: cut.start()].rstrip(" ,;-–—") if cut else text


def _day(text: str, frame: Frame, said: dt.datetime | None, cues: Cues) -> Dated | Left:
    """The day a sentence speaks of; a rule that names one is a task of that day."""
    day = resolve(text, said, cues)
    if day.vague:
        return "undated"
    if day.happened and frame.kind not in _TELLING and frame.kind is not Kind.PERSON:
        return "passing"
    if frame.name in _MOMENTS and not day.happened:
        return replace(day, happened=said.date()) if said else "undated"
    return day


def _without_passing_tail(text: str, cues: Cues) -> str:
    """Cuts the sentence before the first later clause that asks, doubts, or orders something for this moment."""
    cuts = list(_CLAUSE.finditer(text))
    if cuts and _CONDITION.match(text):
        cuts = cuts[1:]  # "when you touch an API, update its docs": the first clause is the condition of the second
    for i, cut in enumerate(cuts):
        clause = text[cut.end() : cuts[i + 1].start() if i + 1 < len(cuts) else len(text)]
        if _NAMED_LATER.search(clause) or cues.lasting.search(clause):
            continue
        passing = (
            cues.questions.search(clause)
            or cues.ephemeral.search(clause)
            or _REQUEST.match(clause)
            or "[REDACTED" in clause
        )
        if not passing and _REFUSES.match(text) and not _WORK_FIRST.match(clause):
            continue  # "don't guess, ask": what to do in its place
        if (
            passing
            or (IMPERATIVE.match(clause) and not cues.contrasts.search(clause))
            or cues.hedges.match(clause)
            or cues.opinions.match(clause)
        ):
            return text[: cut.start()].rstrip(" ,;，；-–—")
    return text


def _left_for(text: str, cues: Cues) -> Left | None:
    """Why a clause cannot be a rule, whatever its frame."""
    if cues.questions.search(text):
        return "question"
    if _OF_A_CASE.match(text):  # "if a test is flaky, …": the state is a condition, not today's
        text = text.partition(",")[2] or text
    if cues.ephemeral.search(re.sub(r"\b(never|don'?t ever|stop)\b(.*?) again\b", r"\1\2", text, flags=re.IGNORECASE)):
        return "passing"
    if "[REDACTED" in text:
        return "secret"
    return None


def _best_frame(text: str, cues: Cues, dated: Dated) -> tuple[Frame, re.Match[str]] | None:
    best: tuple[Frame, re.Match[str]] | None = None
    for frame in cues.frames + (cues.dated if dated.happened else ()):
        if best and best[0].strength >= frame.strength:
            continue
        match = frame.pattern.match(text)
        if match and _is_subject(match.groupdict().get("subject"), cues):
            best = frame, match
    return best


def _is_subject(subject: str | None, cues: Cues) -> bool:
    """Whether the words before the verb can be a noun phrase."""
    if subject is None:
        return True
    words = subject.lower().split()
    if not words or words[0].strip("`'\",") in cues.pronouns:
        return False
    if any(
        w.rstrip(",")
        in (
            "should",
            "must",
            "is",
            "are",
            "can",
            "could",
            "would",
            "that",
            "which",
            "i",
            "you",
            "we",
            "did",
            "does",
            "was",
            "were",
            "didn't",
            "doesn't",
            "don't",
            "wasn't",
            "won't",
            "isn't",
            "can't",
        )
        for w in words
    ):
        return False
    if _ONLY_VERB.match(words[0]):
        return False
    return not (len(words) > 1 and _VERB_FIRST.match(words[0]) and words[1] in _AFTER_VERB)


def _strength(text: str, frame: Frame, head: Head, cues: Cues, origin: Origin) -> float:
    """The frame's own worth and what the words around it add or take away."""
    value = frame.strength
    if cues.lasting.search(text) and frame.strength < _STRONG:
        value += _LASTING_BONUS
    if cues.reasons.search(text):
        value += _REASON_BONUS
    if frame.name != "imperative_contrast" and cues.contrasts.search(text):
        value += _CONTRAST_BONUS
    value += _CORRECTION_BONUS * head.corrected + _STRESS_BONUS * head.stressed + _ORIGIN_BONUS.get(origin, 0.0)
    if frame.name != "say_if" and cues.hedges.search(text):
        value -= _DOUBT
    if cues.pointers.search(text):
        value -= _DOUBT
    if frame.kind in _OF_THINGS and not _ORDERS.match(text) and cues.specs.search(text):
        value -= _DOUBT
    return value
