"""From one session's fresh turns to findings: clean, split, judge, rewrite, place."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field, replace

from dreamd.engines.offline import (
    answers,
    assents,
    causes,
    changes,
    habits,
    outcomes,
    picks,
    remarks,
    retractions,
    rewrite,
    slots,
)
from dreamd.engines.offline.cues import Cues
from dreamd.engines.offline.dates import resolve
from dreamd.engines.offline.exchange import Exchange, exchanges
from dreamd.engines.offline.hanging import hangs
from dreamd.engines.offline.judge import reject
from dreamd.engines.offline.judgement import Judgement, judged
from dreamd.engines.offline.languages.detect import language_of
from dreamd.engines.offline.languages.english import ENGLISH
from dreamd.engines.offline.readings import readings
from dreamd.engines.offline.scope import scope_of, subject_of
from dreamd.engines.offline.sentences import own_words, split
from dreamd.engines.offline.similar import sense
from dreamd.engines.offline.spelling import Spelling
from dreamd.engines.offline.verdict import KEEP, WEAK, Left, Verdict, plainly_left, take_heads, weigh
from dreamd.engines.protocol import Digest, Dropped, Extraction, Finding, Kind, Scope, Turn
from dreamd.transcripts.event import Origin

_QUOTE_LENGTH = 300
_STATEMENT_WEIGHT = 1.25
_FIX_WEIGHT = 0.75
_REMARK_WEIGHT = 0.8
#: Log odds from which on downwards a sentence ends with the task, whatever rule it fits; lower where fewer examples speak.
_ENDS = {"en": -2.5, "zh": -2.5}
_ENDS_ELSEWHERE = -5.0
#: Log odds from which on a sentence stands by itself that its rule would only let stand if it were said again.
_LASTS = 1.5

#: Kinds whose line is a rule to follow, written as an imperative.
_IMPERATIVE_KINDS = frozenset(
    {Kind.PROHIBITION, Kind.PREFERENCE, Kind.CONVENTION, Kind.CORRECTION, Kind.COMMAND, Kind.DECISION}
)
#: Frames of what becomes a correction when it contradicts the agent.
_CORRECTABLE = frozenset({Kind.PREFERENCE, Kind.CONVENTION, Kind.DECISION, Kind.FACT})


@dataclass(slots=True)
class _Collected:
    spelling: Spelling
    findings: list[Finding] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    seen: dict[str, Finding] = field(default_factory=dict)
    asked: set[tuple[str, str]] = field(default_factory=set)

    def leave(self, turn: Turn, reason: Left) -> None:
        self.dropped.append(Dropped(turn.id, reason))

    def add(self, finding: Finding) -> None:
        """A request: the same words may ask for two things."""
        if (finding.slot, finding.turn_id) not in self.asked:
            self.asked.add((finding.slot, finding.turn_id))
            self.findings.append(finding)

    def keep(self, finding: Finding) -> None:
        finding = replace(finding, text=self.spelling.mended(finding.text))
        normal = sense(finding.text).normal
        before = self.seen.get(normal)
        if before is None:
            self.seen[normal] = finding
            self.findings.append(finding)
        elif before.weight < WEAK <= finding.weight:
            self.seen[normal] = self.findings[self.findings.index(before)] = finding


def extract(digest: Digest) -> Extraction:
    """The findings of a session's fresh human turns, in the order they were said."""
    collected = _Collected(Spelling(digest))
    said = list(exchanges(digest))
    for exchange in said:
        if exchange.turn.id in digest.fresh:
            _read_turn(exchange, digest, collected)
            for reply in exchange.replies:
                _read_fix(reply, exchange.turn, digest, collected)
    return Extraction(tuple(collected.findings), tuple(collected.dropped))


def _read_turn(exchange: Exchange, digest: Digest, collected: _Collected) -> None:
    turn, proposal = exchange.turn, exchange.proposal
    before = len(collected.findings) + len(collected.dropped)
    agreed = assents.settled(proposal, turn.text) if proposal and exchange.typed else None
    picked = picks.picked(proposal, turn.text) if proposal and exchange.typed and not agreed else None
    if agreed or picked:
        _settle(agreed or picked or "", f"{proposal[-_QUOTE_LENGTH:]} {turn.text}"[-_QUOTE_LENGTH:], turn, collected)
    if agreed:
        return
    answered = list(answers.pairs(turn.text)) if turn.origin is Origin.ANSWER else []
    for question, answer in answered:
        _read_answer(question, answer, turn, digest, collected)
    if not answered:
        _read_own(exchange, digest, collected)
    if len(collected.findings) + len(collected.dropped) == before:
        collected.leave(turn, "pasted" if len(turn.text) > _QUOTE_LENGTH else "short")


def _read_own(exchange: Exchange, digest: Digest, collected: _Collected) -> None:
    """Sentence by sentence; what no rule knows is then looked at together, as remarks."""
    turn = exchange.turn
    sentences = split(own_words(turn.text))
    rest: dict[int, str] = {}
    judgements: dict[int, Judgement] = {}
    previous = ""
    for i, sentence in enumerate(sentences):
        kept = len(collected.findings)
        judgement = _read_sentence(sentence, previous, turn, digest, collected)
        if not any(f.weight >= WEAK for f in collected.findings[kept:]):
            rest[i] = sentence
            if judgement:
                judgements[i] = judgement
        previous = sentence
    for place, text in causes.learned(list(rest.values()), named=False) if exchange.typed else ():
        quote = list(rest.values())[place]
        if language_of(quote) is ENGLISH:
            collected.keep(_learning(text, quote, _STATEMENT_WEIGHT, turn, digest))
    said = turn.at.astimezone(digest.zone) if turn.at else None
    for remark in remarks.remarks(rest, judgements, exchange, said):
        collected.keep(_remark(remark, turn, digest))
    ended = outcomes.outcome(exchange) or outcomes.value(exchange)
    if ended:
        collected.keep(_remark(remarks.Remark(ended[0], Kind.DECISION, ended[1]), turn, digest))


def _remark(remark: remarks.Remark, turn: Turn, digest: Digest) -> Finding:
    """A remark as a finding: never as heavy as what a rule knows, and somebody's file only where a rule names them."""
    kind = Kind.FACT if remark.kind is Kind.PERSON else remark.kind
    cues = language_of(remark.quote) or ENGLISH
    scope = scope_of(kind, remark.text, remark.quote, cues, digest.project_name)
    text = _without_project(remark.text, digest.project_name) if scope is Scope.PROJECT else remark.text
    slot = slots.find(text)
    return Finding(
        kind=kind,
        scope=scope,
        text=text,
        turn_id=turn.id,
        at=turn.at,
        quote=remark.quote[:_QUOTE_LENGTH],
        subject=subject_of(text) if scope is Scope.PATTERN else "",
        slot=slot.name if slot else "",
        value=slot.value if slot else "",
        weight=_REMARK_WEIGHT,
    )


def _read_answer(question: str, answer: str, turn: Turn, digest: Digest, collected: _Collected) -> None:
    """An answer that stands alone is judged like any sentence; else question and answer are put together."""
    kept = len(collected.findings)
    for sentence in split(own_words(answer)):
        _read_sentence(sentence, "", turn, digest, collected)
    settled = answers.statement(question, answer) if len(collected.findings) == kept else None
    if settled:
        _settle(settled, f"{question} {answer}"[:_QUOTE_LENGTH], turn, collected)


def _settle(text: str, quote: str, turn: Turn, collected: _Collected) -> None:
    """Keeps what an answer decided."""
    if reject(text) or "[REDACTED" in text:
        collected.leave(turn, "junk")
        return
    slot = slots.find(text)
    collected.keep(
        Finding(
            kind=Kind.DECISION,
            scope=Scope.PROJECT,
            text=text,
            turn_id=turn.id,
            at=turn.at,
            quote=quote,
            slot=slot.name if slot else "",
            value=slot.value if slot else "",
            weight=_STATEMENT_WEIGHT,
        )
    )


def _read_sentence(sentence: str, previous: str, turn: Turn, digest: Digest, collected: _Collected) -> Judgement | None:
    """Keeps what a rule knows of a sentence; what it is worth by itself, where no rule took it."""
    cues = language_of(sentence)
    if cues is None:
        collected.leave(turn, "language")
        return None
    ended, sentence = retractions.taken_back(sentence, turn)
    for one in ended:
        collected.keep(one)
    if not sentence:
        return None
    handed = retractions.handed_over(sentence, turn)
    if handed:
        collected.add(handed)
    finding, left, judgement = _by_rule(sentence, previous, cues, turn, digest)
    if finding:
        collected.keep(finding)
        return None
    collected.leave(turn, left)
    changed = _changed(sentence, cues, turn, digest)
    if changed:
        collected.keep(changed)
    for asked in habits.requests(sentence, cues) if "[REDACTED" not in sentence else ():
        collected.add(_request(asked, sentence, turn))
    return judgement


def _by_rule(
    sentence: str, previous: str, cues: Cues, turn: Turn, digest: Digest
) -> tuple[Finding | None, Left, Judgement | None]:
    """What a rule takes for lasting, unless all that is said in the sentence speaks against it; else why it was left, and what it is worth."""
    said = turn.at.astimezone(digest.zone) if turn.at else None
    left: Left = "statement"
    judgement: Judgement | None = None
    for words in readings(sentence, previous, cues):
        outcome = weigh(words, cues, turn.origin, said)
        if isinstance(outcome, str):
            left = outcome
            continue
        judgement = judgement or judged(sentence, cues, outcome)
        if judgement and judgement.lasts < _ENDS.get(cues.code, _ENDS_ELSEWHERE):
            return None, "request", judgement
        finding = _written(outcome, sentence, turn, digest)
        if isinstance(finding, str):
            left = finding
        elif judgement and judgement.lasts >= _LASTS:
            return replace(finding, weight=max(finding.weight, KEEP)), left, judgement
        else:
            return finding, left, judgement
    return None, left, judgement or judged(sentence, cues, left)


def _changed(sentence: str, cues: Cues, turn: Turn, digest: Digest) -> Finding | None:
    """What is told as a change though no rule takes it for lasting: it counts only where memory holds what it changes."""
    if not changes.tells(sentence) or plainly_left(sentence, cues) or cues.questions.search(sentence):
        return None
    core = take_heads(sentence.strip(" .。!！"), cues).core
    if cues.ephemeral.search(core) or cues.hedges.search(core) or "[REDACTED" in core:
        return None
    core = resolve(core, turn.at.astimezone(digest.zone) if turn.at else None, cues).text
    text = rewrite.neutral(core, cues.code, rule=False, whole=True)
    if reject(text) or hangs(text):
        return None
    slot = slots.find(text)
    return Finding(
        kind=Kind.DECISION,
        scope=scope_of(Kind.DECISION, text, sentence, cues, digest.project_name),
        text=_without_project(text, digest.project_name),
        turn_id=turn.id,
        at=turn.at,
        quote=sentence[:_QUOTE_LENGTH],
        slot=slot.name if slot else "",
        value=slot.value if slot else "",
        weight=changes.WEIGHT,
    )


def _written(verdict: Verdict, sentence: str, turn: Turn, digest: Digest) -> Finding | Left:
    """The finding of a verdict, or why its line cannot stand."""
    kind = verdict.frame.kind
    text = _line(verdict, kind)
    if not text or hangs(text):
        return "unclear"
    refused = reject(text)
    if refused:
        return "secret" if refused == "secret" else "junk"
    if kind in _CORRECTABLE and (verdict.corrected or (turn.origin is Origin.REFUSAL and kind is not Kind.FACT)):
        kind = Kind.CORRECTION
    scope = scope_of(kind, text, sentence, verdict.cues, digest.project_name)
    if scope is Scope.PROJECT:
        text = _without_project(text, digest.project_name)
    slot = slots.find(text) if verdict.strength >= KEEP else None
    return Finding(
        kind=kind,
        scope=scope,
        text=text,
        turn_id=turn.id,
        at=turn.at,
        quote=sentence[:_QUOTE_LENGTH],
        subject=_subject(scope, text, verdict),
        slot=slot.name if slot else "",
        value=slot.value if slot else "",
        weight=round(verdict.strength if verdict.strength >= KEEP else 0.5, 2),
        happened=verdict.dated.happened,
    )


def _line(verdict: Verdict, kind: Kind) -> str:
    text = rewrite.neutral(verdict.core, verdict.cues.code, rule=kind in _IMPERATIVE_KINDS, whole=kind is Kind.OUTCOME)
    return _with_day(text, verdict.dated.happened) if kind is Kind.FACT else text


def _with_day(text: str, day: dt.date | None) -> str:
    """A moment's sentence gets the day it happened on where it names none."""
    if not text or day is None or day.isoformat() in text:
        return text
    bare, stop = text[:-1], text[-1]
    return f"{bare}（{day.isoformat()}）{stop}" if stop == "。" else f"{bare} ({day.isoformat()}){stop}"


def _without_project(text: str, project: str) -> str:
    """The line without "For <project>, " in front, which its file says."""
    bare = re.sub(
        rf"^(?:for|in|on) {re.escape(project)}[,:]? (?=the |we |all |every |use |our )", "", text, flags=re.IGNORECASE
    )
    return bare[:1].upper() + bare[1:] if project and bare != text else text


def _subject(scope: Scope, text: str, verdict: Verdict) -> str:
    if scope is Scope.PERSON:
        name = verdict.person.strip()
        return name if name[:1].isupper() or not name.isascii() else name.title()
    return subject_of(text) if scope is Scope.PATTERN else ""


def _request(asked: habits.Request, sentence: str, turn: Turn) -> Finding:
    """A request that has no weight until it comes again on other days."""
    return Finding(
        kind=Kind.CONVENTION,
        scope=Scope.PROJECT,
        text=asked.text,
        turn_id=turn.id,
        at=turn.at,
        quote=sentence[:_QUOTE_LENGTH],
        slot=asked.slot,
        value="asked",
        weight=habits.WEIGHT,
    )


def _learning(text: str, quote: str, weight: float, turn: Turn, digest: Digest) -> Finding:
    """A cause with its fix: of the project where it names something of it, else a pattern."""
    scope = scope_of(Kind.LEARNING, text, quote, ENGLISH, digest.project_name)
    return Finding(
        kind=Kind.LEARNING,
        scope=scope,
        text=text,
        turn_id=turn.id,
        at=turn.at,
        quote=quote[:_QUOTE_LENGTH],
        subject=subject_of(text) if scope is Scope.PATTERN else "",
        weight=weight,
    )


def _read_fix(reply: Turn, asked: Turn, digest: Digest, collected: _Collected) -> None:
    """The one thing taken from an agent's own words unasked: a cause and its fix, both named and told as done. Never a rule.

    It rests on the person's turn that the agent was answering.
    """
    for _, text in causes.learned(split(own_words(reply.text))):
        collected.keep(_learning(text, text, _FIX_WEIGHT, asked, digest))
