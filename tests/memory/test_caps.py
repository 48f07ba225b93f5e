"""Files that are full: what moves, what stays, and that nothing of a person's is cut or lost."""

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest

from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.protocol import (
    Act,
    Digest,
    Extraction,
    Finding,
    Kind,
    KnownEntry,
    Proposal,
    Reconciliation,
    Scope,
    Topic,
)
from dreamd.memory.document import count_lines, parse
from dreamd.state.run_record import Outcome, RunRecord
from world import World

LINK = re.compile(r"\]\(<?((?:projects|patterns|people)/[^)>]+\.md)>?\)")


def notes(count: int, text: str = "- Note {:03}: detail of module m{:03}.\n") -> str:
    return "".join(text.format(number, number) for number in range(1, count + 1))


FULL = {
    "238 lines": "# Memory\n" + notes(238),
    "600 lines": "# Memory\n\n## Alpha\n\n"
    + notes(300)
    + "\n## Beta\n\n### Gamma\n\n"
    + notes(300, "- Point {:03} of m{}.\n"),
    "600 lines, CRLF": ("\ufeff# Memory\n\n" + notes(300, "* Note {:03}\n  goes on {:03}\n")).replace("\n", "\r\n"),
    "nested lists": "# Memory\n\n" + notes(100, "1. Step {:03}\n   - part\n     - of {:03}\n\n   and on\n"),
    "paragraphs and code": "# Memory\n\n" + notes(60, "- x {:03}\n\npara {:03}\n\n    code\n\n"),
    "one long paragraph": "# Memory\n\n- first\n\n" + "word " * 6000 + "\n\n- last\n",
    "one long block of code": "# Memory\n\n- first\n\n```\n" + "x = 1\n" * 600 + "```\n\n- last\n",
    "a long table": "# Memory\n\n| a | b |\n|---|---|\n" + notes(300, "| {} | {} |\n") + "\n- last\n",
    "Chinese": "# 记忆\n\n"
    + notes(220, "- 第{:03}条：部署前必须先在预发布环境跑完整的回归测试，然后再通知值班同事{}。\n"),
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "home")


def written(world: World, text: str, file: str = "MEMORY.md") -> None:
    path = world.root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def own_blocks(data: bytes) -> Counter[str]:
    return Counter(block.raw.rstrip("\r\n") for block in parse(data.decode()).entries)


def assert_within_caps(world: World) -> None:
    tree = world.tree()
    assert count_lines(tree["MEMORY.md"].decode()) <= 200
    assert len(tree["MEMORY.md"]) <= 25_000
    for path, data in tree.items():
        doc = parse(data.decode())
        assert count_lines(data.decode()) <= 200 or len(doc.entries) == 1, path


def assert_pointers_complete(world: World) -> None:
    tree = world.tree()
    links = [unquote(link) for link in LINK.findall(tree["MEMORY.md"].decode())]
    assert sorted(links) == sorted(path for path in tree if "/" in path)


def changed(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


@pytest.mark.parametrize("text", FULL.values(), ids=FULL.keys())
def test_what_readers_would_cut_moves_word_for_word_and_undo_brings_it_back(world: World, text: str) -> None:
    written(world, text)
    before = world.tree()
    world.say("We always use pnpm in this repo, never npm.", "Never push without asking me first.")
    run = world.kick()
    assert run.outcome is Outcome.COMMITTED
    assert_within_caps(world)
    assert_pointers_complete(world)
    after = world.tree()
    had, has = own_blocks(before["MEMORY.md"]), own_blocks(after["MEMORY.md"])
    assert not had - Counter(raw for data in after.values() for raw in own_blocks(data).elements())
    assert f"own_lines_moved={sum(raw.count(chr(10)) + 1 for raw in (had - has).elements())}" in run.notes
    stamps = {path: path.stat().st_mtime_ns for path in world.root.rglob("*")}
    again = world.kick()
    assert (again.outcome, again.reason) == (Outcome.NO_CHANGE, "nothing_pending")
    assert {path: path.stat().st_mtime_ns for path in world.root.rglob("*")} == stamps
    with world.app() as app:
        app.undo(None, relearn=False)
    assert world.tree() == before


def test_what_stays_is_what_stood_first(world: World) -> None:
    written(world, FULL["238 lines"])
    world.kick()
    stayed = [line for line in world.memory().splitlines() if line.startswith("- Note")]
    moved = (world.root / "patterns" / "from-memory.md").read_text().splitlines()
    assert stayed == FULL["238 lines"].splitlines()[1 : len(stayed) + 1]
    assert [line for line in moved if line.startswith("- Note")] == FULL["238 lines"].splitlines()[len(stayed) + 1 :]
    assert len(stayed) >= 190


def test_a_heading_and_the_headings_above_it_go_along(world: World) -> None:
    written(world, "# Memory\n\n## Deploy\n\n" + notes(150) + "\n### Rules\n\n" + notes(80, "- Rule {} of {}.\n"))
    world.kick()
    moved = (world.root / "patterns" / "from-memory.md").read_text()
    assert "## Deploy: Rules\n\n- Rule" in moved
    assert "name: from memory\n" in moved
    assert "type: feedback" in moved
    assert "modified: 20" in moved


def test_more_overflow_goes_on_in_further_parts_in_order(world: World) -> None:
    written(world, FULL["238 lines"])
    world.kick()
    for more in range(3):
        world.later(hours=1)
        written(world, world.memory() + notes(150, f"- Later {more} {{:03}} and {{}}.\n"))
        assert world.kick().outcome is Outcome.COMMITTED
        assert_within_caps(world)
        assert_pointers_complete(world)
    parts = sorted(path for path in world.tree() if path.startswith("patterns/from-memory"))
    assert parts == ["patterns/from-memory.md", "patterns/from-memory~2.md", "patterns/from-memory~3.md"]
    assert len({line for line in world.text().splitlines() if line.startswith("- Later")}) == 450


def test_a_line_that_was_edited_after_it_moved_comes_back_as_it_is_now(world: World) -> None:
    written(world, FULL["238 lines"])
    world.kick()
    moved = world.root / "patterns" / "from-memory.md"
    moved.write_text(moved.read_text().replace("Note 230: detail", "Note 230: corrected detail"))
    with world.app() as app:
        app.undo(None, relearn=False)
    assert "Note 230: corrected detail" in world.text()
    assert all(f"Note {number:03}" in world.memory() for number in range(1, 239) if number != 230)


@pytest.mark.parametrize(
    "text",
    [
        "# Memory\n\n- a\n\n<!--\n" + "x\n" * 300 + "-->\n\n- b\n",
        "# Memory\n\n" + notes(150, "## H{:03} {}\n\n") + "- b\n",
    ],
    ids=["comment", "headings"],
)
def test_a_file_that_no_line_can_leave_stays_as_it_is_and_dreams_go_on(world: World, text: str) -> None:
    written(world, text)
    world.say("Never push without asking me first.", "Robin owns the deployment scripts.")
    run = world.kick()
    assert run.outcome is Outcome.COMMITTED
    assert "files_too_long=1" in run.notes
    assert world.memory() == text
    assert "Never push" in (world.root / "patterns" / "preferences.md").read_text()
    assert world.kick().outcome is Outcome.NO_CHANGE


def test_a_topic_file_that_is_too_long_goes_on_in_a_second_part(world: World) -> None:
    written(
        world,
        "---\nname: Orchard notes\nowner: sam\n---\n\n# Orchard\n\n## Ports\n\n" + notes(250),
        "projects/orchard.md",
    )
    before = world.tree()
    world.say("We always use pnpm in this repo, never npm.")
    assert world.kick().outcome is Outcome.COMMITTED
    assert_within_caps(world)
    assert_pointers_complete(world)
    assert "owner: sam" in (world.root / "projects" / "orchard.md").read_text()
    assert all(f"Note {number:03}:" in world.text() for number in range(1, 251))
    assert "pnpm" in world.text()
    with world.app() as app:
        app.undo(None, relearn=False)
    assert world.tree() == before


def test_a_protected_memory_is_never_written_and_what_is_learned_goes_beside_it(world: World) -> None:
    written(world, FULL["238 lines"])
    world.settings["guards"] = {"protect": ["MEMORY.md"]}
    world.say("Never push without asking me first.", "We always use pnpm in this repo, never npm.")
    run = world.kick()
    assert (run.outcome, run.notes) == (Outcome.COMMITTED, ())
    assert world.memory() == FULL["238 lines"]
    assert "Never push" in (world.root / "patterns" / "preferences.md").read_text()


class Teacher(OfflineEngine):
    """Finds what a test says."""

    def __init__(self) -> None:
        super().__init__()
        self.lessons: list[tuple[Scope, str, str]] = []

    def extract(self, digest: Digest, known: Sequence[KnownEntry]) -> Extraction:
        turn = next(turn for turn in digest.turns if turn.id in digest.fresh)
        return Extraction(
            tuple(
                Finding(Kind.PREFERENCE, scope, text, turn.id, turn.at, turn.text, subject=subject, weight=2.0)
                for scope, subject, text in self.lessons
            )
        )

    def reconcile(self, topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> Reconciliation:
        return Reconciliation(tuple(Proposal(Act.ADD, (one.id,), reason="new") for one in findings))


def taught(world: World, *lessons: tuple[Scope, str, str]) -> RunRecord:
    if world.engine is None:
        world.engine = Teacher()
    world.engine.lessons = list(lessons)  # type: ignore[attr-defined]
    world.later(hours=5)
    world.say("Go on, please.", session=world.said + 1)
    return world.kick()


def subject(number: int) -> tuple[Scope, str, str]:
    return (Scope.PATTERN, f"subject {number}", f"Subject {number} is best warmed up for {number} minutes before use.")


@pytest.mark.parametrize("topics", [20, 95, 150, 300, 450])
def test_every_topic_has_one_pointer_however_many_there_are(world: World, topics: int) -> None:
    rules = [(Scope.GENERAL, "", f"Rule {number} is kept by everybody.") for number in range(30)]
    assert taught(world, *map(subject, range(topics)), *rules).outcome is Outcome.COMMITTED
    assert_within_caps(world)
    assert_pointers_complete(world)
    memory = world.memory()
    assert all(f"- Rule {number} is" in memory for number in range(30))
    assert ("- Older: " in memory) == (topics > 100)
    assert world.kick().outcome is Outcome.NO_CHANGE


def test_one_more_entry_among_three_hundred_topics_changes_only_its_own_lines(world: World) -> None:
    taught(world, *map(subject, range(300)))
    before, files = world.memory(), world.tree()
    taught(world, (Scope.GENERAL, "", "Always be brief in everything."))
    assert changed(before, world.memory())[-1] == "+- Always be brief in everything."
    assert all(line == "+" or line.startswith(("+- Always", "+## ")) for line in changed(before, world.memory()))
    before, files = world.memory(), world.tree()
    taught(world, (Scope.PATTERN, "subject 7", "One more thing about subject 7."))
    # Its own line (twice: it may leave a shared one), the shared one, and those at a border of hook lengths.
    assert len(changed(before, world.memory())) <= 8
    assert [path for path, data in world.tree().items() if files[path] != data] == [
        "MEMORY.md",
        "patterns/subject-7.md",
    ]
    before = world.memory()
    taught(world, (Scope.PERSON, "Robin", "Robin owns the deployment scripts."))
    assert len(changed(before, world.memory())) <= 12
    assert_pointers_complete(world)


def test_topics_of_a_persons_own_are_pointed_to_by_what_they_say_of_themselves(world: World) -> None:
    for number in range(150):
        written(
            world,
            f"---\ndescription: all about thing {number}\n---\n\n# T\n\n- thing {number}\n",
            f"patterns/t (a) {number}.md",
        )
    written(world, "- See [mine](people/robin.md).\n")
    written(world, "Robin likes tea.\n", "people/robin.md")
    world.say("We always use pnpm in this repo, never npm.")
    world.kick()
    assert_within_caps(world)
    assert_pointers_complete(world)
    assert "- [t (a) 0](patterns/t%20%28a%29%200.md): all about thing 0" in world.memory()


def test_a_persons_lines_give_way_to_pointers_only_as_far_as_they_must(world: World) -> None:
    written(world, "# Memory\n\n" + notes(190))
    taught(world, *map(subject, range(120)))
    assert_within_caps(world)
    assert_pointers_complete(world)
    assert sum(line.startswith("- Note") for line in world.memory().splitlines()) >= 170
