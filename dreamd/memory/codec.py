"""Plans and entries as the JSON that history keeps."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from dreamd.errors import MemoryTreeError
from dreamd.memory.plan import EntryRecord, Made, Plan

_encoder = msgspec.json.Encoder()
_plan = msgspec.json.Decoder(Plan)
_entry = msgspec.json.Decoder(EntryRecord)
_made = msgspec.json.Decoder(Made)


def encode_plan(plan: Plan) -> bytes:
    """A plan as one indented JSON document, so that `git diff` can be read."""
    return msgspec.json.format(_encoder.encode(plan), indent=1) + b"\n"


def decode_plan(data: bytes) -> Plan:
    """A plan from its JSON; unknown fields of a newer version are left out. Raises MemoryTreeError."""
    try:
        return _plan.decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise _damaged("plan") from error


def encode_entries(entries: Sequence[EntryRecord]) -> bytes:
    """One JSON line an entry, sorted by id, so that commits differ only where entries do."""
    return b"".join(_encoder.encode(entry) + b"\n" for entry in sorted(entries, key=lambda entry: entry.id))


def decode_entries(data: bytes) -> tuple[EntryRecord, ...]:
    """Entries from their lines. Raises MemoryTreeError."""
    try:
        return tuple(_entry.decode_lines(data))
    except (msgspec.MsgspecError, RecursionError) as error:
        raise _damaged("entries") from error


def encode_made(made: Made) -> bytes:
    """What dreamd made, sorted."""
    plain = {"files": sorted(made.files), "headings": sorted(made.headings), "values": sorted(made.values)}
    return msgspec.json.format(_encoder.encode(plain), indent=1) + b"\n"


def decode_made(data: bytes) -> Made:
    """What dreamd made. Raises MemoryTreeError."""
    try:
        return _made.decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise _damaged("list of what dreamd made") from error


def _damaged(what: str) -> MemoryTreeError:
    return MemoryTreeError(
        f"the {what} in history.git cannot be read",
        hint="it was written by a newer dreamd, or history.git was changed by hand; `git log` in it shows by whom",
    )
