"""A typed record out of JSON whose values have unexpected types: what does not fit counts as missing, the rest stands."""

from __future__ import annotations

import json
from typing import Any, TypeVar

import msgspec

from dreamd.transcripts import jsonl

_Struct = TypeVar("_Struct", bound=msgspec.Struct)


def lenient(kind: type[_Struct], raw: dict[str, object]) -> _Struct:
    """The struct with every field whose value fits. Never raises; all fields of `kind` must have defaults."""
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name not in raw:
            continue
        data = jsonl.mend(json.dumps(raw[field.encode_name]).encode())
        try:
            values[field.name] = msgspec.json.decode(data, type=field.type)
        except (ValueError, RecursionError):
            continue
    return kind(**values)
