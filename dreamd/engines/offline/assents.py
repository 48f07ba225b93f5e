"""What a person agreed to with one word: the agent's question just before, or the option picked, as a decision."""

from __future__ import annotations

import re

from dreamd.engines.offline import answers
from dreamd.engines.offline.cues import rx
from dreamd.engines.offline.rewrite import finish

_LONGEST = 60
_TAIL_LINES = 14
_LONGEST_OPTION = 90
_YES = rx(
    r"^(?:(?:yes|yep|yeah|yup|sure|ok(?:ay)?|correct|exactly|agreed|absolutely|definitely|sounds good|please do|go ahead|do (?:that|it)|let'?s do (?:that|it)|good idea|please|thanks|是的?|好的?|对|可以|同意|就这样)[\s,.!。，！]*)+$"
)
_PICK = rx(
    r"^(?:(?:yes|ok(?:ay)?|let'?s|i'?d|i think|i|we|go|do|take|choose|pick|with|for|use|prefer|say|please|the|选|用|方案)[\s,]*)*(?:options? |number |#|方案)?\(?(?P<label>[1-9]|[a-d])[).]?(?: please| is fine| sounds good| it is| then)*[.!。 ]*$"
)
_OPTION = rx(r"^(?:[-*] )?\**(?:option |方案)?\(?(?P<label>[1-9]|[a-d])[).:]\**:?\s+(?P<text>.+)$")
_NOTE = re.compile(r"\*\*|\s*\((?:recommended|default|推荐)\)", re.IGNORECASE)
_CHOICE = rx(
    r"^(?:should|shall) (?:we|i) (?P<what>(?:always|never|only|use|adopt|keep|drop|support|deprecate|stick (?:to|with)|standardi[sz]e on|rely on|require|store|go with|switch (?:\w+ )?to|migrate to|move to|default to|prefer|avoid|target)\b (?!it\b|this\b|that\b|them\b|these\b|going\b).{3,120})$"
)
_RULE = rx(
    r"^(?:do you want|would you like|shall|should) (?:me|i|us|we)(?: to)? (?P<what>(?:always|never|only) .{5,120}|\w+ .{3,100}(?:from now on|every time|in future|by default|before (?:each|every) \w+|after (?:each|every) \w+))$"
)
_RENAME = rx(
    r"^(?:do you want|want|would you like|shall|should) (?:me|i|we|us)(?: to)? (?P<what>(?:rename|replace|migrate|switch|swap|retire|deprecate) \S.{3,80} (?:→|->|to|with|by|in favou?r of) \S.{1,80}?)(?: in (?:`[\w./-]+`|[\w-]+\.\w+)(?:,? (?:and )?`[\w./-]+`)*)?$"
)
_PASSING = rx(
    r"\b(?:now|first|next|this|that|these|those|it|for now|today|again|both|above|approach|option|as well|temporarily|in this)\b"
)


def settled(proposal: str, answer: str) -> str | None:
    """The decision that a short answer makes of what the agent said last; None unless both are clear.

    Args:
        proposal: the agent's last text.
        answer: what the person typed, whole.
    """
    answer = answer.strip()
    if not answer or len(answer) > _LONGEST:
        return None
    lines = [line.strip() for line in proposal.split("\n") if line.strip()][-_TAIL_LINES:]
    pick = _PICK.match(answer)
    if pick:
        return _picked(lines, pick["label"].lower())
    if not _YES.match(answer) or not lines or not lines[-1].endswith("?") or lines[-1].count("?") > 1:
        return None
    return _agreed(re.split(r"(?<=[.!:])\s+", lines[-1])[-1])


def _agreed(question: str) -> str | None:
    asked = _NOTE.sub("", question).rstrip("?").strip()
    match = _RULE.match(asked) or _CHOICE.match(asked) or _RENAME.match(asked)
    if match is None or _PASSING.search(match["what"]) or re.search(r"\bor\b", asked):
        return None
    return finish(match["what"])


def _picked(lines: list[str], label: str) -> str | None:
    """The option of that label put together with the one question that asks for it."""
    options = [m for m in map(_OPTION.match, lines) if m]
    chosen = [m["text"] for m in options if m["label"].lower() == label]
    questions = [line for line in lines if line.endswith(("?", "?:", ":")) and not _OPTION.match(line)]
    if len(options) < 2 or len(chosen) != 1 or len(questions) != 1:  # noqa: PLR2004 - one option is no choice
        return None
    text = re.split(r"\s+[-–—]+\s+|: |\. ", _NOTE.sub("", chosen[0]))[0].strip(" .")
    if len(text) > _LONGEST_OPTION:
        return None
    asked = re.split(r"(?<=[.!])\s+", _NOTE.sub("", questions[0]))[-1].rstrip(":").strip()
    return answers.statement(asked, text) if asked.endswith("?") else None
