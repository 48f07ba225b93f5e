"""A memory root with its history, and short ways to dream in it."""

import datetime as dt
import itertools
from dataclasses import replace

import pytest

from dreamd.memory.commit import commit
from dreamd.memory.document import entry_key
from dreamd.memory.draft import draft
from dreamd.memory.guards import GuardLimits, check
from dreamd.memory.history import History
from dreamd.memory.plan import Change, ChangeKind, EntryRecord, Plan, Reason
from dreamd.memory.survey import survey
from dreamd.memory.tree import Tree
from dreamd.memory.undo import undo_plan

NOW = dt.datetime(2026, 3, 2, 4, 0, tzinfo=dt.UTC)


class Desk:
    """One person's memory."""

    def __init__(self, base, first=1):
        self.root = base / "memory"
        self.state = base / "state"
        self.state.mkdir(parents=True, exist_ok=True)
        self.history = History(self.state / "history.git")
        self.numbers = itertools.count(first)

    def id(self, prefix="E"):
        return f"{prefix}{next(self.numbers):025d}"

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())

    def text(self, path="MEMORY.md"):
        return (self.root / path).read_bytes().decode()

    def files(self):
        """Every file under the root, hidden ones too."""
        return {
            str(place.relative_to(self.root)): place.read_bytes()
            for place in sorted(self.root.rglob("*"))
            if place.is_file()
        }

    def look(self, protect=()):
        tree = Tree.read(self.root, protect)
        return tree, survey(tree, self.history.head())

    def record(self, text, file="MEMORY.md", section="Rules", **more):
        return EntryRecord(
            id=more.pop("id", None) or self.id(),
            file=file,
            section=section,
            text=text,
            key=entry_key(text),
            kind=more.pop("kind", "preference"),
            scope=more.pop("scope", "general"),
            findings=more.pop("findings", ("F1",)),
            **more,
        )

    def add(self, text, file="MEMORY.md", section="Rules", after=None, **more):
        record = self.record(text, file, section, **more)
        return Change(
            id=self.id("C"),
            kind=ChangeKind.ADD,
            entry=record.id,
            file=file,
            section=section,
            after=after,
            old=None,
            new=text,
            reason=Reason.NEW,
            findings=record.findings,
            record=record,
        )

    def change(self, kind, record, new=None, reason=Reason.NEWER_VALUE, file=None, section=None, **more):
        known = None
        if kind is not ChangeKind.REMOVE:
            text = new or record.text
            known = replace(
                record, text=text, key=entry_key(text), file=file or record.file, section=section or record.section
            )
        return Change(
            id=self.id("C"),
            kind=kind,
            entry=record.id,
            file=file or record.file,
            section=section or record.section,
            after=more.pop("after", None),
            old=record.text,
            new=None if kind is ChangeKind.REMOVE else new or record.text,
            reason=reason,
            findings=more.pop("findings", ("F2",)),
            from_file=record.file if kind is ChangeKind.MOVE else "",
            record=known,
        )

    def plan(self, *changes, run=None, **more):
        tree, found = self.look()
        return Plan(run or self.id("R"), found.snapshot.commit, tree.digest, tuple(changes), **more)

    def draft(self, *changes, **more):
        tree, found = self.look()
        return draft(tree, found, self.plan(*changes, **more))

    def dream(self, *changes, **more):
        """A whole commit; returns the run's id."""
        return self.apply(self.plan(*changes, **more)).run_id

    def apply(self, plan, **more):
        tree, found = self.look()
        made = draft(tree, found, plan)
        return commit(
            tree=tree,
            survey=found,
            plan=plan,
            draft=made,
            history=self.history,
            state_dir=self.state,
            now=NOW,
            **more,
        )

    def check(self, plan, limits=None, find_secret=lambda text: False):
        tree, found = self.look()
        return [
            one.reason.value
            for one in check(tree, found, plan, draft(tree, found, plan), limits or GuardLimits(), find_secret)
        ]

    def undo(self, run):
        tree, found = self.look()
        plan = undo_plan(self.history, self.history.commit_of(run), tree, found, self.id("R"))
        return self.apply(plan).run_id

    def entry(self, text):
        """One of dreamd's entries by its words."""
        _, found = self.look()
        return next(one.now for one in found.mine if one.record.text == text)


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


@pytest.fixture(scope="session")
def make_desk():
    """For folders other than the test's own."""
    return Desk
