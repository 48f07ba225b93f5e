"""An OpenCode session as events, and what a count scan learns of it."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile

from dreamd.transcripts import speaker
from dreamd.transcripts.claude_events import INJECTED_EXCERPT, SUMMARY_EXCERPT, excerpt
from dreamd.transcripts.event import Cursor, Event, Growth, HumanTurn, Origin, RawPosition, Reading, Role
from dreamd.transcripts.jsonl import clean_text
from dreamd.transcripts.opencode_store import Body, StoredMessage, StoredSession
from dreamd.transcripts.turn import read_size

#: Parts that are read, or known to hold nothing that was said.
_PARTS = frozenset(
    "text reasoning file tool step-start step-finish snapshot patch agent retry compaction subtask".split()  # noqa: SIM905 - a list of names is easier to keep as words
)
_COMPACTION = "compaction"
_NO_TYPE = "no type"


def events(session: StoredSession, path: str) -> Iterator[Event]:
    """The events in the messages' order. `raw.offset` is the message's time in milliseconds: rows have no place in a file."""
    scripted = _is_scripted(session)
    for message in _standing(session):
        if message.body.role == "user":
            yield from _users(session, message, path, scripted=scripted)
        elif message.body.role == "assistant":
            yield from _agents(session, message, path)


def reading(session: StoredSession, path: str, growth: Growth, cursor: Cursor) -> Reading:
    """What a whole session comes to."""
    people = [one for one in events(session, path) if one.role is Role.HUMAN]
    turns = [(one.origin, HumanTurn(one.id, one.raw.offset, one.at, one.origin, read_size(one.text))) for one in people]
    unknown = Counter(
        part.type or _NO_TYPE for message in session.messages for part in message.parts if part.type not in _PARTS
    )
    spoken = [message for message in session.messages if message.body.tokens is not None]
    return Reading(
        growth=growth,
        cursor=cursor,
        bytes_read=session.bytes,
        records=len(session.messages) + sum(len(message.parts) for message in session.messages),
        bad_lines=session.bad,
        unknown_types=dict(unknown),
        turns=tuple(turn for origin, turn in turns if origin is not Origin.HEADLESS),
        headless_turns=tuple(turn for origin, turn in turns if origin is Origin.HEADLESS),
        output_tokens={one.id: _count(one, cached=False)[1] for one in spoken},
        input_tokens={one.id: _count(one, cached=True)[0] for one in spoken},
        first_at=_moment(min((one.created for one in session.messages if one.created), default=0)),
        last_at=_moment(max((one.created for one in session.messages), default=0)),
        first_cwd=session.directory,
        version=session.version,
        entrypoint="run" if _is_scripted(session) else None,
        headless=_is_scripted(session) or session.parent is not None,
        title=session.title,
        lineage=_lineage(session),
        own=any(speaker.is_own(text) for one in session.messages for text in _typed(one)),
    )


def _standing(session: StoredSession) -> Iterator[StoredMessage]:
    """The messages up to the one that the person went back to."""
    return takewhile(lambda message: message.id != session.reverted, session.messages)


def _users(session: StoredSession, message: StoredMessage, path: str, *, scripted: bool) -> Iterator[Event]:
    texts = _typed(message)
    words = speaker.human_words("\n".join(_unquoted(text) if scripted else text for text in texts))
    if session.parent is not None:
        if words:
            yield _event(session, message, path, Role.SYSTEM, Origin.SIDECHAIN, excerpt(words))
    elif words:
        origin = Origin.HEADLESS if scripted else Origin.TYPED
        yield _event(session, message, path, Role.HUMAN, origin, words, name=_digest(message, words))
    added = "\n".join(part.text or "" for part in message.parts if part.type == "text" and _is_added(part))
    if added.strip():
        text = clean_text(added)[:INJECTED_EXCERPT]
        yield _event(session, message, path, Role.SYSTEM, Origin.INJECTED, text, name=f"{message.id}#added")


def _agents(session: StoredSession, message: StoredMessage, path: str) -> Iterator[Event]:
    aside = session.parent is not None
    said = clean_text("\n\n".join(part.text for part in message.parts if part.type == "text" and part.text)).strip()
    if said and (message.body.summary or message.body.mode == _COMPACTION):
        yield _event(session, message, path, Role.SUMMARY, Origin.COMPACT, said[:SUMMARY_EXCERPT])
    elif said:
        yield _event(session, message, path, Role.ASSISTANT, Origin.SIDECHAIN if aside else Origin.MODEL, said)
    for number, part in enumerate(message.parts):
        if part.type == "tool" and part.state is not None:
            text = excerpt(clean_text(part.state.output or part.state.error or "").strip())
            origin = Origin.SIDECHAIN if aside else Origin.TOOL
            name = f"{message.id}#{number}"
            yield _event(session, message, path, Role.TOOL, origin, text, name=name, part=part)


def _event(
    session: StoredSession,
    message: StoredMessage,
    path: str,
    role: Role,
    origin: Origin,
    text: str,
    *,
    name: str = "",
    part: Body | None = None,
) -> Event:
    return Event(
        id=name or message.id,
        parent_id=None,
        at=_moment(message.created),
        role=role,
        origin=origin,
        text=text,
        raw=RawPosition(path, message.created),
        cwd=session.directory,
        model=message.body.model_id if role is Role.ASSISTANT else None,
        tool=part.tool if part else None,
        is_error=bool(part and part.state and part.state.status == "error"),
        message_id=message.id if role is Role.ASSISTANT else None,
    )


def _typed(message: StoredMessage) -> list[str]:
    """The texts of a message in the user's place that the client did not add itself."""
    if message.body.role != "user" or any(part.type == _COMPACTION for part in message.parts):
        return []
    return [
        clean_text(part.text) for part in message.parts if part.type == "text" and part.text and not _is_added(part)
    ]


def _is_added(part: Body) -> bool:
    return bool(part.synthetic or part.ignored)


def _is_scripted(session: StoredSession) -> bool:
    """Whether the prompts come from `opencode run`: it forbids questions, and puts its arguments into quotes."""
    first = next((text for message in session.messages for text in _typed(message)), "")
    return session.scripted or _unquoted(first) != first.strip()


def _unquoted(text: str) -> str:
    """What stands between the quotes that `opencode run` puts round its argument; any other text as it is."""
    text = text.strip()
    inner = text[1:-1]
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return inner if quoted and '"' not in inner.replace('\\"', "") else text


def _digest(message: StoredMessage, words: str) -> str:
    """The same in a fork, which copies messages under new ids with their times."""
    return hashlib.blake2b(f"{message.created}\n{words}".encode("utf-8", "replace"), digest_size=16).hexdigest()


def _lineage(session: StoredSession) -> str:
    """The first thing that was said: the same in every fork."""
    for message in session.messages:
        if texts := _typed(message):
            return _digest(message, "\n".join(texts))
    return session.id


def _count(message: StoredMessage, *, cached: bool) -> tuple[int, int]:
    tokens = message.body.tokens
    if tokens is None:
        return 0, 0
    cache = (tokens.cache.read or 0) + (tokens.cache.write or 0) if cached and tokens.cache else 0
    return (tokens.input or 0) + cache, tokens.output or 0


def _moment(ms: int) -> dt.datetime | None:
    return dt.datetime.fromtimestamp(ms / 1000, dt.UTC) if ms else None
