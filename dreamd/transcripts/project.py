"""Which project a session belongs to: its git remote if one is seen, else its main checkout, else where it began."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from dreamd.drives import folded, mounted

#: Where agents put their worktrees inside a checkout; cut off textually, because the directory may be gone.
_WORKTREE = re.compile(r"/(?:\.worktrees|\.claude/worktrees)/.*")
_SECTION = re.compile(r'\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]', re.IGNORECASE)
_URL = re.compile(r'url\s*=\s*"?(.*?)"?\s*$', re.IGNORECASE)
_WITH_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*)://(?:[^/@]*@)?(\[[^\]]*\]|[^/:]+)(?::\d+)?/+(.+)", re.IGNORECASE)
_SCP_LIKE = re.compile(r"(?:[^/@:]+@)?([A-Za-z0-9._-]{2,}):(?!//)/*(.+)")
_PATH = re.compile(r"[\\/]+")
#: Hosts that take no notice of upper and lower case in a repository's path.
_CASELESS = frozenset({"github.com", "gitlab.com", "bitbucket.org"})
_DEFAULT_HOST = "github.com"
_MOST_CONFIG = 1024 * 1024
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ProjectRef:
    """A project. `key` tells it from every other; `name` is what people call it (not unique)."""

    key: str  # the remote as host/owner/name, else the root; of a directory on a Windows drive whatever it is called
    name: str
    root: str  # of the main checkout, or the directory the session began in; "" where the transcript names none
    remote: str | None


@dataclass(frozen=True, slots=True)
class _Checkout:
    root: str
    remote: str | None


class Locator:
    """Finds projects and remembers what it found for as long as it lives (one scan)."""

    def __init__(self) -> None:
        self._checkouts: dict[str, _Checkout | None] = {}

    def locate(self, cwd: str | None, repository: str | None = None) -> ProjectRef:
        """The project of a session that began in `cwd`; `repository`: a repository its lines name ("owner/name"). Never fails."""
        home = _trimmed(cwd or "")
        if home not in self._checkouts:
            self._checkouts[home] = _checkout_of(home)
        checkout = self._checkouts[home]
        root = checkout.root if checkout else _WORKTREE.sub("", home) or home
        named = normalise_remote(repository) if repository else None
        remote = (checkout.remote if checkout else None) or named
        name = _last(root).removesuffix(".git") or (_last(remote) if remote else "") or UNKNOWN
        return ProjectRef(_key(remote) if remote else folded(root) or UNKNOWN, name, root, remote)


def locate(cwd: str | None, repository: str | None = None) -> ProjectRef:
    """One look without a memory; see `Locator`."""
    return Locator().locate(cwd, repository)


def normalise_remote(url: str) -> str | None:
    """A remote as host/path without scheme, credentials, port and `.git`; "owner/name" alone counts as GitHub's; None for no remote.

    The path of a local repository stays a path.
    """
    url = url.strip()
    if found := _WITH_SCHEME.fullmatch(url):
        host, path = found[1], found[2]
    elif url.startswith(("/", "./", "../", "~", "file:")):
        return url.removeprefix("file://").rstrip("/").removesuffix("/.git").removesuffix(".git") or None
    elif found := _SCP_LIKE.fullmatch(url):
        host, path = found[1], found[2]
    else:
        host, path = _without_host(url)
    path = path.split("?", 1)[0].split("#", 1)[0].strip("/").removesuffix(".git").strip("/")
    return f"{host.lower()}/{path}" if path else None


def _without_host(url: str) -> tuple[str, str]:
    """Host and path of a remote without scheme: owner/name is GitHub's, host.tld/owner/name says its host."""
    first, _, rest = url.partition("/")
    if "." in first and "/" in rest:
        return first, rest
    return _DEFAULT_HOST, url if rest else ""


def _key(remote: str) -> str:
    host = remote.partition("/")[0]
    return remote.casefold() if host in _CASELESS else remote


def _trimmed(cwd: str) -> str:
    text = mounted(unicodedata.normalize("NFC", cwd))
    return text.rstrip("/") or text[:1]


def _last(path: str) -> str:
    return _PATH.split(path.rstrip("/\\"))[-1]


def _checkout_of(home: str) -> _Checkout | None:
    """The main checkout around a directory, or around what is left of it; None outside git."""
    if not home.startswith("/"):
        return None
    here = Path(home)
    for directory in (here, *here.parents):
        try:
            found = _git(directory / ".git", directory)
        except (OSError, ValueError):
            found = None
        if found is not None:
            return found
    return None


def _git(dot_git: Path, directory: Path) -> _Checkout | None:
    if dot_git.is_dir():
        return _Checkout(str(directory), _remote(dot_git, directory)) if (dot_git / "HEAD").exists() else None
    if not dot_git.is_file():
        return None
    pointer = _text(dot_git).strip()
    if not pointer.startswith("gitdir:"):
        return None
    git_dir = (directory / pointer.removeprefix("gitdir:").strip()).resolve()
    common_file = git_dir / "commondir"
    if not common_file.is_file():  # a submodule, or a worktree whose repository is gone
        return _Checkout(str(directory), _remote(git_dir, directory)) if git_dir.is_dir() else None
    common = (git_dir / _text(common_file).strip()).resolve()
    root = common.parent if common.name.startswith(".") else common  # ".git", or a bare clone beside its worktrees
    return _Checkout(str(root), _remote(common, root))


def _remote(git_dir: Path, root: Path) -> str | None:
    """The remote "origin", else the first one, out of a git configuration."""
    try:
        lines = _text(git_dir / "config").splitlines()
    except OSError:
        return None
    urls: dict[str, str] = {}
    section = None
    for line in lines:
        text = line.strip()
        if text.startswith("["):
            found = _SECTION.match(text)
            section = found[1] if found else None
        elif section is not None and (url := _URL.match(text)) and url[1]:
            urls.setdefault(section, url[1])
    chosen = urls.get("origin") or next(iter(urls.values()), None)
    if chosen is None:
        return None
    if chosen.startswith(("./", "../")):
        chosen = str((root / chosen).resolve())
    return normalise_remote(chosen)


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_MOST_CONFIG).decode("utf-8", "replace")
