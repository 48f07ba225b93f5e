"""The last sessions in a project: from the index, and those that are too new for it by their first words in the transcript."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from dreamd.briefing.circle import Circle
from dreamd.briefing.here import Here
from dreamd.context.headline import asked
from dreamd.errors import DreamdError
from dreamd.redact.redactor import Redactor
from dreamd.search.past import Past, PastSession
from dreamd.state.glance import LastSeen, last_seen
from dreamd.transcripts.adapter import reader_of
from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.event import Role

_LOOKED_AT = 8  # times as many sessions are looked at as are told, because some may not be told here
_READ_AT_MOST = 40  # events of a transcript, from the first typed turn on


def lately(
    past: Past, database: Path, place: Here, around: Circle, limit: int, *, without: str = "", extra: Sequence[str] = ()
) -> tuple[PastSession, ...]:
    """The newest sessions of a project in a sentence or two each, newest first; what cannot be read is left out.

    Args:
        past: what the index knows.
        database: the state database, which knows sessions within a second of their first line.
        place: the project.
        around: what may be told there.
        limit: so many at most.
        without: the agent's own id of a session that is left out.
        extra: further patterns of secrets.
    """
    looked_at = limit * _LOOKED_AT if around.keeps else limit
    indexed = past.sessions(place.keys, looked_at, without=without)
    known = {one.id: one for one in [one for one in indexed if around.tells(one.cwd)][:limit]}
    redactor = Redactor(extra)
    found = dict(known)
    passed_over = {one.id for one in indexed}
    for seen in last_seen(database, place.keys, place.directory, looked_at + 1):
        name = f"{seen.agent}:{seen.id}"
        if seen.id == without or name in passed_over or not around.tells(seen.cwd):
            continue
        if len(found) - len(known) > limit:
            break
        if about := _about(seen, redactor):
            found[name] = PastSession(name, seen.at, about, "")
    ordered = sorted(found.values(), key=lambda one: (one.at is not None, one.at), reverse=True)
    return tuple(ordered[:limit])


def _about(seen: LastSeen, redactor: Redactor) -> str:
    """The first typed words that say something, redacted."""
    with contextlib.suppress(DreamdError, OSError, ValueError, KeyError):
        reader = reader_of(ADAPTERS[seen.agent], seen.id)
        events = reader.read(Path(seen.file), start=seen.offset)
        first = (event for _, event in zip(range(_READ_AT_MOST), events, strict=False))
        return asked(redactor.redact(event.text).text for event in first if event.role is Role.HUMAN)
    return ""
