"""What an engine read or proposed and was paid for, kept until a run succeeds: neither a run that dies nor a lost database has it paid for again."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from dreamd.engines.faults import EngineFault
from dreamd.engines.protocol import Engine, Finding, KnownEntry, Proposal, Reconciliation, Topic
from dreamd.usage import Usage

_ENTRY = "entry:"
_READING = "reading-"


@dataclass(frozen=True, slots=True)
class PaidReading:
    """What was found in turns of a session, as it stands in the database too: this copy is for when that is lost."""

    session: str  # "agent:id"
    engine: str
    version: str
    turns: tuple[str, ...]  # the agent's ids of those that were read
    findings: tuple[Finding, ...]  # redacted, each with its key


class Answers:
    """Small files in the state directory; they hold remembered words, so they go with the first success and with `forget`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> tuple[Proposal, ...] | None:
        """The proposals under this key; None where there are none that can be read."""
        try:
            return msgspec.json.decode((self._folder / key).read_bytes(), type=tuple[Proposal, ...])
        except (OSError, msgspec.DecodeError):
            return None

    def put(self, key: str, proposals: Sequence[Proposal]) -> None:
        """Keeps proposals; a full disk must not end a dream, it only makes the next one pay."""
        self._write(key, msgspec.json.encode(list(proposals)))

    def put_reading(self, reading: PaidReading) -> None:
        """Keeps what a session gave; likewise."""
        content = msgspec.json.encode(reading)
        self._write(f"{_READING}{hashlib.sha256(content).hexdigest()[:40]}", content)

    def readings(self) -> Iterator[PaidReading]:
        """What sessions gave, as far as it can be read."""
        for path in sorted(self._folder.glob(f"{_READING}*")):
            with contextlib.suppress(OSError, msgspec.DecodeError):
                yield msgspec.json.decode(path.read_bytes(), type=PaidReading)

    def clear(self) -> None:
        """Forgets all of them."""
        with contextlib.suppress(OSError):
            for path in self._folder.iterdir():
                path.unlink(missing_ok=True)

    def _write(self, name: str, content: bytes) -> None:
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary = self._folder / f".{name}.new"
            temporary.write_bytes(content)
            os.replace(temporary, self._folder / name)  # noqa: PTH105 - as everywhere where files are replaced


class PayOnce:
    """An engine as consolidation asks it: each cost is booked at once, each answer that cost something is kept."""

    def __init__(self, engine: Engine, answers: Answers, book: Callable[[Usage], None]) -> None:
        self._engine = engine
        self._answers = answers
        self._book = book

    def broaden(
        self, findings: Sequence[Finding], entries: Sequence[tuple[str, KnownEntry]]
    ) -> tuple[frozenset[str], ...]:
        """See Engine; decided without asking anybody."""
        return self._engine.broaden(findings, entries)

    def reconcile(self, topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> Reconciliation:
        """See Engine; the usage is booked already."""
        key = _key(self._engine, topic, entries, findings)
        places = {entry.id: f"{_ENTRY}{number}" for number, entry in enumerate(entries)}
        names = {place: name for name, place in places.items()}
        if (kept := self._answers.get(key)) is not None:
            return Reconciliation(tuple(_renamed(one, names) for one in kept))
        try:
            answer = self._engine.reconcile(topic, entries, findings)
        except EngineFault as fault:
            self._book(fault.usage)
            raise
        self._book(answer.usage)
        if answer.usage.tokens:
            self._answers.put(key, [_renamed(one, places) for one in answer.proposals])
        return replace(answer, usage=Usage())


def _renamed(proposal: Proposal, names: dict[str, str]) -> Proposal:
    """Entries by their place: what this very dream adds elsewhere has another id each time."""
    return replace(proposal, entry_id=names.get(proposal.entry_id or "", proposal.entry_id))


def _key(engine: Engine, topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> str:
    asked = (engine.name, engine.version, topic, [replace(one, id="") for one in entries], list(findings))
    return hashlib.sha256(msgspec.json.encode(asked)).hexdigest()[:40]
