"""What the tests of the offline engine type: a session of one or several turns, and what was found in it."""

import datetime as dt

from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.protocol import Digest, Extraction, Finding, Kind, Scope, Turn
from dreamd.transcripts.event import Origin, Role

#: A Wednesday.
SAID = dt.datetime(2026, 3, 18, 9, 0, tzinfo=dt.UTC)


def turn(
    text: str, *, n: int = 0, origin: Origin = Origin.TYPED, role: Role = Role.HUMAN, at: dt.datetime = SAID
) -> Turn:
    return Turn(f"turn-{n}", at + dt.timedelta(minutes=n), role, origin, text, "session.jsonl", n * 100)


def answer(text: str, *, n: int = 0) -> Turn:
    return turn(text, n=n, role=Role.ASSISTANT, origin=Origin.MODEL)


def digest(*turns: Turn, fresh: frozenset[str] | None = None, zone: dt.tzinfo = dt.UTC) -> Digest:
    typed = frozenset(t.id for t in turns if t.role is Role.HUMAN)
    return Digest("session", "claude-code", "key", "orchard", turns, typed if fresh is None else fresh, zone)


def read(*turns: Turn | str, zone: dt.tzinfo = dt.UTC) -> Extraction:
    spoken = [turn(t, n=n) if isinstance(t, str) else t for n, t in enumerate(turns)]
    return OfflineEngine().extract(digest(*spoken, zone=zone), ())


def lines(*turns: Turn | str) -> list[str]:
    """The texts found that stand by themselves."""
    return [f.text for f in read(*turns).findings if f.weight >= 1]


def finding(
    text: str,
    *,
    n: int = 1,
    weight: float = 1.0,
    slot: str = "",
    value: str = "",
    session: str = "",
    kind: Kind = Kind.FACT,
) -> Finding:
    return Finding(
        kind=kind,
        scope=Scope.PROJECT,
        text=text,
        turn_id=f"turn-{n}",
        at=SAID + dt.timedelta(days=n),
        quote=text,
        slot=slot,
        value=value,
        weight=weight,
        id=f"finding-{n}",
        session_id=session or f"session-{n}",
    )
