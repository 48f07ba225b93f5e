"""Somebody talks, edits, undoes, loses and restores at random, and dreams in between; what must always hold, holds.

`DREAMD_WALK=200x40` walks 200 times up to 40 steps, at random; by default it walks a few times the same way.
"""

import datetime as dt
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from ulid import ULID

from dreamd.config import Loaded, Places
from dreamd.dream.cycle import Order
from dreamd.dream.progress import nobody
from dreamd.errors import LockHeld, UsageError
from dreamd.memory.document import Block, count_lines, parse
from dreamd.memory.history import History
from dreamd.memory.layout import POINTER, part_of
from dreamd.memory.survey import Mine, survey
from dreamd.memory.tree import Tree
from dreamd.moving.packing import export
from dreamd.moving.unpacking import bring
from dreamd.rebuild import rebuild
from dreamd.search.index import Index
from dreamd.search.notes import memory_files
from dreamd.state.lease import FOREIGN_SILENCE, Lease
from dreamd.state.process import Owner
from dreamd.state.run_record import Outcome, RunRecord
from world import World

WALKS, STEPS = (int(number) for number in os.environ.get("DREAMD_WALK", "7x14").split("x"))
ALWAYS_THE_SAME = "DREAMD_WALK" not in os.environ
CAPS = {"max_lines": 40, "max_bytes": 4_000, "topic_max_lines": 30}
KEY = "sk-ant-api03-" + "Qw7" * 20
LINK = re.compile(r"\]\(<?((?:projects|patterns|people)/[^)>]+\.md)>?\)")
WORDS = (
    "Never push without asking me first.",
    "Always answer briefly.",
    "From now on always indent with spaces, in every project.",
    "Never use emojis in commit messages.",
    "以后提交前一定要先跑测试。",
    "请始终用中文写提交说明。",
    "We always use pnpm in this repo, never npm.",
    "这个项目不要用 npm，用 pnpm。",
    "We decided to use PostgreSQL 16 instead of Redis, because one server is enough.",
    "Robin owns the deployment scripts.",
    "The makefile uses tabs.",
    "fix the typo in the readme, please",
    f"Always use the key {KEY} for the staging server.",
    "Forget what I said about pnpm.",
)
VALUES = (
    "The API runs on port {}.",
    "The admin UI runs on port {} now.",
    "Keep queue retention at {} days.",
    "部署分支是 release-{}。",
)
PROJECTS = ("orchard", "tidepool", "客户端")
PICK = st.integers(0, 10_000)


class Elsewhere(World):
    """The same home with another state directory: somebody with two configurations on one memory."""

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "other"

    def loaded(self) -> Loaded:
        made = super().loaded()
        places = Places(self.home / "c.toml", self.state, super().state, self.root, self.home / ".claude")
        return Loaded(made.config, places, file_exists=False)


class Walk(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="walk"))
        self.world = World(self.folder / "home", settings={"memory": dict(CAPS)})
        self.other = Elsewhere(self.world.home, self.world.clock, self.world.settings)
        self.own: set[str] = set()  # lines of the person's that must be there
        self.gone: set[tuple[str, str]] = set()  # where and what they deleted, and a dream has seen it
        self.fresh_gone: set[tuple[str, str]] = set()  # deleted since the last dream
        self.number = 0
        self.fresh = False  # nothing happened since a dream of this world's own
        self.shared = False  # the other one has dreamed

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    # What happens.

    @initialize(lines=st.integers(0, 45), crlf=st.booleans())
    def begin(self, lines: int, crlf: bool) -> None:
        if lines:
            self._write("MEMORY.md", "# Memory\n\n- Indent with tabs.\n" + "".join(self._own() for _ in range(lines)))
            self.own.add("Indent with tabs.")
        if crlf:
            self._rewrite_ends("MEMORY.md")

    @rule(number=PICK, project=st.sampled_from(PROJECTS))
    def say(self, number: int, project: str) -> None:
        self._say(WORDS[number % len(WORDS)], WORDS[(number // 20) % len(WORDS)], project=project)

    @rule(number=PICK, value=st.integers(1, 3), project=st.sampled_from(PROJECTS))
    def say_a_value(self, number: int, value: int, project: str) -> None:
        self._say(VALUES[number % len(VALUES)].format(8_000 + value), project=project)

    @rule(hours=st.sampled_from([1, 1, 30, 24 * 100, 24 * 200]))
    def time_passes(self, hours: int) -> None:
        self.world.later(hours=hours)
        self.fresh = False

    @rule()
    def dream(self) -> None:
        self._dream(self.world)

    @rule()
    def dream_and_take_it_back_and_put_it_back(self) -> None:
        self._dream(self.world)
        before = self.world.tree()
        self._say(WORDS[self.number % len(WORDS)], VALUES[self.number % len(VALUES)].format(9_000 + self.number))
        if self._dream(self.world).outcome is not Outcome.COMMITTED:
            return
        after = self.world.tree()
        with self.world.app() as app:
            undone = app.undo(None, relearn=False)
            assert self.world.tree() == before
            app.undo(undone.id, relearn=False)
        assert self.world.tree() == after

    @precondition(lambda self: self.world.root.exists())
    @rule(relearn=st.booleans())
    def undo(self, relearn: bool) -> None:
        self._dream(self.world)  # what was deleted by hand is known before
        with self.world.app() as app:
            try:
                app.undo(None, relearn=relearn)
            except UsageError:
                return
        self.fresh = False

    @rule(accepted=st.booleans(), edited=st.booleans(), review=st.booleans(), number=PICK)
    def plan_first(self, accepted: bool, edited: bool, review: bool, number: int) -> None:
        self._dream(self.world)
        self._say(WORDS[number % len(WORDS)])
        self.world.settings["memory"]["review"] = review
        before = self.world.tree()
        run = self.world.kick(Order(dry_run=not review))
        self.world.settings["memory"]["review"] = False
        assert self.world.tree() == before
        if run.outcome is not Outcome.WAITING:
            return
        if edited:
            self.add(number)
        with self.world.app() as app:
            (app.accept if accepted else app.reject)(run.id)
        if not accepted and not edited:
            assert self.world.tree() == before
        self.fresh = False

    @rule(number=PICK)
    def add(self, number: int) -> None:
        files = [*self._files(), "MEMORY.md", "patterns/mine.md"]
        file = files[number % len(files)]
        text = self._text(file) or "# Mine\n"
        line = self._own(file_ends="\r\n" if "\r\n" in text else "\n")
        at = text.find("\n- ", len(text) * (number % 7) // 7) + 1 if number % 3 else 0
        self._write(file, text[:at] + line + text[at:] if at else text + ("" if text.endswith("\n") else "\n") + line)

    @precondition(lambda self: self._mine())
    @rule(number=PICK)
    def reword(self, number: int) -> None:
        one = self._picked(number)
        self.number += 1
        words = f"{one.block.text.rstrip('.。').splitlines()[0]} (as I said, {self.number})"
        self._replace(one.file, one.block, one.block.raw.replace(one.block.text, words))
        self._deleted(one)
        self.own.add(words)

    @precondition(lambda self: self._mine())
    @rule(number=PICK)
    def delete(self, number: int) -> None:
        one = self._picked(number)
        self._replace(one.file, one.block, "")
        self._deleted(one)

    @precondition(lambda self: self.own)
    @rule(number=PICK)
    def delete_an_own_line(self, number: int) -> None:
        words = sorted(self.own)[number % len(self.own)]
        for file in self._files():
            text = self._text(file)
            for block in parse(text).entries:
                if block.text == words:
                    self._replace(file, block, "")
                    self.own.discard(words)
                    return

    @precondition(lambda self: self._mine())
    @rule(number=PICK)
    def move(self, number: int) -> None:
        one = self._picked(number)
        files = self._files()
        target = files[(number // 100) % len(files)]
        self._replace(one.file, one.block, "")
        text = self._text(target)
        end = "" if text.endswith("\n") or not text else "\n"
        heading = f"\n## Sorted by me {number % 3}\n\n" if number % 2 else ""
        self._write(target, f"{text}{end}{heading}- {one.block.text}\n")

    @precondition(lambda self: self._topics())
    @rule(number=PICK)
    def delete_a_topic(self, number: int) -> None:
        topics = self._topics()
        file = topics[number % len(topics)]
        mine = [one for one in self._mine() if one.file == file]
        left = {block.text for block in parse(self._text(file)).entries}
        (self.world.root / file).unlink()
        for one in mine:
            self._deleted(one)
        self.fresh = False
        self.own -= left - {block.text for other in self._files() for block in parse(self._text(other)).entries}

    @precondition(lambda self: self._files())
    @rule(number=PICK)
    def change_line_ends(self, number: int) -> None:
        files = self._files()
        self._rewrite_ends(files[number % len(files)])

    @precondition(lambda self: self.world.root.exists())
    @rule(by_undo=st.booleans())
    def lose_the_root(self, by_undo: bool) -> None:
        self._dream(self.world)
        before = self.world.tree()
        known = bool(self._mine(pointers=True))
        aside = self.folder / "aside"
        self.world.root.rename(aside)
        if known:
            run = self.world.kick()
            assert (run.outcome, run.reason) == (Outcome.REFUSED, "vanished")
            assert not self.world.root.exists()
        if known and by_undo:
            with self.world.app() as app:
                app.undo(None, relearn=False)
            shutil.rmtree(aside)
            assert {path: data for path, data in self.world.tree().items() if path in before} == before
        else:
            aside.rename(self.world.root)
        self.fresh = False

    @rule(limit=st.integers(1, 260), number=PICK)
    def crash(self, limit: int, number: int) -> None:
        self._say(WORDS[number % len(WORDS)], VALUES[number % len(VALUES)].format(limit))
        command = [sys.executable, str(Path(__file__).with_name("crash_walker.py")), str(self.world.home.resolve())]
        command += [self.world.clock.at.isoformat(), json.dumps(self.world.settings), str(limit)]
        done = subprocess.run(command, capture_output=True, check=False, timeout=120)
        assert done.returncode in (0, -9), done.stderr.decode()
        self._dream(self.world)

    @precondition(lambda self: self._mine())
    @rule(number=PICK, purge=st.booleans())
    def forget_a_line(self, number: int, purge: bool) -> None:
        one = self._picked(number)
        with self.world.app() as app:
            try:
                app.forget_line(one.block.text, purge_history=purge)
            except UsageError:  # its words stand in several lines, or in one of the person's
                return
            assert one.block.key not in {line.block.key for line in self._mine() if line.record.id == one.record.id}
        self.fresh = False

    @precondition(lambda self: self.number)
    @rule(number=PICK, purge=st.booleans())
    def forget_a_session(self, number: int, purge: bool) -> None:
        with self.world.app() as app:
            app.scan()
            sessions = app.sessions()
            one = sessions[number % len(sessions)] if sessions else None
            if one is None or one.excluded_because:
                return
            app.forget_session(one.id, purge_history=purge)
            assert app.session(one.id)[0].excluded_because == "forgotten"
            assert not (self.world.state / "archive" / str(one.archive_path or "-")).exists()
        self.fresh = False

    @precondition(lambda self: self.number)
    @rule(number=PICK)
    def restore_a_session(self, number: int) -> None:
        self.world.later(hours=30)
        self._dream(self.world)
        with self.world.app() as app:
            kept = [one for one in app.sessions() if one.archive_path and Path(one.path).exists()]
            if not kept:
                return
            one = kept[number % len(kept)]
            words = Path(one.path).read_bytes()
            Path(one.path).unlink()
            app.restore(one.id, overwrite=False)
            assert Path(one.path).read_bytes() == words
        self._dream(self.world)

    @rule(number=PICK)
    def lose_the_database(self, number: int) -> None:
        self._dream(self.world)
        for path in self.world.state.glob("state.db*"):
            path.unlink()
        rebuild(self.world.loaded(), self.world.clock)
        if number % 2:
            self._dream(self.world)
        else:
            run = self.world.kick()
            assert run.outcome is Outcome.NO_CHANGE, run.changes

    @rule(hours=st.sampled_from([-2, -30, -24 * 40]))
    def the_clock_jumps_back(self, hours: int) -> None:
        self.world.later(hours=hours)
        self.fresh = False

    @rule()
    def move_to_another_machine_and_back(self) -> None:
        self._dream(self.world)
        before, loaded = self.world.tree(), self.world.loaded()
        with self.world.app() as app:
            if not app.shop.history.head_id():
                return
            file = export(app, self.folder / "all.dreamd", nobody, overwrite=True).file
        bring(loaded, self.world.clock, file, nobody, force=True, home=Path("/home/sam"))
        for left in self.world.state.glob("before-import-*"):
            left.unlink()
        assert self.world.tree() == before
        run = self.world.kick()
        assert run.outcome is Outcome.NO_CHANGE, run.changes

    @rule()
    def dream_with_another_database(self) -> None:
        self.shared = True  # it does not know what was deleted before it came
        self.gone.clear()
        self.fresh_gone.clear()
        self._dream(self.other)
        self.fresh = False

    @rule(ends=st.booleans())
    def another_machine_dreams_on_this_database(self, ends: bool) -> None:
        before, run_id = self.world.tree(), str(ULID())
        with self.world.app() as app:
            elsewhere = replace(Owner.current(), boot="another", host="elsewhere")
            lease = Lease(app.shop.database, elsewhere)
            lease.acquire(run_id, self.world.clock.at)
            with pytest.raises(LockHeld):
                app.kick(Order())
            if ends:
                lease.release(run_id)
        assert self.world.tree() == before
        if not ends:  # it died there: only its silence tells
            self.world.clock.at += FOREIGN_SILENCE + dt.timedelta(seconds=1)
        self._dream(self.world)
        self.fresh = False

    # What must hold.

    @invariant()
    def what_must_hold(self) -> None:
        entries = [block for file in self._files() for block in parse(self._text(file)).entries]
        there = {block.text.replace("\r", "") for block in entries}
        assert self.own <= there, f"a person's lines are gone: {self.own - there}"
        back = self._stands() & (self.gone | self.fresh_gone)
        assert not back, f"deleted lines came back: {back}"
        left = [path for path in self.world.root.rglob("*") if ".dreamd" in path.name or path.name.endswith(".tmp")]
        assert not left, f"left behind: {left}"
        for path in self.world.home.rglob("*"):
            if path.is_file() and not path.is_relative_to(self.world.transcripts):
                assert KEY.encode() not in path.read_bytes(), f"a secret in {path.name}"

    def _after_a_dream(self) -> None:
        tree = self.world.tree()
        if not tree:
            return
        memory = tree.get("MEMORY.md", b"").decode()
        assert count_lines(memory) <= CAPS["max_lines"], count_lines(memory)
        assert len(memory.encode()) <= CAPS["max_bytes"]
        for path, data in tree.items():
            assert count_lines(data.decode()) <= CAPS["topic_max_lines"] or path == "MEMORY.md", path
        links = [unquote(link) for link in LINK.findall(memory)]
        topics = [path for path in tree if "/" in path]
        # To a second database the first one's pointers are a person's lines: it may not take away what dangles.
        assert set(topics) <= set(links) if self.shared else sorted(links) == sorted(topics), (links, topics)

    def _is_found(self, world: World) -> None:
        index = Index(world.state / "search.db")
        index.update_memory(memory_files(Tree.read(world.root)))
        for file in self._files():
            for number, line in enumerate(self._text(file).splitlines(), start=1):
                if line.startswith(("- ", "* ")) and number % 5 == self.number % 5:
                    hits = index.query(line[2:260], where="memory", limit=50).hits
                    assert any((hit.path, hit.line) == (file, number) for hit in hits), line

    # How it is done.

    def _dream(self, world: World) -> RunRecord:
        """A dream and, where it did anything, another one right behind it that finds nothing to do."""
        run = world.kick()
        if run.outcome is Outcome.REFUSED:
            assert run.reason == "vanished", run.reason
            run = world.kick(
                Order(accept_loss=True)
            )  # so many lines were deleted that dreamd asks: they were meant to go
        assert run.outcome in (Outcome.COMMITTED, Outcome.NO_CHANGE), (run.outcome, run.reason)
        self._after_a_dream()
        self.gone |= self.fresh_gone
        self.fresh_gone.clear()
        self._is_found(self.world)
        stamps = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in self.world.root.rglob("*")}
        again = world.kick()
        assert (again.outcome, again.reason) == (Outcome.NO_CHANGE, "nothing_pending"), (again.outcome, again.changes)
        assert stamps == {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in self.world.root.rglob("*")}
        self.fresh = True
        return run

    def _say(self, *words: str, project: str = "orchard") -> None:
        self.number += 1
        self.world.later(hours=3)
        self.world.say(*words, project=project, session=self.number)
        self.fresh = False

    def _own(self, file_ends: str = "\n") -> str:
        self.number += 1
        words = f"Own note {self.number} about thing {self.number % 5}."
        self.own.add(words)
        return f"- {words}{file_ends}"

    def _files(self) -> list[str]:
        return [path for path in self.world.tree() if path.endswith(".md")]

    def _stands(self) -> set[tuple[str, str]]:
        return {(_where(file), block.key) for file in self._files() for block in parse(self._text(file)).entries}

    def _topics(self) -> list[str]:
        return [path for path in self._files() if "/" in path]

    def _text(self, file: str) -> str:
        path = self.world.root / file
        return path.read_bytes().decode() if path.exists() else ""

    def _write(self, file: str, text: str) -> None:
        path = self.world.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        self.fresh = False

    def _rewrite_ends(self, file: str) -> None:
        text = self._text(file)
        if text:
            self._write(file, text.replace("\r\n", "\n") if "\r\n" in text else text.replace("\n", "\r\n"))

    def _mine(self, *, pointers: bool = False) -> list[Mine]:
        if not self.world.root.exists():
            return []
        found = survey(Tree.read(self.world.root), History(self.world.state / "history.git").head())
        return [one for one in found.mine if pointers or (one.record.kind != POINTER and not one.record.beneath)]

    def _picked(self, number: int) -> Mine:
        mine = self._mine()
        return mine[number % len(mine)]

    def _replace(self, file: str, block: Block, raw: str) -> None:
        doc = parse(self._text(file))
        at = next(number for number, one in enumerate(doc.blocks) if one.line == block.line and one.raw == block.raw)
        self._write(
            file, "".join([*(one.raw for one in doc.blocks[:at]), raw, *(one.raw for one in doc.blocks[at + 1 :])])
        )

    def _deleted(self, one: Mine) -> None:
        place = (_where(one.file), one.block.key)
        if not self.shared and place not in self._stands():
            self.fresh_gone.add(place)


def _where(file: str) -> str:
    """What is deleted in one project may be learned in another."""
    return part_of(file) if file.startswith("projects/") else ""


def test_whatever_happens_what_must_hold_holds() -> None:
    run_state_machine_as_test(
        Walk,
        settings=settings(
            max_examples=WALKS,
            stateful_step_count=STEPS,
            derandomize=ALWAYS_THE_SAME,
            database=None,
            deadline=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],  # shrinking such walks takes longer than reading one
        ),
    )
