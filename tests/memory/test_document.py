import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.memory.document import BlockKind, Shape, count_lines, entry_key, parse

SAMPLES = {
    "front matter": "---\nname: x\n---\n\n# X\n\n- a\n",
    "crlf": "# X\r\n\r\n- a\r\n  b\r\n- c\r\n",
    "byte order mark": "\ufeff---\nname: x\n---\n- a\n",
    "no final line end": "# X\n- a",
    "fences": "```sh\n# not a heading\n- not a bullet\n```\n- a\n",
    "open fence": "```\n- a\n",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "nested": "- a\n  - b\n    - c\n\n  more of a\n- d\n",
    "comment": "<!--\n- not an entry\n-->\n- a\n",
    "setext": "Title\n=====\n\nOther\n---\n- a\n",
    "only a byte order mark": "\ufeff",
    "open front matter": "---\nname: x\n- a\n",
    "lone returns": "a\rb\r\n- c\n",
}


def texts(doc):
    return [block.text for block in doc.entries]


@pytest.mark.parametrize("text", SAMPLES.values(), ids=SAMPLES.keys())
def test_a_sample_is_given_back_byte_for_byte(text):
    assert parse(text).render() == text


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "- a",
            "* b",
            "1. c",
            "  - d",
            "    e",
            "\te",
            "",
            "# h",
            "## i",
            "===",
            "---",
            "```",
            "~~~",
            "  ```",
            "<!-- x",
            "-->",
            "| a |",
            "text",
            "...",
            "-",
            "\ufeff",
            "2) z",
        ]
    ),
    max_size=14,
)


@given(MARKDOWN, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_markdown_is_given_back_byte_for_byte(lines, newline, final):
    text = newline.join(lines) + (newline if final else "")
    doc = parse(text)
    assert doc.render() == text
    solid = [block for block in doc.blocks if block.raw != "\ufeff"]
    assert all(block.line >= 1 for block in solid)
    assert "".join(block.raw for block in doc.entries if block.shape is Shape.BULLET).count("# h") == 0 or "  " in text


@given(st.text())
def test_any_text_is_given_back_byte_for_byte(text):
    assert parse(text).render() == text


def test_entries_know_their_section_line_and_words():
    doc = parse(
        "# Memory\n\nA paragraph\nin two lines\n\n## Rules\n\n- use uv,\n  never pip\n- second\n\n```\ncode\n```\n"
    )
    assert [(e.section, e.line, e.text, e.shape) for e in doc.entries] == [
        ("Memory", 3, "A paragraph\nin two lines", Shape.PARAGRAPH),
        ("Rules", 8, "use uv,\nnever pip", Shape.BULLET),
        ("Rules", 10, "second", Shape.BULLET),
        ("Rules", 12, "```\ncode\n```", Shape.CODE),
    ]


def test_nested_lists_and_loose_paragraphs_belong_to_their_item():
    doc = parse("- a\n  - b\n\n  more\n\n  ```\n\n  - code\n  ```\n- c\nlazy\n\nafter\n")
    assert [e.raw for e in doc.entries] == [
        "- a\n  - b\n\n  more\n\n  ```\n\n  - code\n  ```\n",
        "- c\nlazy\n",
        "after\n",
    ]


def test_what_is_in_fences_and_comments_is_no_entry_of_its_own():
    doc = parse("```\n- x\n# y\n```\n<!-- - hidden\n-->\n- z\n")
    assert [e.text for e in doc.entries] == ["```\n- x\n# y\n```", "z"]
    assert not doc.headings


def test_equal_entries_are_numbered():
    doc = parse("- a\n- b\n\n## S\n\n* a\n1. a\n")
    assert [(e.text, e.occurrence) for e in doc.entries] == [("a", 0), ("b", 0), ("a", 1), ("a", 2)]


def test_headings_of_both_styles_are_known():
    doc = parse("Title\n===\n\n## Two ##\n\nThree\n---\n")
    assert [(h.text, h.level) for h in doc.headings] == [("Title", 1), ("Two", 2), ("Three", 2)]


def test_a_rule_is_not_front_matter_without_its_end():
    assert parse("---\na\n").blocks[0].kind is BlockKind.OTHER


@pytest.mark.parametrize(
    "other", ["* use uv,\n  never pip", "use uv, never  pip", "- use\n  uv, never pip", "use uv,\r\n  never pip"]
)
def test_rewrapped_words_have_the_same_key(other):
    assert entry_key(other) == entry_key("use uv, never pip")


def test_composed_and_decomposed_letters_have_the_same_key():
    assert entry_key("Zoe\u0308") == entry_key("Zo\u00eb")


def test_rewrapped_chinese_has_the_same_key():
    assert entry_key("永远使用\n  制表符") == entry_key("永远使用制表符")


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n", 2)])
def test_lines_are_counted_with_or_without_a_final_line_end(text, lines):
    assert count_lines(text) == lines
