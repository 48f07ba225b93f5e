"""Public bug reports of tools like this one, as whole dreams; each test bears its case's id."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

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
from dreamd.state.run_record import Outcome
from shared_material import shared
from world import World, dreamd

ORCHARD = "-home-sam-work-orchard"
RELATIVE = re.compile(
    r"\b(yesterday|tomorrow|ago|(last|next) (mon|tues|wednes|thurs|fri|satur|sun)day)\b", re.IGNORECASE
)


def test_par_14_an_ascii_locale_changes_no_character(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.case(shared("cases", "PAR-14"), memory_of=ORCHARD)
    ascii_only = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    before = (world.root / "MEMORY.md").read_text(encoding="utf-8")
    for verb in (["scan"], ["kick"], ["memory"], ["sessions"], ["status"], ["runs", "show", "last"]):
        done = dreamd(world.home, *verb, **ascii_only)
        assert done.returncode == 0, done.stderr
    shown = json.loads(dreamd(world.home, "sessions", "show", "0000", "--json", **ascii_only).stdout)
    assert "İstanbul" in shown["turns"][0]["text"]
    after = (world.root / "MEMORY.md").read_text(encoding="utf-8")
    assert all(line in after.splitlines() for line in before.splitlines())


def test_par_03_lone_surrogates_pass_through_every_writer(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.case(shared("cases", "PAR-03"))
    assert dreamd(world.home, "kick").returncode == 0
    (session,) = json.loads(dreamd(world.home, "sessions", "--json").stdout)
    assert session["bad_lines"] == 0
    shown = json.loads(dreamd(world.home, "sessions", "show", session["id"], "--json").stdout)
    said = "".join(turn["text"] for turn in shown["turns"])
    assert said.count("\ufffd") == 2
    assert "\U0001f680" in said


def test_par_05_unknown_types_are_tallied_and_shown(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.case(shared("cases", "PAR-05"))
    told = dreamd(world.home, "sessions", "--json")
    assert told.returncode == 0
    (session,) = json.loads(told.stdout)
    assert session["unknown_types"]["zz-future-kind"] == 2
    assert sum(session["unknown_types"].values()) == 3
    log = (world.state / "dreamd.log").read_text()
    assert log.count("record_types.unknown") == 1


def test_par_08_streamed_lines_are_one_message(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.case(shared("cases", "PAR-08"))
    (session,) = json.loads(dreamd(world.home, "sessions", "--json").stdout)
    assert (session["human_turns"], session["tokens"]) == (1, 301)


def test_gat_05_wrappers_and_notices_are_nobodys_words(world: World) -> None:
    world.case(shared("cases", "GAT-05"))
    with world.app() as app:
        app.scan()
        turns = sorted((one.human_turns, one.excluded_because or "") for one in app.sessions())
        assert turns == [(0, "empty"), (1, "")]
        assert [gate.have for gate in app.gates() if gate.name == "sessions"] == [1]
    world.kick()
    assert "clear" not in world.text()


def test_gat_06_projects_that_share_a_folder_stay_apart(world: World) -> None:
    world.case(shared("cases", "GAT-06"))
    with world.app() as app:
        app.scan()
        keys = {one.project.key for one in app.sessions() if one.project}
    assert len(keys) == 4
    world.kick()
    for data in world.tree().values():
        assert not (b"alpha token" in data and b"beta token" in data)


@pytest.mark.parametrize("left", ["lock.dead", "lock.empty", "lock.garbage"])
def test_lck_01_a_lock_left_behind_stops_nothing(world: World, left: str) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    world.root.mkdir(parents=True)
    for place in (lock_path(world.state, world.root), world.root / ".consolidate-lock"):
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(shared("cases", "LCK-01", left), place)
    with world.app() as app:
        app.status()

    assert world.kick().outcome is Outcome.COMMITTED

    assert (world.root / ".consolidate-lock").read_bytes() == shared("cases", "LCK-01", left).read_bytes()


def test_a_living_agents_own_consolidation_is_respected(world: World) -> None:
    world.say("We always use pnpm in this repo, never npm.")
    world.root.mkdir(parents=True)
    lock = world.root / ".consolidate-lock"
    lock.write_text(f"{os.getpid()}\n")
    os.utime(lock, (world.clock.at.timestamp(),) * 2)
    with pytest.raises(Exception, match="consolidating") as caught:
        world.kick()
    assert getattr(caught.value, "exit_status", None) == 4
    world.later(hours=2)
    assert world.kick().outcome is Outcome.COMMITTED


def test_pas_04_relative_days_become_dates(world: World) -> None:
    world.case(shared("cases", "PAS-04"))
    world.later(days=10)
    world.kick()
    text = world.text()
    assert "2026-03-01" in text
    assert not RELATIVE.search(text)
    assert "2026-03-19" not in text
    assert "2026-03-20" not in text
    if "audit" in text:
        assert re.search(r"audit.*2026-03-(13|06)", text)


def test_pas_05_each_side_of_midnight_keeps_its_day(world: World) -> None:
    world.case(shared("cases", "PAS-05"))
    world.kick()
    lines = [line for line in world.text().splitlines() if "4.1" in line and line.startswith("- ") and "](" not in line]
    tagged = [line for line in lines if "agged" in line]
    rolled = [line for line in lines if "ollback" in line or "olled back" in line]
    assert tagged
    assert all("2026-03-02" in line for line in tagged)
    assert rolled
    assert all("2026-03-03" in line for line in rolled)


class ScriptedEngine(OfflineEngine):
    """An engine that answers every session with the lines of a given reply, as a bad model would."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.lines = lines

    def extract(self, digest: Digest, known: object) -> Extraction:
        turn = next(turn for turn in digest.turns if turn.id in digest.fresh)
        return Extraction(
            tuple(
                Finding(Kind.FACT, Scope.PROJECT, line, turn.id, turn.at, turn.text[:300], weight=1.0 + number / 100)
                for number, line in enumerate(self.lines)
            )
        )

    def reconcile(self, topic: Topic, entries: object, findings: object) -> Reconciliation:
        return Reconciliation(tuple(Proposal(Act.ADD, (one.id, "invented"), reason="new") for one in findings))  # type: ignore[attr-defined]


def test_pas_06_raw_material_in_a_reply_is_not_promoted(world: World) -> None:
    world.case(shared("cases", "PAS-06"), memory_of=ORCHARD)
    reply = shared("cases", "PAS-06", "reply.md").read_text(encoding="utf-8").splitlines()[1:]
    world.engine = ScriptedEngine([line.removeprefix("- ") for line in reply])
    run = world.kick()
    text = world.text()
    assert "Retention: 3 days" in text
    for junk in ("User:", "score=", "sudo make", "Sam's decision", "confidence"):
        assert junk not in text
    assert run.dropped["junk"] == 5


def test_invented_finding_ids_and_entries_are_dropped(world: World) -> None:
    class Inventive(ScriptedEngine):
        def reconcile(self, topic: Topic, entries: object, findings: object) -> Reconciliation:
            entry = next(iter(entries), KnownEntry("x", "", None, mine=False)).id  # type: ignore[call-overload]
            return Reconciliation(
                (
                    Proposal(
                        Act.SUPERSEDE,
                        ("01INVENTED",),
                        entry_id=entry,
                        text="Everything is allowed.",
                        reason="newer_value",
                    ),
                    Proposal(Act.ADD, (findings[0].id,), reason="new"),  # type: ignore[index]
                )
            )

    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text("# Memory\n\n- My own rule stays.\n")
    world.say("Keep queue retention at 3 days.")
    world.engine = Inventive(["Queue retention is 3 days."])
    world.kick()
    assert "Everything is allowed" not in world.text()
    assert "- My own rule stays." in world.memory()


def test_mem_05_a_linked_memory_stays_a_link_and_modes_stay(world: World) -> None:
    world.root.mkdir(parents=True)
    real = world.home / "dotfiles" / "orchard-memory.md"
    real.parent.mkdir()
    real.write_text("# Memory\n- Queue: tern\n")
    real.chmod(0o600)
    (world.root / "MEMORY.md").symlink_to(real)
    (world.root / "private.md").write_text("private topic\n")
    (world.root / "private.md").chmod(0o640)
    world.say("Never push without asking me first.", "We always use pnpm in this repo, never npm.")
    assert world.kick().outcome is Outcome.COMMITTED
    assert (world.root / "MEMORY.md").is_symlink()
    assert "Never push" in real.read_text()
    assert "- Queue: tern" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o600
    assert (world.root / "private.md").stat().st_mode & 0o777 == 0o640
    assert (world.root / "projects").stat().st_mode & 0o777 == 0o700
    assert (world.root / "projects" / "orchard.md").stat().st_mode & 0o777 == 0o600
