"""After a crash in the middle of a commit: the memory tree made wholly new or wholly old again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dreamd.errors import MemoryTreeError
from dreamd.memory.commit import STAGED, TreeChanged, clean, keep_group, rename_all, roll_back, unwritable
from dreamd.memory.history import History
from dreamd.memory.journal import ABSENT, Journal, digest_of, drop_draft_journal, drop_journal, read_journal, write_file
from dreamd.memory.tree import FOLDERS


class RecoveryOutcome(StrEnum):
    """What was found and done."""

    NOTHING = "nothing"
    CLEANED = "cleaned"  # it died before its journal was complete: memory is old, the run was interrupted
    ROLLED_FORWARD = "rolled_forward"  # memory is new, the run is committed
    ROLLED_BACK = "rolled_back"  # a hand edit came in between: memory is old with that edit, the run was interrupted


@dataclass(frozen=True, slots=True)
class Recovery:
    """For the run's row. `commit` is set for ROLLED_FORWARD alone."""

    outcome: RecoveryOutcome
    run_id: str = ""
    commit: str = ""


def recover(
    *,
    root: Path,
    history: History,
    state_dir: Path,
    on_committed: Callable[[Recovery], None] | None = None,
) -> Recovery:
    """Conclude what a dead process began. Under the dream lock, before anything is read; doing it twice is no fault.

    Args:
        root: the memory root, swept of staged files that no journal knows.
        history: the repository; its stale lock files go.
        state_dir: where the journal is.
        on_committed: for ROLLED_FORWARD, the caller's database transaction, before the journal goes. It may have
            happened already and must not do harm twice.

    Raises:
        MemoryTreeError: where it cannot be concluded now (disk full, not mounted); the journal stays for the next try.
    """
    history.recover()
    journal = read_journal(state_dir)
    if journal is None:
        with suppress(OSError):
            drop_draft_journal(state_dir)
        _sweep(root)
        return Recovery(RecoveryOutcome.NOTHING)
    try:
        found = _conclude(journal, history, state_dir)
    except OSError as error:
        raise unwritable(error) from error
    if found.outcome is RecoveryOutcome.ROLLED_FORWARD:
        if on_committed is not None:
            on_committed(found)
        clean_staged(journal)
        drop_journal(state_dir)
    _sweep(root)
    return found


def _conclude(journal: Journal, history: History, state_dir: Path) -> Recovery:
    if not journal.complete:
        clean(state_dir, journal)
        return Recovery(RecoveryOutcome.CLEANED, journal.run_id)
    _confirm_mounted(journal)
    try:
        _stage_again(journal, history)
        rename_all(journal)
    except TreeChanged:
        roll_back(state_dir, journal, history)
        return Recovery(RecoveryOutcome.ROLLED_BACK, journal.run_id)
    history.advance(journal.commit, journal.head)
    return Recovery(RecoveryOutcome.ROLLED_FORWARD, journal.run_id, journal.commit)


def _confirm_mounted(journal: Journal) -> None:
    made = set(journal.folders)
    for target in journal.targets:
        folder = Path(target.real).parent
        if not folder.is_dir() and str(folder) not in made:
            raise MemoryTreeError(
                "a folder of the memory is gone in the middle of a commit",
                hint="if it is on a disk that is not mounted, mount it: the commit is concluded then",
            )


def _stage_again(journal: Journal, history: History) -> None:
    """Staged files that are gone or damaged are made anew from history, which holds every byte.

    Raises TreeChanged where history or a file is neither as it was nor as it shall be.
    """
    if history.head_id() not in {journal.head, journal.commit}:
        raise TreeChanged("history moved on")
    for target in journal.targets:
        if digest_of(Path(target.real)) not in {target.old, target.new}:
            raise TreeChanged("edited by hand")
    after = history.at(journal.commit).files
    for target in journal.targets:
        real, staged = Path(target.real), Path(target.staged)
        if target.new == ABSENT or digest_of(real) == target.new or digest_of(staged) == target.new:
            continue
        for folder in journal.folders:
            Path(folder).mkdir(mode=0o700, exist_ok=True)
        write_file(staged, after[target.path], target.mode)
        keep_group(staged, real)


def clean_staged(journal: Journal) -> None:
    """Staged files of targets that were new already."""
    for target in journal.targets:
        if target.staged:
            with suppress(OSError):
                Path(target.staged).unlink(missing_ok=True)


def _sweep(root: Path) -> None:
    """Staged files in the memory root whose journal is lost."""
    for folder in (root, *(root / name for name in FOLDERS)):
        with suppress(OSError):
            for place in folder.iterdir():
                if STAGED.fullmatch(place.name):
                    place.unlink(missing_ok=True)
