"""Whatever a thing is called, the file of that name is one that may be made."""

from hypothesis import given
from hypothesis import strategies as st

from dreamd.memory.tree import managed_path
from dreamd.state.stem import slug


@given(st.text(max_size=300))
def test_a_name_of_any_kind_makes_a_file_name_that_may_be_made(name: str) -> None:
    stem = slug(name)
    assert managed_path(f"patterns/{stem}.md"), (name, stem)
    assert slug(stem) == stem
    assert len(stem.encode()) <= 80
