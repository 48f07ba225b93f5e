"""A summary without a model: decisions, values, names, paths, errors that still matter, what each turn came to, in their own words."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from dreamd.context import mentions
from dreamd.context.message import Message, Role, Text, ToolResult, ToolUse
from dreamd.context.sift import (
    Sort,
    Statement,
    error_line,
    key,
    says_something,
    shortened,
    statements,
    succeeds,
    without_code,
)

MAX_LINES = 200
SUMMARY_HEADING = "[Summary of what came before]"
TYPED_HEADING = "[What the person typed until then, word for word]"
NOTHING = "(nothing that must be kept)"
_FRAME = frozenset({SUMMARY_HEADING, TYPED_HEADING, NOTHING})
_MOST_PATHS = 60
_MOST_EACH = 300  # statements of one kind that are looked at, the newest
_LAST_ANSWER = 12  # lines of the last answer
_HEADLINE = 4  # lines of an answer among which its headline stands
_ASKED = 70  # characters of what was asked before them
_MOST_VALUES = 60
_ALIKE = 0.8  # share of words in common from which two statements say the same
#: Faults of the agent's own handling that nothing follows from.
_SLIP = re.compile(
    r"has not been read yet|string to replace|does not exist\.? *(?:did you mean|$)|been modified since|doesn't want to proceed|"
    r"user rejected|request interrupted|no matches found|exceeds maximum allowed|tool_use_error|sibling tool call",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Extract:
    """What a conversation leaves behind, each list in the order it was said and free of repetition."""

    earlier: tuple[str, ...] = ()  # lines of a summary that was there before
    decisions: tuple[str, ...] = ()  # with the causes that were found
    values: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()  # a directory a line
    errors: tuple[str, ...] = ()  # the ones nothing later answered
    open: tuple[str, ...] = ()  # what was left to do
    answers: tuple[str, ...] = ()  # what each turn came to
    last: tuple[str, ...] = ()  # the last answer, longer


_MARKS = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•]\s+)?(?:```\w*$)?")
#: What an agent's own compaction writes before its summary.
_ANALYSIS = re.compile(r"^.*?\n(?:Summary:|<summary>)\s*\n", re.DOTALL)


#: Field → its heading and how much of the room it gets when there is too little.
_SECTIONS = {
    "earlier": ("Before", 3.0),
    "decisions": ("Decisions and causes", 3.0),
    "values": ("Values and names", 1.0),
    "paths": ("Files", 1.0),
    "errors": ("Errors that still stand", 2.0),
    "open": ("Left to do", 2.0),
    "answers": ("What each turn came to", 2.0),
    "last": ("The last answer", 4.0),
}
_BY_HEADING = {heading: name for name, (heading, _) in _SECTIONS.items()}


def extract(messages: Sequence[Message]) -> Extract:
    """What is worth keeping of these messages; summaries among them are folded in. A person's typed words are not repeated."""
    found = _Found()
    for message in messages:
        found.hear(message)
    fresh = found.extract()
    for message in reversed(messages):
        if message.summary:
            fresh = _folded(_parsed(summary_text(message)), fresh)
    return fresh


def summary(messages: Sequence[Message], *, lines: int = MAX_LINES, size: int | None = None) -> str:
    """A Markdown summary of at most `lines` lines and `size` characters; "" where there is nothing to say."""
    return render(extract(messages), lines=lines, size=size)


def render(found: Extract, *, lines: int = MAX_LINES, size: int | None = None) -> str:
    """An extract as Markdown. With too little room each section keeps its newest lines, by its weight."""
    chosen = _chosen(found, lines, size)
    parts = []
    for name, (heading, _) in _SECTIONS.items():
        kept = [line for number, line in enumerate(getattr(found, name)) if (name, number) in chosen]
        if kept:
            parts.append("\n".join([f"## {heading}", *(f"- {line}" for line in kept)]))
    return "\n".join(parts)


def summary_text(message: Message) -> str:
    """The words of a summary message without the headings and without the person's own words under it."""
    texts = [block.text for block in message.blocks if isinstance(block, Text) and not block.typed]
    return "\n".join(line for line in "\n".join(texts).split("\n") if line not in _FRAME)


class _Found:
    """What one walk through the messages picks up."""

    def __init__(self) -> None:
        self.said: list[Statement] = []
        self.turns: list[_Turn] = [_Turn()]
        self.paths: list[str] = []
        self.errors: list[str] = []

    def hear(self, message: Message) -> None:
        if message.summary:
            return
        asked = [block for block in message.blocks if isinstance(block, Text)] if message.role is Role.USER else []
        if asked and (self.turns[-1].answers or self.turns[-1].asked):
            self.turns.append(_Turn())
        if asked:
            self.turns[-1].asked = next((block.text for block in asked if block.typed), "")
        for block in message.blocks:
            if isinstance(block, Text):
                self._words(block, message.role)
            elif isinstance(block, ToolUse):
                self.paths += mentions.paths_in(block.arguments)
            elif isinstance(block, ToolResult):
                self._output(block)

    def _words(self, block: Text, role: Role) -> None:
        self.paths += mentions.paths_in(block.text)
        if role is Role.ASSISTANT:
            self.turns[-1].answers.append(block.text)
            if succeeds(block.text):
                self.errors.clear()
        if not block.typed:
            said = list(statements(block.text))
            self.said += said
            if role is Role.USER:
                self.errors += [one.text for one in said if one.sort is Sort.ERROR]

    def _output(self, block: ToolResult) -> None:
        if block.is_error:
            line = error_line(block.text)
            if line and not _SLIP.search(block.text):
                self.errors.append(line)
        else:
            self.paths += mentions.paths_in(block.text[:200])

    def extract(self) -> Extract:
        answered = [turn for turn in self.turns if turn.answers]
        last = _ends_of(answered[-1].answers[-1]) if answered else []
        taken = {key(line) for line in last}
        by_sort: dict[Sort, list[Statement]] = {sort: [] for sort in Sort}
        for one in self.said:
            by_sort[one.sort].append(one)
        decisions = _distinct(_newest_of_slot(by_sort[Sort.DECISION] + by_sort[Sort.CAUSE], self.said), taken)
        open_ends = _distinct((one.text for one in by_sort[Sort.OPEN]), taken)
        answers = _distinct(
            (line for turn in answered for line in _came_to(turn, taken, last=turn is answered[-1])), taken
        )
        values = _distinct(_newest_of_slot(by_sort[Sort.VALUE], self.said), taken)
        return Extract(
            decisions=decisions,
            values=values[-_MOST_VALUES:],
            paths=tuple(mentions.told(self.paths, _MOST_PATHS)),
            errors=_distinct(self.errors, set()),
            open=open_ends,
            answers=answers,
            last=tuple(last),
        )


@dataclass(slots=True)
class _Turn:
    """What was asked (the person's words, "" for a machine's) and every text of the assistant until the next turn."""

    asked: str = ""
    answers: list[str] = field(default_factory=list)


def _newest_of_slot(wanted: list[Statement], said: list[Statement]) -> Iterator[str]:
    """In the order they were said; of what gives a new value to the same thing only the newest."""
    newest = {one.slot: one for one in said if one.slot}
    order = {id(one): number for number, one in enumerate(said)}
    for one in sorted(wanted, key=lambda one: order[id(one)]):
        if not one.slot or newest[one.slot] is one:
            yield one.text


def _distinct(lines: Iterable[str], taken: set[str]) -> tuple[str, ...]:
    """Each line once, at the place of its last and in the words of its last; what is `taken` elsewhere not at all."""
    kept: list[str] = []
    seen: list[frozenset[str]] = []
    for line in list(lines)[-_MOST_EACH:][::-1]:
        normal = key(line)
        words = frozenset(normal.split())
        if not normal or normal in taken or any(_alike(words, known) for known in seen):
            continue
        taken.add(normal)
        seen.append(words)
        kept.append(line)
    return tuple(reversed(kept))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * len(one | other)


def _came_to(turn: _Turn, taken: Container[str], *, last: bool) -> Iterator[str]:
    """What a turn came to: what it says works on the way, then the headline and the weightiest statement of its answer.

    Without what is `taken` by a weightier section, and of the last turn without its answer.
    """
    asked = " ".join(turn.asked.split())
    asked = asked if len(asked) <= _ASKED else asked[: _ASKED - 1].rstrip() + "…"
    lead = f"“{asked}” → " if asked else ""
    on_the_way = [one.text for text in turn.answers[:-1] for one in statements(text) if one.sort is Sort.DONE]
    for line in [*on_the_way, *([] if last else _conclusion(turn.answers[-1]))]:
        if key(line) not in taken:
            yield shortened(lead + line)
            lead = ""


def _conclusion(answer: str) -> Iterator[str]:
    """The headline of an answer and its weightiest statement."""
    said = list(statements(answer))
    lines = [line.rstrip(":：") for line in _lines(without_code(answer))]
    headline = next((line for line in lines[:_HEADLINE] if says_something(line.lstrip("#*- ").rstrip("*"))), "")
    if headline:
        yield headline
    weighty = [
        one
        for one in said
        if _RANK[one.sort] < _RANK[Sort.PLAIN] and not one.slot and key(one.text) not in key(headline)
    ]
    best = min(weighty, key=lambda one: _RANK[one.sort], default=None)
    if best is not None:
        yield best.text


_RANK = {Sort.CAUSE: 0, Sort.OPEN: 1, Sort.DECISION: 1, Sort.DONE: 1, Sort.ERROR: 2, Sort.VALUE: 2, Sort.PLAIN: 3}


def _ends_of(answer: str) -> list[str]:
    """The lines of an answer, of a longer one without its code, of a long one the first and the last."""
    lines = _lines(answer)
    lines = lines if len(lines) <= _LAST_ANSWER else _lines(without_code(answer))
    half = _LAST_ANSWER // 2
    return lines if len(lines) <= _LAST_ANSWER else [*lines[:half], "…", *lines[-half:]]


def _lines(text: str) -> list[str]:
    """Its lines without list markers, heading marks and fences, each short enough for a summary."""
    bare = (_MARKS.sub("", line).strip() for line in text.split("\n"))
    return [shortened(line) for line in bare if line.strip("`~-=")]


def _parsed(text: str) -> Extract:
    """A summary read back; what stands under no heading of ours (a model wrote it) is kept line by line."""
    lists: dict[str, list[str]] = {name: [] for name in _SECTIONS}
    name = "earlier"
    for line in _ANALYSIS.sub("", without_code(text)).split("\n"):
        if line.startswith("#"):
            name = _BY_HEADING.get(line.lstrip("# ").strip(), "earlier")
            if name != "earlier" or line.lstrip("# ").strip() == _SECTIONS["earlier"][0]:
                continue
        if line.strip():
            lists[name] += _lines(line)
    return Extract(**{name: tuple(lines) for name, lines in lists.items()})


def _folded(old: Extract, new: Extract) -> Extract:
    """An older summary's lines before the new ones; its last answer is one answer among others now."""
    old = replace(old, answers=old.answers + old.last, last=())
    return Extract(
        **{
            name: _distinct([*getattr(old, name), *getattr(new, name)], set()) if name != "last" else new.last
            for name in _SECTIONS
        }
    )


def _chosen(found: Extract, lines: int, size: int | None) -> set[tuple[str, int]]:
    """Which lines stay, weightiest first; a section's heading costs a line too."""
    ranked = []
    for name, (_, weight) in _SECTIONS.items():
        whole = getattr(found, name)
        for number in range(len(whole)):
            distance = number if name in ("earlier", "last") else len(whole) - 1 - number
            ranked.append((distance / weight, name, number))
    chosen: set[tuple[str, int]] = set()
    opened: set[str] = set()
    left = size if size is not None else 10**9
    for _, name, number in sorted(ranked):
        heading = 0 if name in opened else 1
        cost = len(getattr(found, name)[number]) + 3 + heading * (len(_SECTIONS[name][0]) + 4)
        if lines < 1 + heading or left < cost:
            continue
        lines, left = lines - 1 - heading, left - cost
        opened.add(name)
        chosen.add((name, number))
    return chosen
