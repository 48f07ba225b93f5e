import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.memory.document import parse
from dreamd.memory.edit import Place, UnwritableError, add_entry, insert_entry, remove_block, replace_entry, sentence


def add(text, words, section="S", **place):
    return add_entry(parse(text), words, Place(section, **place)).render()


def entry(text, words):
    doc = parse(text)
    return doc, next(e for e in doc.entries if e.text == words)


def test_an_entry_goes_to_the_end_of_its_section():
    assert add("# M\n\n## S\n\n- a\n\n## T\n\n- b\n", "new") == "# M\n\n## S\n\n- a\n- new\n\n## T\n\n- b\n"


def test_a_missing_section_is_made_at_the_end():
    assert add("# M\n\n- a\n", "new") == "# M\n\n- a\n\n## S\n\n- new\n"


def test_a_missing_section_stands_where_the_order_wants_it():
    text = "# M\n\n## P\n\n- p\n"
    assert add(text, "new", order=("S", "P")) == "# M\n\n## S\n\n- new\n\n## P\n\n- p\n"


def test_an_entry_may_follow_another_or_stand_first():
    text = "## S\n\n- a\n- b\n"
    doc = parse(text)
    assert add_entry(doc, "new", Place("S", after=doc.entries[0])).render() == "## S\n\n- a\n- new\n- b\n"
    assert add(text, "new", at_top=True) == "## S\n\n- new\n- a\n- b\n"


def test_without_a_section_an_entry_stands_under_the_title():
    assert add("# M\n\n- a\n\n## S\n", "new", section="") == "# M\n\n- a\n- new\n\n## S\n"
    assert add("", "new", section="") == "- new\n"
    assert add("## S\n- a\n", "new", section="") == "- new\n\n## S\n- a\n"


def test_an_empty_section_gets_its_blank_lines():
    assert add("## S\n## T\n", "new") == "## S\n\n- new\n\n## T\n"
    assert add("## S\n\n## T\n", "new") == "## S\n\n- new\n\n## T\n"


def test_the_files_own_line_ends_and_bullets_are_followed():
    assert add("## S\r\n\r\n* a\r\n", "new") == "## S\r\n\r\n* a\r\n* new\r\n"


def test_a_missing_final_line_end_is_made_good():
    assert add("## S\n\n- a", "new") == "## S\n\n- a\n- new\n"


def test_a_paragraph_is_kept_apart_from_a_new_bullet():
    assert add("## S\n\nwords\n", "new") == "## S\n\nwords\n\n- new\n"


def test_a_byte_order_mark_stays_first():
    assert add("\ufeff- a\n", "new", section="", at_top=True) == "\ufeff- new\n- a\n"


def test_replacing_keeps_bullet_and_line_end():
    doc, old = entry("## S\r\n* a\r\n  wrapped\r\n* b\r\n", "a\nwrapped")
    assert replace_entry(doc, old, "new").render() == "## S\r\n* new\r\n* b\r\n"


def test_removing_leaves_no_doubled_blank_line():
    doc, old = entry("# M\n\n- x\n\n## T\n\n- b\n", "x")
    assert remove_block(doc, old).render() == "# M\n\n## T\n\n- b\n"
    doc, old = entry("# M\n\n- x\n", "x")
    assert remove_block(doc, old).render() == "# M\n"
    doc, old = entry("- a\n- x\n- b\n", "x")
    assert remove_block(doc, old).render() == "- a\n- b\n"
    doc, old = entry("- x\n\n- b\n", "x")
    assert remove_block(doc, old).render() == "- b\n"


def test_removing_never_turns_a_line_into_a_heading():
    doc, old = entry("words\n- x\n---\n", "x")
    assert remove_block(doc, old).render() == "words\n\n---\n"


@pytest.mark.parametrize("words", ["", "  ", "```", "```sh\ncode", "<!-- x", "---", "\x00"])
def test_words_that_no_bullet_can_hold_are_refused(words):
    with pytest.raises(UnwritableError):
        add("## S\n", words)


def test_an_entry_is_not_lost_in_an_open_fence():
    with pytest.raises(UnwritableError):
        add("## S\n\n```\ncode\n", "new")


def test_a_persons_entry_is_moved_word_for_word():
    raw = "* a\n  * nested\n\n  more"
    assert insert_entry(parse("## S\n\n- b\n"), raw, Place("S")).render() == f"## S\n\n- b\n{raw}\n"


LINES = st.lists(
    st.sampled_from(
        ["- a", "* b", "words", "", "## S", "# T", "```", "  - n", "---", "<!-- c -->", "| t |", "    code"]
    ),
    max_size=10,
)


@given(
    LINES,
    st.booleans(),
    st.sampled_from(["", "S", "New"]),
    st.sampled_from(["new", "1. x", "# y", "- z", "> q", "*", "[a]: b"]),
)
def test_adding_and_removing_leaves_every_other_block_as_it_was(lines, final, section, words):
    text = "\n".join(lines) + ("\n" if final else "")
    doc = parse(text)
    try:
        added = add_entry(doc, words, Place(section), mark="mine")
    except UnwritableError:
        return
    mine = [e for e in added.entries if e.mark == "mine"]
    assert [e.text for e in mine] == [sentence(words)]
    others = [e.raw.rstrip("\n") for e in added.entries if e.mark != "mine"]
    assert others == [e.raw.rstrip("\n") for e in doc.entries]
    back = remove_block(added, mine[0])
    assert [e.raw.rstrip("\n") for e in back.entries] == others
