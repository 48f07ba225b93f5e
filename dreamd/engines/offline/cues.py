"""What the rules of one language look like as data: cues that weigh a sentence and frames that give it a kind."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dreamd.engines.protocol import Kind

#: Matches nothing; stands where a language has no such cue.
NEVER = re.compile(r"(?!)")


def rx(pattern: str) -> re.Pattern[str]:
    """A cue's pattern: compiled once, at import, whatever the case of the letters."""
    return re.compile(pattern, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frame:
    """A way of saying something worth keeping.

    `strength` is what the frame alone is worth: 1.0 and more stands by itself, less needs a supporting cue (a reason, a
    contrast, a lasting word, a correction) or to be said again. A named group `subject` must be a real noun phrase.
    """

    name: str
    kind: Kind
    pattern: re.Pattern[str]  # matched at the beginning of the sentence after its heads were taken off
    strength: float
    example: str  # a sentence it was made for; the tests run it


@dataclass(frozen=True, slots=True)
class Cues:
    """All that is known of one language. Patterns are searched in a sentence unless their comment says otherwise."""

    code: str
    heads: re.Pattern[str]  # matched at the beginning, again and again: fillers without meaning
    corrections: re.Pattern[str]  # matched at the beginning: "no,", "actually"
    hedges: re.Pattern[str]  # doubt: a proposal, not a rule
    questions: re.Pattern[str]
    ephemeral: re.Pattern[str]  # holds for this moment or this task only
    frames: tuple[Frame, ...]
    dated: tuple[Frame, ...] = ()  # frames that also need a day
    stresses: re.Pattern[str] = NEVER  # matched at the beginning: "remember that"
    opinions: re.Pattern[str] = NEVER  # matched at the beginning: "i think"
    pointers: re.Pattern[str] = NEVER  # words that need the text around to be understood
    lasting: re.Pattern[str] = NEVER
    reasons: re.Pattern[str] = NEVER
    contrasts: re.Pattern[str] = NEVER
    general: re.Pattern[str] = NEVER  # holds for the person everywhere
    tied: re.Pattern[str] = NEVER  # bound to this project
    asides: re.Pattern[str] = NEVER  # taken out before judging: "in this repo", which a project's file says by itself
    praise: re.Pattern[str] = NEVER  # matched against the whole sentence
    pronouns: frozenset[str] = field(default_factory=frozenset)  # no subject of a rule begins with one of these
