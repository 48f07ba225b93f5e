"""The seam between dreaming and whoever reads and decides: digests go in, findings and proposals come out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from dreamd.transcripts.event import Origin, Role
from dreamd.usage import Usage


class Kind(StrEnum):
    """What a finding says. The order is the order of weight in MEMORY.md."""

    PROHIBITION = "prohibition"
    CORRECTION = "correction"
    PREFERENCE = "preference"
    CONVENTION = "convention"
    DECISION = "decision"
    COMMAND = "command"
    FACT = "fact"
    LEARNING = "learning"
    OUTCOME = "outcome"
    PERSON = "person"


class Scope(StrEnum):
    """Where a finding holds, and so which file it lives in."""

    GENERAL = "general"  # the person, everywhere → MEMORY.md
    PROJECT = "project"  # one project → projects/<project>.md
    PATTERN = "pattern"  # something learned → patterns/<subject>.md
    PERSON = "person"  # somebody → people/<name>.md


@dataclass(frozen=True, slots=True)
class Turn:
    """One redacted turn of a session's digest."""

    id: str
    at: dt.datetime | None  # UTC
    role: Role
    origin: Origin
    text: str
    path: str
    offset: int


@dataclass(frozen=True, slots=True)
class Digest:
    """One session as an engine sees it: what the person typed in full, the rest shortened by rank of evidence.

    `fresh` are the ids of the human turns not dreamt of yet; the others are context. Only fresh turns make findings.
    """

    session_id: str
    agent: str
    project_key: str
    project_name: str
    turns: tuple[Turn, ...]
    fresh: frozenset[str]
    zone: dt.tzinfo  # the person's local zone: what "yesterday" means


@dataclass(frozen=True, slots=True)
class Finding:
    """Something worth keeping, in one self-contained sentence, with the turn it rests on.

    `key` is the digest of engine, prompt version, lineage, turn, kind and normalised text (filled by gather, "" from an engine).
    """

    kind: Kind
    scope: Scope
    text: str  # the sentence as it would stand in memory: no relative date, no "User:", no raw line
    turn_id: str
    at: dt.datetime | None  # when it was said, UTC
    quote: str  # the person's own words it rests on, redacted, at most 300 characters
    subject: str = ""  # PATTERN: the subject; PERSON: the name; else ""
    slot: str = ""  # what the value is of ("package manager", "port"): one current value a slot and scope; "" for none
    value: str = ""  # normalised value in that slot
    weight: float = 1.0  # strength of the evidence: cue, repetition, origin
    happened: dt.date | None = None  # the day the text speaks of where it names one
    key: str = ""
    id: str = ""  # ULID, given by the state
    session_id: str = ""
    project_key: str = ""
    path: str = ""
    offset: int = 0
    private: bool = False  # said in a project whose words never leave this machine


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something an engine looked at and left, with a reason from its closed set; for `runs show` and logs, no words in it."""

    turn_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one session gave. No findings is a good answer."""

    findings: tuple[Finding, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """An entry of memory as an engine may see it: an id and its words, never a path."""

    id: str
    text: str
    kind: Kind | None  # None: a person wrote it
    mine: bool  # True: a dream wrote it and no hand touched it since; else the engine may only let it stand
    slot: str = ""
    value: str = ""
    last_at: dt.datetime | None = None  # newest evidence
    weight: float = 1.0
    private: bool = False  # rests on what was said in a project whose words never leave this machine


class Act(StrEnum):
    """What an engine may propose for a finding."""

    ADD = "add"
    MERGE = "merge"  # the same thing: entry gains evidence, text may stay
    SUPERSEDE = "supersede"  # the finding is newer and the entry's value no longer true
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What to do with findings about one topic. Every proposal cites finding ids; invented ids are dropped by code."""

    act: Act
    finding_ids: tuple[str, ...]
    entry_id: str | None = (
        None  # MERGE, SUPERSEDE; may also be the first finding's id of an earlier ADD in the same list
    )
    text: str = ""  # the sentence to stand; "" keeps the entry's (MERGE) or the finding's (ADD, SUPERSEDE)
    reason: str = ""  # closed set: new, repeated, newer_value, contradicted, duplicate, weak, junk


@dataclass(frozen=True, slots=True)
class Topic:
    """One place of memory that findings of one scope and subject go to."""

    scope: Scope
    subject: str  # project name, pattern subject, person's name; "" for general
    project_key: str = ""


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What an engine proposes for one topic."""

    proposals: tuple[Proposal, ...] = ()
    usage: Usage = field(default_factory=Usage)


class Engine(Protocol):
    """Who reads and decides. The model proposes, code disposes: an engine returns values and touches nothing."""

    @property
    def name(self) -> str:
        """As in the configuration: "offline"."""
        ...

    @property
    def version(self) -> str:
        """The version of its prompts or rules; part of every finding's key."""
        ...

    def extract(self, digest: Digest, known: Sequence[KnownEntry]) -> Extraction:
        """What is worth keeping of one session's fresh turns. Deterministic for an engine without a model."""
        ...

    def broaden(
        self, findings: Sequence[Finding], entries: Sequence[tuple[str, KnownEntry]]
    ) -> tuple[frozenset[str], ...]:
        """Groups of finding and entry ids that say the same in two projects and so hold in all; () for none.

        `entries` are those of single projects, each with its project's key.
        """
        ...

    def reconcile(self, topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> Reconciliation:
        """How the findings of one topic meet what is known of it; findings come oldest first."""
        ...
