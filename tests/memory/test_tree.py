import os

import pytest

from dreamd.errors import MemoryTreeError
from dreamd.memory.tree import Protection, Tree, managed_path


def test_only_managed_files_are_read(desk):
    for path in (
        "MEMORY.md",
        "projects/a.md",
        "patterns/b.md",
        "people/c.md",
        "other.md",
        "projects/x/d.md",
        "projects/.h.md",
        "projects/n.txt",
    ):
        desk.write(path, "- a\n")
    (desk.root / "projects" / "folder.md").mkdir()
    tree = Tree.read(desk.root)
    assert sorted(tree.contents) == ["MEMORY.md", "patterns/b.md", "people/c.md", "projects/a.md"]
    assert tree.files["projects/folder.md"].note is Protection.NO_FILE


def test_a_missing_or_empty_root_is_missing(desk):
    assert Tree.read(desk.root).missing
    desk.root.mkdir()
    assert Tree.read(desk.root).missing


def test_a_root_that_is_a_link_to_nowhere_is_an_error(desk):
    desk.root.symlink_to("/nowhere/at/all")
    with pytest.raises(MemoryTreeError) as caught:
        Tree.read(desk.root)
    assert caught.value.hint


def test_a_root_that_is_a_file_is_an_error(desk):
    desk.root.write_text("x")
    with pytest.raises(MemoryTreeError):
        Tree.read(desk.root)


def test_the_digest_follows_bytes_names_and_protection(desk):
    desk.write("MEMORY.md", "- a\n")
    first = Tree.read(desk.root).digest
    assert Tree.read(desk.root).digest == first
    os.utime(desk.root / "MEMORY.md", (0, 0))
    assert Tree.read(desk.root).digest == first
    desk.write("MEMORY.md", "- b\n")
    assert Tree.read(desk.root).digest != first
    assert Tree.read(desk.root, ["MEMORY.md"]).digest != Tree.read(desk.root).digest


def test_files_are_protected_with_their_reason(desk):
    for path in ("MEMORY.md", "projects/a.md", "people/c.md"):
        desk.write(path, "- a\n")
    (desk.root / "MEMORY.md").chmod(0o400)
    (desk.root / "projects" / "b.md").write_bytes(b"- \xff\n")
    (desk.root / "projects" / "d.md").symlink_to("/nowhere")
    tree = Tree.read(desk.root, ["people"])
    assert {path: file.note for path, file in tree.files.items()} == {
        "MEMORY.md": Protection.READ_ONLY,
        "projects/a.md": Protection.NONE,
        "projects/b.md": Protection.UNDECODABLE,
        "projects/d.md": Protection.DANGLING,
        "people/c.md": Protection.GLOB,
    }
    assert tree.text("projects/b.md") == ""


def test_a_link_is_followed_and_known_as_one(desk, tmp_path):
    (tmp_path / "dot.md").write_text("- a\n")
    desk.root.mkdir()
    (desk.root / "MEMORY.md").symlink_to(tmp_path / "dot.md")
    file = Tree.read(desk.root).files["MEMORY.md"]
    assert (file.link, file.real, file.data) == (True, (tmp_path / "dot.md").resolve(), b"- a\n")


@pytest.mark.parametrize(
    "path", ["MEMORY.md", "projects/a.md", "patterns/a b-c_1.md", "people/Zoë.md", "projects/web.app.md"]
)
def test_safe_paths_are_managed(path):
    assert managed_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "x.md",
        "projects/../x.md",
        "projects/a/b.md",
        "/etc/x.md",
        "projects/.a.md",
        "projects/a.txt",
        "other/a.md",
        "projects/",
        "projects/a\n.md",
        "projects/..md",
        "projects/a..md",
        "projects/" + "é" * 150 + ".md",
        "projects/-a.md",
        "projects\\a.md",
    ],
)
def test_other_paths_are_not(path):
    assert not managed_path(path)
