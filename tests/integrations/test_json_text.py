"""JSON changed in place: the value is what it should be, every other character is what it was, each edit can be taken back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.integrations.claude_code.json_text import Edit, put, take, value_of

_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(st.text(), _VALUES, max_size=4)


@st.composite
def _texts(draw: st.DrawFn) -> str:
    """An object as somebody might have written it."""
    made = draw(_OBJECTS)
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":"), (" , ", " : ")]))
    text = json.dumps(made, ensure_ascii=draw(st.booleans()), indent=indent, separators=separators)
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from(["", "\ufeff", "\n"])) + text + draw(st.sampled_from(["", "\n", "  \n"]))


@given(_texts(), st.text(), _VALUES)
def test_a_member_is_put_in_and_nothing_else_changes(text: str, key: str, value: Any) -> None:
    before = value_of(text)
    if key in before:
        return
    edit = put(text, (key,), value)
    after = edit.apply(text)
    assert value_of(after) == before | {key: value}
    assert edit.old.strip() == ""
    assert edit.undone.apply(after) == text
    taken = take(after, (key,))
    assert value_of(taken.apply(after)) == before
    if before:
        assert taken.apply(after) == text


@given(_texts(), st.data())
def test_a_member_is_taken_out_and_nothing_else_changes(text: str, data: st.DataObject) -> None:
    before = value_of(text)
    if not before:
        return
    key = data.draw(st.sampled_from(sorted(before)))
    edit = take(text, (key,))
    assert value_of(edit.apply(text)) == {name: value for name, value in before.items() if name != key}
    assert edit.undone.apply(edit.apply(text)) == text


@given(st.lists(_VALUES, max_size=4), _VALUES, st.sampled_from([None, 2]))
def test_an_item_is_put_behind_the_others(items: list[Any], value: Any, indent: int | None) -> None:
    text = json.dumps({"list": items}, indent=indent)
    after = put(text, ("list", -1), value).apply(text)
    assert value_of(after) == {"list": [*items, value]}
    assert value_of(take(after, ("list", len(items))).apply(after)) == {"list": items}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("{}", '{\n  "a": [\n    1\n  ]\n}'),
        ("{ }\n", '{\n  "a": [\n    1\n  ]\n}\n'),
        ('{"b": 2}', '{"b": 2, "a": [1]}'),
        ('{\n\t"b": 2\n}\n', '{\n\t"b": 2,\n\t"a": [\n\t\t1\n\t]\n}\n'),
        ('{\r\n    "b": 2\r\n}', '{\r\n    "b": 2,\r\n    "a": [\r\n        1\r\n    ]\r\n}'),
        ('{\n  "b": {"c": "}],"}, "d": []\n}', '{\n  "b": {"c": "}],"}, "d": [],\n  "a": [\n    1\n  ]\n}'),
    ],
)
def test_what_is_put_in_looks_like_what_stands_around_it(text: str, after: str) -> None:
    assert put(text, ("a",), [1]).apply(text) == after


def test_of_members_with_one_key_the_last_counts() -> None:
    text = '{"a": [1], "a": [2]}'
    assert put(text, ("a", -1), 3).apply(text) == '{"a": [1], "a": [2, 3]}'


@pytest.mark.parametrize("text", ["", "{", '{"a": 1,}', '// said\n{"a": 1}', "{'a': 1}", "[1] 2", '{"a": NaN}'])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        value_of(text)


def test_an_edit_is_taken_back_by_its_opposite() -> None:
    edit = Edit(2, "cd", "xyz")
    assert edit.apply("abcdef") == "abxyzef"
    assert edit.undone.apply("abxyzef") == "abcdef"


def test_what_is_nested_too_deeply_to_be_changed_is_refused() -> None:
    with pytest.raises((ValueError, RecursionError)):
        value_of('{"a":' * 900 + "1" + "}" * 900)
