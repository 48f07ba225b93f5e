"""Two engines as one: words of projects that never leave this machine are read and ordered here, all others may be sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from dreamd.engines.batching import Batching, Post
from dreamd.engines.costly import Ahead, Book, Costly
from dreamd.engines.faults import UnusableAnswer
from dreamd.engines.protocol import (
    Act,
    Digest,
    Engine,
    Extraction,
    Finding,
    KnownEntry,
    Proposal,
    Reconciliation,
    Topic,
)
from dreamd.engines.purse import Purse
from dreamd.log import logger
from dreamd.usage import Usage


class Sending(Engine, Costly, Protocol):
    """An engine that sends what it reads to somebody."""


class Mixed:
    """Implements Engine and Costly with the name of the one that sends; `extract` is only asked for what may be sent.

    Nothing private is handed to it: neither a private finding nor a private entry, whatever topic it stands in.
    """

    def __init__(self, sending: Sending, local: Engine) -> None:
        self._sending = sending
        self._local = local

    @property
    def name(self) -> str:
        """As in the configuration."""
        return self._sending.name

    @property
    def version(self) -> str:
        """Of the engine that sends."""
        return self._sending.version

    @property
    def model(self) -> str:
        """See Costly."""
        return self._sending.model

    @property
    def post(self) -> Post | None:
        """See Batching. Only what may be sent is handed to it."""
        return self._sending.post if isinstance(self._sending, Batching) else None

    def begin(self, purse: Purse, book: Book | None = None) -> None:
        """See Costly."""
        self._sending.begin(purse, book)

    def end(self) -> None:
        """See Costly."""
        self._sending.end()

    def estimate(self, ahead: Ahead, book: Book | None = None) -> Usage:
        """See Costly."""
        return self._sending.estimate(ahead, book)

    def extract(self, digest: Digest, known: Sequence[KnownEntry]) -> Extraction:
        """Sends the session. Gather asks the local engine itself for private ones, because their findings bear its name."""
        return self._sending.extract(digest, [entry for entry in known if not entry.private])

    def broaden(
        self, findings: Sequence[Finding], entries: Sequence[tuple[str, KnownEntry]]
    ) -> tuple[frozenset[str], ...]:
        """Decided here, whoever reads: it looks at the findings of all projects at once."""
        return self._local.broaden(findings, entries)

    def reconcile(self, topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> Reconciliation:
        """Private findings meet everything here; the others meet private entries here, and the rest where it is sent to."""
        here = self._local.reconcile(topic, entries, [one for one in findings if one.private]).proposals
        secret = [entry for entry in entries if entry.private] + _added(here, findings)
        public = [one for one in findings if not one.private]
        met = _met(self._local, topic, secret, public)
        rest = [one for one in public if one.id not in {i for proposal in met for i in proposal.finding_ids}]
        if not rest:
            return Reconciliation((*here, *met))
        shown = [entry for entry in entries if not entry.private]
        try:
            sent = self._sending.reconcile(topic, shown, rest)
        except UnusableAnswer as fault:  # weak models fail again and again; the rules serve, and nothing is stuck
            logger().warning("answer.replaced", scope=topic.scope.value, fault=fault.code)
            sent = replace(self._local.reconcile(topic, shown, rest), usage=fault.usage)
        return replace(sent, proposals=(*here, *met, *sent.proposals))


def _added(proposals: Sequence[Proposal], findings: Sequence[Finding]) -> list[KnownEntry]:
    """What this very list adds out of private findings."""
    by_id = {finding.id: finding for finding in findings}
    return [
        KnownEntry(
            lead.id, one.text or lead.text, lead.kind, mine=True, slot=lead.slot, value=lead.value, last_at=lead.at
        )
        for one in proposals
        if one.act is Act.ADD and (lead := by_id.get(one.finding_ids[-1])) is not None
    ]


def _met(
    local: Engine, topic: Topic, secret: Sequence[KnownEntry], findings: Sequence[Finding]
) -> tuple[Proposal, ...]:
    """What findings do to private entries; one that touches none of them is left for the engine that sends."""
    if not secret or not findings:
        return ()
    names = {entry.id for entry in secret}
    proposals = local.reconcile(topic, secret, findings).proposals
    return tuple(
        one for one in proposals if one.entry_id in names or (one.act is Act.DROP and one.reason == "duplicate")
    )
