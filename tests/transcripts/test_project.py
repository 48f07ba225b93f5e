"""Which project a directory belongs to."""

from pathlib import Path

import pytest

from dreamd.transcripts.project import Locator, ProjectRef, locate, normalise_remote


def checkout(root: Path, url: str = "") -> Path:
    """A git checkout as git leaves it, as far as it is read."""
    git = root / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    remotes = (
        f'[remote "upstream"]\n\turl = https://example.org/other/x\n[remote "origin"]\n\turl = {url}\n' if url else ""
    )
    (git / "config").write_text(f'[core]\n\tbare = false\n{remotes}[branch "main"]\n\tremote = origin\n')
    return root


def worktree(main: Path, place: Path) -> Path:
    """A git worktree of it."""
    inner = main / ".git" / "worktrees" / place.name
    inner.mkdir(parents=True)
    (inner / "commondir").write_text("../..\n")
    place.mkdir(parents=True)
    (place / ".git").write_text(f"gitdir: {inner}\n")
    return place


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("git@github.com:acme/orchard.git", "github.com/acme/orchard"),
        ("https://sam:secret@github.com/acme/orchard.git", "github.com/acme/orchard"),
        ("https://GitHub.com/acme/orchard/", "github.com/acme/orchard"),
        ("ssh://git@git.example.org:2222/acme/orchard.git", "git.example.org/acme/orchard"),
        ("git.example.org:acme/sub/orchard", "git.example.org/acme/sub/orchard"),
        ("acme/orchard", "github.com/acme/orchard"),
        ("gitlab.com/acme/sub/orchard", "gitlab.com/acme/sub/orchard"),
        ("/srv/git/orchard.git", "/srv/git/orchard"),
        ("orchard", None),
        ("", None),
    ],
)
def test_remotes_have_one_form(url: str, remote: str | None) -> None:
    assert normalise_remote(url) == remote


def test_a_remote_names_the_project_from_any_directory_below(tmp_path: Path) -> None:
    root = checkout(tmp_path / "orchard", "git@github.com:Acme/Orchard.git")
    (root / "src" / "deep").mkdir(parents=True)
    expected = ProjectRef("github.com/acme/orchard", "orchard", str(root), "github.com/Acme/Orchard")
    assert locate(str(root / "src" / "deep")) == expected
    assert locate(str(root / "gone" / "long")) == expected
    assert locate(str(root) + "/") == expected


def test_a_worktree_belongs_to_its_main_checkout(tmp_path: Path) -> None:
    root = checkout(tmp_path / "orchard")
    place = worktree(root, tmp_path / "orchard-worktrees" / "fix")
    assert locate(str(place)) == locate(str(root)) == ProjectRef(str(root), "orchard", str(root), None)


@pytest.mark.parametrize("gone", [".worktrees/sam/fix", ".claude/worktrees/fix", ".worktrees/1/pkg"])
def test_a_worktree_that_is_gone_is_cut_off_textually(gone: str, tmp_path: Path) -> None:
    assert locate(f"/nowhere/orchard/{gone}").key == "/nowhere/orchard"
    root = checkout(tmp_path / "orchard", "git@github.com:acme/orchard.git")
    assert locate(f"{root}/{gone}").key == "github.com/acme/orchard"


def test_a_repository_that_the_transcript_names_counts_where_git_says_nothing(tmp_path: Path) -> None:
    assert locate("/nowhere/orchard", "Acme/Orchard").key == "github.com/acme/orchard"
    root = checkout(tmp_path / "orchard", "git@example.org:acme/orchard.git")
    assert locate(str(root), "else/where").key == "example.org/acme/orchard"


def test_like_names_are_different_projects() -> None:
    found = {locate(f"/home/sam/work/{name}").key for name in ("my-app", "my_app", "my.app", "蓝图", "草稿")}
    assert len(found) == 5
    assert locate("/home/sam/work/蓝图").name == "蓝图"


@pytest.mark.parametrize("cwd", [None, "", "/", "C:\\Users\\sam\\orchard", "relative/place", "/a\0b", "x" * 9000])
def test_nothing_makes_it_fail(cwd: str | None) -> None:
    assert locate(cwd).name != ""


def test_a_broken_repository_is_a_directory_like_others(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".git").write_text("gitdir: /nowhere/at/all\n")
    (tmp_path / "b" / ".git").mkdir(parents=True)
    assert locate(str(tmp_path / "a")).key == str(tmp_path / "a")
    assert locate(str(tmp_path / "b")).key == str(tmp_path / "b")


def test_a_locator_looks_once(tmp_path: Path) -> None:
    locator = Locator()
    root = checkout(tmp_path / "orchard", "git@github.com:acme/orchard.git")
    first = locator.locate(str(root))
    (root / ".git" / "config").unlink()
    assert locator.locate(str(root)) == first


@pytest.mark.parametrize(
    "spelling",
    [
        "/mnt/c/Users/Sam/work/orchard",
        "C:\\Users\\Sam\\work\\orchard",
        "c:/users/sam/work/orchard/",
        "\\\\?\\C:\\Users\\Sam\\work\\orchard",
        "C:\\Users\\Sam\\work\\orchard\\.worktrees\\fix",
    ],
)
def test_windows_and_the_linux_beside_it_mean_one_directory(spelling: str) -> None:
    found = locate(spelling)
    assert (found.key, found.name) == ("/mnt/c/users/sam/work/orchard", "orchard")


def test_what_windows_calls_a_linux_directory_is_that_directory() -> None:
    assert locate("\\\\wsl.localhost\\Ubuntu\\home\\sam\\orchard") == locate("/home/sam/orchard")
    assert locate("//wsl$/Ubuntu/home/sam/orchard").key == "/home/sam/orchard"
