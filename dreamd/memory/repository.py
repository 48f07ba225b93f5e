"""A bare git repository, written durably."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dreamd.errors import StateError, UsageError
from dreamd.memory.journal import sync_folder
from dreamd.memory.packs import merge_packs, reached, write_pack

if TYPE_CHECKING:
    from dulwich.objects import Commit, ObjectID, ShaFile, Tree
    from dulwich.refs import Ref
    from dulwich.repo import Repo

_AUTHOR = b"dreamd <dreamd@localhost>"
_HEAD = b"ref: refs/heads/main\n"
_LOOSE = "objects/[0-9a-f][0-9a-f]/" + "[0-9a-f]" * 38
_ID = re.compile(r"[0-9a-f]{40}")
_NOWHERE = "0" * 40  # what compare-and-set expects of a ref that is not there


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """A commit without its files."""

    commit: str
    parents: tuple[str, ...]
    when: dt.datetime
    message: str


class Repository:
    """Commits of flat files in at most one level of folders. Made by the first write."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def ref(self, name: str) -> str:
        """The commit a ref stands at; "" where there is none."""
        with self._reading() as repo:
            return _ref(repo, name) if repo is not None else ""

    def refs(self, folder: str) -> tuple[str, ...]:
        """Last parts of the refs directly in a folder ("refs/dreamd/plans")."""
        with self._reading() as repo:
            if repo is None:
                return ()
            return tuple(sorted(key.decode().rpartition("/")[2] for key in repo.refs.keys(base=_as_ref(folder))))

    def move_ref(self, name: str, old: str | None, new: str) -> bool:
        """Compare and set, fsynced with its folders; `old` "" expects none, None anything."""
        with self._writing() as repo:
            expected = None if old is None else _as_id(old or _NOWHERE)
            moved = bool(repo.refs.set_if_equals(_as_ref(name), expected, _as_id(new)))
            parent = Path(name).parent
            while parent.name:
                sync_folder(self.path / parent)
                parent = parent.parent
            return moved

    def drop_ref(self, name: str) -> None:
        """Remove a ref; nothing happens where there is none."""
        with self._writing() as repo:
            repo.refs.remove_if_equals(_as_ref(name), None)

    def put(self, files: Mapping[str, bytes], message: str, when: dt.datetime, parent: str) -> str:
        """Write a commit with all its objects, fsynced and read back; no ref moves. Returns its id."""
        with self._writing() as repo:
            objects = _tree_objects(files)
            commit = _commit_object(objects[-1], message, when, parent)
            _store(repo, [*objects, commit])
            return commit.id.decode()

    def confirm(self, commit: str) -> None:
        """Raises StateError where a commit that a ref leads to is not there."""
        with self._reading() as repo:
            if repo is None or _as_id(commit) not in repo.object_store:
                raise KeyError(commit)

    def info(self, commit: str) -> CommitInfo:
        """A commit without its files. Raises UsageError for an unknown id."""
        with self._reading() as repo:
            return _info(_commit(repo, commit))

    def files(self, commit: str) -> dict[str, bytes]:
        """Every file of a commit by its path. Raises UsageError for an unknown id."""
        with self._reading() as repo:
            found = _commit(repo, commit)
            assert repo is not None
            store = repo.object_store
            return {
                entry.path.decode(): store[entry.sha].as_raw_string()
                for entry in store.iter_tree_contents(found.tree)
                if entry.path is not None and entry.sha is not None
            }

    def file(self, commit: str, path: str) -> bytes | None:
        """One file of a commit; None where it has none. Raises UsageError for an unknown id."""
        with self._reading() as repo:
            found = _commit(repo, commit)
            assert repo is not None
            tree: Tree = repo.object_store[found.tree]  # type: ignore[assignment]
            try:
                _, blob = tree.lookup_path(repo.object_store.__getitem__, path.encode())
            except KeyError:
                return None
            return repo.object_store[blob].as_raw_string()

    def commits(self) -> frozenset[str]:
        """Every commit that any ref leads to."""
        with self._reading() as repo:
            heads = [value for value in repo.refs.as_dict().values() if value] if repo is not None else []
            if repo is None or not heads:
                return frozenset()
            return frozenset(entry.commit.id.decode() for entry in repo.get_walker(include=heads))

    def loose(self) -> int:
        """How many objects are files of their own."""
        return sum(1 for _ in self.path.glob(_LOOSE))

    def pack(self, kept: str, held: Collection[str], before: dt.datetime) -> tuple[int, int]:
        """Put the loose objects that the ref `kept` leads to into a pack; of the rest those go that nothing leads to.

        What another ref or a commit of `held` (if it is there) leads to stays as it is, and what was written since `before`.
        A loose object goes once its pack is whole on disk; of many packs one is made. Call only while nobody else writes. Returns how many were packed,
        and how many went. Raises StateError where something is damaged or cannot be written; nothing was lost by it.
        """
        with self._writing() as repo:
            heads = {value for value in repo.refs.as_dict().values() if value}
            head = repo.refs.as_dict().get(_as_ref(kept))
            names = reached(repo, [head] if head else [])
            needed = reached(repo, {*heads, *(_as_id(one) for one in held if _as_id(one) in repo.object_store)})
            loose = {_as_id(file.parent.name + file.name): file for file in self.path.glob(_LOOSE)}
            write_pack(repo, {one: name for one, name in names.items() if one in loose})
            packed = [one for one in loose if one in names and repo.object_store.contains_packed(one)]
            rest = loose.keys() - names.keys() - needed.keys()
            old = [one for one in rest if loose[one].stat().st_mtime < before.timestamp()]
            for one in (*packed, *old):
                loose[one].unlink()
            merge_packs(repo)
            return len(packed), len(old)

    def recover(self) -> None:
        """Take away what a killed writer left (a `.lock` would block its object or ref for ever); put a lost HEAD back."""
        try:
            shutil.rmtree(self._making, ignore_errors=True)
            for pack in self.path.glob("objects/pack/*.pack"):
                if not pack.with_suffix(".idx").exists():
                    pack.unlink()
            for lock in self.path.rglob("*.lock"):
                lock.unlink(missing_ok=True)
            head = self.path / "HEAD"
            if (self.path / "objects").is_dir() and (not head.exists() or head.read_bytes() != _HEAD):
                staged = head.with_name("HEAD.new")
                staged.write_bytes(_HEAD)
                staged.replace(head)
        except OSError as error:
            raise _unusable(error) from error

    @property
    def _making(self) -> Path:
        return self.path.with_name(self.path.name + ".new")

    @contextmanager
    def _reading(self) -> Iterator[Repo | None]:
        """The repository; None where there is none yet."""
        from dulwich.errors import ChecksumMismatch, FileFormatException, NotGitRepository  # noqa: PLC0415 - heavy, one owner
        from dulwich.file import FileLocked  # noqa: PLC0415
        from dulwich.repo import Repo  # noqa: PLC0415

        if not self._is_there():
            yield None
            return
        try:
            with Repo(str(self.path), bare=True) as repo:
                repo.object_store.fsync_object_files = True
                yield repo
        except (NotGitRepository, FileFormatException, ChecksumMismatch, FileLocked) as error:
            raise _unusable(error) from error
        except (OSError, KeyError, ValueError, AssertionError, zlib.error) as error:
            raise _unusable(error) from error

    @contextmanager
    def _writing(self) -> Iterator[Repo]:
        """The repository, made if it is not there; everything in it is only for its owner."""
        mask = os.umask(0o077)
        try:
            if not self._is_there():
                self._make()
            with self._reading() as repo:
                assert repo is not None
                yield repo
        except OSError as error:
            raise _unusable(error) from error
        finally:
            os.umask(mask)

    def _is_there(self) -> bool:
        """Whether there is a repository, however damaged; an empty folder is none."""
        try:
            return any(self.path.iterdir())
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _unusable(error) from error

    def _make(self) -> None:
        """Made under another name, then renamed: it is there whole or not at all."""
        from dulwich.repo import Repo  # noqa: PLC0415

        self.path.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self._making, ignore_errors=True)
        Repo.init_bare(str(self._making), mkdir=True, default_branch=b"main").close()
        for folder in ("", "refs", "refs/heads", "objects"):
            sync_folder(self._making / folder)
        self._making.rename(self.path)
        sync_folder(self.path.parent)


def _unusable(error: Exception) -> StateError:
    if isinstance(error, OSError):
        what = error.strerror or type(error).__name__
        hint = "check the space and rights of the state directory"
    elif type(error).__name__ == "FileLocked":
        what, hint = "another process is writing to it", "try again"
    else:
        what = "it is damaged"
        hint = (
            "put it back from a backup (`git fsck` in it shows the damage), or move history.git away: a new one begins "
            "then, and what stands in memory counts as your own words"
        )
    return StateError(f"history.git cannot be used: {what}", hint=hint)


def _commit(repo: Repo | None, commit_id: str) -> Commit:
    from dulwich.objects import Commit  # noqa: PLC0415

    try:
        found = repo.object_store[_as_id(commit_id)] if repo is not None else None
    except (KeyError, ValueError, AssertionError):
        found = None
    if not isinstance(found, Commit):
        raise UsageError("no such commit in history.git", hint="`dreamd runs` lists the dreams")
    return found


def _info(commit: Commit) -> CommitInfo:
    return CommitInfo(
        commit=commit.id.decode(),
        parents=tuple(parent.decode() for parent in commit.parents),
        when=dt.datetime.fromtimestamp(commit.commit_time, dt.UTC),
        message=commit.message.decode(errors="replace"),
    )


def _ref(repo: Repo, name: str) -> str:
    """Raises KeyError or ValueError for a ref that holds no commit id: an empty one is not a history that begins."""
    try:
        value = repo.refs[_as_ref(name)].decode("ascii", "replace")
    except KeyError:
        if (Path(repo.path) / name).exists():
            raise
        return ""
    if not _ID.fullmatch(value):
        raise ValueError(name)
    return value


def _as_ref(name: str) -> Ref:
    from dulwich.refs import Ref  # noqa: PLC0415

    return Ref(name.encode())


def _as_id(commit: str) -> ObjectID:
    from dulwich.objects import ObjectID  # noqa: PLC0415

    return ObjectID(commit.encode())


def _tree_objects(files: Mapping[str, bytes]) -> list[ShaFile]:
    """Blobs and trees of some files, the root tree last. To git all are 0644: the real modes are the disk's."""
    from dulwich.objects import Blob, Tree  # noqa: PLC0415

    root = Tree()
    folders: dict[str, Tree] = {}
    blobs: list[ShaFile] = []
    for path, data in sorted(files.items()):
        blob = Blob.from_string(data)
        blobs.append(blob)
        folder, _, name = path.rpartition("/")
        tree = folders.setdefault(folder, Tree()) if folder else root
        tree.add(name.encode(), 0o100644, blob.id)
    for folder, tree in folders.items():
        root.add(folder.encode(), 0o040000, tree.id)
    return [*blobs, *folders.values(), root]


def _commit_object(tree: ShaFile, message: str, when: dt.datetime, parent: str) -> Commit:
    from dulwich.objects import Commit  # noqa: PLC0415

    commit = Commit()
    commit.tree = tree.id
    commit.parents = [_as_id(parent)] if parent else []
    commit.author = commit.committer = _AUTHOR
    commit.author_time = commit.commit_time = int(when.timestamp())
    commit.author_timezone = commit.commit_timezone = 0
    commit.encoding = b"UTF-8"
    commit.message = message.encode()
    return commit


def _store(repo: Repo, objects: Sequence[ShaFile]) -> None:
    """Write objects; each is read back, because a truncated one of the same name would be kept silently."""
    base = Path(repo.path) / "objects"
    folders = {base}
    for one in objects:
        name = one.id.decode()
        repo.object_store.add_object(one)
        if not _whole(repo, one):
            (base / name[:2] / name[2:]).unlink(missing_ok=True)
            repo.object_store.add_object(one)
        folders.add(base / name[:2])
    for folder in sorted(folders, reverse=True):
        if folder.is_dir():  # what is in a pack already is written nowhere
            sync_folder(folder)


def _whole(repo: Repo, one: ShaFile) -> bool:
    from dulwich.errors import FileFormatException  # noqa: PLC0415

    try:
        return repo.object_store[one.id].as_raw_string() == one.as_raw_string()
    except (KeyError, ValueError, OSError, zlib.error, FileFormatException):
        return False
