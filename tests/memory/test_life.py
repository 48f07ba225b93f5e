"""Random hand edits, dreams and undos over one memory: a person's lines stay, nothing of dreamd's gets lost."""

import datetime as dt
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from dreamd.memory.commit import commit
from dreamd.memory.document import parse
from dreamd.memory.draft import draft
from dreamd.memory.guards import GuardLimits, GuardReason, check
from dreamd.memory.plan import Carry, ChangeKind, Reason
from dreamd.memory.recovery import RecoveryOutcome, recover
from dreamd.memory.undo import undo_plan

FILES = ("MEMORY.md", "projects/a.md", "patterns/b.md")
SECTIONS = ("Rules", "Facts", "")
RAW = st.sampled_from(
    [
        "- {n}\n",
        "* {n}\n  wrapped {n}\n",
        "\nparagraph {n}\n\n",
        "\n```\ncode {n}\n```\n\n",
        "- {n}\n  - nested\n",
        "\n| t{n} |\n|---|\n\n",
    ]
)


class Life(RuleBasedStateMachine):
    make = None

    @initialize(newline=st.sampled_from(["\n", "\r\n"]))
    def begin(self, newline):
        self.folder = tempfile.TemporaryDirectory()
        self.desk = Life.make(Path(self.folder.name))
        self.theirs = Counter()
        self.number = 0
        self.runs = []
        self.untouched = None
        self.desk.write("MEMORY.md", f"# Memory{newline}")

    def teardown(self):
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def edit(self, path, text):
        self.desk.write(path, text)
        self.untouched = None

    @rule(raw=RAW, path=st.sampled_from(FILES), top=st.booleans())
    def person_adds(self, raw, path, top):
        self.number += 1
        place = self.desk.root / path
        text = place.read_bytes().decode() if place.exists() else "# Mine\n"
        newline = "\r\n" if "\r\n" in text else "\n"
        lines = raw.format(n=f"by hand {self.number}").replace("\n", newline)
        if text and not text.endswith("\n"):
            text += newline
        new = f"{lines}{newline}{text}" if top and not text.startswith("---") else f"{text}{newline}{lines}"
        self.edit(path, new)
        self.count_theirs()

    @rule(data=st.data())
    def person_deletes_an_entry(self, data):
        _, found = self.desk.look()
        everything = [(one.file, one.block) for one in (*found.mine, *found.theirs)]
        if everything:
            path, block = data.draw(st.sampled_from(everything))
            text = self.desk.text(path)
            self.edit(path, text.replace(block.raw, "", 1))
            self.count_theirs()

    @rule(data=st.data())
    def person_rewords_an_entry(self, data):
        _, found = self.desk.look()
        if found.mine:
            one = data.draw(st.sampled_from(found.mine))
            self.number += 1
            self.edit(
                one.file,
                self.desk.text(one.file).replace(
                    one.block.raw.strip(), f"{one.block.raw.strip()} but {self.number}", 1
                ),
            )
            self.count_theirs()

    @rule(data=st.data(), count=st.integers(0, 3))
    def dreamd_dreams(self, data, count):
        _, found = self.desk.look()
        if found.vanished:
            return
        changes = []
        for _ in range(count):
            self.number += 1
            path, section = data.draw(st.sampled_from(FILES)), data.draw(st.sampled_from(SECTIONS))
            changes.append(self.desk.add(f"entry number {self.number}", path, section, findings=(f"F{self.number}",)))
        for one in (
            data.draw(st.lists(st.sampled_from(found.mine), max_size=3, unique_by=lambda one: one.record.id))
            if found.mine
            else ()
        ):
            kind = data.draw(st.sampled_from([ChangeKind.SUPERSEDE, ChangeKind.MOVE, ChangeKind.REMOVE]))
            self.number += 1
            if kind is ChangeKind.SUPERSEDE:
                changes.append(self.desk.change(kind, one.now, f"newer value {self.number}"))
            elif kind is ChangeKind.MOVE:
                path, section = data.draw(st.sampled_from(FILES)), data.draw(st.sampled_from(SECTIONS))
                changes.append(
                    self.desk.change(kind, one.now, file=path, section=section or one.section, reason=Reason.OVER_CAP)
                )
            else:
                changes.append(self.desk.change(kind, one.now, reason=Reason.FORGOTTEN))
        carries = ()
        if found.theirs and data.draw(st.booleans()):
            one = data.draw(st.sampled_from(found.theirs))
            carries = (
                Carry(
                    one.key,
                    one.file,
                    data.draw(st.sampled_from([f for f in FILES if f != one.file])),
                    "",
                    occurrence=one.occurrence,
                ),
            )
        old = self.desk.files()
        if self.run(self.desk.plan(*changes, carries=carries)):
            self.untouched = old

    @rule(data=st.data())
    def person_undoes_a_dream(self, data):
        tree, found = self.desk.look()
        if not self.runs or found.vanished:
            return
        run = data.draw(st.sampled_from(self.runs[-3:]))
        newest = run == self.runs[-1]
        old = self.untouched
        plan = undo_plan(self.desk.history, self.desk.history.commit_of(run), tree, found, self.desk.id("R"))
        if not self.run(plan):
            return
        if newest and old is not None:
            assert self.desk.files() == old
        self.untouched = None
        self.count_theirs(undone=True)

    def run(self, plan):
        tree, found = self.desk.look()
        made = draft(tree, found, plan)
        wrong = {one.reason for one in check(tree, found, plan, made, GuardLimits(), lambda text: False)}
        if wrong == {GuardReason.EMPTIED}:
            return False
        assert not wrong
        commit(
            tree=tree,
            survey=found,
            plan=plan,
            draft=made,
            history=self.desk.history,
            state_dir=self.desk.state,
            now=Life.now,
        )
        self.runs.append(plan.run_id)
        after, seen = self.desk.look()
        assert not seen.retired
        assert not seen.edited
        assert {one.now for one in seen.mine} == {one for one in made.entries if one.retired_at is None}
        assert {path: file.data for path, file in after.files.items()} == dict(seen.snapshot.files)
        return True

    def count_theirs(self, *, undone=False):
        """The model of what is the person's: every line of theirs that stands there now."""
        _, found = self.desk.look()
        now = Counter(one.block.raw.strip() for one in found.theirs)
        if undone:
            assert not self.theirs - now
        self.theirs = now

    @invariant()
    def a_persons_lines_stay_word_for_word(self):
        if hasattr(self, "desk"):
            _, found = self.desk.look()
            now = Counter(one.block.raw.strip() for one in found.theirs)
            assert not self.theirs - now

    @invariant()
    def the_tree_is_clean_and_whole(self):
        if hasattr(self, "desk"):
            assert (
                recover(root=self.desk.root, history=self.desk.history, state_dir=self.desk.state).outcome
                is RecoveryOutcome.NOTHING
            )
            assert not [path for path in self.desk.files() if "/." in f"/{path}"]
            for path in self.desk.files():
                assert parse(self.desk.text(path)).render() == self.desk.text(path)


@pytest.fixture(autouse=True, scope="module")
def wired(make_desk):
    Life.make = make_desk
    Life.now = dt.datetime(2026, 3, 2, tzinfo=dt.UTC)


TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=15, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
