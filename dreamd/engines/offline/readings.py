"""The ways a sentence may be read: as it stands, the rule inside a request, the reason of one, with its first pronoun resolved."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from dreamd.engines.offline.cues import Cues, rx
from dreamd.engines.offline.languages.english import ENGLISH
from dreamd.engines.offline.languages.english_words import VERSIONED
from dreamd.engines.offline.verdict import IMPERATIVE, Left, Verdict, weigh
from dreamd.transcripts.event import Origin

#: A rule that somebody wants written down: "add to CLAUDE.md that we always …".
_EMBEDDED = rx(
    r"\b(?:update|add|note|document|write|put|mention|state|record|remember|make sure|capture|include|ensure|say)\b.{0,80}?(?:\bthat\b|:|\bto say\b) (?P<rule>(?:we|you|claude|agents?|it|all|every|tests?|the [\w -]{2,30}) .*?\b(?:always|never|should|must|only|has to|have to)\b.+)"
)
#: "rule: ask before …": said to be a rule, so it lasts.
_RULED = rx(
    r"^(?:new |general |team |house |another |one |our |my )*(?:rule|convention|policy|guideline|preference|standing order)s?: (?P<rule>.+)"
)
#: A rule that is insisted on: "it's important to me that you …", "… - no exceptions".
_INSISTED = rx(
    r"^(?:(?:it(?:'?s| is) (?:really |very )?(?:important|crucial|essential|vital|key)(?: to me| for me| for us)?,? (?:that you(?: always)?|to)|one of (?:my|our) (?:rules|habits|principles) is(?: to)?|make it a (?:habit|rule|point|custom) (?:to|of)|as a (?:habit|rule|matter of principle),?|"
    r"whatever you do,|how (?:often|many times) (?:do|must|should) i (?:have to |need to )?(?:say|repeat|tell you)(?: it| this| that)?[,:]|i(?:'ve)? (?:said|told you) (?:it |this |so )?(?:before|already|again)[,:]|stop it(?: already)?[:,]|(?:i|we) expect you to|you (?:keep forgetting|always forget) to|"
    r"(?:it )?would be (?:nice|great|good|helpful) if you(?: could| would)?(?= (?:always|never)\b)|my (?:rule|preference|habit)(?: is)?[:,]?(?: to)?|the (?:rule|deal|habit) (?:here )?is(?: to)?) )(?P<rule>\w.+)$"
)
_NOT_FORGOTTEN = rx(
    r"^(?:please )?(?:remember|don'?t forget) to (?P<rule>.+\b(?:before|after|every|each|whenever|always)\b.+)$|^you forgot to (?P<again>.+?)(?: again)?,? (?:please )?always (?:do|remember).*$"
)
_NO_EXCEPTION = rx(
    r"^(?:you should |please )?(?P<rule>.{8,}?)(?:,| -| –| —|;) ?(?:no exceptions?|always|without exception|period|every (?:single )?time)$"
)
#: A version that is asked for: once it is in, it is a fact.
_VERSION_ASKED = rx(
    rf"^(?:(?:can|could|would) (?:you|we) |please |let'?s |we should |we need to )*(?:update|upgrade|bump|move|switch|pin|set)(?: us)? (?:the )?(?P<tool>{VERSIONED})(?: version)?(?: \w+){{0,5}}? to v?(?P<version>\d+(?:\.\d+)+)\??$"
)
#: "next time" is no day: it says that a rule holds from now on.
_NEXT_TIME = rx(r"^(?:(?:please|ok|and|but|so),? )?(?:the )?next time,? |^(?:下次|下回)(?!再)[，, ]?")
#: A request and the lasting fact that it gives as its reason: "can we remove X as it's no longer supported".
_REASON = rx(
    r"^(?P<ask>(?:can|could|would|let'?s|please|we (?:can|should)|remove|drop|delete|replace|rename|update|archive|close|don'?t|use|add|move|skip|ignore)\b[^?]{3,100}?),? (?:since|because|as|given that|now that) (?P<why>(?P<it>it'?s?|that'?s?|they'?(?:re)?|this) )?(?P<rest>[^?]{8,140})\??$"
)
#: Where a rule holds, said before the rule: "for every test in x, I'd like to see …".
_PLACED = rx(
    r"^(?:(?:ok|alright|so|also|and),? )*(?P<where>(?:for|in) (?:every|all|each|any) [^,]{3,50}?),? (?P<rest>(?:i'd|i would|i want|we want|you should|please|use|prefer|avoid|keep) .+)$"
)
#: A rule that rides on a request: "refactor it, but keep in mind that handlers have to stay stateless".
_REMINDED = rx(
    r"^.{3,160}?[,;.:-]? \b(?:but|and|also)?,? ?(?:please )?(?:keep in mind|bear in mind|remember|note|don'?t forget|be aware|mind)(?: that|:|,)+ (?P<rule>.{8,})$"
)
_ASKED_OF = rx(
    r"\b(?:remove|drop|delete|replace|rename|get rid of|update|upgrade|archive|close|use|move|skip|ignore) (?P<np>(?:the |our )?[\w@./-]+(?: [\w@./-]+){0,2})$"
)
_ADVERB_FIRST = rx(r"^(?:always|never|only|don'?t|do not|no)\b")
_HEAD_PRONOUN = rx(
    r"^(?:it|this|that)(?P<verb> (?:is|runs?|lives?|listens?|uses?|requires?|needs|has to|must|should|belongs?|goes|can only|defaults?)\b(?! (?:a |an )?(?:good|bad|great|fine|ok|wrong|right|weird|better|problem|issue|bug|shame|mess|not\b|fail|broken|still|now|because|what|how|why|when|where)))"
)
_NOUN = rx(
    r"(?:^|[\s(])(?P<np>(?:the|our) (?:[\w-]+ ){0,2}?[\w-]+)(?= (?:is|was|are|has|must|should|runs?|lives?|needs?|listens?|uses?|will|can|does|did|keeps?|failed|crashed)\b)"
)


def readings(sentence: str, previous: str, cues: Cues) -> Iterator[str]:
    """The ways a sentence may be read: as it stands, the rule inside a request, with its first pronoun resolved."""
    sentence = _NEXT_TIME.sub("以后" if cues.code == "zh" else "from now on ", sentence)
    if cues is not ENGLISH:
        yield sentence
        return
    within = list(_rules_within(sentence))
    yield from within
    if within and _RULED.match(sentence):
        return
    version = _VERSION_ASKED.match(sentence.strip(" .!"))
    if version:
        yield f"the {version['tool']} version is {version['version']}"
    pronoun = _HEAD_PRONOUN.match(sentence)
    if pronoun:
        nouns = {m["np"].lower(): m["np"] for m in _NOUN.finditer(previous)}
        if len(nouns) == 1:
            yield f"{next(iter(nouns.values()))}{sentence[pronoun.start('verb') :]}"
        return
    yield sentence
    placed = _PLACED.match(sentence.strip(" .!"))
    if placed:
        yield f"{placed['rest']} {placed['where']}"
    reason = _REASON.match(sentence)
    if reason:
        yield from _reason_given(reason)


def outcome_of(sentence: str, previous: str, cues: Cues, origin: Origin, said: dt.datetime | None) -> Verdict | Left:
    """The first reading that a rule keeps, or why the last was left."""
    left: Left = "statement"
    for words in readings(sentence, previous, cues):
        outcome = weigh(words, cues, origin, said)
        if not isinstance(outcome, str):
            return outcome
        left = outcome
    return left


def _rules_within(sentence: str) -> Iterator[str]:
    """Rules that stand inside other words: named as one, insisted on, wanted in writing, added to a request."""
    ruled = _RULED.match(sentence)
    if ruled:
        if IMPERATIVE.match(ruled["rule"]) and not _ADVERB_FIRST.match(ruled["rule"]):
            yield "always " + ruled["rule"]
        yield "remember that " + ruled["rule"]
        return
    insisted = _INSISTED.match(sentence.strip(" .!")) or _NO_EXCEPTION.match(sentence.strip(" .!"))
    if insisted and IMPERATIVE.match(insisted["rule"]):
        yield insisted["rule"] if _ADVERB_FIRST.match(insisted["rule"]) else "always " + insisted["rule"]
    forgotten = _NOT_FORGOTTEN.match(sentence.strip(" .!"))
    if forgotten:
        yield f"always {forgotten['rule'] or forgotten['again']}"
    reminded = _REMINDED.search(sentence)
    if reminded:
        yield "remember that " + reminded["rule"]
    embedded = _EMBEDDED.search(sentence)
    if embedded:
        yield "remember that " + embedded["rule"]


def _reason_given(reason: re.Match[str]) -> Iterator[str]:
    """The reason of a request as a sentence of its own, its pronoun replaced by what is asked about."""
    if not reason["it"]:
        yield reason["rest"]
        return
    thing = _ASKED_OF.search(reason["ask"])
    if thing:
        verb = "is " if reason["it"].lower().endswith(("'s", "s")) else "are " if "re" in reason["it"].lower() else ""
        yield f"{thing['np']} {verb}{reason['rest']}"
