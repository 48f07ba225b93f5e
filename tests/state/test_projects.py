"""Every project has one file name of its own, for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.errors import UsageError
from dreamd.state.projects import Projects, slug


@pytest.fixture
def projects(database):
    return Projects(database)


def place(projects, root, remote=None):
    return projects.place(key=remote or root, name=root.rpartition("/")[2], root=root, remote=remote)


def test_colliding_names_get_a_short_hash(projects):
    first = place(projects, "/home/sam/api")
    second = place(projects, "/home/alex/api")
    third = place(projects, "/home/kim/API")
    assert first.stem == "api"
    assert second.stem.startswith("api-")
    assert len(second.stem) == len("api-") + 6
    assert third.stem.casefold() not in {first.stem, second.stem}
    assert place(projects, "/home/alex/api") == second


def test_names_of_other_scripts_are_kept_apart(projects):
    assert [place(projects, f"/home/sam/work/{name}").stem for name in ("蓝图", "草稿")] == ["蓝图", "草稿"]


def test_remote_seen_once_stays(projects):
    plain = place(projects, "/home/sam/orchard")
    named = place(projects, "/home/sam/orchard", "github.com/sam/orchard")
    assert (named.row, named.key, named.stem) == (plain.row, "github.com/sam/orchard", "orchard")
    assert place(projects, "/home/sam/orchard") == named
    assert place(projects, "/elsewhere/orchard", "github.com/sam/orchard").row == plain.row


def test_project_is_found_by_key_stem_or_root(projects):
    orchard = place(projects, "/home/sam/orchard", "github.com/sam/orchard")
    for name in ("github.com/sam/orchard", "orchard", "/home/sam/orchard"):
        assert projects.find(name) == orchard
    with pytest.raises(UsageError):
        projects.find("nothing")
    assert projects.list() == (orchard,)


@given(st.text())
def test_slug_is_always_a_file_name(name):
    stem = slug(name)
    assert stem
    assert len(stem.encode()) <= 80
    assert not set(stem) & set("/\\\0\n ")
    assert stem[0] not in ".-"
    assert slug(stem) == stem
