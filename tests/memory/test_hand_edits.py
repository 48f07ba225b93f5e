"""Hand edits between dreams: what a person changed, moved, reworded or deleted stays as they have it."""

from pathlib import Path

import pytest

from dreamd.dream.cycle import Order
from dreamd.state.run_record import Outcome
from world import World

PNPM = "We always use pnpm in this repo, never npm."
PORT = "The API runs on port {}."


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "home")


def again(world: World, *words: str, project: str = "orchard") -> Outcome | None:
    world.later(hours=5)
    world.say(*words, project=project, session=world.said + 1)
    return world.kick().outcome


def edit(world: World, file: str, old: str, new: str) -> None:
    path = world.root / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_description_that_a_person_wrote_stays_theirs_for_ever(world: World) -> None:
    world.say(PNPM)
    world.kick()
    lines = (world.root / "projects" / "orchard.md").read_text().splitlines()
    (described,) = [line for line in lines if line.startswith("description: ")]
    edit(world, "projects/orchard.md", described, "description: the shop, my own words")
    for port in (8181, 8282, 8383):
        assert again(world, PORT.format(port)) is Outcome.COMMITTED
        assert "description: the shop, my own words\n" in (world.root / "projects" / "orchard.md").read_text()


def test_a_description_of_dreamds_own_follows_what_is_known(world: World) -> None:
    world.say(PORT.format(8181))
    world.kick()
    again(world, PORT.format(8282))
    text = (world.root / "projects" / "orchard.md").read_text()
    assert "8282" in text.partition("\n# ")[0]
    assert "8181" not in text


def test_old_words_of_a_line_that_was_reworded_do_not_come_back_beside_it(world: World) -> None:
    world.say("请始终用中文写提交说明。")
    world.kick()
    (line,) = [line for line in world.memory().splitlines() if "提交说明" in line]
    edit(world, "MEMORY.md", line, "- 提交说明、注释和文档，凡是写给人看的，一律用中文，这是我自己的话")
    again(world, "请始终用中文写提交说明。")
    assert line not in world.text().splitlines()
    again(world, "请始终用中文写提交说明。")
    assert line not in world.text().splitlines()


def test_what_was_edited_by_hand_before_the_root_was_lost_comes_back_too(world: World) -> None:
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text("# Memory\n\n- first\n- second\n")
    world.say(PNPM)
    world.kick()
    edit(world, "MEMORY.md", "- second\n", "- third\n")
    assert world.kick().outcome is Outcome.NO_CHANGE
    before = world.tree()
    world.root.rename(world.home / "gone")
    assert world.kick().reason == "vanished"
    with world.app() as app:
        app.undo(None, relearn=False)
    assert world.tree() == before


def test_deleted_entries_do_not_count_as_room_to_be_won(world: World) -> None:
    world.settings["memory"] = {"max_lines": 40}
    world.say("Never push without asking me first.")
    world.kick()
    notes = "".join(f"- Note {number} of mine.\n" for number in range(37))
    (world.root / "MEMORY.md").write_text(f"# Memory\n\n{notes}")  # dreamd's one line is deleted, and it is nearly full
    assert again(world, PNPM) is Outcome.COMMITTED
    assert "(projects/orchard.md)" in world.memory()
    assert all(f"- Note {number} of mine." in world.text() for number in range(37))


def test_an_undo_brings_no_pointer_back_to_a_file_that_was_deleted(world: World) -> None:
    world.say(PNPM)
    world.kick()
    (world.root / "projects" / "orchard.md").unlink()
    assert world.kick().outcome is Outcome.COMMITTED
    assert "orchard" not in world.memory()
    with world.app() as app:
        app.undo(None, relearn=False)
        app.undo(app.runs()[-1].id, relearn=False)
    assert not (world.root / "MEMORY.md").exists() or "orchard" not in world.memory()
    assert not (world.root / "projects" / "orchard.md").exists()


def test_a_topic_in_which_only_a_persons_heading_is_left_keeps_its_pointer(world: World) -> None:
    world.say(PNPM)
    world.kick()
    edit(world, "projects/orchard.md", "## Rules", "## My own heading")
    edit(world, "projects/orchard.md", "- We always use pnpm, never npm.\n", "")
    world.later(hours=1)
    world.kick()
    assert "## My own heading" in (world.root / "projects" / "orchard.md").read_text()
    assert "(projects/orchard.md)" in world.memory()


def test_a_topic_of_dreamds_own_goes_when_a_person_empties_it(world: World) -> None:
    world.say(PNPM)
    world.kick()
    edit(world, "projects/orchard.md", "- We always use pnpm, never npm.\n", "")
    world.later(hours=1)
    world.kick()
    assert not (world.root / "projects" / "orchard.md").exists()
    assert "orchard" not in world.memory()


def test_what_is_deleted_in_one_project_may_be_learned_in_another(world: World) -> None:
    world.say(PNPM)
    world.kick()
    edit(world, "projects/orchard.md", "- We always use pnpm, never npm.\n", "")
    again(world, PNPM)
    assert "pnpm" not in world.text()
    again(world, PNPM, project="tidepool")
    assert "pnpm" in (world.root / "projects" / "tidepool.md").read_text()


def test_an_entry_that_would_become_another_one_goes_and_the_other_gains(world: World) -> None:
    world.say(PNPM, "Keep queue retention at 3 days.")
    world.kick()
    for _ in range(3):
        again(world, "Forget what I said about pnpm.")
        lines = [line for line in world.text().splitlines() if line.startswith("- ") and "](" not in line]
        assert len(lines) == len(set(lines))
        stamps = {path: path.stat().st_mtime_ns for path in world.root.rglob("*")}
        assert world.kick().outcome is Outcome.NO_CHANGE
        assert {path: path.stat().st_mtime_ns for path in world.root.rglob("*")} == stamps


def test_front_matter_does_not_go_on_telling_of_what_was_deleted(world: World) -> None:
    world.say(PNPM)
    world.kick()
    edit(world, "projects/orchard.md", "- We always use pnpm, never npm.\n", "- My own line.\n")
    again(world, "fix the typo in the readme, please")
    text = (world.root / "projects" / "orchard.md").read_text()
    assert "pnpm" not in text
    assert "name: orchard\n" in text
    assert "pnpm" not in world.memory()
    assert world.kick().outcome is Outcome.NO_CHANGE


def test_a_plan_is_accepted_although_memory_was_filled_by_hand_meanwhile(world: World) -> None:
    world.settings["memory"] = {"max_lines": 40}
    world.root.mkdir(parents=True)
    (world.root / "MEMORY.md").write_text(
        "# Memory\n\n" + "".join(f"- Note {number} of mine.\n" for number in range(33))
    )
    world.say(PNPM)
    planned = world.kick(Order(dry_run=True))
    with (world.root / "MEMORY.md").open("a") as file:
        file.write("".join(f"- Later note {number} of mine.\n" for number in range(5)))
    with world.app() as app:
        assert app.accept(planned.id).outcome is Outcome.COMMITTED
    assert "pnpm" in world.text()
    assert world.kick().outcome is Outcome.COMMITTED
    assert len(world.memory().splitlines()) <= 40
    assert all(f"ote {number} of mine." in world.text() for number in range(33))
