"""The form in which a model answers: strict schemas, and the one way an answer is read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec

from dreamd.engines.protocol import Act, Kind, Scope

_TEXT: Mapping[str, object] = {"type": "string"}
_STRENGTHS = ("stated", "stressed", "implied")
_REASONS = ("new", "repeated", "newer_value", "contradicted", "duplicate", "weak", "junk")


def _one_of(values: object) -> dict[str, object]:
    return {"type": "string", "enum": values}


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(name: str, item: Mapping[str, object]) -> dict[str, object]:
    return _object({name: {"type": "array", "items": item}})


#: What `extract` answers.
FINDINGS = _list(
    "findings",
    _object(
        {
            "kind": _one_of([kind.value for kind in Kind]),
            "scope": _one_of([scope.value for scope in Scope]),
            **dict.fromkeys(("text", "turn", "quote", "subject", "slot", "value"), _TEXT),
            "strength": _one_of(list(_STRENGTHS)),
            "day": _TEXT,
        }
    ),
)
#: What `reconcile` answers.
PROPOSALS = _list(
    "proposals",
    _object(
        {
            "act": _one_of([act.value for act in Act]),
            "findings": {"type": "array", "items": _TEXT},
            "entry": _TEXT,
            "text": _TEXT,
            "reason": _one_of(list(_REASONS)),
        }
    ),
)


class Found(msgspec.Struct, frozen=True):
    """One finding as a model writes it; every word of it is still to be checked."""

    kind: str
    scope: str
    text: str
    turn: str
    quote: str
    subject: str = ""
    slot: str = ""
    value: str = ""
    strength: str = "stated"
    day: str = ""


class Findings(msgspec.Struct, frozen=True):
    """An answer of `extract`."""

    findings: tuple[Found, ...]


class Proposed(msgspec.Struct, frozen=True):
    """One proposal as a model writes it."""

    act: str
    findings: tuple[str, ...]
    entry: str = ""
    text: str = ""
    reason: str = ""


class Proposals(msgspec.Struct, frozen=True):
    """An answer of `reconcile`."""

    proposals: tuple[Proposed, ...]


Form = TypeVar("Form", Findings, Proposals)


def read(text: str, form: type[Form]) -> Form | None:
    """The one object of this form in an answer; None for none, and for several, because then nobody knows which is meant.

    Servers without structured output wrap it: in fences, in prose, behind a scratch of thinking. What does not have the form is
    passed over, so a scratch never stands for the answer, and a cut answer is none.
    """
    found = [made for made in (_as(value, form) for value in _objects(text)) if made is not None]
    return found[0] if found and all(one == found[0] for one in found) else None


def _as(value: object, form: type[Form]) -> Form | None:
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError:
        return None


def _objects(text: str) -> Iterator[object]:
    """Every JSON object that stands in a text and in no other one."""
    decoder = json.JSONDecoder()
    position = text.find("{")
    while position >= 0:
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            yield value
        position = text.find("{", end)
