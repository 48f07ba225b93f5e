"""The calls that read a session, one after the other, as they will probably be counted: what one way or the other costs before any is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dreamd.context.budget import Budget, Level
from dreamd.context.compaction import TARGET
from dreamd.context.prompt import SystemPrompt
from dreamd.engines.claude.prompts import prompt
from dreamd.usage import Usage

_LEAST = 500  # tokens of a piece
AROUND = 350  # tokens of marks and task around a piece
_ANSWER = (1_024, 8_192)  # tokens of an answer: least and most that are asked for
_THIRD = 1 / 3  # of the working budget, for one piece: beside the half that a compaction may leave, with its answer
_SUMMARY = 4_096  # tokens of a summary at most; a quarter of the working budget in small windows
_QUARTER = 0.25
_TENTH = 10  # of the working budget, that an answer needs before a conversation has to stop
_PROSE = 2.9  # bytes a token of English prose, which the instructions are

#: Tokens of an answer on average, measured over real sessions: so many, and one for so many of the piece.
_FOUND, _FOUND_IN = 160, 20
_SAID = 4  # a finding's sentence is a quarter of its JSON


def longest(tokens: int) -> int:
    """How long an answer to so many tokens may be: a long text holds more than a short one."""
    return max(_ANSWER[0], min(_ANSWER[1], tokens // 2))


def likely(tokens: int) -> int:
    """How long it probably is."""
    return min(longest(tokens), _FOUND + tokens // _FOUND_IN)


def longest_summary(budget: Budget) -> int:
    """Tokens of a compaction's summary at most."""
    return min(_SUMMARY, budget.share(_QUARTER))


def size(budget: Budget, room: int) -> int:
    """Tokens of one piece of a conversation, so that a compaction makes room for the next; at most `room`, what one alone may have."""
    return min(room, max(_LEAST, budget.share(_THIRD) - AROUND))


def static(system: SystemPrompt) -> int:
    """Tokens of the instructions, as a server counts prose."""
    return round(len(system.static_text.encode()) / _PROSE)


def pack(turns: Sequence[int], most: int) -> list[int]:
    """Pieces of at most so many tokens out of turns of these, as `pieces` makes them."""
    made: list[int] = []
    for turn in turns:
        if made and made[-1] + turn <= most:
            made[-1] += turn
        else:
            made.append(turn)
    return made


def apart(pieces: Sequence[int]) -> list[Usage]:
    """Pieces of so many tokens, each in a call of its own that is told what was found before. The instructions are in the cache."""
    calls: list[Usage] = []
    said = 0
    for piece in pieces:
        found = likely(piece)
        calls.append(Usage(input=piece + AROUND + said, output=found, cache_read=static(prompt("extract"))))
        said += found // _SAID
    return calls


def together(
    budget: Budget, pieces: Sequence[int], answer: Callable[[int], int] = likely, *, warm: bool = True
) -> list[Usage]:
    """Pieces of so many tokens in one conversation, and the summaries where its window gets full.

    `warm`: what was marked in one call is read from the prompt cache in the next; else it is put there again and again.
    """
    instructions = static(prompt("extract"))
    calls: list[Usage] = []
    held = kept = 0  # tokens of what was said; of these in the cache
    for number, piece in enumerate(pieces):
        sent, found = piece + AROUND, answer(piece)
        if held and not _fits(budget, held, piece):
            held, kept = _compacted(budget, held, piece, calls), 0
        is_followed = number + 1 < len(pieces) and _fits(budget, held + sent + found, pieces[number + 1])
        read = kept if warm else 0
        new = held + sent - read
        marked = new if is_followed else kept - read
        calls.append(Usage(new - marked, found, cache_read=instructions + read, cache_write=marked))
        kept = held + sent if is_followed else kept
        held += sent + found
    return calls


def _compacted(budget: Budget, held: int, piece: int, calls: list[Usage]) -> int:
    """What a compaction leaves, its one call booked; nothing and no call where that would not make room: a fresh start."""
    summary = longest_summary(budget) // 2
    after = min(int(TARGET * budget.working), held // 2 + summary)
    if not _fits(budget, int(TARGET * budget.working), piece):
        return 0
    calls.append(Usage(static(prompt("summarise")) + min(held, int(TARGET * budget.working)), summary))
    return after


def _fits(budget: Budget, held: int, piece: int) -> bool:
    """Whether a conversation takes a piece behind so much, as `Conversation.admits` decides it."""
    ends = held + piece + AROUND + min(longest(piece), budget.working // _TENTH)
    return budget.level(held) is Level.FREE and ends < budget.share(budget.stop_at)
