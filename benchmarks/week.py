"""What a week of daily dreams makes of real transcripts, with hand edits in between: `python benchmarks/week.py HOME [--show] [--diffs]`."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from dreamd import log
from dreamd.app import App, opened
from dreamd.clock import FixedClock, parse_time
from dreamd.config import Loaded, Places
from dreamd.dream.cycle import Order
from dreamd.memory.diff import diff
from dreamd.memory.document import count_lines, parse
from dreamd.memory.history import History, Snapshot
from dreamd.memory.layout import POINTER
from dreamd.memory.survey import Mine, survey
from dreamd.memory.tree import Tree
from dreamd.settings import Config

#: Where agents keep their transcripts below a home.
AGENTS = {"claude-code": ".claude/projects", "codex": ".codex/sessions"}
HOUR = dt.timedelta(hours=1)


def main() -> None:
    """Dreams through a home's sessions in the order of their dates, and prints what each dream did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path, help="a home with transcripts; it is only read")
    parser.add_argument("--dreams", type=int, default=8, help="into how many dreams the sessions are grouped")
    parser.add_argument("--show", action="store_true", help="print the memory tree at the end")
    parser.add_argument("--diffs", action="store_true", help="print what each dream changed")
    given = parser.parse_args()
    log.configure(None, console_level="error")
    with tempfile.TemporaryDirectory(prefix="dreamd-week-") as folder:
        week = Week(Path(folder))
        week.dream_through(given.home, given.dreams, diffs=given.diffs)
        if given.show:
            for path, data in week.tree().contents.items():
                print(f"\n===== {path}\n{data.decode()}")


@dataclass
class Week:
    """A throw-away home, a clock that is set, and what a person did by hand."""

    home: Path
    clock: FixedClock = field(default_factory=lambda: FixedClock(dt.datetime(2025, 1, 1, tzinfo=dt.UTC)))
    kept: list[tuple[str, str]] = field(default_factory=list)  # what was done, and words that must stand since
    away: list[tuple[str, str]] = field(default_factory=list)  # and words that must not

    def dream_through(self, source: Path, dreams: int, *, diffs: bool) -> None:
        """One dream a group of sessions, a hand edit behind some of them."""
        print(
            "  dream  sessions  outcome     +new  merged  superseded  removed  moved  diff     MEMORY.md        topics  seconds"
        )
        edits: dict[int, Callable[[], None]] = {2: self.delete, 3: self.reword, 4: self.add, 5: self.move}
        for number, group in enumerate(grouped(source, dreams), start=1):
            for path, last in group:
                target = self.home / path.relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
                os.utime(target, (last.timestamp(), last.timestamp()))
            self.clock.at = max(last for _, last in group) + HOUR
            self.dream(number, len(group), diffs=diffs)
            edits.get(number, lambda: None)()
        self.clock.at += HOUR
        self.dream(0, 0, diffs=diffs)
        text = "\n".join(data.decode() for data in self.tree().contents.values())
        lines = {block.text for data in self.tree().contents.values() for block in parse(data.decode()).entries}
        for what, words in self.kept:
            print(f"  {what}: {'stands' if words in lines else 'LOST'}")
        for what, words in self.away:
            print(f"  {what}: {'CAME BACK' if words in lines else 'stays away'}")
        print(f"  {count_lines(text)} lines in all")

    def dream(self, number: int, sessions: int, *, diffs: bool) -> None:
        """One dream and its row."""
        start = time.perf_counter()
        with self.app() as app:
            run = app.kick(Order()).run
        seconds = time.perf_counter() - start
        assert run is not None
        did, tree = run.changes, self.tree()
        memory = tree.text("MEMORY.md")
        print(
            f"  {number or 'again':>5}  {sessions:8}  {run.outcome or '':10}  {did.added:4}  {did.merged:6}  {did.superseded:10}"
            f"  {did.removed:7}  {did.moved:5}  {run.diff_stat.rpartition(', ')[2] or '-':8} {count_lines(memory):3} lines {len(memory.encode()):5} B"
            f"  {sum('/' in path for path in tree.files):6}  {seconds:7.2f}"
        )
        if diffs and run.commit:
            history = History(self.places.history)
            after = history.at(run.commit)
            print(diff(history.at(after.parents[0]) if after.parents else Snapshot(), after))

    @property
    def places(self) -> Places:
        """Where things lie in the throw-away home."""
        state = self.home / "state"
        return Places(self.home / "config.toml", state, state, self.home / "memory", self.home / ".claude")

    def app(self) -> AbstractContextManager[App]:
        """The App in that home, at that time."""
        sources = [
            {"agent": agent, "root": str(self.home / root)}
            for agent, root in AGENTS.items()
            if (self.home / root).is_dir()
        ]
        config = Config.model_validate({"sources": sources, "transcripts": {"archive_after": "never"}})
        return opened(Loaded(config, self.places, file_exists=False), clock=self.clock, zone=dt.UTC, home=self.home)

    def tree(self) -> Tree:
        """Memory as it stands."""
        return Tree.read(self.places.memory_root)

    def delete(self) -> None:
        """A person deletes a line."""
        one = self._own()[0]
        self._write(one, "")
        self.away.append(("the deleted line", one.block.text))

    def reword(self) -> None:
        """A person rewords a line."""
        one = self._own()[1]
        words = f"{one.block.text.rstrip('.')} (checked by hand)."
        self._write(one, one.block.raw.replace(one.block.text, words))
        self.kept.append(("the reworded line", words))
        self.away.append(("its old words", one.block.text))

    def add(self) -> None:
        """A person adds a line."""
        path = self.places.memory_root / "MEMORY.md"
        path.write_text(path.read_text(encoding="utf-8") + "\n- A line of my own, added by hand.\n", encoding="utf-8")
        self.kept.append(("the added line", "A line of my own, added by hand."))

    def move(self) -> None:
        """A person moves a topic's line to MEMORY.md."""
        one = next(one for one in reversed(self._own()) if one.file != "MEMORY.md")
        self._write(one, "")
        path = self.places.memory_root / "MEMORY.md"
        path.write_text(f"{path.read_text(encoding='utf-8')}- {one.block.text}\n", encoding="utf-8")
        self.kept.append(("the moved line", one.block.text))

    def _own(self) -> list[Mine]:
        found = survey(self.tree(), History(self.places.history).head())
        return [one for one in found.mine if one.record.kind != POINTER]

    def _write(self, one: Mine, raw: str) -> None:
        path = self.places.memory_root / one.file
        path.write_text(path.read_text(encoding="utf-8").replace(one.block.raw, raw, 1), encoding="utf-8")


def grouped(home: Path, groups: int) -> Iterator[list[tuple[Path, dt.datetime]]]:
    """The transcripts of a home with the time of their last line, oldest first, in groups of about the same size."""
    found = []
    for root in AGENTS.values():
        for path in (home / root).rglob("*.jsonl"):
            times = [when for line in path.read_bytes().splitlines()[-50:] if (when := _time(line))]
            if times:
                found.append((path, max(times)))
    found.sort(key=lambda one: (one[1], str(one[0])))
    for number in range(groups):
        group = found[len(found) * number // groups : len(found) * (number + 1) // groups]
        if group:
            yield group


def _time(line: bytes) -> dt.datetime | None:
    at = line.find(b'"timestamp":"')
    return parse_time(line[at + 13 : at + 37].decode("ascii", "replace").partition('"')[0]) if at >= 0 else None


if __name__ == "__main__":
    main()
