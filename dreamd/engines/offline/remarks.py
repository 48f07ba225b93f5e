"""What people decide and tell while they work, in no set form: a sentence is kept for what it is worth by itself, with what settles it.

Rules (`verdict`) know ways of saying. A remark has none ("can we drop X as Y covers it", "the notice is only for the first start"): here
the learned judgement of a sentence (`judgement`) and its marks are weighed together, and the agent's answer may tell how it was settled.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dreamd.engines.offline import rewrite
from dreamd.engines.offline.cues import Cues, rx
from dreamd.engines.offline.dates import resolve
from dreamd.engines.offline.exchange import OBJECTS, Exchange
from dreamd.engines.offline.hanging import hangs
from dreamd.engines.offline.judge import MAX_LENGTH, reject
from dreamd.engines.offline.judgement import MARKS, Judgement, told
from dreamd.engines.offline.languages.detect import language_of
from dreamd.engines.offline.languages.english import ENGLISH
from dreamd.engines.offline.languages.english_words import VERBS
from dreamd.engines.offline.languages.marks import found
from dreamd.engines.offline.sentences import own_words, split
from dreamd.engines.offline.similar import sense
from dreamd.engines.offline.verdict import plainly_left, take_heads
from dreamd.engines.protocol import Kind
from dreamd.transcripts.event import Origin

#: What a sentence must reach to be kept without a rule: the log odds that it lasts, and its marks.
STANDS = 1.25
#: Marks against a sentence weigh again from here on; the lighter ones are in the log odds already.
_HEAVY = -1.0
#: What a sentence starts from, by its language: those with fewer marks or none need less.
_START = {"en": 0.0, "zh": 0.0, "ru": 0.25, "ja": 0.25, "ko": 0.25, "de": 0.25, "es": 0.25, "fr": 0.25}
#: What supports a remark may weigh as little.
_SUPPORTS = -0.5
_AGREED_BONUS = 0.25
_SAID_BACK_BONUS = 0.75
_SPOKEN_BONUS = {Origin.REFUSAL: 0.25, Origin.ANSWER: 0.25, Origin.QUEUED: 0.25}
_MOST = 4  # of one turn
_LONGEST = 280
_SHORTEST_REPORT = 20
_LONGEST_REPORT = 170
_OPENING = 600  # characters in which an answer says what it thinks of a proposal
#: Log odds that a sentence of the agent must have to say how a remark was settled, and not what was done about it.
_SETTLED = 0.0
_SHARED = 2  # words that a report and the remark it settles have in common

_ASKED = rx(
    r"^(?:maybe |perhaps |also |then |so )*(?:(?:can|could|should|shall|would|may) (?:we|you|it|i)|(?:i (?:suggest|propose)(?: that)? we)|(?:let'?s|lets))(?: please| also| just| then| maybe)* (?P<rest>(?!not\b).+)$"
)
_INVERTED = rx(
    rf"^(?:also |so |then )*(?P<modal>should|can|must|could)(?P<no>n'?t)? (?P<subject>(?!we\b|you\b|i\b|it\b|this\b|that\b)[\w`'./@-]+(?: [\w`'./@-]+){{0,4}}?) (?P<rest>(?:be|have|use|only|always|(?:{VERBS}))\b.+)$"
)
_FOR_THE_TASK = rx(
    r",? (?:and |then )?(?:spawn|submit|commit|push|merge|open|create) (?:a |the )?(?:worker|pr|it|draft|branch|them|this)\b.*$|,? can merge directly$"
)
_APOLOGY = rx(
    r"[,.;] (?:sorry\b.*|thanks\b.*|does that make sense.*|what do you think.*|right)$|^(?:i bet|i guess|i mean|my point is|just to be sure|if so|maybe|perhaps)[,:]? (?=\w)"
)
_ASKS_BACK = rx(r"^(?:also |so |and |then )*(?:should|could|can|shall|would|do|does|will)\b")
#: A thing proposed and not said: it holds once the agent has taken it up and the person has not gone back on it.
_PROPOSES = rx(
    r"^(?:\W|(?:also|so|then|and|but|ok|yeah|wait),? )*(?:maybe|perhaps|should(?:n'?t)?\b|could|can we|what about|i (?:wonder|suggest)|i (?:kind of )?(?:think|feel)\b.*\?|we (?:could|might))|\b(?:maybe|perhaps)\b|[?\uff1f]$"
)
_DECLINES = rx(
    r"(?:^|[.!\n] ?)(?:\*\*)?(?:no[,.]|not (?:quite|really|necessarily)|i(?:'d| would) (?:avoid|not|keep|leave|rather|advise against)|i wouldn'?t|i don'?t (?:think|recommend)|that (?:would|won'?t|doesn'?t)|unfortunately|however)\b"
)
_TAKES_BACK = rx(
    r"^(?:no\b|nope|actually|never ?mind|forget|scrap|sorry|wait|but then|hm+\b|on second thought|i(?:'ve)? changed my mind|not sure)"
)
_HANGS = rx(
    r"^(?:and |but |so |because )?(?:it|this|that|these|those|they|them|one|which|he|she|there)\b|^(?:because|like|more|or|which|whereas|unless|except|as in|so yes|i\.?e\b|e\.?g\b|instead|also|then|otherwise|same|both|either|neither)\b"
    r"|^[a-d][.):]? [-–—]|^`[^`]+`(?:\.$| (?:when|if|on|at)\b)|^[\W_]+$"
)
#: A sentence without its subject.
_SUBJECTLESS = rx(r"^(?:can|could|should|would|will|must|does|did|is|are|was|has|not \w+ing)\b(?!.*\?)")
#: Work that is handed out, however it is spelled and whatever is told beside it.
_HANDED_OUT = rx(
    r"^(?:sp[aw]+n|launch|ask|let|have|tell) (?:an? |the |another )?(?:[\w-]+ )?(?:workers?|agents?|sub-?agents?)\b|[-–—,;.] (?:please )?(?:help me|let'?s see|let me know|can you|could you)\b"
)
_AGREES = rx(
    r"^(?:yes|yep|agreed|exactly|correct|good (?:point|catch|call|idea)|you'?re (?:absolutely )?right|absolutely|makes sense|right|done|great (?:point|idea)|that'?s (?:right|a good))\b"
)
#: An answer that reports what is now, not what somebody is about to do or thinks.
_NO_REPORT = rx(
    r"\?|^(?:i'?ll|i will|i'?m|i am|let me|let'?s|now (?:let|i)|first|next|want|would|should|could|shall|if|to |the worker|looking|checking|deleted|created|updated|ran|pushed|committed|merged|here|perfect|great|good|note|key|summary|done[.!]?$|analysis)\b|\b(?:i'?ll|let me|i'?m (?:going|now|starting)|i(?:'ve|'d)? (?:would|recommend|suggest|think|see|found|did not|can|have|had|used|left|kept|added|deleted|made)|maybe|probably|might|could|appears?|seems?|likely|recommend\w*|option|^[a-d1-9][.)] |pass(?:es|ed|ing)?\b.*\btests?|tests? pass|lint|commit(?:ted)?|pushed|pr #?\d+|worker)\b"
)


#: Nobody types bold letters, stack frames or statements of a programming language as a sentence of their own.
_PASTED = re.compile(r"\*\*|==|:=|=>|\(\S*:\d+[:)]|^\d{2,}: |^[\w+.-]+://\S+$|[{};]\s*$|\w\(\{")
#: Words that are no code; an English sentence has some, as what no other language claims counts as English.
_WORD = re.compile(r"(?<![\w./:(-])[a-z]{2,}(?![\w/:(-]|\.\w)", re.IGNORECASE)
_FEWEST_WORDS = 3

_TELLS = rx(
    r"\b(?:is|are|was|now|will|has|have|should|must|only|can|does|do|uses?|shows?|runs?|goes|keeps?|[a-z]{2,}ed|[a-z]{3,}s) (?!$)"
)


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark as it would stand in memory, and the words it rests on."""

    text: str
    kind: Kind
    quote: str


@dataclass(frozen=True, slots=True)
class _Weighed:
    place: int
    sentence: str
    marks: Mapping[str, float]
    weight: float
    cues: Cues
    kind: Kind


def remarks(
    sentences: Mapping[int, str], judgements: Mapping[int, Judgement], exchange: Exchange, said: dt.datetime | None
) -> list[Remark]:
    """The remarks of a turn that are worth keeping, in the order they were typed.

    Args:
        sentences: those that no rule has taken, by their place in the turn.
        judgements: what each is worth by itself; those without one are no remarks.
        exchange: the turn and what stands around it.
        said: when it was typed, in the person's zone.
    """
    if not exchange.typed:
        return []
    weighed = [w for w in (_weigh(i, s, judgements.get(i), exchange) for i, s in sentences.items()) if w]
    anchors = sorted(
        (w for w in weighed if w.weight >= STANDS),
        key=lambda w: (-w.weight, w.place),
    )
    made: dict[int, Remark] = {}
    taken: set[int] = set()
    for anchor in anchors:
        if (
            anchor.place in taken
            or len(made) == _MOST
            or (_PROPOSES.search(anchor.sentence) and not _taken_up(exchange))
        ):
            continue
        together = _with_support(anchor, [w for w in weighed if w.place not in taken])
        remark = _remark(together, anchor, exchange, said)
        if remark:
            taken.update(w.place for w in together)
            made[anchor.place] = remark
    return [made[place] for place in sorted(made)]


def _weigh(place: int, sentence: str, judgement: Judgement | None, exchange: Exchange) -> _Weighed | None:
    cues = language_of(sentence)
    if cues is None or judgement is None or len(sentence) > _LONGEST * 2 or plainly_left(sentence.rstrip("?"), cues):
        return None
    if cues.ephemeral.search(sentence) and cues is not ENGLISH:
        return None
    if (
        _PASTED.search(sentence)
        or _HANDED_OUT.search(sentence)
        or (cues is ENGLISH and len(_WORD.findall(sentence)) < _FEWEST_WORDS)
    ):
        return None
    marks = found(sentence, MARKS.get(cues.code, ()))
    support = _START[cues.code] + sum(mark for mark in marks.values() if mark > 0 or mark <= _HEAVY)
    weight = judgement.lasts + support + _SPOKEN_BONUS.get(exchange.turn.origin, 0.0)
    if exchange.replies:
        weight += _agreed(sentence, exchange.replies[-1].text)
    return _Weighed(place, sentence, marks, weight, cues, judgement.kind)


def _agreed(sentence: str, reply: str) -> float:
    """What it adds that the agent agrees, or says in a line of its own what was said."""
    if _AGREES.match(reply):
        return _AGREED_BONUS
    in_a_line = len(reply) < _LONGEST_REPORT and len(sense(sentence).touches & sense(reply).touches) >= _SHARED
    return _SAID_BACK_BONUS if in_a_line else 0.0


def _bare(text: str) -> str:
    return " ".join(re.sub(r"[*`_#]", "", text.lower()).split()).strip(" .")


def _taken_up(exchange: Exchange) -> bool:
    """Whether a proposal may count: the agent did not advise against it, and the person did not take it back."""
    answer = exchange.replies[-1].text[:_OPENING] if exchange.replies else ""
    return not _DECLINES.search(answer) and not _TAKES_BACK.match(exchange.following.strip())


def _with_support(anchor: _Weighed, free: Sequence[_Weighed]) -> list[_Weighed]:
    """The sentence with its neighbours that say more of the same, as far as they fit."""
    by_place = {w.place: w for w in free}
    together = [anchor]
    length = len(anchor.sentence)
    for step in (1, -1):
        near = by_place.get(anchor.place + step)
        if near and near.weight >= _SUPPORTS and not _asks(near) and length + len(near.sentence) < _LONGEST:
            together.append(near)
            length += len(near.sentence)
    return sorted(together, key=lambda w: w.place)


def _asks(near: _Weighed) -> bool:
    return "asks" in near.marks or bool(_ASKS_BACK.match(near.sentence))


def _remark(
    together: Sequence[_Weighed], anchor: _Weighed, exchange: Exchange, said: dt.datetime | None
) -> Remark | None:
    parts = [line for line in (_stated(w, said) for w in together) if line and not reject(line)]
    own = _stated(anchor, said)
    if own not in parts or _HANGS.match(parts[0]):
        return None
    text = ("" if anchor.cues.code == "zh" else " ").join(parts)
    report = _report(text, exchange)
    if report and len(text) + len(report) <= MAX_LENGTH:
        text = f"{text} {report}"
    if reject(text) or "[REDACTED" in text or (anchor.cues is ENGLISH and hangs(own)):
        return None
    return Remark(text, anchor.kind, " ".join(w.sentence for w in together))


def _stated(one: _Weighed, said: dt.datetime | None) -> str:
    """The sentence as a statement: a request that was granted is what holds now."""
    core = resolve(take_heads(one.sentence.strip(" .!~?。！？"), one.cues).core, said, one.cues).text
    if one.cues is not ENGLISH:
        return rewrite.neutral(core, one.cues.code, rule=True, whole=True)
    core = _FOR_THE_TASK.sub("", core)
    inverted = _INVERTED.match(core)
    asked = _ASKED.match(core)
    if inverted:
        modal = "should" if inverted["no"] else inverted["modal"]
        core = f"{inverted['subject']} {modal} {inverted['rest']}"
    elif asked:
        core = asked["rest"]
    return rewrite.english(_APOLOGY.sub("", core), rule=True, whole=True)


def _report(text: str, exchange: Exchange) -> str:
    """The sentence of the agent's last answer that says how this was settled; "" unless the person let it stand."""
    if not exchange.replies or not exchange.following or OBJECTS.match(exchange.following.strip()):
        return ""
    own = sense(text).touches
    best: tuple[int, int, str] = (0, 0, "")
    for line in split(own_words(exchange.replies[-1].text)):
        bare = re.sub(
            r"\*\*|^(?:yes|agreed|exactly|correct|done|right|you'?re right)[,.:;!—– -]+",
            "",
            line.strip(),
            flags=re.IGNORECASE,
        ).strip()
        if (
            not _SHORTEST_REPORT < len(bare) <= _LONGEST_REPORT
            or _NO_REPORT.search(bare)
            or _HANGS.match(bare)
            or not _TELLS.search(bare)
        ):
            continue
        if line.rstrip("* ").endswith(":"):
            continue
        if _bare(bare) in _bare(text) or _bare(text) in _bare(bare) or (told(bare, "en") or 0.0) < _SETTLED:
            continue
        shared = len(own & sense(bare).touches)
        if shared >= _SHARED and (shared, -len(bare)) > best[:2]:
            best = (shared, -len(bare), bare)
    line = rewrite.finish(best[2].rstrip(":")) if best[2] else ""
    return "" if not line or reject(line) else line
