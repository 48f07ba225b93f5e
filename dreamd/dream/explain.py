"""Why a line stands in memory: whose it is, the words it rests on, and what each dream did to it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dreamd.briefing.circle import Circle
from dreamd.clock import rfc3339
from dreamd.dream.kept import copy_of, is_there, reader
from dreamd.dream.workshop import Workshop
from dreamd.errors import DreamdError, UsageError
from dreamd.memory.document import entry_key
from dreamd.memory.provenance import Step, entry_history
from dreamd.memory.survey import Mine, Survey, Theirs, survey
from dreamd.memory.tree import Tree
from dreamd.state.records import FindingRecord, SessionRecord
from dreamd.transcripts.event import Role

_WORD = re.compile(r"\w+")
_MOST_TURNS = 20
_LONGEST_TURN = 2_000  # characters
_ENOUGH = 0.6  # share of the asked words that a line must hold
_PART = 2.0  # likeness of a line that holds the asked words as they stand


@dataclass(frozen=True, slots=True)
class Explanation:
    """One remembered line and where it comes from. `whose`: "dreamd" or "you"; a person's own line has no evidence."""

    text: str
    file: str
    line: int
    whose: str
    evidence: tuple[FindingRecord, ...]
    history: tuple[Step, ...]
    places: Mapping[str, str] = field(
        default_factory=dict
    )  # finding id → the archived copy, where the transcript is gone
    agents: Mapping[str, str] = field(default_factory=dict)  # finding id → whose session it is from
    turns: Mapping[str, str] = field(
        default_factory=dict
    )  # finding id → the whole turn, redacted, as its transcript holds it

    def to_json(self) -> dict[str, object]:
        """CONTRACT's shape."""
        return {
            "text": self.text,
            "file": self.file,
            "line": self.line,
            "whose": self.whose,
            "evidence": [
                {
                    "session": one.session_id,
                    "agent": self.agents.get(one.id),
                    "at": rfc3339(one.at),
                    "quote": one.quote,
                    "path": self.places.get(one.id, one.path),
                    "offset": one.offset,
                    "turn": self.turns.get(one.id),
                }
                for one in self.evidence
            ],
            "history": [
                {"run": one.run_id, "at": rfc3339(one.at), "change": one.change, "reason": one.reason}
                for one in self.history
            ],
        }


def explain(shop: Workshop, text: str, around: Circle | None = None) -> Explanation:
    """The best match for `text` among everything remembered. Raises UsageError where nothing comes near.

    `around`: what may be told to whoever asks, lines as well as the words that they rest on; None: everything.
    """
    around = around or Circle()
    tree = Tree.read(shop.places.memory_root, shop.config.guards.protect)
    found = survey(tree, shop.history.head(), max_loss=shop.config.guards.max_loss)
    best = find(found, text, around, loosely=True)
    if isinstance(best, Theirs):
        return Explanation(best.text, best.file, best.line, "you", (), ())
    evidence = shop.findings.get(best.record.findings)
    sessions = {one.row: one for one in shop.sessions.by_rows({one.session for one in evidence})}
    told = [one for one in evidence if not around.keeps or _may_be_told(sessions.get(one.session), around)]
    ordered = tuple(sorted(told, key=lambda one: (one.at is None, one.at, one.id)))
    return Explanation(
        text=best.block.text,
        file=best.file,
        line=best.block.line,
        whose="dreamd",
        evidence=ordered,
        history=entry_history(shop.history, best.record.id),
        places=_copies(shop, ordered, sessions),
        turns=_turns(shop, ordered, sessions),
        agents={one.id: sessions[one.session].agent for one in ordered if one.session in sessions},
    )


def _may_be_told(session: SessionRecord | None, around: Circle) -> bool:
    """Unknown means no: nobody can say whose words these are."""
    return session is not None and around.tells(session.cwd, session.project.root if session.project else None)


def _copies(shop: Workshop, evidence: Sequence[FindingRecord], sessions: Mapping[int, SessionRecord]) -> dict[str, str]:
    """Where the evidence is to be read whose transcript its agent has deleted: its archived copy, if the words are in it."""
    found = {}
    for one in evidence:
        session = sessions.get(one.session)
        copy = copy_of(session) if session else None
        if session is None or copy is None or is_there(shop, session, Path(one.path)):
            continue
        with contextlib.suppress(DreamdError, OSError, ValueError):
            if next(reader(shop, session).read(Path(one.path), start=one.offset, end=one.offset + 1), None):
                found[one.id] = str(shop.archive.file(copy))
    return found


def _turns(shop: Workshop, evidence: Sequence[FindingRecord], sessions: Mapping[int, SessionRecord]) -> dict[str, str]:
    """What the person said there in whole, out of the transcript or its copy; what can be read nowhere is left out."""
    found = {}
    for one in evidence[:_MOST_TURNS]:
        session = sessions.get(one.session)
        if session is None:
            continue
        with contextlib.suppress(DreamdError, OSError, ValueError):
            events = reader(shop, session).read(Path(one.path), start=one.offset, end=one.offset + 1)
            event = next((event for event in events if event.role is Role.HUMAN), None)
            if event is not None:
                found[one.id] = shop.redactor.redact(event.text).text[:_LONGEST_TURN]
    return found


def find(found: Survey, text: str, around: Circle | None = None, *, loosely: bool = False) -> Mine | Theirs:
    """The remembered line that is or holds `text`; `loosely`, for whoever only looks, the one that shares most of its words.

    Raises UsageError where none does.
    """
    every: tuple[Mine | Theirs, ...] = (*found.mine, *found.theirs)
    lines = [one for one in every if around is None or around.tells_line(one.file, one.block.text)]
    best = max(lines, key=lambda one: _likeness(text, one.block.text), default=None)
    if best is None or _likeness(text, best.block.text) < (_ENOUGH if loosely else _PART):
        raise UsageError("nothing that is remembered reads like this", hint="`dreamd memory` shows what is remembered")
    return best


def _likeness(asked: str, text: str) -> float:
    """1 and more: the same, or part of it; below: the share of the asked words that it holds."""
    wanted, held = entry_key(asked).casefold(), entry_key(text).casefold()
    if wanted == held:
        return 3.0
    if wanted and wanted in held:
        return _PART + len(wanted) / len(held) / 2
    words, there = (
        set(_WORD.findall(one.casefold())) for one in (asked, text)
    )  # a key has no spaces between its words
    shared = len(words & there)
    return shared / len(words) + shared / len(there) / 1_000 if shared else 0.0  # of two with as many the shorter line
