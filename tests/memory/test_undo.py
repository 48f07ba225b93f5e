import datetime as dt
import shutil

from dreamd.memory.document import entry_key
from dreamd.memory.plan import Carry, ChangeKind, Reason, TopicHead
from dreamd.memory.provenance import entry_history
from dreamd.memory.undo import restore_plan

HEAD = TopicHead("projects/a.md", "a", "a project", dt.date(2026, 3, 2), "project")


def test_an_untouched_dream_is_undone_byte_for_byte(desk):
    desk.write("MEMORY.md", "\ufeff# M\r\n\r\n\r\n- by hand")
    old = desk.files()
    run = desk.dream(desk.add("use uv"), desk.add("port", "projects/a.md"), heads=(HEAD,))
    assert desk.files() != old
    desk.undo(run)
    assert desk.files() == old
    assert desk.history.head().entries == ()


def test_an_undo_is_undone(desk):
    desk.write("MEMORY.md", "# M\n\n- by hand\n")
    run = desk.dream(desk.add("use uv"), desk.add("port", "projects/a.md"), heads=(HEAD,))
    new, entries, made = desk.files(), desk.history.head().entries, desk.history.head().made
    again = desk.undo(run)
    desk.undo(again)
    assert desk.files() == new
    assert desk.history.head().entries == entries
    assert desk.history.head().made == made


def test_hand_edits_since_stay(desk):
    desk.dream(desk.add("node 20"), desk.add("tabs"), desk.add("old rule"))
    run = desk.dream(
        desk.change(ChangeKind.SUPERSEDE, desk.entry("node 20"), "node 22"),
        desk.change(ChangeKind.REMOVE, desk.entry("old rule"), reason=Reason.STALE),
        desk.add("use uv"),
        desk.add("port 1", "projects/a.md"),
    )
    desk.write("MEMORY.md", desk.text().replace("- tabs\n", "- tabs\n- by hand\n"))
    desk.undo(run)
    assert desk.text() == "# Memory\n\n## Rules\n\n- node 20\n- tabs\n- by hand\n- old rule\n"
    assert sorted(desk.files()) == ["MEMORY.md"]


def test_an_entry_that_a_person_reworded_since_stays_theirs(desk):
    desk.dream(desk.add("tabs"))
    run = desk.dream(desk.add("use uv for python"))
    desk.write("MEMORY.md", desk.text().replace("use uv for python", "use uv for all python"))
    desk.undo(run)
    assert desk.text().endswith("- tabs\n- use uv for all python\n")


def test_a_move_is_taken_back_where_one_file_was_edited(desk):
    desk.dream(desk.add("tabs"), desk.add("use uv"))
    old = desk.text()
    run = desk.dream(desk.change(ChangeKind.MOVE, desk.entry("tabs"), file="patterns/style.md", reason=Reason.OVER_CAP))
    desk.write("patterns/style.md", desk.text("patterns/style.md") + "- by hand\n")
    desk.undo(run)
    assert desk.text() == old
    assert "tabs" not in desk.text("patterns/style.md")
    assert "- by hand" in desk.text("patterns/style.md")
    assert desk.entry("tabs").file == "MEMORY.md"


def test_an_older_dream_is_undone_and_the_later_one_stays(desk):
    first = desk.dream(desk.add("use uv"), desk.add("tabs"))
    desk.dream(desk.add("later"), desk.change(ChangeKind.MERGE, desk.entry("tabs"), reason=Reason.REPEATED))
    confirmed = desk.entry("tabs")
    assert confirmed.findings == ("F1",)
    desk.undo(first)
    assert desk.text() == "# Memory\n\n## Rules\n\n- later\n"


def test_what_a_later_dream_confirmed_stays(desk):
    first = desk.dream(desk.add("use uv"), desk.add("tabs"))
    entry = desk.entry("tabs")
    more = desk.change(ChangeKind.MERGE, entry, reason=Reason.REPEATED)
    desk.dream(desk.add("later"), kept=(desk.record("tabs", id=entry.id, findings=("F1", "F2")),))
    assert more.record.id == entry.id
    desk.undo(first)
    assert desk.text() == "# Memory\n\n## Rules\n\n- tabs\n- later\n"


def test_carried_lines_come_back(desk):
    desk.write("MEMORY.md", "# M\n\n## Deploy\n\n- first\n- second\n")
    old = desk.files()
    carry = Carry(entry_key("second"), "MEMORY.md", "patterns/more.md", "")
    run = desk.dream(desk.add("use uv"), carries=(carry,))
    copy = desk.files()
    desk.undo(run)
    assert desk.files() == old
    run = desk.dream(desk.add("use uv"), carries=(carry,))
    assert desk.files() == copy
    desk.write("MEMORY.md", desk.text() + "\n## Mine\n\n- edited\n")
    desk.undo(run)
    assert desk.text() == "# M\n\n## Deploy\n\n- first\n- second\n\n## Mine\n\n- edited\n"
    assert sorted(desk.files()) == ["MEMORY.md"]


def test_an_undo_passes_the_guards(desk):
    from dreamd.memory.undo import undo_plan

    desk.write("MEMORY.md", "# M\n" + "- by hand\n" * 238)
    run = desk.dream(
        *(desk.add(f"rule {n}") for n in range(9)), *(desk.add(f"x {n}", "projects/a.md") for n in range(9))
    )
    desk.write("projects/a.md", desk.text("projects/a.md") + "- by hand\n")
    tree, found = desk.look()
    assert desk.check(undo_plan(desk.history, desk.history.commit_of(run), tree, found, "R99")) == []


def test_a_vanished_root_is_put_back(desk):
    desk.write("projects/mine.md", "- by hand\n")
    desk.dream(desk.add("use uv"), desk.add("port", "projects/a.md"), heads=(HEAD,))
    old, entries = desk.files(), desk.history.head().entries
    shutil.rmtree(desk.root)
    tree, found = desk.look()
    assert found.vanished
    desk.apply(restore_plan(desk.history, tree, found, "R99"))
    assert desk.files() == old
    assert desk.history.head().entries == entries


def test_entries_that_vanished_are_put_back_and_the_rest_stays(desk):
    desk.dream(*(desk.add(f"rule {n}") for n in range(8)), *(desk.add(f"port {n}", "projects/a.md") for n in range(4)))
    topic = desk.text("projects/a.md")
    (desk.root / "projects" / "a.md").unlink()
    desk.write("MEMORY.md", "# Memory\n\n- by hand\n\n## Rules\n\n- rule 3\n")
    tree, found = desk.look()
    assert found.vanished
    desk.apply(restore_plan(desk.history, tree, found, "R99"))
    assert desk.text("projects/a.md") == topic
    assert desk.text().startswith("# Memory\n\n- by hand\n\n## Rules\n\n- rule 3\n")
    _, found = desk.look()
    assert len(found.mine) == 12
    assert not found.retired


def test_the_history_of_an_entry_is_told_oldest_first(desk):
    first = desk.dream(desk.add("node 20"), desk.add("tabs"))
    entry = desk.entry("node 20")
    second = desk.dream(desk.change(ChangeKind.SUPERSEDE, entry, "node 22"))
    third = desk.undo(second)
    steps = entry_history(desk.history, entry.id)
    assert [(one.run_id, one.change, one.reason) for one in steps] == [
        (first, "add", "new"),
        (second, "supersede", "newer_value"),
        (third, "update", "undone"),
    ]
