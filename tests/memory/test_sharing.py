"""Who has a pointer of its own and who shares one."""

from hypothesis import given
from hypothesis import strategies as st

from dreamd.memory.sharing import Room, leads, shared

FILES = st.lists(
    st.sampled_from(["projects", "patterns", "people"]).flatmap(
        lambda folder: st.integers(0, 400).map(lambda number: f"{folder}/t{number}.md")
    ),
    unique=True,
    max_size=250,
)
ROOM = st.builds(Room, st.integers(0, 100), st.integers(0, 16_000), st.just(18_000))


def links(files: list[str]) -> dict[str, str]:
    return {file: f"[{file.split('/')[1][:-3]}]({file})" for file in files}


@given(FILES, ROOM)
def test_each_file_is_led_to_once_and_within_the_room(files: list[str], room: Room) -> None:
    plan = leads(files, links(files), room)
    groups = shared(plan, [])
    told = [*plan.single, *(file for group in groups for file in group)]
    assert sorted(told) == sorted(files)
    assert all(len({file.split("/")[0] for file in group}) == 1 for group in groups)
    folders = len({file.split("/")[0] for file in files})
    assert len(plan.single) + len(groups) <= max(room.lines, folders)


@given(FILES, ROOM, st.integers(0, 1_000))
def test_shared_lines_stay_as_they_were_when_one_more_file_comes(files: list[str], room: Room, place: int) -> None:
    plan = leads(files, links(files), room)
    before = shared(plan, [])
    assert shared(plan, before) == before
    more = list(files)
    more.insert(place % (len(files) + 1), "people/one-more.md")
    after_plan = leads(more, links(more), room)
    after = shared(after_plan, before)
    if after_plan.group == plan.group:
        assert len(set(after) - set(before)) <= 4


@given(FILES)
def test_the_most_recent_have_the_longest_hooks(files: list[str]) -> None:
    hooks = list(leads(files, links(files), Room(100, 16_000, 18_000)).single.values())
    assert hooks == sorted(hooks, reverse=True)
