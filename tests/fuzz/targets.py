"""What is fed with anything at all: each takes bytes, and raises only where dreamd would be wrong."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from dreamd.config import load
from dreamd.engines.claude import structure
from dreamd.engines.claude.pieces import Piece
from dreamd.engines.claude.reading import findings_of, sheet
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.protocol import Digest, Turn
from dreamd.errors import ConfigError, MemoryTreeError
from dreamd.memory.codec import decode_entries, decode_plan
from dreamd.memory.document import parse
from dreamd.memory.edit import Place, UnwritableError, add_entry, remove_block
from dreamd.memory.front import front_values
from dreamd.redact.redactor import Redactor
from dreamd.search.words import query_terms
from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.event import Cursor, Growth, Origin, Role

SESSION = "00000000-0000-4000-8000-000000000001"
#: Where a file of each agent lies below its root.
PLACES = {
    "claude-code": f"-home-sam-work-orchard/{SESSION}.jsonl",
    "codex": f"2026/03/02/rollout-2026-03-02T09-00-00-{SESSION}.jsonl",
    "gemini": "0123abcd/chats/session-2026-03-02T09-00-00000000.json",
}
_REDACTOR = Redactor()
_ENGINE = OfflineEngine()
_NOW = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)
_MOST = 3  # times the bytes of a file: so much text at most comes of it


def transcript(agent: str, data: bytes) -> None:
    """Reader: counted and read without a fault; halves make no other turns than the whole; nothing is made up."""
    adapter = ADAPTERS[agent]
    with tempfile.TemporaryDirectory(dir=_fast()) as folder:
        path = Path(folder) / PLACES[agent]
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        before = path.read_bytes()
        for file in adapter.discover(Path(folder)):
            reading = adapter.scan(file, Cursor(), settled=True)
            assert reading.growth is not Growth.GONE
            assert 0 <= reading.cursor.consumed <= len(data)
            again = adapter.scan(file, reading.cursor, settled=True)
            assert not again.turns, "nothing new, and yet turns"
            told = 0
            for event in adapter.read(path):
                assert event.at is None or event.at.tzinfo is not None
                told += len(event.text)
                event.text.encode()  # no lone surrogates: they could be neither stored nor sent
            assert told <= _MOST * len(data) + 4096, "more was told than was there"
        assert path.read_bytes() == before


def configuration(data: bytes) -> None:
    """Configuration: it is one, or every problem is told."""
    with tempfile.TemporaryDirectory(dir=_fast()) as folder:
        file = Path(folder) / "config.toml"
        file.write_bytes(data)
        try:
            load(file, {})
        except ConfigError as error:
            told = error.problems
        else:
            return
    assert told
    assert all(str(file) in problem for problem in told)


def document(data: bytes) -> None:
    """Memory document: given back byte for byte; what is added can be taken away again."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    doc = parse(text)
    assert doc.render() == text
    front_values(doc.front)
    try:
        grown = add_entry(doc, "one more line", Place("Notes"))
    except UnwritableError:  # a fence that nobody closed: what came behind it would be code
        return
    again = parse(grown.render())
    assert again.render() == grown.render()
    block = next((one for one in again.entries if one.text == "one more line"), None)
    if block is not None:
        left = [one.key for one in parse(remove_block(again, block).render()).entries]
        assert sorted(left) == sorted(one.key for one in again.entries if one is not block)


def reply(data: bytes) -> None:
    """A model's answer: a list of findings that stand on typed words, or nothing."""
    text = data.decode("utf-8", "replace")
    digest = _digest("We always use pnpm in this repo, never npm. The API is on 8181.")
    shown = sheet(Piece(digest.turns, 30), digest)
    answer = structure.read(text, structure.Findings)
    structure.read(text, structure.Proposals)
    if answer is not None:
        kept, _ = findings_of(answer.findings, shown)
        for one in kept:
            assert one.turn_id == "u1"
            assert "\n" not in one.text


def secrets(data: bytes) -> None:
    """Redaction: twice is once, nothing but marks comes in."""
    text = data.decode("utf-8", "replace")
    once = _REDACTOR.redact(text)
    again = _REDACTOR.redact(once.text)
    assert again.text == once.text
    assert bool(once.count) == (once.text != text)


def history(data: bytes) -> None:
    """What history keeps: read, or refused in words."""
    for decode in (decode_plan, decode_entries):
        with contextlib.suppress(MemoryTreeError):
            decode(data)


def typed_words(data: bytes) -> None:
    """The offline engine on whatever was typed, and the search words of it."""
    text = data.decode("utf-8", "replace")
    query_terms(text)
    digest = _digest(text)
    for one in _ENGINE.extract(digest, ()).findings:
        assert "\n" not in one.text
        msgspec.json.encode(one.text)


def _digest(text: str) -> Digest:
    """A session in which somebody typed this one thing."""
    turn = Turn("u1", _NOW, Role.HUMAN, Origin.TYPED, text, "/x.jsonl", 0)
    return Digest(SESSION, "claude-code", "/work/orchard", "orchard", (turn,), frozenset({"u1"}), dt.UTC)


def _fast() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


TARGETS: Mapping[str, Callable[[bytes], Any]] = {
    **{agent: (lambda data, agent=agent: transcript(agent, data)) for agent in PLACES},
    "configuration": configuration,
    "document": document,
    "reply": reply,
    "secrets": secrets,
    "history": history,
    "typed_words": typed_words,
}
