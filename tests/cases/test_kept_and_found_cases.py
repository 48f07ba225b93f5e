"""Public bug reports about memory files, locks and search; each test bears its case's id."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dreamd.dream.cycle import Order
from dreamd.dream.lock import lock_path
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
from dreamd.errors import EngineError, LockHeld
from dreamd.memory.document import count_lines
from dreamd.memory.tree import Tree
from dreamd.search.index import Index
from dreamd.search.notes import memory_files
from dreamd.state.records import SessionState
from dreamd.state.run_record import Outcome
from shared_material import shared
from world import World, dreamd

ORCHARD = "-home-sam-work-orchard"


class Scripted(OfflineEngine):
    """A model that answers each session with given lines, and each topic as `answer` says (by default: all are new)."""

    def __init__(
        self,
        *lines: str,
        scope: Scope = Scope.PROJECT,
        subject: str = "",
        during: Callable[[], None] | None = None,
        answer: Callable[[Sequence[KnownEntry], Sequence[Finding]], list[Proposal]] | None = None,
    ) -> None:
        super().__init__()
        self.lines, self.scope, self.subject, self.during, self.answer = lines, scope, subject, during, answer

    def extract(self, digest: Digest, known: Sequence[KnownEntry]) -> Extraction:
        if self.during:
            self.during()
        turn = next(turn for turn in digest.turns if turn.id in digest.fresh)
        return Extraction(
            tuple(
                Finding(
                    Kind.FACT, self.scope, line, turn.id, turn.at, turn.text[:300], subject=self.subject, weight=2.0
                )
                for line in self.lines
            )
        )

    def reconcile(self, topic: Topic, entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> Reconciliation:
        if self.answer:
            return Reconciliation(tuple(self.answer(entries, findings)))
        return Reconciliation(tuple(Proposal(Act.ADD, (one.id,), reason="new") for one in findings))


def answered(case: str, reply: str) -> list[str]:
    """The lines of a case's canned answer, without bullets."""
    text = shared("cases", case, reply).read_text(encoding="utf-8")
    return [line.removeprefix("- ") for line in text.splitlines() if line.strip() and line != "# Memory"]


def committed(world: World) -> bool:
    return world.kick().outcome in (Outcome.COMMITTED, Outcome.NO_CHANGE)


def found(world: World, query: str, *more: str) -> list[dict[str, object]]:
    done = dreamd(world.home, "search", query, "--in", "memory", "--json", *more)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)["hits"]  # type: ignore[no-any-return]


def test_mem_01_what_readers_would_cut_moves_and_every_note_is_found(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.case(shared("cases", "MEM-01"), memory_of=ORCHARD)
    before = world.tree()
    notes = [line for line in world.memory().splitlines() if line.startswith("- ")]
    assert len(notes) == 237
    assert dreamd(world.home, "kick").returncode == 0
    memory = world.memory()
    assert count_lines(memory) <= 200
    assert len(memory.encode()) <= 25_000
    assert sorted(line for line in world.text().splitlines() if line in notes) == sorted(notes)
    assert "patterns/from-memory.md" in memory
    assert "MUST KEEP" in (world.root / "patterns" / "from-memory.md").read_text()
    run = json.loads(dreamd(world.home, "runs", "show", "last", "--json").stdout)
    moved = sum(line not in memory.splitlines() for line in notes)
    assert f"own_lines_moved={moved}" in json.dumps(run)
    hits = {str(hit["text"]) for hit in found(world, "note detail module", "--limit", "1000")}
    assert {line.removeprefix("- ") for line in notes[:-1]} <= {text.removeprefix("- ") for text in hits}
    (kept, *_) = found(world, "context reset docs/rules")
    assert kept["path"] == "patterns/from-memory.md"
    index = Index(world.state / "search.db")
    for number in range(1, 237):
        best, *_ = index.query(f"Note {number:03}", where="memory").hits
        assert f"Note {number:03}:" in best.text
    assert dreamd(world.home, "undo").returncode == 0
    assert world.tree() == before


@pytest.mark.parametrize("reply", ["reply_1.md", "reply_2.md", "reply_3.md", "reply_4.md"])
def test_mem_03_an_answer_that_elides_takes_nothing_away(world: World, reply: str) -> None:
    world.case(shared("cases", "MEM-03"), memory_of=ORCHARD)
    world.say("Just tidy up a little.")
    before = world.memory().splitlines()
    world.engine = Scripted(*answered("MEM-03", reply))
    run = world.kick()
    assert [line for line in world.memory().splitlines() if line in before] == before
    for elided in ("remaining lines", "existing content", "unchanged"):
        assert elided not in world.text()
    assert run.dropped.get("junk", 0) == (0 if reply == "reply_4.md" else 1)


def test_mem_03_a_short_answer_about_a_short_file_is_no_elision(world: World) -> None:
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text("# Memory\n- Queue: tern\n- Cache: wren\n")
    world.say("Just tidy up a little.")
    world.engine = Scripted("The mailer is moth.", scope=Scope.GENERAL)
    assert world.kick().outcome is Outcome.COMMITTED
    assert "The mailer is moth" in world.memory()


def test_mem_04_what_is_written_while_the_model_thinks_is_kept(world: World) -> None:
    world.case(shared("cases", "MEM-04"), memory_of=ORCHARD)

    def somebody_else() -> None:
        with (world.root / "MEMORY.md").open("a") as file:
            file.write("- Live line: written by another session\n")
        (world.root / "live.md").write_text("made during the run\n")
        (world.root / "people").mkdir()
        (world.root / "people" / "robin.md").write_text("Robin likes tea.\n")
        stamp = world.clock.at.timestamp()
        os.utime(world.root / "MEMORY.md", (stamp, stamp))

    world.engine = Scripted("Queue retention is 3 days.", during=somebody_else)
    assert world.kick().outcome is Outcome.COMMITTED
    memory = world.memory()
    assert "- Queue: tern\n- Live line: written by another session\n" in memory
    assert "(people/robin.md)" in memory
    assert (world.root / "live.md").read_text() == "made during the run\n"
    assert "retention is 3 days" in world.text()


def test_mem_06_a_link_to_another_file_system_is_written_through(world: World) -> None:
    if not Path("/dev/shm").is_dir() or Path("/dev/shm").stat().st_dev == world.home.parent.stat().st_dev:
        pytest.skip("no second file system at hand")
    world.case(shared("cases", "MEM-06"))
    with tempfile.TemporaryDirectory(dir="/dev/shm") as elsewhere:
        real = Path(elsewhere, "MEMORY.md")
        real.write_text("# Memory\n- Queue: tern\n")
        world.root.mkdir(parents=True)
        (world.root / "MEMORY.md").symlink_to(real)
        world.engine = Scripted("Queue retention is 3 days.")
        assert world.kick().outcome is Outcome.COMMITTED
        assert (world.root / "MEMORY.md").is_symlink()
        assert "- Queue: tern" in real.read_text()
        assert "(projects/orchard.md)" in real.read_text()
        assert [path.name for path in Path(elsewhere).iterdir()] == ["MEMORY.md"]
        assert {path.name for path in world.root.iterdir()} == {"MEMORY.md", "projects"}


def test_mem_08_a_full_disk_leaves_memory_whole_and_the_next_run_ends_well(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.case(shared("cases", "MEM-08"), memory_of=ORCHARD)
    assert dreamd(world.home, "kick").returncode == 0
    world.say("We always use pnpm in this repo, never npm.", "Never push without asking me first.", session=9)
    before = world.tree()
    full = dreamd(world.home, "kick", "--json", PYTHONPATH=str(shared("cases", "MEM-08")))
    assert full.returncode == 1
    assert "Traceback" not in full.stderr
    assert "ENOSPC" in full.stdout
    assert world.tree() == before
    assert not [path for path in world.home.rglob("*") if path.name.endswith(".tmp")]
    assert [hit["path"] for hit in found(world, "tern")] == ["MEMORY.md"]
    assert json.loads(dreamd(world.home, "runs", "--json").stdout)[0]["outcome"] == "failed"
    assert dreamd(world.home, "kick").returncode == 0
    assert "pnpm" in world.text()
    assert "- Queue: tern" in world.memory()


def test_pas_01_no_answer_can_delete_what_nothing_speaks_against(world: World) -> None:
    world.case(shared("cases", "PAS-01"), memory_of=ORCHARD)
    for number in range(1, 13):
        shutil.copyfile(world.root / f"topic_{number:02}.md", world.root / f"own_{number:02}.md")
    before = world.tree()

    def keep_one(entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> list[Proposal]:
        gone = [entry.id for entry in entries][1:]
        proposals = [
            Proposal(Act.SUPERSEDE, (findings[0].id,), entry_id=one, text=findings[0].text, reason="newer_value")
            for one in gone
        ]
        return [*proposals, Proposal(Act.DROP, (findings[0].id,), reason="duplicate")]

    world.engine = Scripted(*answered("PAS-01", "reply.md"), answer=keep_one)
    dry = world.dream(Order(dry_run=True))
    assert dry.plan is None or not any(change.new is None for change in dry.plan.changes)
    assert world.tree() == before
    world.kick()
    assert {path: data for path, data in world.tree().items() if path in before and path != "MEMORY.md"} == {
        path: data for path, data in before.items() if path != "MEMORY.md"
    }
    assert all(line in world.memory().splitlines() for line in before["MEMORY.md"].decode().splitlines())


def test_pas_01_entries_of_dreamds_own_are_replaced_but_never_emptied(world: World) -> None:
    facts = [f"Service s{number:02} listens on port 90{number:02}." for number in range(12)]
    world.say("Write down the ports.")
    world.engine = Scripted(*facts)
    assert world.kick().changes.added == 12
    world.later(hours=5)
    world.say("Rename the lint job.", session=2)

    def all_into_one(entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> list[Proposal]:
        mine = [entry.id for entry in entries if entry.mine]
        cited = [finding.id for finding in findings]
        return [
            Proposal(
                Act.SUPERSEDE, (cited[at % len(cited)],), entry_id=one, text="standing note 01", reason="newer_value"
            )
            for at, one in enumerate(mine)
        ]

    world.engine = Scripted("standing note 01 is kept", answer=all_into_one)
    run = world.kick()
    assert run.changes.removed == 0
    assert sum(fact.rstrip(".") in world.text() for fact in facts) >= 11


def test_pas_02_without_a_model_the_newer_value_stands_dated_under_the_persons_line(world: World) -> None:
    world.case(shared("cases", "PAS-02"), memory_of=ORCHARD)
    assert world.kick().outcome is Outcome.COMMITTED
    lines = world.memory().splitlines()
    at = lines.index("- Runtime: node 18 on all services")
    assert lines[at + 1].startswith("- Since 2026-03-02: ")
    assert "node 22" in lines[at + 1]
    assert "- Package manager: pnpm" in lines
    with world.app() as app:
        assert any("contradict" in one.code for one in app.problems())


@pytest.mark.parametrize(
    ("mine", "newer"),
    [
        ("Language: Python 3.11", "We upgraded all services to Python 3.13."),
        ("Package manager: npm", "We always use pnpm in this repo, never npm."),
    ],
)
def test_pas_02_any_labelled_line_of_a_persons_meets_its_newer_value(world: World, mine: str, newer: str) -> None:
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text(f"# Memory\n\n- {mine}\n- Editor: helix\n")
    world.say(newer)
    world.kick()
    lines = world.memory().splitlines()
    assert lines[lines.index(f"- {mine}") + 1].startswith("- Since 2026-03-10: ")
    assert "- Editor: helix" in lines


@pytest.mark.parametrize("reply", ["reply_good.md", "reply_lost.md", "reply_old.md"])
def test_pas_02_whatever_a_model_answers_no_line_is_lost_without_its_successor(world: World, reply: str) -> None:
    world.case(shared("cases", "PAS-02"), memory_of=ORCHARD)
    says = next((line for line in answered("PAS-02", reply) if "node" in line), "")

    def against(entries: Sequence[KnownEntry], findings: Sequence[Finding]) -> list[Proposal]:
        old = next(entry for entry in entries if "node 18" in entry.text)
        if not says:  # "lost": the old line is to go, and nothing comes
            return [Proposal(Act.SUPERSEDE, (findings[0].id,), entry_id=old.id, text="", reason="contradicted")]
        return [Proposal(Act.SUPERSEDE, (findings[0].id,), entry_id=old.id, text=says, reason="newer_value")]

    world.engine = Scripted("All services run on node 22.", scope=Scope.GENERAL, answer=against)
    run = world.kick()
    lines = world.memory().splitlines()
    at = lines.index("- Runtime: node 18 on all services")
    assert "- Package manager: pnpm" in lines
    if reply == "reply_old.md":
        assert world.memory().count("node 18") == 1
        return
    assert run.outcome is Outcome.COMMITTED
    assert lines[at + 1].startswith("- Since 2026-03-02: ")
    assert "node 22" in lines[at + 1]


def test_pas_07_small_talk_leaves_no_trace(world: World) -> None:
    world.case(shared("cases", "PAS-07"), memory_of=ORCHARD)
    before = world.tree()
    run = world.kick()
    assert (run.outcome, run.sessions.selected) == (Outcome.NO_CHANGE, 5)
    assert world.tree() == before


def test_pas_08_an_answer_that_cannot_be_read_is_no_success(world: World) -> None:
    world.case(shared("cases", "PAS-08"))

    class ChatsOn(Scripted):
        def extract(self, digest: Digest, known: Sequence[KnownEntry]) -> Extraction:
            raise EngineError("the answer is not in the form that was asked for", hint="it is tried again later")

    world.engine = ChatsOn()
    run = world.kick()
    assert run.outcome in (Outcome.FAILED, Outcome.INCOMPLETE)
    assert not world.root.exists() or world.tree() == {}
    with world.app() as app:
        assert app.status()["last_success_at"] is None
        (session,) = app.sessions()
        assert session.state(world.clock.at, app.shop.config.gates.idle) is not SessionState.CONSOLIDATED
    world.engine = None
    world.later(hours=1)
    assert committed(world)


def test_pas_08_a_chat_answer_taken_line_by_line_is_refused(world: World) -> None:
    world.case(shared("cases", "PAS-08"))
    world.engine = Scripted(*answered("PAS-08", "reply.md"))
    world.kick()
    for chat in ("[x]", "[ ]", "Shall I", "Here is what is left"):
        assert chat not in world.text()


def test_pas_10_the_same_fact_under_another_name_makes_no_second_topic(world: World) -> None:
    world.case(shared("cases", "PAS-10"), memory_of=ORCHARD)
    before = world.tree()
    stamps = {path: path.stat().st_mtime_ns for path in world.root.rglob("*")}
    for session in range(3):
        world.say("Go on, please.", session=session + 1)
        world.engine = Scripted(
            *answered("PAS-10", "reply_B_deployment-lane.md"), scope=Scope.PATTERN, subject="deployment-lane"
        )
        run = world.kick()
        assert (run.outcome, run.dropped) == (Outcome.NO_CHANGE, {"duplicate": 1})
        world.later(hours=5)
    assert world.tree() == before
    assert {path: path.stat().st_mtime_ns for path in world.root.rglob("*")} == stamps


def test_pas_10_what_dreamd_learned_itself_is_not_learned_under_another_name(world: World) -> None:
    world.say("Go on, please.")
    world.engine = Scripted("Deploys use the green lane.", scope=Scope.PATTERN, subject="deploy-lane")
    world.kick()
    before = world.tree()
    for session in (2, 3):
        world.later(hours=5)
        world.say("Go on, please.", session=session)
        world.engine = Scripted("Deploys use  the GREEN lane.", scope=Scope.PATTERN, subject="deployment-lane")
        assert world.kick().outcome is Outcome.NO_CHANGE
    assert world.tree() == before
    assert [path for path in before if "/" in path] == ["patterns/deploy-lane.md"]


def test_idx_01_any_text_is_a_query(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.case(shared("cases", "IDX-01"))
    shutil.copytree(world.transcripts / ORCHARD / "memory", world.root / "patterns")
    assert dreamd(world.home, "kick").returncode == 0
    for line in shared("cases", "IDX-01", "queries.tsv").read_text(encoding="utf-8").splitlines():
        query, _, expected = line.partition("\t")
        done = dreamd(world.home, "search", "--in", "memory", "--", query)
        assert (done.returncode, done.stderr) == (0, ""), line
        if expected == "-":
            assert "patterns/" not in done.stdout, line
            assert done.stdout.strip(), line
        else:
            assert f"patterns/{expected}" in done.stdout, line


def test_idx_01_notes_beside_the_tree_are_found_too(world: World) -> None:
    world.case(shared("cases", "IDX-01"), memory_of=ORCHARD)
    assert committed(world)
    index = Index(world.state / "search.db")
    for line in shared("cases", "IDX-01", "queries.tsv").read_text(encoding="utf-8").splitlines():
        query, _, expected = line.partition("\t")
        hits = {hit.path for hit in index.query(query, where="memory").hits}
        assert expected in hits if expected != "-" else not hits, line


def test_idx_03_no_ghosts_whoever_deleted_edited_or_renamed(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.case(shared("cases", "IDX-03"))
    shutil.copytree(world.transcripts / ORCHARD / "memory", world.root / "patterns")
    assert dreamd(world.home, "kick").returncode == 0
    assert len(found(world, "jwt tokens expire", "--limit", "20")) >= 12
    for number in range(11):
        (world.root / "patterns" / f"jwt_{number:02}.md").unlink()
    last = world.root / "patterns" / "jwt_11.md"
    last.write_text(last.read_text().replace("30", "45"))
    last.rename(world.root / "patterns" / "jwt_renamed.md")
    at_once = [hit for hit in found(world, "jwt tokens expire", "--limit", "5") if hit["path"] != "MEMORY.md"]
    assert [hit["path"] for hit in at_once] == ["patterns/jwt_renamed.md"]
    assert dreamd(world.home, "kick").returncode == 0
    hits = found(world, "jwt tokens expire", "--limit", "5")
    assert {hit["path"] for hit in hits} <= {"patterns/jwt_renamed.md", "MEMORY.md"}
    assert all((world.root / str(hit["path"])).exists() for hit in hits)
    assert "45" in str([hit["text"] for hit in hits])
    tree = Tree.read(world.root)
    assert Index(world.state / "search.db").update_memory(memory_files(tree)) == 0


@pytest.mark.parametrize(("after", "copies"), [("24h", 1), ("never", 0)])
def test_idx_03_words_of_a_deleted_transcript_lead_to_its_copy_or_nowhere(
    world: World, after: str, copies: int
) -> None:
    world.settings["transcripts"] = {"archive_after": after}
    transcript = world.say("The heron protocol needs three handshakes.", session=1)
    world.later(hours=30)
    world.kick()
    index = Index(world.state / "search.db")
    hits = index.query("heron handshakes", where="sessions").hits
    assert [hit.path for hit in hits] == [str(transcript)]
    transcript.unlink()
    world.later(hours=1)
    world.kick()
    hits = index.query("heron handshakes", where="sessions").hits
    assert len(hits) == copies
    assert all(Path(hit.path).is_relative_to(world.state / "archive") and Path(hit.path).exists() for hit in hits)


@pytest.mark.parametrize("number", ["37", "38"])
def test_lck_05_without_working_locks_nothing_runs(tmp_path: Path, number: str) -> None:
    world = World(tmp_path / "home")
    world.say("We always use pnpm in this repo, never npm.")
    began = time.monotonic()
    done = dreamd(world.home, "kick", PYTHONPATH=str(shared("cases", "LCK-05")), FL=number)
    assert done.returncode == 1
    assert time.monotonic() - began < 30  # the case says 5 s; a loaded machine starts slowly
    assert not world.root.exists()
    assert str(world.state) in done.stderr
    assert "local disk" in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert dreamd(world.home, "kick").returncode == 0


def test_lck_06_a_run_whose_lock_file_was_removed_writes_nothing(world: World) -> None:
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text("# Memory\n- Mine.\n")
    world.say("Go on, please.")
    before = world.tree()
    world.engine = Scripted("Queue retention is 3 days.", during=lambda: lock_path(world.state, world.root).unlink())
    with pytest.raises(LockHeld, match="lost its lock"):
        world.kick()
    assert world.tree() == before
    with world.app() as app:
        assert [run.outcome for run in app.runs()] == [Outcome.FAILED]
    world.engine = Scripted("Queue retention is 3 days.")
    assert world.kick().outcome is Outcome.COMMITTED


def test_lck_06_two_runs_after_a_removed_lock_leave_exactly_one_runs_output(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.say("We always use pnpm in this repo, never npm.")
    second: list[int] = []

    def meanwhile() -> None:
        lock_path(world.state, world.root).unlink(missing_ok=True)
        second.append(dreamd(world.home, "kick").returncode)

    world.engine = Scripted("Queue retention is 3 days.", during=meanwhile)
    try:
        first = world.kick().outcome
    except LockHeld:
        first = Outcome.FAILED
    ours, theirs = "retention" in world.text() if world.root.exists() else False, second == [0]
    assert (first is Outcome.COMMITTED) == ours
    assert not (ours and theirs and "pnpm" in world.text())
    world.engine = None
    assert dreamd(world.home, "kick").returncode == 0
    runs = json.loads(dreamd(world.home, "runs", "--json").stdout)
    assert all(run["outcome"] for run in runs)


def test_notes_beside_the_tree_are_found_through_the_command(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    world.root.mkdir(parents=True)
    (world.root / "heron.md").write_text("the heron nests on the roof\n")
    world.kick()
    for _ in range(2):  # the command brings the index up to date itself, and must not drop them again
        told = json.loads(dreamd(world.home, "search", "heron", "--json").stdout)
        assert [hit["path"] for hit in told["hits"]] == ["heron.md"]
