from dataclasses import replace

import pytest

from dreamd.errors import Refused
from dreamd.memory.document import entry_key
from dreamd.memory.draft import draft
from dreamd.memory.guards import GuardLimits, GuardReason, Violation, check, refuse
from dreamd.memory.plan import TAKES_BACK, Carry, ChangeKind, Reason, Restore


def judge(desk, plan, made, limits=None):
    tree, found = desk.look()
    return [
        one.reason.value
        for one in check(tree, found, plan, made, limits or GuardLimits(), lambda text: "hunter2" in text)
    ]


def test_an_honest_dream_passes(desk):
    desk.write("MEMORY.md", "# M\n\n- by hand\n")
    desk.dream(desk.add("use uv"), desk.add("port", "projects/a.md"))
    plan = desk.plan(desk.change(ChangeKind.SUPERSEDE, desk.entry("use uv"), "use pip"), desk.add("tabs"))
    assert desk.check(plan) == []


@pytest.mark.parametrize(("gone", "reasons"), [(3, []), (4, ["loss"]), (9, ["loss"])])
def test_losing_too_many_entries_is_refused(desk, gone, reasons):
    desk.dream(*(desk.add(f"rule {n}", findings=(f"F{n}",)) for n in range(10)))
    removals = [desk.change(ChangeKind.REMOVE, desk.entry(f"rule {n}"), reason=Reason.STALE) for n in range(gone)]
    assert desk.check(desk.plan(*removals)) == reasons
    asked = [replace(one, reason=Reason.FORGOTTEN) for one in removals]
    assert desk.check(desk.plan(*asked)) == []


def test_an_entry_with_a_successor_is_not_lost(desk):
    desk.dream(*(desk.add(f"rule {n}", findings=(f"F{n}",)) for n in range(8)))
    removals = [desk.change(ChangeKind.REMOVE, desk.entry(f"rule {n}"), reason=Reason.DUPLICATE) for n in range(4)]
    merged = desk.change(
        ChangeKind.MERGE, replace(desk.entry("rule 7"), findings=("F0", "F1", "F2", "F3", "F7")), reason=Reason.REPEATED
    )
    assert desk.check(desk.plan(*removals, merged)) == []


def test_an_emptied_index_is_refused(desk):
    desk.dream(desk.add("use uv"))
    plan = desk.plan(desk.change(ChangeKind.REMOVE, desk.entry("use uv"), reason=Reason.STALE))
    assert desk.check(plan) == ["emptied"]
    plan = desk.plan(desk.change(ChangeKind.REMOVE, desk.entry("use uv"), reason=Reason.FORGOTTEN))
    assert desk.check(plan) == []


def test_an_elided_answer_in_the_place_of_a_file_is_refused(desk):
    desk.dream(*(desk.add(f"fact {n}", findings=(f"F{n}",)) for n in range(60)))
    tree, found = desk.look()
    made = draft(tree, found, desk.plan())
    elided = replace(
        made, files={"MEMORY.md": b"# Memory\n# ... existing content ...\n- New: cache is moth\n"}, entries=()
    )
    assert {"loss", "unexplained"} <= set(judge(desk, desk.plan(), elided))


def test_a_genuine_short_answer_for_a_short_file_passes(desk):
    desk.dream(*(desk.add(f"fact {n}") for n in range(3)))
    plan = desk.plan(desk.change(ChangeKind.SUPERSEDE, desk.entry("fact 1"), "fact one"))
    assert desk.check(plan) == []


def test_files_over_their_caps_are_refused(desk):
    adds = [desk.add(f"rule {n} {'x' * 40}") for n in range(20)]
    assert desk.check(desk.plan(*adds), GuardLimits(max_lines=24)) == []
    assert desk.check(desk.plan(*adds), GuardLimits(max_lines=23)) == ["caps"]
    assert desk.check(desk.plan(*adds), GuardLimits(max_bytes=500)) == ["caps"]
    topic = [desk.add(f"rule {n}", "projects/a.md") for n in range(20)]
    assert desk.check(desk.plan(*topic), GuardLimits(topic_max_lines=20)) == ["caps"]


def test_an_untouched_file_over_its_cap_is_no_ones_fault(desk):
    desk.write("projects/a.md", "- a\n" * 300)
    assert desk.check(desk.plan(desk.add("use uv"))) == []


@pytest.mark.parametrize(
    "path", ["../x.md", "notes.md", "projects/../../x.md", "projects/.x.md", "/etc/x.md", "other/x.md"]
)
def test_paths_outside_the_four_places_are_refused(desk, path):
    assert "path" in desk.check(desk.plan(desk.add("use uv", path)))


def test_a_new_file_never_goes_through_a_link(desk, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    desk.root.mkdir()
    (desk.root / "projects").symlink_to(tmp_path / "elsewhere")
    assert desk.check(desk.plan(desk.add("use uv", "projects/a.md"))) == ["path"]
    (desk.root / "people").mkdir()
    (desk.root / "people" / "b.md").symlink_to(tmp_path / "nowhere.md")
    assert desk.draft(desk.add("use uv", "people/b.md")).empty


def test_protected_files_are_refused(desk):
    desk.write("MEMORY.md", "- a\n")
    tree, found = desk.look()
    plan = desk.plan(desk.add("use uv"))
    made = draft(tree, found, plan)
    assert judge(desk, plan, made, GuardLimits(protect=("MEM*",))) == ["protected"]
    (desk.root / "MEMORY.md").chmod(0o400)
    assert judge(desk, plan, made) == ["protected"]


def test_secrets_are_refused_but_not_a_persons_own(desk):
    desk.write("MEMORY.md", "# M\n\n- my password is hunter2\n")
    assert desk.check(desk.plan(desk.add("use uv")), find_secret=lambda text: "hunter2" in text) == []
    assert desk.check(desk.plan(desk.add("it is hunter2")), find_secret=lambda text: "hunter2" in text) == ["secret"]


def test_entries_without_evidence_are_refused_but_pointers_and_pins(desk):
    assert desk.check(desk.plan(desk.add("use uv", findings=()))) == ["evidence"]
    pointer = desk.add("[a](projects/a.md)", findings=(), kind="pointer")
    pinned = desk.add("use uv", findings=(), pinned=True)
    assert desk.check(desk.plan(pointer, pinned)) == []


def test_a_persons_line_that_would_change_is_refused(desk):
    desk.write("MEMORY.md", "# M\n\n- by hand\n- second\n")
    tree, found = desk.look()
    made = draft(tree, found, desk.plan())
    for text in (
        "# M\n\n- by hand!\n- second\n",
        "# M\n\n- by hand\n",
        "# N\n\n- by hand\n- second\n",
        "# M\n\n-  by hand\n- second\n",
    ):
        assert "own_lines" in judge(desk, desk.plan(), replace(made, files={"MEMORY.md": text.encode()})), text


def test_a_persons_front_matter_and_comments_are_their_own_lines(desk):
    desk.write("projects/a.md", "---\nmood: calm\n---\n\n<!-- c -->\n\n- a\n")
    tree, found = desk.look()
    made = draft(tree, found, desk.plan())
    for text in ("---\nmood: x\n---\n\n<!-- c -->\n\n- a\n", "---\nmood: calm\n---\n\n- a\n"):
        assert judge(desk, desk.plan(), replace(made, files={"projects/a.md": text.encode()})) == ["own_lines"]


def test_a_carried_line_is_kept_and_one_lost_on_the_way_is_not(desk):
    desk.write("MEMORY.md", "# M\n\n- first\n- second\n")
    plan = desk.plan(carries=(Carry(entry_key("second"), "MEMORY.md", "patterns/more.md", ""),))
    assert desk.check(plan) == []
    tree, found = desk.look()
    made = draft(tree, found, plan)
    assert "own_lines" in judge(desk, plan, replace(made, files={"MEMORY.md": made.files["MEMORY.md"]}))


def test_an_entry_that_no_change_is_about_is_unexplained(desk):
    desk.dream(desk.add("use uv"))
    tree, found = desk.look()
    made = draft(tree, found, desk.plan())
    more = replace(made, files={"MEMORY.md": (desk.text() + "- sneaked in\n").encode()})
    assert judge(desk, desk.plan(), more) == ["unexplained"]


def test_removing_a_persons_file_is_refused(desk):
    desk.write("projects/a.md", "- a\n")
    tree, found = desk.look()
    made = replace(draft(tree, found, desk.plan()), removed=("projects/a.md",))
    assert {"path", "own_lines", "emptied"} <= set(judge(desk, desk.plan(), made))


def test_a_restored_file_may_be_over_the_caps(desk):
    desk.dream(desk.add("use uv"))
    whole = Restore("MEMORY.md", ("# Memory\n\n## Rules\n\n- use uv\n" + "- a\n" * 300).encode())
    assert desk.check(desk.plan(restores=(whole,), notes=(TAKES_BACK,))) == []


def test_a_refusal_names_reasons_and_no_words():
    refuse(())
    with pytest.raises(Refused) as caught:
        refuse((Violation(GuardReason.LOSS, count=5), Violation(GuardReason.CAPS, "MEMORY.md", 201)))
    assert caught.value.reasons == ("caps", "loss")
    assert caught.value.hint
