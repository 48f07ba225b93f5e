"""What an engine sees of a session: the person's turns in full, of the agent's only what they were about."""

from __future__ import annotations

import datetime as dt
import re
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from dreamd.engines.protocol import Digest, Turn
from dreamd.redact.redactor import Redactor
from dreamd.state.records import Pending
from dreamd.transcripts.adapter import Reader
from dreamd.transcripts.event import PERSON_ORIGINS, Event, Origin, Role

_LONGEST_TURN = 12_000  # characters of a person's own text that an engine sees; longer pastes are cut in the middle
_LONGEST_ANSWER = 2_000  # characters of an agent's last text before a person's turn
_LONGEST_ASIDE = 500  # characters of what the agent said before that
_ANSWERS = 4  # texts of an agent that are kept before a person's turn, and as many more that name a cause
_CAUSE = re.compile(
    r"\b(?:caused by|causes?|culprit|due to|because of|came from|turn(?:s|ed) out|the fix (?:is|was)|fixed)\b",
    re.IGNORECASE,
)
_CUT = "\n[…]\n"


def digest(pending: Pending, adapter: Reader, redactor: Redactor, zone: dt.tzinfo, *, headless: bool) -> Digest:
    """What an engine sees of a session: the person's turns in full, of the agent's the last text before each and at the end."""
    session = pending.session
    origins = PERSON_ORIGINS | {Origin.HEADLESS} if headless else PERSON_ORIGINS
    turns: list[Turn] = []
    for path in dict.fromkeys(turn.path for turn in pending.turns):
        turns += _digest_turns(adapter.read(Path(path)), origins, redactor)
    return Digest(
        session_id=session.id,
        agent=session.agent,
        project_key=session.project.key if session.project else "",
        project_name=session.project.name if session.project else "",
        turns=tuple(turns),
        fresh=frozenset(turn.id for turn in pending.turns),
        zone=zone,
    )


def _digest_turns(events: Iterable[Event], origins: frozenset[Origin], redactor: Redactor) -> Iterator[Turn]:
    """A person's turns, and before each the agent's last few words: of the earlier ones only as much as tells a finding."""
    answers: deque[_Aside] = deque()
    for event in events:
        if event.role is Role.ASSISTANT and event.origin is Origin.MODEL and event.text.strip():
            # Looked at once, and only where it can be told: an agent may say megabytes.
            answers.append(_Aside(event, _CAUSE.search(_shortened(event.text, _LONGEST_ANSWER)) is not None))
            _let_go(answers)
        elif event.role is Role.HUMAN and event.origin in origins:
            yield from _answered(answers, redactor)
            yield _turn(event, redactor, _LONGEST_TURN)
    yield from _answered(answers, redactor)


class _Aside(NamedTuple):
    """What the agent said on the way."""

    event: Event
    names_cause: bool


def _let_go(answers: deque[_Aside]) -> None:
    """Of what an agent said on the way only the last few texts stay, and the last few that name a cause."""
    for causes in (False, True):
        of_a_kind = [aside for aside in answers if aside.names_cause is causes]
        if len(of_a_kind) > _ANSWERS:
            answers.remove(of_a_kind[0])


def _answered(answers: deque[_Aside], redactor: Redactor) -> Iterator[Turn]:
    while answers:
        yield _turn(answers.popleft().event, redactor, _LONGEST_ASIDE if answers else _LONGEST_ANSWER)


def _turn(event: Event, redactor: Redactor, longest: int) -> Turn:
    text = redactor.redact(event.text).text
    return Turn(
        id=event.id,
        at=event.at,
        role=event.role,
        origin=event.origin,
        text=_shortened(text, longest),
        path=event.raw.path,
        offset=event.raw.offset,
    )


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = (longest - len(_CUT)) // 2
    return text[:half] + _CUT + text[-half:]
