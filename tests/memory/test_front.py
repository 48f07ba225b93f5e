import datetime as dt

import pytest

from dreamd.memory.document import parse
from dreamd.memory.front import front_values, head_values, scalar, set_front
from dreamd.memory.plan import TopicHead

HEAD = TopicHead("projects/x.md", "orchard", 'stack: uv, port 8080 # "main"', dt.date(2026, 3, 2), "project")


def test_front_matter_is_made_and_read_back():
    doc = set_front(parse("# X\n"), head_values(HEAD))
    assert doc.render() == (
        '---\nname: orchard\ndescription: "stack: uv, port 8080 # \\"main\\""\nmodified: 2026-03-02\n'
        "metadata:\n  type: project\n---\n\n# X\n"
    )
    assert front_values(doc.front) == head_values(HEAD)


def test_unknown_keys_order_comments_and_line_ends_stay():
    text = "---\r\ntags: [a, b] # mine\r\ndescription: >\r\n  long\r\n  text\r\n# note\r\nmetadata:\r\n    owner: sam\r\n    type: x\r\n---\r\n- a\r\n"
    doc = set_front(parse(text), {"description": "new", "metadata.type": "project"})
    assert doc.render() == (
        "---\r\ntags: [a, b] # mine\r\ndescription: new\r\n# note\r\nmetadata:\r\n    owner: sam\r\n    type: project\r\n---\r\n- a\r\n"
    )


def test_a_flow_mapping_is_changed_in_place():
    doc = set_front(parse("---\nmetadata: {owner: sam, type: x}\n---\n"), {"metadata.type": "project"})
    assert doc.render() == "---\nmetadata: {owner: sam, type: project}\n---\n"
    doc = set_front(parse("---\nmetadata: {}\n---\n"), {"metadata.type": "project"})
    assert front_values(doc.front)["metadata.type"] == "project"


def test_setting_what_is_there_changes_nothing():
    text = set_front(parse("# X\n"), head_values(HEAD)).render()
    assert set_front(parse(text), head_values(HEAD)).render() == text


@pytest.mark.parametrize(
    "value",
    [
        "a: b",
        "# x",
        "- x",
        "yes",
        "null",
        "12",
        "2026-01-02",
        "",
        "it's",
        '"q"',
        "[a]",
        "a #b",
        "x:",
        "@x",
        "`x`",
        "%x",
        "制表符",
        "1.5e3",
        "~",
        "a\tb",
    ],
)
def test_any_string_is_read_back_as_it_was(value):
    doc = set_front(parse(""), {"name": value})
    assert front_values(doc.front) == {"name": " ".join(value.split())}


@pytest.mark.parametrize("value", ["yes", "12", "null", "2026-01-02", "a: b", "~", "- x", "=", "!x", "1_000", "0x1F"])
def test_what_yaml_reads_otherwise_is_quoted(value):
    assert scalar(value).startswith('"')


def test_both_quotings_and_comments_are_read():
    assert front_values("---\na: 'it''s' # c\nb: \"x\\ny\"\nc: plain # c\nd: |\n  t\n---\n") == {
        "a": "it's",
        "b": "x\ny",
        "c": "plain",
        "d": "t",
    }
