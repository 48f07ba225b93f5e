"""The only writer of the memory tree: all of a draft or nothing of it, whatever happens in between."""

from __future__ import annotations

import datetime as dt
import errno
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from dreamd.errors import MemoryTreeError
from dreamd.memory.draft import Draft
from dreamd.memory.history import History
from dreamd.memory.journal import (
    ABSENT,
    Journal,
    Target,
    digest,
    digest_of,
    drop_journal,
    read_journal,
    sync_folder,
    write_file,
    write_journal,
)
from dreamd.memory.plan import EntryRecord, Plan
from dreamd.memory.survey import Survey
from dreamd.memory.tree import INDEX, Tree

STAGED = re.compile(r"\.dreamd-[0-9A-Za-z]+-\d+\.tmp")


class TreeChanged(MemoryTreeError):  # noqa: N818 - the state of the world, not a fault
    """The tree (or the history) is no longer what was read: make the draft again on what is there now."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Commits written to history that no ref leads to yet."""

    before: str  # the tree as it was read: the head, or a commit of what a person did by hand since
    commit: str  # the tree as the draft has it


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit did."""

    commit: str
    before: str  # commit of the tree as it was before; "" for an empty one
    run_id: str
    files: tuple[str, ...]  # written or removed


def prepare(
    *,
    tree: Tree,
    survey: Survey,
    plan: Plan,
    draft: Draft,
    history: History,
    now: dt.datetime,
    message: str = "",
    trailers: Sequence[tuple[str, str]] = (),
) -> Prepared:
    """Write a draft's objects to history; for a run that waits, `history.park(run, prepared.commit)` keeps them.

    What a person did by hand since the last dream becomes a commit of its own below the dream's, so that the dream's
    diff is the dream's alone and its undo has the very bytes it began with. What they retired becomes a tombstone.
    Raises StateError.
    """
    base = survey.snapshot
    old = tree.contents
    gone = (*survey.retired, *(one.record for one in survey.edited))
    tombs = (*survey.tombstones, *(replace(record, retired_at=now) for record in gone))
    before = base.commit
    if old != dict(base.files):
        known = (*survey.records(), *tombs)
        line = "by hand since the last dream" if base.commit else "as it was before the first dream"
        before = history.record(old, known, None, message=line, when=now, parent=base.commit, made=survey.made)
    new = {path: data for path, data in {**old, **draft.files}.items() if path not in draft.removed}
    known = _with(draft.entries, tombs)
    line = message or f"dream: {len(draft.applied)} changes"
    commit = history.record(new, known, plan, message=line, when=now, parent=before, made=draft.made, trailers=trailers)
    return Prepared(before, commit)


def commit(
    *,
    tree: Tree,
    survey: Survey,
    plan: Plan,
    draft: Draft,
    history: History,
    state_dir: Path,
    now: dt.datetime,
    protect: Sequence[str] = (),
    message: str = "",
    trailers: Sequence[tuple[str, str]] = (),
    confirm: Callable[[], None] | None = None,
    on_committed: Callable[[Committed], None] | None = None,
) -> Committed:
    """Write a draft: objects, staged files, journal, renames (topics first, MEMORY.md last), ref, callback.

    The caller holds the dream lock and has called `recover` since it took it.

    Args:
        tree: what was read; compared with the disk at the beginning and right before the journal.
        survey: of that tree against history's head.
        plan: kept in the commit.
        draft: what is written.
        history: the repository.
        state_dir: where the journal is.
        now: the time of the run.
        protect: the globs that `tree` was read with.
        message: one line for a person.
        trailers: further trailers of the commit.
        confirm: asked right before the journal (lease, lock); it raises to stop the commit.
        on_committed: the caller's one database transaction; called again by `recover` if it fails.

    Raises:
        TreeChanged: the disk or the history is not what was read; nothing was written.
        MemoryTreeError: the tree cannot be written; the old bytes are intact.
        StateError: history or the journal cannot be written; the old bytes are intact.
    """
    if read_journal(state_dir) is not None:
        raise MemoryTreeError("an earlier commit is unfinished", hint="run the command again: it is concluded first")
    _confirm_unchanged(tree, protect, history, survey)
    prepared = prepare(
        tree=tree, survey=survey, plan=plan, draft=draft, history=history, now=now, message=message, trailers=trailers
    )
    journal = _journal(tree, draft, plan.run_id, prepared, survey.snapshot.commit)
    try:
        write_journal(state_dir, journal)
        _stage(journal, draft)
        if confirm is not None:
            confirm()
        _confirm_unchanged(tree, protect, history, survey)
        journal = replace(journal, complete=True)
        write_journal(state_dir, journal)
    except BaseException as error:
        clean(state_dir, journal)
        raise _explained(error) from error
    try:
        rename_all(journal)
        if not history.advance(journal.commit, journal.head):
            raise _changed()
    except (OSError, TreeChanged) as error:
        _take_back(state_dir, journal, history)
        raise _explained(error) from error
    done = Committed(prepared.commit, prepared.before, plan.run_id, tuple(target.path for target in journal.targets))
    if on_committed is not None:
        on_committed(done)
    drop_journal(state_dir)
    return done


def rename_all(journal: Journal) -> None:
    """Put the staged files in place. Raises OSError, and TreeChanged where a target is neither old nor new."""
    for target in journal.targets:
        real = Path(target.real)
        now = digest_of(real)
        if now == target.new:
            continue
        if now != target.old:
            raise _changed()
        if target.new == ABSENT:
            real.unlink()
        else:
            Path(target.staged).replace(real)
        sync_folder(real.parent)


def roll_back(state_dir: Path, journal: Journal, history: History) -> None:
    """Give the files that are already new their old bytes back. What a person changed since stays. Raises OSError."""
    before = history.at(journal.before).files
    for target in reversed(journal.targets):
        real = Path(target.real)
        if target.new == target.old or digest_of(real) != target.new:
            continue
        if target.old == ABSENT:
            real.unlink()
        else:
            staged = _staged_name(real, journal.run_id, 0)
            write_file(staged, before[target.path], target.mode)
            staged.replace(real)
        sync_folder(real.parent)
    clean(state_dir, journal)


def _take_back(state_dir: Path, journal: Journal, history: History) -> None:
    """Roll back at once; where even that fails, the journal stays and `recover` concludes it."""
    try:
        roll_back(state_dir, journal, history)
    except OSError as error:
        raise unwritable(error) from error


def clean(state_dir: Path, journal: Journal) -> None:
    """Take away everything staged, the folders made for it and the journal, as far as the disk lets us."""
    for target in journal.targets:
        if target.staged:
            with suppress(OSError):
                Path(target.staged).unlink(missing_ok=True)
    for folder in reversed(journal.folders):
        with suppress(OSError):
            Path(folder).rmdir()
    with suppress(OSError):
        drop_journal(state_dir)


def _with(entries: Sequence[EntryRecord], tombs: Sequence[EntryRecord]) -> tuple[EntryRecord, ...]:
    known = {entry.id for entry in entries}
    return (*entries, *(tomb for tomb in tombs if tomb.id not in known))


def _confirm_unchanged(tree: Tree, protect: Sequence[str], history: History, survey: Survey) -> None:
    now = Tree.read(tree.root, protect)
    places = {path: file.real for path, file in now.files.items()}
    if now.digest != tree.digest or places != {path: file.real for path, file in tree.files.items()}:
        raise _changed()
    if history.head_id() != survey.snapshot.commit:
        raise _changed()


def _changed() -> TreeChanged:
    return TreeChanged("the memory files changed while the dream was at work", hint="the plan is made again on them")


def _journal(tree: Tree, draft: Draft, run_id: str, prepared: Prepared, head: str) -> Journal:
    targets = tuple(_targets(tree, draft, run_id))
    parents = {Path(target.real).parent for target in targets}
    missing = {folder for parent in parents for folder in (parent, *parent.parents) if not folder.exists()}
    folders = tuple(str(folder) for folder in sorted(missing, key=lambda folder: len(folder.parts)))
    return Journal(run_id, prepared.commit, prepared.before, head, targets, folders)


def _targets(tree: Tree, draft: Draft, run_id: str) -> Iterator[Target]:
    """In the order of their renames: a live reader never sees the index point to a topic that is not there."""
    root = Path(os.path.realpath(tree.root))
    topics = sorted(path for path in draft.files if path != INDEX)
    index = [INDEX] if INDEX in draft.files else []
    for number, path in enumerate([*topics, *index, *draft.removed], start=1):
        file = tree.files.get(path)
        real = file.real if file else root / path
        data = draft.files.get(path) if path not in draft.removed else None
        staged = str(_staged_name(real, run_id, number)) if data is not None else ""
        yield Target(
            path=path,
            real=str(real),
            staged=staged,
            old=digest(file.data) if file else ABSENT,
            new=digest(data),
            mode=file.mode if file else 0o600,
        )


def _staged_name(real: Path, run_id: str, number: int) -> Path:
    """A short-lived sibling: the same file system, so that the rename is atomic."""
    name = "".join(char for char in run_id if char.isascii() and char.isalnum())[:40] or "run"
    return real.with_name(f".dreamd-{name}-{number}.tmp")


def _stage(journal: Journal, draft: Draft) -> None:
    for folder in journal.folders:
        Path(folder).mkdir(mode=0o700, exist_ok=True)
        sync_folder(Path(folder).parent)
    for target in journal.targets:
        if target.staged:
            write_file(Path(target.staged), draft.files[target.path], target.mode)
            keep_group(Path(target.staged), Path(target.real))
    for parent in {Path(target.real).parent for target in journal.targets}:
        sync_folder(parent)


def keep_group(staged: Path, real: Path) -> None:
    """Owner and group stay what they were, as far as we may set them (a root process on a person's file may)."""
    with suppress(OSError):
        about = real.stat()
        os.chown(staged, about.st_uid, about.st_gid)


_HINTS = {
    errno.ENOSPC: "free some space on the disk the memory lies on; the dream is tried again later",
    errno.EDQUOT: "your quota on the disk the memory lies on is used up; the dream is tried again later",
    errno.EROFS: "the file system the memory lies on is read-only",
    errno.EACCES: "the folder of the memory file must be writable for you; `dreamd doctor` names it",
    errno.EPERM: "the folder of the memory file must be writable for you; `dreamd doctor` names it",
}


def _explained(error: BaseException) -> BaseException:
    """An error of the system as one that can be explained; every other as it is."""
    if not isinstance(error, OSError):
        return error
    return unwritable(error)


def unwritable(error: OSError) -> MemoryTreeError:
    """The error for a memory tree that cannot be written; what was there is intact."""
    name = errno.errorcode.get(error.errno or 0, type(error).__name__)
    return MemoryTreeError(
        f"the memory cannot be written: {error.strerror or name} ({name})",
        hint=_HINTS.get(error.errno or 0, "the memory is as it was; `dreamd doctor` checks what a dream needs"),
    )
