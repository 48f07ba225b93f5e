import pytest

from dreamd.errors import Refused
from dreamd.memory.survey import refuse_vanished, survey
from dreamd.memory.tree import Tree


def words(entries):
    return sorted(one.record.text for one in entries)


def test_everything_is_the_persons_before_the_first_dream(desk):
    desk.write("MEMORY.md", "# M\n\n- mine\n")
    _, found = desk.look()
    assert not found.mine
    assert [(one.file, one.section, one.text, one.line) for one in found.theirs] == [("MEMORY.md", "M", "mine", 3)]
    assert not found.vanished


def test_what_a_dream_wrote_is_dreamds_even_rewrapped(desk):
    desk.dream(desk.add("use uv for python, never pip"))
    desk.write("MEMORY.md", desk.text().replace("- use uv for", "* use uv\n  for") + "- by hand\n")
    _, found = desk.look()
    assert words(found.mine) == ["use uv for python, never pip"]
    assert [one.text for one in found.theirs] == ["by hand"]
    assert not found.retired


def test_a_reworded_entry_is_the_persons(desk):
    desk.dream(desk.add("use uv for python"))
    desk.write("MEMORY.md", desk.text().replace("use uv for python", "use uv for python 3.12 only"))
    _, found = desk.look()
    assert not found.mine
    assert not found.retired
    assert [(one.record.text, one.theirs.text) for one in found.edited] == [
        ("use uv for python", "use uv for python 3.12 only")
    ]


def test_a_deleted_entry_is_retired_and_stays_a_tombstone(desk):
    desk.dream(desk.add("use uv"), desk.add("tabs"))
    desk.write("MEMORY.md", desk.text().replace("- use uv\n", ""))
    _, found = desk.look()
    assert [record.text for record in found.retired] == ["use uv"]
    desk.dream(desk.add("third"))
    _, found = desk.look()
    assert not found.retired
    assert [record.text for record in found.tombstones] == ["use uv"]
    assert found.tombstones[0].retired_at is not None
    assert words(found.mine) == ["tabs", "third"]


def test_a_moved_entry_is_followed_to_its_file_and_section(desk):
    desk.dream(desk.add("use uv"), desk.add("tabs"))
    desk.write("MEMORY.md", desk.text().replace("- use uv\n", "").replace("- tabs\n", "") + "\n## Mine\n\n- tabs\n")
    desk.write("projects/a.md", "- use uv\n")
    _, found = desk.look()
    assert [(one.record.text, one.file, one.section) for one in found.moved] == [
        ("tabs", "MEMORY.md", "Mine"),
        ("use uv", "projects/a.md", ""),
    ]


def test_words_the_person_had_elsewhere_already_are_not_taken_for_a_move(desk):
    desk.write("projects/a.md", "- use uv\n")
    desk.dream(desk.add("use uv"))
    desk.write("MEMORY.md", desk.text().replace("- use uv\n", ""))
    _, found = desk.look()
    assert [record.text for record in found.retired] == ["use uv"]
    assert [one.text for one in found.theirs] == ["use uv"]


def test_of_equal_lines_one_stays_dreamds(desk):
    desk.dream(desk.add("use uv"))
    desk.write("MEMORY.md", desk.text() + "\n## Mine\n\n- use uv\n")
    _, found = desk.look()
    assert [one.section for one in found.mine] == ["Rules"]
    assert [one.section for one in found.theirs] == ["Mine"]


def test_a_missing_root_has_vanished(desk):
    desk.dream(desk.add("use uv"))
    (desk.root / "MEMORY.md").unlink()
    _, found = desk.look()
    assert found.vanished
    with pytest.raises(Refused) as caught:
        refuse_vanished(found)
    assert caught.value.reasons == ("vanished",)
    assert "uv" not in str(caught.value)


@pytest.mark.parametrize(("gone", "vanished"), [(3, False), (4, True)])
def test_many_entries_gone_at_once_have_vanished(desk, gone, vanished):
    desk.dream(*(desk.add(f"rule number {n}") for n in range(10)))
    text = desk.text()
    for n in range(gone):
        text = text.replace(f"- rule number {n}\n", "")
    desk.write("MEMORY.md", text)
    _, found = desk.look()
    assert found.vanished is vanished


def test_four_of_many_are_a_wish(desk):
    desk.dream(*(desk.add(f"rule number {n} {'x' * (n + 1)}") for n in range(20)))
    text = desk.text()
    for n in range(4):
        text = text.replace(f"- rule number {n} {'x' * (n + 1)}\n", "")
    desk.write("MEMORY.md", text)
    tree = Tree.read(desk.root)
    assert not survey(tree, desk.history.head()).vanished
    assert survey(tree, desk.history.head(), max_loss=0.1).vanished
