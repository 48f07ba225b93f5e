"""What the rules of one language look like as data: cues that weigh a sentence and frames that give it a kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dreamd.engines.protocol import Kind


class Cue:
    """A pattern, whatever the case of the letters; compiled when it is first asked, because a process may ask few of them."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        if self._compiled is None:
            self._compiled = re.compile(self.source, re.IGNORECASE)
        return self._compiled

    def match(self, text: str) -> re.Match[str] | None:
        """At the beginning."""
        return self.compiled.match(text)

    def search(self, text: str) -> re.Match[str] | None:
        """Anywhere."""
        return self.compiled.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Everywhere."""
        return self.compiled.finditer(text)

    def count(self, text: str) -> int:
        """How often."""
        return sum(1 for _ in self.compiled.finditer(text))

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """The text with every match replaced."""
        return self.compiled.sub(replacement, text)


def rx(source: str) -> Cue:
    """A cue's pattern."""
    return Cue(source)


#: Matches nothing; stands where a language has no such cue.
NEVER = Cue(r"(?!)")
#: Matches everything.
ALWAYS = Cue(r"")


def words(text: str) -> frozenset[str]:
    """A set of words written as one line."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Frame:
    """A way of saying something worth keeping.

    `strength` is what the frame alone is worth: 1.0 and more stands by itself, less needs a supporting cue (a reason, a
    contrast, a lasting word, a correction) or to be said again. A named group `subject` must be a real noun phrase.
    """

    name: str
    kind: Kind
    pattern: Cue  # matched at the beginning of the sentence after its heads were taken off
    strength: float
    example: str  # a sentence it was made for; the tests run it


@dataclass(frozen=True, slots=True)
class Days:
    """How a language names days: what to look for, what of it must be said otherwise, and how to write the day that is meant.

    The calendar words themselves (names of days and months, units, "ago", "yesterday") are dateparser's. The patterns say where such an expression
    stands. In each a group `prep` is a word that stays before the day and a group `what`, where there is one, the expression itself.
    """

    exact: Cue  # stands for one day, or for a month or year that is counted; a group `night`: the night before
    span: Cue  # "last week", "next month"
    weekday: Cue  # a group `name`, and one of `last`, `coming` or `coming_after`, `next` (in the following week), `week` (a key of `weeks`), or none of them
    date: Cue  # a day of a month; a group `year` where it is said
    vague: Cue  # relative, and no day to be told from it
    forms: tuple[
        str, str, str, str
    ]  # how a day, week, month and year are written; a `prep` stands in the place of the first word
    alternative: str = " (or {}, ambiguous)"
    means: tuple[tuple[str, str], ...] = ()  # pattern and replacement: to words that dateparser knows
    weeks: Mapping[str, int] = field(default_factory=dict)
    yearless: str = "{what}"  # how a day without its year is asked for
    habits: Cue = NEVER  # what makes a bare weekday a habit
    past: Cue = NEVER  # what makes a bare weekday the one before
    future: Cue = NEVER  # or the one to come
    hint: Cue = ALWAYS  # without this there is nothing to look for


@dataclass(frozen=True, slots=True)
class Cues:
    """All that is known of one language. Patterns are searched in a sentence unless their comment says otherwise."""

    code: str
    heads: Cue  # matched at the beginning, again and again: fillers without meaning
    corrections: Cue  # matched at the beginning: "no,", "actually"
    hedges: Cue  # doubt: a proposal, not a rule
    questions: Cue
    ephemeral: Cue  # holds for this moment or this task only
    frames: tuple[Frame, ...]
    days: Days
    dated: tuple[Frame, ...] = ()  # frames that also need a day
    stresses: Cue = NEVER  # matched at the beginning: "remember that"
    opinions: Cue = NEVER  # matched at the beginning: "i think"
    pointers: Cue = NEVER  # words that need the text around to be understood
    lasting: Cue = NEVER
    reasons: Cue = NEVER
    contrasts: Cue = NEVER
    general: Cue = NEVER  # holds for the person everywhere
    tied: Cue = NEVER  # bound to this project
    asides: Cue = NEVER  # taken out before judging: "in this repo", which a project's file says by itself
    reported: Cue = NEVER  # matched at the beginning: what a page, a log or somebody said
    specs: Cue = NEVER  # what a program's screens and parts should do: a piece of work, not a way of working
    praise: Cue = NEVER  # matched against the whole sentence
    telling: frozenset[str] = field(default_factory=frozenset)  # words that decide where a few others are no help
    pronouns: frozenset[str] = field(default_factory=frozenset)  # no subject of a rule begins with one of these
