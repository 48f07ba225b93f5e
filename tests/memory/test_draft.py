import datetime as dt

import pytest

from dreamd.memory.document import entry_key
from dreamd.memory.draft import changes_nothing, draft
from dreamd.memory.plan import Carry, ChangeKind, Reason, TopicHead
from dreamd.memory.skipped import SkipReason

HEAD = TopicHead("projects/orchard.md", "orchard", "stack: uv", dt.date(2026, 3, 2), "project")


def reasons(made):
    return [one.reason for one in made.skipped]


def test_the_first_dream_makes_the_index_and_a_topic(desk):
    desk.dream(desk.add("use uv"), desk.add("port 8080", "projects/orchard.md", "Facts"), heads=(HEAD,))
    assert desk.text() == "# Memory\n\n## Rules\n\n- use uv\n"
    assert desk.text("projects/orchard.md") == (
        "---\nname: orchard\ndescription: 'stack: uv'\n".replace("'", '"')
        + "modified: 2026-03-02\nmetadata:\n  type: project\n---\n\n# orchard\n\n## Facts\n\n- port 8080\n"
    )


def test_no_change_leaves_every_byte(desk):
    desk.write("MEMORY.md", "\ufeff# M\r\n\r\n* a\r\n\r\n\r\n\r\nx")
    made = desk.draft()
    assert made.empty
    _, found = desk.look()
    assert changes_nothing(made, found)


def test_a_changed_record_alone_rewrites_no_file_but_is_a_change(desk):
    desk.dream(desk.add("use uv"))
    entry = desk.entry("use uv")
    made = desk.draft(desk.change(ChangeKind.MERGE, entry, reason=Reason.REPEATED))
    assert made.empty
    made = desk.draft(kept=(desk.record("use uv", id=entry.id, findings=("F1", "F9")),))
    assert made.empty
    assert made.entries[0].findings == ("F1", "F9")
    _, found = desk.look()
    assert not changes_nothing(made, found)


def test_entries_are_superseded_moved_and_removed_in_place(desk):
    desk.dream(desk.add("node 20"), desk.add("tabs"), desk.add("old"))
    node, tabs, old = (desk.entry(text) for text in ("node 20", "tabs", "old"))
    desk.dream(
        desk.change(ChangeKind.SUPERSEDE, node, "node 22"),
        desk.change(ChangeKind.MOVE, tabs, file="patterns/style.md", section="Rules", reason=Reason.OVER_CAP),
        desk.change(ChangeKind.REMOVE, old, reason=Reason.STALE),
    )
    assert desk.text() == "# Memory\n\n## Rules\n\n- node 22\n"
    assert desk.text("patterns/style.md").endswith("# style\n\n## Rules\n\n- tabs\n")
    assert {(e.id, e.file, e.text) for e in desk.history.head().entries} == {
        (node.id, "MEMORY.md", "node 22"),
        (tabs.id, "patterns/style.md", "tabs"),
    }


def test_an_edited_entry_is_left_to_the_person(desk):
    desk.dream(desk.add("use uv for python"), desk.add("tabs"))
    entry = desk.entry("use uv for python")
    desk.write("MEMORY.md", desk.text().replace("use uv for python", "use uv for python 3.12"))
    made = desk.draft(desk.change(ChangeKind.SUPERSEDE, entry, "use pip"), desk.change(ChangeKind.REMOVE, entry))
    assert made.empty
    assert reasons(made) == [SkipReason.EDITED, SkipReason.EDITED]


def test_a_retired_entry_does_not_come_back(desk):
    desk.dream(desk.add("use uv"), desk.add("tabs"))
    entry = desk.entry("use uv")
    desk.write("MEMORY.md", desk.text().replace("- use uv\n", ""))
    made = desk.draft(desk.change(ChangeKind.SUPERSEDE, entry, "use pip"))
    assert made.empty
    assert reasons(made) == [SkipReason.RETIRED]


def test_a_persons_move_wins(desk):
    desk.dream(desk.add("use uv"), desk.add("tabs"))
    entry = desk.entry("use uv")
    desk.write("MEMORY.md", desk.text().replace("- use uv\n", ""))
    desk.write("projects/a.md", "- use uv\n")
    made = desk.draft(
        desk.change(ChangeKind.MOVE, entry, file="patterns/b.md"),
        desk.change(ChangeKind.UPDATE, entry, "use uv always"),
    )
    assert reasons(made) == [SkipReason.MOVED]
    assert made.files == {"projects/a.md": b"- use uv always\n"}


def test_a_plan_applies_to_a_tree_edited_since(desk):
    desk.dream(desk.add("node 20"))
    plan = desk.plan(desk.change(ChangeKind.SUPERSEDE, desk.entry("node 20"), "node 22"), desk.add("tabs"))
    desk.write("MEMORY.md", "- by hand\n\n" + desk.text() + "\n## Mine\n\n- more\n")
    desk.apply(plan)
    assert desk.text() == "- by hand\n\n# Memory\n\n## Rules\n\n- node 22\n- tabs\n\n## Mine\n\n- more\n"


def test_words_that_stand_there_already_are_not_added_again(desk):
    desk.write("MEMORY.md", "# Memory\n\n- use\n  uv\n")
    assert reasons(desk.draft(desk.add("use uv"))) == [SkipReason.PRESENT]


def test_protected_files_are_left_alone(desk):
    desk.dream(desk.add("use uv"))
    entry = desk.entry("use uv")
    (desk.root / "MEMORY.md").chmod(0o400)
    made = desk.draft(desk.add("tabs"), desk.change(ChangeKind.REMOVE, entry))
    assert made.empty
    assert reasons(made) == [SkipReason.PROTECTED] * 2


def test_a_failed_change_leaves_nothing_half_done(desk):
    desk.dream(desk.add("use uv"))
    desk.write("projects/a.md", "```\nopen fence\n")
    made = desk.draft(desk.change(ChangeKind.MOVE, desk.entry("use uv"), file="projects/a.md"))
    assert made.empty
    assert reasons(made) == [SkipReason.UNWRITABLE]
    assert [entry.file for entry in made.entries] == ["MEMORY.md"]


def test_an_entry_stands_under_a_persons_line(desk):
    desk.write("MEMORY.md", "# M\n\n- node 20\n- tabs\n")
    desk.dream(desk.add("since 2026-03-02: node 22", section="M", after=f"key:{entry_key('node 20')}"))
    assert desk.text() == "# M\n\n- node 20\n- since 2026-03-02: node 22\n- tabs\n"


def test_an_entry_follows_another_or_leads_its_section(desk):
    one, two = desk.add("one"), desk.add("two")
    desk.dream(one, two, desk.add("three", after=one.entry), desk.add("zero", after=""))
    assert desk.text().endswith("- zero\n- one\n- three\n- two\n")


def test_sections_of_the_index_are_made_in_their_order(desk):
    desk.dream(desk.add("p", section="Projects"), desk.add("r"), section_order=("Rules", "Projects"))
    assert desk.text() == "# Memory\n\n## Rules\n\n- r\n\n## Projects\n\n- p\n"


def test_a_topic_of_dreamds_that_is_empty_goes_with_its_headings(desk):
    desk.dream(desk.add("port", "projects/orchard.md", "Facts"), desk.add("use uv"), heads=(HEAD,))
    desk.dream(desk.change(ChangeKind.REMOVE, desk.entry("port"), reason=Reason.STALE))
    assert sorted(desk.files()) == ["MEMORY.md"]
    assert desk.history.head().made.files == {"MEMORY.md"}


def test_a_topic_with_a_persons_line_stays(desk):
    desk.dream(desk.add("port", "projects/orchard.md", "Facts"), desk.add("use uv"), heads=(HEAD,))
    desk.write("projects/orchard.md", desk.text("projects/orchard.md") + "\n<!-- mine -->\n")
    desk.dream(desk.change(ChangeKind.REMOVE, desk.entry("port"), reason=Reason.STALE))
    assert desk.text("projects/orchard.md").endswith("# orchard\n\n## Facts\n\n<!-- mine -->\n")


def test_a_persons_heading_stays_when_it_is_empty(desk):
    desk.write("MEMORY.md", "# M\n\n## Rules\n")
    desk.dream(desk.add("use uv"))
    desk.dream(desk.change(ChangeKind.REMOVE, desk.entry("use uv"), reason=Reason.STALE))
    assert desk.text() == "# M\n\n## Rules\n"


def test_front_matter_that_a_person_changed_stays_theirs(desk):
    desk.dream(desk.add("port", "projects/orchard.md", "Facts"), heads=(HEAD,))
    desk.write(
        "projects/orchard.md", desk.text("projects/orchard.md").replace("name: orchard", "name: my orchard\nmood: calm")
    )
    newer = TopicHead(HEAD.file, "Orchard", "stack: pip", dt.date(2026, 4, 1), "project")
    desk.dream(heads=(newer,))
    assert desk.text("projects/orchard.md").startswith(
        '---\nname: my orchard\nmood: calm\ndescription: "stack: pip"\nmodified: 2026-04-01\n'
    )


def test_a_persons_own_topic_only_gains_what_it_lacks(desk):
    desk.write("projects/orchard.md", "---\ndescription: mine\n---\n- a\n")
    desk.dream(heads=(HEAD,))
    assert desk.text("projects/orchard.md") == (
        "---\ndescription: mine\nname: orchard\nmodified: 2026-03-02\nmetadata:\n  type: project\n---\n- a\n"
    )


def test_a_persons_lines_are_carried_word_for_word(desk):
    desk.write("MEMORY.md", "# M\n\n- first\n\n## Deploy\n\n* rule\n  * nested\n\nA paragraph.\n")
    carries = tuple(
        Carry(entry_key(text), "MEMORY.md", "patterns/more.md", "") for text in ("rule\n* nested", "A paragraph.")
    )
    desk.dream(carries=carries)
    assert desk.text() == "# M\n\n- first\n"
    assert desk.text("patterns/more.md").endswith("# more\n\n## Deploy\n\n* rule\n  * nested\n\nA paragraph.\n")
    _, found = desk.look()
    assert len(found.theirs) == 3


def test_a_line_that_is_gone_is_not_carried(desk):
    desk.write("MEMORY.md", "# M\n")
    assert reasons(desk.draft(carries=(Carry("x", "MEMORY.md", "patterns/more.md", ""),))) == [SkipReason.RETIRED]


@pytest.mark.parametrize("text", ["```", "", "---"])
def test_unwritable_words_are_skipped(desk, text):
    assert reasons(desk.draft(desk.add(text))) == [SkipReason.UNWRITABLE]


def test_the_records_know_where_their_entries_stand(desk):
    desk.dream(desk.add("use uv", section=""), desk.add("tabs"))
    tree, found = desk.look()
    made = draft(tree, found, desk.plan())
    assert [(e.file, e.section, e.text, e.occurrence) for e in made.entries] == [
        ("MEMORY.md", "Memory", "use uv", 0),
        ("MEMORY.md", "Rules", "tabs", 0),
    ]
