"""The offline engine: no model, no network, the same answer every time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from dreamd.engines.offline.broaden import broaden
from dreamd.engines.offline.extract import extract
from dreamd.engines.offline.reconcile import reconcile
from dreamd.engines.protocol import Digest, Extraction, Finding, KnownEntry, Reconciliation, Topic
from dreamd.meaning import Meaning, installed
from dreamd.settings import Config


class OfflineEngine:
    """Reads what people typed by linguistic rules; implements `dreamd.engines.protocol.Engine`."""

    def __init__(self, meaning: Meaning | None = None) -> None:
        """`meaning` proposes which rules say the same in other words; without it, words alone tell."""
        self._meaning = meaning

    @property
    def name(self) -> str:
        """As in the configuration."""
        return "offline"

    @property
    def version(self) -> str:
        """Rises whenever the rules would read the same words differently."""
        return "7"

    def extract(self, digest: Digest, known: Sequence[KnownEntry]) -> Extraction:  # noqa: ARG002 - rules need no orientation
        """What is worth keeping of a session's fresh turns; deterministic."""
        return extract(digest)

    def broaden(
        self, findings: Sequence[Finding], entries: Sequence[tuple[str, KnownEntry]]
    ) -> tuple[frozenset[str], ...]:
        """What was said in two projects and so holds in all: groups of finding and entry ids; deterministic."""
        return broaden(findings, entries)

    def reconcile(self, topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> Reconciliation:
        """How the findings of one topic meet what is known of it; deterministic."""
        return reconcile(topic, entries, findings, self._meaning)


def offline(_config: Config, _day: dt.date) -> OfflineEngine:
    """The engine that every configuration has; the extra `embeddings` joins in where it is installed."""
    return OfflineEngine(installed())
