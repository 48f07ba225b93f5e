"""Things that a person names again and again when asking for work: a skill, a tracker, a repository, workers.

One such request is a task. Three on several days tell how this person works here, whatever was asked for each time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dreamd.engines.offline.cues import rx, words
from dreamd.engines.offline.languages.english_practices import WAYS
from dreamd.engines.offline.languages.english_words import VERBS
from dreamd.engines.offline.rewrite import finish
from dreamd.engines.offline.similar import stem

_LONGEST = 170
_ASKS_TO = "Often asks to "
_SHORTEST = 6  # words of a sentence that says what is asked for
_HEADS = rx(
    r"^(?:(?:ok(?:ay)?|and|then|now|also|please|pls|pelase|great|perfect|thanks|so|yes|yeah|yep|cool|nice|good|just|but|finally|next|first|alright|sure|once done|"
    r"can you|could you|would you|can we|could we|let'?s|lets|go ahead and|you can|i want you to|i'?d like you to|we should|we need to|to)\b[\s,.!:-]*)+"
)
_CLAUSE = rx(
    rf"[;\n]|(?<=\w)\.+(?=\s|$)|,? (?:and |then |but )+(?:also )?(?=(?:{VERBS}|spawn|ask|log|leveraging)\b)|, (?=(?:{VERBS}|spawn|log|leveraging)\b)|,? (?=(?:if|because|since|so that|once|when) )| - | -> "
)
_ASKS = rx(
    rf"^(?:{VERBS}|spawn|proceed|go|leveraging|consult)\b|^(?:can |should )?(?:[\w-]+ ){{1,3}}be [a-z]+(?:ed|en|t)\b"
)
_PASSIVE = rx(r"^(?:can |should |could )?(?P<what>(?:[\w-]+ ){1,3}?)be (?P<done>[a-z]+(?:ed|en|t)\b.*)$")
_DEICTIC = rx(
    r",? ?\b(?:for|to|about|of|with|from|in) (?:this|that|it|them|these|those)\b|,? ?\b(?:please|pls|pelase|for me|too|as well)\b|\b(?:this|that) (?=(?:[\w-]+ )?(?:issue|bug|behaviou?r|change|fix))"
)
_TOOL = re.compile(
    r"\$([a-z][\w-]{2,})|\b(?:use|using|via|with|invoke|through|apply|run) (?:the |our |my )?([a-z][\w-]{2,})(?: (?:skills?|plugin|mcp|tool|command|workflow)\b)|"
    r"\b(?:ask|use|using|via|with) ([a-z][\w-]{3,})(?: mcp)?(?= (?:mcp|skill|plugin)\b|$)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|into|to|on|from|via|with|using|use|update|leveraging|at)\b (?:the |our |my |[\w-]+ ){0,3}?((?:[a-z]\w*-)+[a-z]{2,})\b(?![./])", re.IGNORECASE
)  # fmt: skip
_NO_THING = words(
    "up-to-date end-to-end follow-up follow-ups well-known so-called e2e-test pre-existing human-readable machine-readable built-in up-front back-end front-end read-only non-trivial two-step "
    "one-line one-off in-place sub-agent sub-agents re-run double-check work-in-progress step-by-step out-of-date side-by-side pull-request drop-down clean-up set-up full-page high-level low-level"
)
_NO_TOOL = words(
    "the this that it them care caution some more all both no each other same new existing skill plugin mcp tests test code data docs git two"
)


@dataclass(frozen=True, slots=True)
class Practice:
    """A request that names things which may be named again."""

    names: tuple[str, ...]
    clause: str  # the part of the sentence that names them


def practices(sentence: str) -> Iterator[Practice]:
    """The requests of a sentence that name something."""
    for clause in _requests(sentence):
        names = tuple(dict.fromkeys(_names(clause)))
        if names:
            yield Practice(names, " ".join(_DEICTIC.sub("", clause).split()))


def _requests(sentence: str) -> Iterator[str]:
    for part in _CLAUSE.compiled.split(sentence):
        clause = _HEADS.sub("", (part or "").strip()).strip(" .,!?:-")
        if len(clause) <= _LONGEST and _ASKS.match(clause) and not clause.endswith("?"):
            yield clause


def _names(clause: str) -> Iterator[str]:
    for way in WAYS:
        yield from way.named(clause)
    for match in _TOOL.finditer(clause):
        tool = next(g for g in match.groups() if g).lower()
        if tool not in _NO_TOOL:
            yield tool
    for match in _PLACE.finditer(clause):
        if match[1].lower() not in _NO_THING:
            yield match[1].lower()


def asks(clause: str) -> str:
    """The sentence that says that somebody asks for this again and again."""
    passive = _PASSIVE.match(clause)
    text = f"have {passive['what'].strip()} {passive['done']}" if passive else clause
    return finish(_ASKS_TO + (text if text[:2].isupper() else text[0].lower() + text[1:]))


def wording(said: Sequence[str], name: str) -> str:
    """The sentence that stands for all requests: the one with most of the words that come again, the shorter of two.

    What is asked of a way of working ("spawn a worker to …") differs each time, so that its sentence ends with the way.
    The same sentences in whatever order give the same one.
    """
    way = next((way for way in WAYS if way.name == name), None)
    if way:
        ends = {text: next(way.pattern.finditer(text), None) for text in said}
        cut = Counter(finish(text[: match.end()]) for text in said if (match := ends[text]))
        return min(cut or said, key=lambda text: (-cut[text], len(text), text))
    counted = Counter(word for text in set(said) for word in set(_content(text)))
    whole = sorted({text for text in said if len(text.split()) >= _SHORTEST}) or sorted(set(said))
    return max(whole, key=lambda c: (sum(counted[w] - 1 for w in set(_content(c))) - len(c) / 20, -len(c)))


def _content(text: str) -> Iterable[str]:
    clause = text.removeprefix(_ASKS_TO).lower()
    return (stem(w) for w in re.findall(r"[\w./-]*\w", clause) if len(w) > 2)  # noqa: PLR2004
