"""Compaction in four steps: analyse, order, summarise, replace; what the person typed stays, and there is progress or an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from dreamd.context import extractive
from dreamd.context.budget import Budget
from dreamd.context.excerpt import excerpt, excerpt_to
from dreamd.context.message import Block, Message, Role, Text, ToolResult, content, tokens, told
from dreamd.context.tokens import estimate as by_bytes
from dreamd.errors import EngineError, Interrupted
from dreamd.log import logger

MAX_LINES = 200  # of a summary, its two headings included
MAX_TYPED = 2_000  # characters of a person's turn that stay verbatim; of a longer paste an excerpt does
TARGET = 0.50  # share of the working budget used at most afterwards

_HEADINGS = 2  # lines that the head has beside its summary
_LEAST_SUMMARY, _GOOD_SUMMARY = 64, 256  # tokens
_LEAST_TEXT = 32  # tokens of a text that is not excerpted any further

#: The one call of a compaction: messages (already shortened to fit) → at most 200 lines.
Summarise = Callable[[Sequence[Message]], str]
Estimate = Callable[[str], int]


class CompactionFailed(EngineError):  # noqa: N818 - as OutOfTokens
    """Compaction freed nothing, or not enough: what is left is a person's own words, or cannot be made shorter."""

    code: ClassVar[str] = "compaction_failed"


@dataclass(frozen=True, slots=True)
class Compacted:
    """A conversation made short. Tokens are without the system prompt, by the caller's estimate."""

    messages: tuple[Message, ...]
    before: int  # tokens
    after: int  # tokens
    summary_lines: int
    fell_back: bool  # the summary call failed and the extractive summary serves


def compact(
    messages: Sequence[Message],
    budget: Budget,
    summarise: Summarise | None = None,
    estimate: Estimate = by_bytes,
) -> Compacted:
    """The older half becomes one summary at the head with the person's own words under it; the recent half stays.

    `summarise` None, failing, or giving nothing of use: the extractive summary. In the recent half long texts that nobody
    typed are excerpted only where the target asks for it. Raises CompactionFailed where more than half of the working budget
    would still be used or nothing came free.
    """
    target = int(TARGET * budget.working)
    measure = _Measure(estimate)
    before = measure.of(messages)
    old, recent, typed = _parted(messages, target, measure, budget)
    summary, fell_back, made = "", False, recent
    if old:
        standing = measure.of([_head("", typed)])
        room = min(target - standing - measure.of(recent), max(_LEAST_SUMMARY, (measure.of(old) - standing) // 2))
        if room <= 0:  # nothing is asked of a model that could not help
            raise _failed(standing + measure.of(recent), before, target)
        summary, fell_back = _summarised(old, room, summarise, measure, budget)
        made = (_head(summary, typed), *recent)
    after = measure.of(made)
    if after > target or after >= before:
        raise _failed(after, before, target)
    return Compacted(made, before, after, len(summary.splitlines()), fell_back)


def _failed(after: int, before: int, target: int) -> CompactionFailed:
    return CompactionFailed(
        f"compaction failed: {after:,} of {before:,} tokens would stay, {target:,} are the most that may",
        hint="begin a fresh conversation; what a person typed is never made shorter",
    )


def shorten(message: Message, most: int, estimate: Estimate = by_bytes) -> Message | None:
    """A message of at most `most` tokens: what nobody typed is excerpted, a person's pastes down to 2,000 characters.

    None where that is not enough.
    """
    measure = _Measure(estimate)
    (short,) = _shortened([message], most, measure, least=1)
    return short if measure.of([short]) <= most else None


def may_be_cut(message: Message) -> bool:
    """Whether there is anything in it that nobody typed, or a paste longer than 2,000 characters."""
    return bool(_places(message))


class _Measure:
    """Tokens of messages by an estimate; each message is measured once."""

    def __init__(self, estimate: Estimate) -> None:
        self.estimate = estimate
        self._known: dict[Message, int] = {}

    def of(self, messages: Sequence[Message]) -> int:
        total = 0
        for message in messages:
            if message not in self._known:
                self._known[message] = tokens(message, self.estimate)
            total += self._known[message]
        return total


# Step 1: analyse.


def _parted(
    messages: Sequence[Message], target: int, measure: _Measure, budget: Budget
) -> tuple[tuple[Message, ...], tuple[Message, ...], tuple[Text, ...]]:
    """What becomes the summary, what stays, and what was typed in the former.

    The recent half stays, as it is where it fits, else with its long texts excerpted; where many windows were said, a quarter
    stays, or an eighth.
    """
    keep = len(messages) - _start(messages)
    while True:
        keep -= keep // 2
        old, recent = _analysed(messages, keep)
        typed = _typed_words(old)
        most = target - (measure.of([_head("", typed)]) + _wanted(old, target, measure) if old else 0)
        recent = _shortened(recent, most, measure, least=max(_LEAST_TEXT, budget.working // 100))
        if keep <= 1 or measure.of(recent) <= most:
            return old, recent, typed


def _wanted(old: Sequence[Message], target: int, measure: _Measure) -> int:
    """The room that a summary of these should have, in tokens."""
    return min(max(_GOOD_SUMMARY, target // 20), max(_LEAST_SUMMARY, measure.of(old) // 2))


def _start(messages: Sequence[Message]) -> int:
    return 1 if messages and messages[0].summary else 0


def _analysed(messages: Sequence[Message], keep: int) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """The older part, an earlier summary with it, and the `keep` newest messages. No tool call is parted from its result."""
    start = _start(messages)
    cut = _seam(messages, start, len(messages) - keep)
    if cut == start:  # nothing but the old summary
        cut = 0
    return tuple(messages[:cut]), tuple(messages[cut:])


def _seam(messages: Sequence[Message], start: int, middle: int) -> int:
    """The nearest place at or before the middle, else behind it, where no call stands open; `start` where there is none."""
    answered = frozenset[str]().union(
        *(message.results for message in messages)
    )  # a call cut off holds nothing together
    open_calls = frozenset[str]()
    whole = {start}
    for number, message in enumerate(messages[start:], start=start + 1):
        open_calls = (open_calls | (message.calls & answered)) - message.results
        if not open_calls:
            whole.add(number)
    before = [number for number in whole if start < number <= middle]
    behind = [number for number in whole if middle < number < len(messages)]
    return max(before) if before else min(behind, default=start)


def _typed_words(old: Sequence[Message]) -> tuple[Text, ...]:
    """What the person typed, a block a turn: verbatim up to 2,000 characters, longer pastes as excerpts."""
    turns: list[str] = []
    for message in old:
        words = [block.text for block in message.blocks if isinstance(block, Text) and block.typed]
        turns += words if message.summary else ["\n\n".join(words)]
    return tuple(Text(excerpt(turn, MAX_TYPED), typed=True) for turn in turns if turn.strip())


# Step 2: order, and make short what has to be.


def _ordered(messages: Sequence[Message], measure: _Measure) -> list[tuple[int, int]]:
    """Places (message, block) of texts that nobody typed, oldest and longest first; then a person's pastes."""
    count = len(messages)
    places = [
        (pasted, -measure.estimate(content(message.blocks[index])) * (count - number), number, index)
        for number, message in enumerate(messages)
        for index, pasted in _places(message)
    ]
    return [(number, index) for _, _, number, index in sorted(places)]


def _places(message: Message) -> list[tuple[int, bool]]:
    """Where texts stand that may be excerpted, and whether a person pasted them."""
    found = []
    for index, block in enumerate(message.blocks):
        if isinstance(block, Text | ToolResult):
            typed = isinstance(block, Text) and block.typed
            if not typed or len(block.text) > MAX_TYPED:
                found.append((index, typed))
    return found


def _shortened(messages: Sequence[Message], most: int, measure: _Measure, *, least: int) -> tuple[Message, ...]:
    """The messages with excerpts in the place of long texts, one after the other until `most` tokens are reached."""
    made = list(messages)
    over = measure.of(made) - most
    for number, index in _ordered(messages, measure) if over > 0 else ():
        if over <= 0:
            break
        before = made[number]
        made[number] = _with(before, index, _cut(before.blocks[index], over, least, measure.estimate))
        over -= measure.of([before]) - measure.of([made[number]])
    return tuple(made)


def _cut(block: Block, over: int, least: int, estimate: Estimate) -> Block:
    """A text shorter by `over` tokens, but not below `least`; a person's paste not below 2,000 characters."""
    if isinstance(block, Text) and block.typed:
        return replace(block, text=excerpt(block.text, MAX_TYPED))
    if isinstance(block, Text | ToolResult):
        return replace(block, text=excerpt_to(block.text, max(least, estimate(block.text) - over), estimate))
    return block


def _with(message: Message, index: int, block: Block) -> Message:
    return replace(message, blocks=(*message.blocks[:index], block, *message.blocks[index + 1 :]))


# Step 3: summarise.


def _summarised(
    old: Sequence[Message], room: int, summarise: Summarise | None, measure: _Measure, budget: Budget
) -> tuple[str, bool]:
    """A summary of at most `room` tokens and 200 lines, and whether the call failed."""
    if summarise is not None:
        fault = "empty"
        try:
            if summary := _clipped(_asked(old, summarise, measure, budget), room, measure.estimate):
                return summary, False
        except Interrupted:
            raise
        except Exception as raised:  # noqa: BLE001 - whatever fails behind the call, the extractive summary serves
            fault = type(raised).__name__
        logger().warning("summary.failed", fault=fault)
    return _extracted(old, room, measure.estimate), summarise is not None


def _asked(old: Sequence[Message], summarise: Summarise, measure: _Measure, budget: Budget) -> str:
    """What the one call gives. It gets half the working budget to read: excerpts, of many windows the extractive summary."""
    most = int(TARGET * budget.working)
    short = _shortened(old, most, measure, least=_LEAST_TEXT)
    if measure.of(short) > most:
        short = (told(_extracted(old, most - _LEAST_TEXT, measure.estimate)),)
    return summarise(short)


def _clipped(summary: str, room: int, estimate: Estimate) -> str:
    """Its first lines that fit, blank ones left out."""
    lines: list[str] = []
    left = room
    for line in [line.rstrip() for line in summary.splitlines() if line.strip()][: MAX_LINES - _HEADINGS]:
        left -= estimate(line + "\n")
        if left < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def _extracted(old: Sequence[Message], room: int, estimate: Estimate) -> str:
    found = extractive.extract(old)
    size = 4 * max(0, room)  # characters; at least two bytes a token, at most four characters
    while size > 0:
        summary = extractive.render(found, lines=MAX_LINES - _HEADINGS, size=size)
        if estimate(summary) <= room:
            return summary
        size = min(size - 1, int(size * 0.9 * room / estimate(summary)))
    return ""


# Step 4: replace.


def _head(summary: str, typed: tuple[Text, ...]) -> Message:
    """The one message that stands for everything older."""
    text = Text(f"{extractive.SUMMARY_HEADING}\n{summary or extractive.NOTHING}")
    below = (Text(extractive.TYPED_HEADING), *typed) if typed else ()
    return Message(Role.USER, (text, *below), summary=True)
