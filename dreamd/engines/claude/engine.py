"""The engine with a model: sessions read in as few calls as fit, topics ordered in one each; every answer checked before it counts."""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from dreamd.context.budget import Budget, Level, Window
from dreamd.context.conversation import Schema, Stop
from dreamd.context.message import told
from dreamd.context.prompt import SystemPrompt
from dreamd.context.tiers import Answer, Operation, OperationKind, decide
from dreamd.context.tokens import estimate
from dreamd.engines.batching import Post
from dreamd.engines.claude import course, ordering, reading, sitting, structure
from dreamd.engines.claude.caller import Caller, Patience
from dreamd.engines.claude.client import Transport
from dreamd.engines.claude.course import longest
from dreamd.engines.claude.faults import TooLong
from dreamd.engines.claude.limits import Limits
from dreamd.engines.claude.mail import Mail
from dreamd.engines.claude.outlay import Outlay, ordering_of
from dreamd.engines.claude.pieces import Piece, pieces
from dreamd.engines.claude.post import ClaudePost
from dreamd.engines.claude.prices import Prices
from dreamd.engines.claude.prompts import prompt
from dreamd.engines.costly import Ahead, Book
from dreamd.engines.faults import EngineFault, EngineUnusable, UnusableAnswer
from dreamd.engines.offline.broaden import broaden
from dreamd.engines.protocol import (
    Digest,
    Dropped,
    Extraction,
    Finding,
    KnownEntry,
    Proposal,
    Reconciliation,
    Topic,
    Turn,
)
from dreamd.engines.purse import Purse
from dreamd.log import logger
from dreamd.state.model_record import ModelRecord
from dreamd.usage import Usage

_PIECE = 0.70  # share of the working budget that one piece takes: estimates may be a quarter too low
_BELOW = 0.80  # of where a conversation would have to be compacted
_LARGE = 0.50  # share of the working budget by estimate from which a piece is counted before it is sent
_MOST_ANSWER = 16_384  # after an answer that was cut
_SESSION = 400_000  # tokens of one session at most; of a longer one the newest turns
_LEAST_SESSION = 4_000  # tokens; below, no money is left and the purse says so, which consumes nothing
_LEAST_ROOM = 500  # tokens; less holds no turn
_HALVINGS = 3  # how often a piece that does not fit is cut in two
_FINDINGS = 60  # findings a request of `reconcile`


Reading = Callable[[Piece, Sequence[Finding]], Extraction]  # a piece and what earlier ones gave → what it gives
Form = TypeVar("Form", structure.Findings, structure.Proposals)


class ClaudeEngine:
    """Asks a model through the Messages API; implements `dreamd.engines.protocol.Engine` and `Costly`. For several threads."""

    def __init__(
        self,
        transport: Transport,
        *,
        gather_model: str,
        consolidate_model: str,
        prices: Prices,
        limits: Limits | None = None,
        patience: Patience | None = None,
        mail: Mail | None = None,
        place: str = "",
        batched: bool = False,
        recalls: bool = True,
    ) -> None:
        """`mail`: how batches reach the server at `place`; `batched`: they are used, which only the estimate asks.

        `recalls`: what was said before in a conversation need not be paid for in full with each call.
        """
        self._transport = transport
        self._recalls = recalls
        self._batched = batched
        self._place = place
        self._book: Book | None = None
        self._said: dict[str, ModelRecord] = {}  # in this run
        self._asking = threading.Lock()
        self._prices = prices
        self._limits = limits or Limits()
        self._purse = Purse()
        self._reader = Caller(transport, gather_model, prices, lambda: self._purse, patience)
        self._writer = Caller(transport, consolidate_model, prices, lambda: self._purse, patience)
        self._post = ClaudePost(mail, self._reader, place, self._cut, longest, lambda: self._purse) if mail else None

    @property
    def name(self) -> str:
        """As in the configuration."""
        return "claude"

    @property
    def version(self) -> str:
        """Changes with the prompts, the schemas and the models: then the same words would be read differently."""
        made = [
            *(prompt(name).static_digest for name in ("extract", "summarise", "reconcile")),
            *(json.dumps(schema, sort_keys=True) for schema in (structure.FINDINGS, structure.PROPOSALS)),
            *(caller.model for caller in (self._reader, self._writer)),
        ]
        return f"1-{hashlib.sha256(json.dumps(made).encode()).hexdigest()[:12]}"

    @property
    def model(self) -> str:
        """Who reads and who writes."""
        return " + ".join(dict.fromkeys((self._reader.model, self._writer.model)))

    @property
    def post(self) -> Post | None:
        """See Batching."""
        return self._post

    def begin(self, purse: Purse, book: Book | None = None) -> None:
        """See Costly."""
        self._transport.check()
        self._purse = purse
        self._book = book
        self._said = {}

    def end(self) -> None:
        """See Costly."""
        self._transport.close()

    def estimate(self, ahead: Ahead, book: Book | None = None) -> Usage:
        """See Costly."""
        if not ahead.sessions:
            return Usage()
        model = self._reader.model
        budget = self._budget(
            prompt("extract"), model, (book.get(self._place, model) if book else None) or ModelRecord()
        )
        outlay = Outlay(self._reader, budget, self._limits, recalls=self._recalls)
        room, most = _room(budget), self._most()
        read = [outlay.session(turns, room, most, batched=self._batched) for turns in ahead.sessions if turns]
        gather = outlay.begun_cold(sum(read, Usage()), batched=self._batched) if read else Usage()
        return gather + ordering_of(self._writer, ahead, gather.output)

    def extract(self, digest: Digest, known: Sequence[KnownEntry]) -> Extraction:  # noqa: ARG002 - memory is met in reconcile
        """What is worth keeping of a session's new turns; no call where nothing new was typed.

        Raises UnusableAnswer, EngineBusy, EngineUnusable, BudgetSpent, each with what was paid until then.
        """
        parts, left = self._pieces(digest)
        if not parts:
            return Extraction()
        parts, read_one = (self._together(digest, parts) if len(parts) > 1 else None) or self._apart(digest, parts)
        findings: list[Finding] = []
        dropped = [Dropped(turn.id, "no_room") for turn in left]
        usage = Usage()
        read: list[str] = []
        for part in parts:
            try:
                made = read_one(part, findings)
            except EngineFault as fault:
                raise fault.charged(usage).keeping(findings, read) from fault.__cause__
            read += part.new(digest.fresh)
            findings += made.findings
            dropped += made.dropped
            usage += made.usage
        return Extraction(tuple(findings), tuple(dropped), usage)

    def broaden(
        self, findings: Sequence[Finding], entries: Sequence[tuple[str, KnownEntry]]
    ) -> tuple[frozenset[str], ...]:
        """What was said in two projects and so holds in all; found by rules, without a call."""
        return broaden(findings, entries)

    def reconcile(self, topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> Reconciliation:
        """How findings meet what is known; no call where there is nothing to weigh. Raises as `extract` does."""
        if len(findings) <= 1 and not entries:
            return Reconciliation(tuple(ordering.alone(finding) for finding in findings))
        proposals: list[Proposal] = []
        usage = Usage()
        known, left = list(entries), list(findings)
        while left:
            batch = self._fitting(topic, known, left)
            left = left[len(batch) :]
            try:
                made = self._order(topic, known, batch)
            except EngineFault as fault:
                raise fault.charged(usage) from fault.__cause__
            usage += made.usage
            proposals += made.proposals
            known += ordering.as_known(made.proposals, batch)
        return Reconciliation(tuple(proposals), usage)

    def _pieces(self, digest: Digest) -> tuple[tuple[Piece, ...], tuple[Turn, ...]]:
        return pieces(digest, _room(self._budget(prompt("extract"), self._reader.model)), self._most())

    def _apart(self, digest: Digest, parts: tuple[Piece, ...]) -> tuple[tuple[Piece, ...], Reading]:
        """Each piece in a call of its own. Raises BudgetSpent where not all of them can be paid for."""
        need = [self._reader.expected(prompt("extract"), part.tokens, longest(part.tokens)) for part in parts]
        self._purse.require(sum(one.tokens for one in need), sum(one.usd for one in need))
        return parts, lambda part, said: self._read(part, digest, said)

    def _together(self, digest: Digest, whole: Sequence[Piece]) -> tuple[tuple[Piece, ...], Reading] | None:
        """All pieces in one conversation; None where that costs too much beside `whole` ones apart, or more than is left."""
        model = self._reader.model
        budget = self._budget(prompt("extract"), model)
        parts, _ = pieces(digest, course.size(budget, _room(budget)), self._most())
        sizes = [part.tokens for part in parts]
        outlay = Outlay(self._reader, budget, self._limits, recalls=self._recalls)
        need = outlay.at_most(sizes)
        if not outlay.allows_conversation(sizes, [part.tokens for part in whole]):
            return None
        if not self._purse.covers(need.tokens, need.usd):
            return None

        def alone(part: Piece, said: Sequence[Finding], refused: bool) -> Extraction:
            return self._read_halves(part, digest, said, 0) if refused else self._read(part, digest, said)

        def room_for(text: str, again: bool) -> int:
            room = self._longest(model, longest(estimate(text)))
            return self._longest(model, min(2 * room, _MOST_ANSWER)) if again else room

        return parts, sitting.Sitting(self._reader, budget, digest, parts, room_for, alone).read

    def _cut(self, digest: Digest) -> tuple[Piece, ...]:
        return self._pieces(digest)[0]

    def _fitting(self, topic: Topic, known: Sequence[KnownEntry], findings: Sequence[Finding]) -> list[Finding]:
        """As many findings as fit beside what is known. Raises UnusableAnswer where none do: nothing is sent in vain."""
        room = _room(self._budget(prompt("reconcile"), self._writer.model))
        taken: list[Finding] = []
        for finding in findings[:_FINDINGS]:
            if estimate(ordering.desk(topic, known, [*taken, finding]).text) > room:
                break
            taken.append(finding)
        if not taken:
            raise UnusableAnswer("a topic does not fit the model's window", hint="see budget.context_window")
        return taken

    def _read(self, part: Piece, digest: Digest, said: Sequence[Finding], halvings: int = 0) -> Extraction:
        shown = reading.sheet(part, digest, said)

        def text(*, again: bool) -> str:
            return reading.sheet(part, digest, said, again=again).text if again else shown.text

        if not self._fits(self._reader, "extract", shown.text):
            return self._read_halves(part, digest, said, halvings)
        try:
            answer, usage = self._ask(self._reader, "extract", text, structure.FINDINGS, structure.Findings)
        except TooLong:
            return self._read_halves(part, digest, said, halvings)
        findings, dropped = reading.findings_of(answer.findings, shown)
        return Extraction(tuple(findings), tuple(dropped), usage)

    def _read_halves(self, part: Piece, digest: Digest, said: Sequence[Finding], halvings: int) -> Extraction:
        """The server knows better how long a piece is: the same is never sent again, only less of it."""
        halves = part.halves(digest.fresh) if halvings < _HALVINGS else ()
        if not halves:
            raise UnusableAnswer("the session does not fit the model's window", hint="see budget.context_window")
        made = Extraction()
        read: list[str] = []
        for half in halves:
            try:
                one = self._read(half, digest, [*said, *made.findings], halvings + 1)
            except EngineFault as fault:
                raise fault.charged(made.usage).keeping(made.findings, read) from fault.__cause__
            read += half.new(digest.fresh)
            made = Extraction((*made.findings, *one.findings), (*made.dropped, *one.dropped), made.usage + one.usage)
        return made

    def _order(self, topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> Reconciliation:
        shown = ordering.desk(topic, entries, findings)

        def text(*, again: bool) -> str:
            return ordering.desk(topic, entries, findings, again=again).text if again else shown.text

        try:
            answer, usage = self._ask(self._writer, "reconcile", text, structure.PROPOSALS, structure.Proposals)
        except TooLong:
            raise UnusableAnswer("a topic does not fit the model's window", hint="see budget.context_window") from None
        return Reconciliation(tuple(ordering.proposals_of(answer.proposals, shown)), usage)

    def _ask(
        self, caller: Caller, name: str, text: Callable[..., str], schema: Schema, form: type[Form]
    ) -> tuple[Form, Usage]:
        """One answer of the form, asked for a second time with more room and a reminder where the first was none."""
        usage = Usage()
        room = self._longest(caller.model, longest(estimate(text(again=False))))
        why = ""
        for again in (False, True):
            try:
                reply = caller.call(prompt(name), [told(text(again=again))], max_tokens=room, schema=schema)
            except EngineFault as fault:
                raise fault.charged(usage) from fault.__cause__
            usage += reply.usage
            self._watch(caller, name, reply.usage)
            read = structure.read(reply.text, form) if reply.stop in (Stop.END, Stop.OTHER) else None
            if read is not None:
                return read, usage
            why = reply.stop.value if reply.stop is not Stop.END else "no structure"
            room = self._longest(caller.model, min(2 * room, _MOST_ANSWER))
        raise UnusableAnswer(f"the model gave no usable answer twice ({why})", usage=usage)

    def _most(self) -> int:
        """Tokens of one session at most: one that needs more than half of what any run may spend would wait for ever."""
        price = self._prices.of(self._reader.model)
        affordable = self._limits.usd_per_run / 2 * 1e6 / price.input if price else math.inf
        return int(max(_LEAST_SESSION, min(_SESSION, self._limits.tokens_per_run / 2, affordable)))

    def _budget(self, system: SystemPrompt, model: str, said: ModelRecord | None = None) -> Budget:
        """The window as it is known, beside the instructions; `said`: what the server says of the model, else it is asked."""
        limits, said = self._limits, said or self._about(model)
        window = Window(said.window, self._prices.tier_limit(model), limits.context_window).tokens
        return Budget(
            window,
            system=system.static_tokens,
            reserve=limits.reserve_tokens,
            warn_at=limits.warn_at,
            compact_at=limits.compact_at,
            stop_at=limits.stop_at,
        )

    def _longest(self, model: str, tokens: int) -> int:
        """An answer as long as wanted, or as the model can give."""
        return min(tokens, self._about(model).answer or tokens)

    def _about(self, model: str) -> ModelRecord:
        """What the server says of a model: asked when it is first needed, then known for weeks; nothing where a window is configured."""
        if self._book is None or self._limits.context_window:
            return ModelRecord()
        with self._asking:
            if model not in self._said:
                said = self._book.get(self._place, model)
                if said is None and (said := self._transport.about(model)) is not None:
                    self._book.put(self._place, model, said)
                self._said[model] = said or ModelRecord()
            return self._said[model]

    def _fits(self, caller: Caller, name: str, text: str) -> bool:
        """Whether a request fits as the server counts it. Only what is large by estimate is counted, where the server can."""
        budget, size = self._budget(prompt(name), caller.model), estimate(text)
        if size > budget.share(_LARGE):
            counted = caller.count(prompt(name), [told(text)], structure.FINDINGS)
            size = max(0, counted - prompt(name).static_tokens) if counted else size
        allowed = decide(budget, 0, Operation(OperationKind.WHOLE, size)).answer is Answer.ALLOW
        return allowed and size <= budget.share(budget.compact_at)

    def _watch(self, caller: Caller, name: str, usage: Usage) -> None:
        """Says where a call came near the end of its window: estimates are wrong for this text."""
        budget = self._budget(prompt(name), caller.model)
        level = budget.level(budget.used(usage))
        if level is not Level.FREE:
            logger().warning("budget.warned", used=budget.used(usage), working=budget.working, level=level.value)


def _room(budget: Budget) -> int:
    """Tokens that one piece may take."""
    room = budget.share(min(_PIECE, _BELOW * budget.compact_at))
    if room < _LEAST_ROOM:
        raise EngineUnusable(
            f"a window of {budget.window:,} tokens has no room for a session beside the instructions",
            hint="set budget.context_window to what the model really takes, at least 8192",
        )
    return room
