"""A piece of a session shown to a model, and its answer turned into findings that stand on what was really typed."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dreamd.engines.claude.fence import Fenced, clean, fenced
from dreamd.engines.claude.pieces import Piece, is_new
from dreamd.engines.claude.prompts import letters, repeats_prompt
from dreamd.engines.claude.structure import Found
from dreamd.engines.earned import unearned, visible
from dreamd.engines.offline.judge import reject
from dreamd.engines.offline.sentences import own_words
from dreamd.engines.protocol import Digest, Dropped, Finding, Kind, Scope, Turn

#: Why a finding of a model was left. Closed.
Left = Literal["invented", "unquoted", "unfounded", "echo", "unmapped", "junk", "repeated", "no_room"]

_WEIGHTS = {"stressed": 1.5, "stated": 1.0, "implied": 0.5}
_FROM_AGENT = 0.75  # an agent's answer is weaker evidence than typed words
_AGENTS_MAY = frozenset({Kind.LEARNING, Kind.OUTCOME})
_KINDS = {kind.value: kind for kind in Kind}
_SCOPES = {scope.value: scope for scope in Scope}
_GENERAL = frozenset({Kind.PREFERENCE, Kind.PROHIBITION, Kind.CORRECTION, Kind.CONVENTION})
_SHORTEST_QUOTE = 2  # letters; "是的" and "ok" are quotes, a comma is none
_LONGEST_QUOTE = 300
_LONGEST_NAME = 60
_ADDRESS = re.compile(r"\b(?:https?://|www\.)[^\s)>\]\"'`]+|\b[\w.+-]+@[\w-]+\.[\w.]+", re.IGNORECASE)
_NO_NAME = re.compile(r"[^\w .&+#'-]+")

_TASK = (
    "Read the new turns of the person above and answer with the JSON object of findings that your instructions describe; "
    "an empty list where nothing is worth keeping. Continue nothing, answer nobody in the transcript."
)
_FURTHER = (
    "This is a further part of the session. What stands before it in this conversation is material too, and was read. "
)
_AGAIN = (
    "\nYour last answer could not be used, because it was not the one JSON object that your instructions describe, or was cut. "
    "Answer with that object alone, and with fewer and shorter findings."
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A piece as a model sees it: the turns under short names, which mean nothing elsewhere."""

    digest: Digest
    names: Mapping[str, Turn]  # as they stand in the whole digest, not as they are shown
    text: str


def sheet(piece: Piece, digest: Digest, said: Sequence[Finding] = (), *, again: bool = False, before: int = 0) -> Sheet:
    """Lays a piece between marks. `said`: what earlier pieces gave; `again`: the last answer was no good.

    `before`: so many turns were named in this conversation already; names go on from there.
    """
    whole = {turn.id: turn for turn in digest.turns}
    names = {f"t{number}": turn for number, turn in enumerate(piece.turns, start=before + 1)}
    parts = [Fenced(f"session of the project {_name(digest.project_name) or 'without a name'}")]
    parts += [Fenced(_heading(name, turn, digest), turn.text) for name, turn in names.items()]
    if said:
        earlier = "\n".join(f"- {finding.text}" for finding in said)
        parts.append(Fenced("found in earlier parts of this session: do not repeat, unless it changed since", earlier))
    task = (_FURTHER if before else "") + _TASK + (_AGAIN if again else "")
    return Sheet(
        digest, {name: whole.get(turn.id, turn) for name, turn in names.items()}, fenced("transcript", parts, task)
    )


def shown_again(ids: Sequence[str], digest: Digest) -> Sheet:
    """What a model was shown hours ago, under the same names; a turn that is gone since leaves its name unknown."""
    turns = {turn.id: turn for turn in digest.turns}
    names = {f"t{number}": turns[one] for number, one in enumerate(ids, start=1) if one in turns}
    return Sheet(digest, names, "")


def _heading(name: str, turn: Turn, digest: Digest) -> str:
    when = turn.at.astimezone(digest.zone).strftime("%Y-%m-%d %H:%M") if turn.at else "no time"
    who = "person new" if is_new(turn, digest.fresh) else "person known" if turn.role.value == "human" else "agent"
    return f"{name} {who} {when}"


def findings_of(found: Iterable[Found], shown: Sheet) -> tuple[list[Finding], list[Dropped]]:
    """The findings that hold what a finding must, and those that do not with the reason."""
    kept: list[Finding] = []
    left: list[Dropped] = []
    seen: set[str] = set()
    for one in found:
        turn = shown.names.get(one.turn.strip())
        made = _checked(one, turn, shown)
        if isinstance(made, Finding) and letters(made.text) not in seen:
            seen.add(letters(made.text))
            kept.append(made)
        else:
            reason: Left = "repeated" if isinstance(made, Finding) else made
            left.append(Dropped(turn.id if turn else "", reason))
    return kept, left


def _checked(one: Found, turn: Turn | None, shown: Sheet) -> Finding | Left:
    kind, scope = _KINDS.get(one.kind.strip()), _SCOPES.get(one.scope.strip())
    if kind is None or scope is None:
        return "unmapped"
    rests_on = _evidence(turn, kind, shown)
    if turn is None or rests_on is None:
        return "invented"
    text, quote = " ".join(visible(clean(one.text)).split()), " ".join(clean(one.quote).split())
    if reason := _unfit(text, quote, turn, kind):
        return reason
    if unearned(text, (own_words(rests_on.text),)):
        return "unfounded"
    subject = _name(one.subject)
    scope = _scope(scope, kind, subject)
    return Finding(
        kind=kind,
        scope=scope,
        text=text,
        turn_id=rests_on.id,
        at=turn.at,
        quote=quote[:_LONGEST_QUOTE],
        subject=subject if scope in (Scope.PATTERN, Scope.PERSON) else "",
        slot=_name(one.slot).lower(),
        value=clean(one.value).strip()[:_LONGEST_NAME] if one.slot else "",
        weight=_WEIGHTS.get(one.strength, 1.0) if turn is rests_on else _FROM_AGENT,
        happened=_day(one.day),
    )


def _unfit(text: str, quote: str, turn: Turn, kind: Kind) -> Left | None:
    """Why a sentence may not stand, or does not stand on what it quotes."""
    if not _stands_in(quote, turn, kind):
        return "unquoted"
    if repeats_prompt(text):
        return "echo"
    if reject(text):
        return "junk"
    return None if _addresses(text) <= _addresses(turn.text) else "unfounded"


def _evidence(turn: Turn | None, kind: Kind, shown: Sheet) -> Turn | None:
    """The new turn of the person that a finding rests on: the turn named, or the one that an agent's answer was given to."""
    if turn is None or is_new(turn, shown.digest.fresh):
        return turn
    if turn.role.value != "assistant" or kind not in _AGENTS_MAY:
        return None
    before = list(shown.digest.turns)[: shown.digest.turns.index(turn)] if turn in shown.digest.turns else []
    asked = next((one for one in reversed(before) if one.role.value == "human"), None)
    return asked if asked is not None and is_new(asked, shown.digest.fresh) else None


def _stands_in(quote: str, turn: Turn, kind: Kind) -> bool:
    """Whether the quoted words are in the turn, and typed rather than pasted; only an outcome may be read off a paste."""
    bare = letters(quote)
    if len(bare) < _SHORTEST_QUOTE:
        return False
    words = turn.text if kind in _AGENTS_MAY else own_words(turn.text)
    return bare in letters(unicodedata.normalize("NFC", words)) or bare in letters(words)


def _scope(scope: Scope, kind: Kind, subject: str) -> Scope:
    """What does not fit its scope stays with its project."""
    if scope is Scope.GENERAL and kind not in _GENERAL:
        return Scope.PROJECT
    return Scope.PROJECT if scope is Scope.PERSON and not subject else scope


def _name(text: str) -> str:
    return " ".join(_NO_NAME.sub(" ", clean(text)).split())[:_LONGEST_NAME].strip(" .'-")


def _addresses(text: str) -> frozenset[str]:
    return frozenset(found.rstrip(".,;:") for found in _ADDRESS.findall(text))


def _day(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text.strip())
    except ValueError:
        return None
