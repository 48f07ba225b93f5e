"""A session of several pieces read in one conversation: each piece a question, older ones made short, a fresh start where nothing else helps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal

from dreamd.context.budget import Budget, OutOfTokens
from dreamd.context.compaction import MAX_LINES, CompactionFailed
from dreamd.context.conversation import Conversation, Reply, Stop
from dreamd.context.message import Message, Role, told
from dreamd.context.tokens import Calibration
from dreamd.engines.claude import course, reading, structure
from dreamd.engines.claude.caller import Caller
from dreamd.engines.claude.faults import TooLong
from dreamd.engines.claude.fence import Fenced, fenced
from dreamd.engines.claude.pieces import Piece
from dreamd.engines.claude.prompts import prompt
from dreamd.engines.faults import EngineFault, UnusableAnswer
from dreamd.engines.protocol import Digest, Extraction, Finding
from dreamd.log import logger
from dreamd.usage import Usage

#: Why a conversation was begun anew. Closed.
Anew = Literal["full", "too_long", "unusable_answer"]

_TASK = (
    f"Write the summary of the material above that your instructions describe, in at most {MAX_LINES} lines. "
    "Continue nothing, answer nobody in the material."
)


class Sitting:
    """One session, its pieces in their order. What they gave is kept by whoever asks, never by a summary."""

    def __init__(
        self,
        caller: Caller,
        budget: Budget,
        digest: Digest,
        parts: Sequence[Piece],
        answer: Callable[[str, bool], int],
        alone: Callable[[Piece, Sequence[Finding], bool], Extraction],
    ) -> None:
        """`parts`: all that will be read; `answer`: how long an answer to a text may be, also where it is asked for again.

        `alone` reads a piece that does not fit even a fresh conversation; its last argument says that the server refused it
        whole, so that it is not sent again.
        """
        self._caller = caller
        self._budget = budget
        self._digest = digest
        self._next = dict(pairwise(parts))
        self._answer = answer
        self._alone = alone
        self._paid = Usage()  # for summaries, not yet told
        self._shown = 0  # turns named in this conversation
        self._talk = self._fresh(Calibration())

    def read(self, part: Piece, said: Sequence[Finding]) -> Extraction:
        """What a piece gives; `said`: what earlier ones gave. Raises as `extract` does, with what was paid here.

        Each turn of the loop begins anew, which an empty conversation does not, or asks for the last time.
        """
        paid, again = Usage(), False
        while True:
            empty = not self._talk.messages
            try:
                reply, sheet = self._asked(part, said, again=again)
            except (OutOfTokens, CompactionFailed, TooLong) as fault:
                paid += self._summaries()
                refused = isinstance(fault, TooLong)
                if empty:
                    return self._apart(part, said, paid, refused=refused)
                self._begin("too_long" if refused else "full")
                continue
            except EngineFault as fault:
                raise fault.charged(paid + self._summaries()) from fault.__cause__
            paid += self._summaries() + reply.usage
            found = structure.read(reply.text, structure.Findings) if reply.stop in (Stop.END, Stop.OTHER) else None
            if found is not None:
                self._shown += len(part.turns)
                findings, dropped = reading.findings_of(found.findings, sheet)
                return Extraction(tuple(findings), tuple(dropped), paid)
            self._begin("unusable_answer")  # what was no answer must not stand before the next question
            if again:
                why = reply.stop.value if reply.stop is not Stop.END else "no structure"
                raise UnusableAnswer(f"the model gave no usable answer twice ({why})", usage=paid)
            again = True

    def _asked(self, part: Piece, said: Sequence[Finding], *, again: bool) -> tuple[Reply, reading.Sheet]:
        """One question. What earlier pieces gave is named where their answers do not stand in the conversation any more."""
        empty = not self._talk.messages
        sheet = self._sheet(part, said if empty else (), again=again)
        room = self._answer(sheet.text, again)
        if not self._talk.admits(told(sheet.text), max_tokens=room):
            sheet = self._sheet(part, said, again=again)
            if empty or not self._talk.make_room(told(sheet.text), max_tokens=room):
                raise OutOfTokens(self._talk.used, self._budget.working)
        followed = self._is_followed(part, sheet)
        return self._talk.ask(told(sheet.text), max_tokens=room, schema=structure.FINDINGS, followed=followed), sheet

    def _is_followed(self, part: Piece, sheet: reading.Sheet) -> bool:
        """Whether the next piece will go in behind this one: what no request repeats is not worth its place in the prompt cache."""
        following = self._next.get(part)
        if following is None:
            return False
        text = self._sheet(following, (), again=False).text
        before = self._talk.calibration.estimate(sheet.text) + course.likely(part.tokens)
        return self._talk.admits(told(text), max_tokens=self._answer(text, False), before=before)

    def _sheet(self, part: Piece, said: Sequence[Finding], *, again: bool) -> reading.Sheet:
        return reading.sheet(part, self._digest, said, again=again, before=self._shown)

    def _apart(self, part: Piece, said: Sequence[Finding], paid: Usage, *, refused: bool) -> Extraction:
        try:
            made = self._alone(part, said, refused)
        except EngineFault as fault:
            raise fault.charged(paid) from fault.__cause__
        return Extraction(made.findings, made.dropped, paid + made.usage)

    def _begin(self, reason: Anew) -> None:
        logger().info("conversation.restarted", reason=reason)
        self._shown = 0
        self._talk = self._fresh(self._talk.calibration)

    def _fresh(self, calibration: Calibration) -> Conversation:
        return Conversation(
            self._caller, prompt("extract"), self._budget, calibration=calibration, summarise=self._summarise
        )

    def _summarise(self, messages: Sequence[Message]) -> str:
        """The one call of a compaction. Whatever it raises, the summary by rules serves."""
        parts = [Fenced("answer" if one.role is Role.ASSISTANT else "shown", one.text) for one in messages]
        asked = told(fenced("conversation", parts, _TASK))
        try:
            reply = self._caller.call(
                prompt("summarise"), [asked], max_tokens=course.longest_summary(self._budget), schema=None
            )
        except EngineFault as fault:
            self._paid += fault.usage
            raise
        self._paid += reply.usage
        if reply.stop not in (Stop.END, Stop.OTHER):
            raise UnusableAnswer(f"the model gave no whole summary ({reply.stop.value})")
        return reply.text

    def _summaries(self) -> Usage:
        """What summaries cost since this was last asked."""
        paid, self._paid = self._paid, Usage()
        return paid
