"""`dreamd import`: an export put in the place of an empty (or, when told so, of another) memory and state."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dreamd import replacement
from dreamd.app import opened
from dreamd.clock import Clock, rfc3339
from dreamd.config import Loaded, Places, expand
from dreamd.dream.aftermath import index_everything
from dreamd.dream.erasing import REPLACED
from dreamd.dream.kept import MOVES
from dreamd.dream.lock import dream_lock
from dreamd.dream.progress import Progress, Step
from dreamd.errors import StateError, UsageError
from dreamd.log import logger
from dreamd.memory.history import History
from dreamd.memory.journal import ABSENT, digest_of
from dreamd.memory.plan import renamed, with_projects
from dreamd.memory.tree import INDEX, Tree
from dreamd.moving import bundle, packing
from dreamd.moving.bundle import About
from dreamd.moving.lodging import Move, moves
from dreamd.replacement import PIECES, Replacement, Target
from dreamd.sources import sources
from dreamd.standing.beacon import instance_lock
from dreamd.state.condition import DatabaseCondition, database_condition
from dreamd.state.database import Database
from dreamd.state.marks import Marks
from dreamd.state.resettlement import counted, moved, project_keys, relinked, settle

_ROOM = 1.1  # of the unpacked bytes
_BACKUPS = 3  # that stay, the newest


@dataclass(frozen=True, slots=True)
class Imported:
    """What was put in place."""

    file: Path
    about: About
    moved: tuple[Move, ...]
    backup: Path | None  # an export of what was here before

    def to_json(self) -> dict[str, object]:
        """The document of the command."""
        return {
            "file": str(self.file),
            "home": self.about.home,
            "created_at": rfc3339(self.about.created_at),
            "dreamd": self.about.dreamd,
            **self.about.counts,
            "moved": [{"old": old, "new": new} for old, new in self.moved],
            "backup": str(self.backup) if self.backup else None,
        }


def bring(
    loaded: Loaded, clock: Clock, file: Path, watch: Progress, *, force: bool = False, home: Path | None = None
) -> Imported:
    """Puts an export in place: wholly, or not at all.

    Where there was something already, only with `force`, and an export of it is written into the state directory first; of such
    exports the newest three stay.
    Raises StateError for a file that is none, is damaged or a newer dreamd's; UsageError where something would be replaced;
    LockHeld while a service runs or something dreams. Nothing was changed then.
    """
    places, file, home = loaded.places, expand(str(file)), home or expand("~")
    about = bundle.about(file)
    with (
        instance_lock(places.state_dir),
        dream_lock(places.default_state_dir, places.memory_root, now=clock.now()),
    ):
        replacement.conclude(places.state_dir)
        backup = _backup(loaded, clock, watch, home, force=force)
        found = moves(about, [(one.agent, str(one.root)) for one in sources(loaded)], str(home))
        try:
            _make_ready(places, file, about, found, clock, watch)
            replacement.begin(places.state_dir, _replacement(places, about))
        except BaseException as error:
            if not (isinstance(error, OSError) and replacement.begun(places.state_dir)):
                raise _given_up(places, error) from error
        replacement.conclude(places.state_dir)
        with opened(loaded, clock=clock, home=home) as app:
            app.shop.withheld.keep()
            app.shop.scanner.scan(clock.now())
            index_everything(app.shop, watch)
        _drop_backups(places, file)
    logger().info("state.imported", **about.counts)
    return Imported(file, about, tuple(found), backup)


def _given_up(places: Places, error: BaseException) -> BaseException:
    """What was made ready goes; an error of the system as one that can be explained, every other as it is."""
    shutil.rmtree(replacement.staging(places.state_dir), ignore_errors=True)
    if not isinstance(error, OSError):
        return error
    return StateError(
        f"the export could not be unpacked: {error.strerror or type(error).__name__}",
        hint="check space and rights of the state directory and the memory root; what was there is untouched",
    )


def _backup(loaded: Loaded, clock: Clock, watch: Progress, home: Path, *, force: bool) -> Path | None:
    """An export of what is here; None where there is nothing to lose. Raises UsageError where that needs `force`."""
    places = loaded.places
    condition = database_condition(places)
    if condition not in (DatabaseCondition.NEW, DatabaseCondition.GOOD):
        raise StateError(
            f"the state database here is {condition}", hint="`dreamd doctor --fix` rebuilds it; then import"
        )
    if _is_fresh(loaded, clock):
        return None
    if not force:
        raise UsageError(
            f"there is memory or history here already ({places.memory_root}, {places.state_dir})",
            hint="--force replaces it, and keeps an export of it in the state directory",
        )
    target = places.state_dir / f"before-import-{clock.now():%Y%m%dT%H%M%SZ}.dreamd"
    with opened(loaded, clock=clock, home=home) as app:
        packing.write(app.shop, target, watch)
    return target


def _drop_backups(places: Places, file: Path) -> None:
    """All but the newest; never what was just imported. One that cannot go stays for `doctor` to name."""
    for old in sorted(places.state_dir.glob(REPLACED))[:-_BACKUPS]:
        with contextlib.suppress(OSError):
            if not old.samefile(file):
                old.unlink()


def _is_fresh(loaded: Loaded, clock: Clock) -> bool:
    """Whether nothing is here that a scan would not find again."""
    places = loaded.places
    tree = Tree.read(places.memory_root)
    if not tree.missing or History(places.history).head_id() or any(places.archive.glob("*/*.tar.zst")):
        return False
    if not places.database.exists():
        return True
    with opened(loaded, clock=clock) as app:
        rows = counted(app.shop.database)
        return not (rows["runs"] or rows["findings"] or rows["tombstones"])


def _make_ready(places: Places, file: Path, about: About, found: Sequence[Move], clock: Clock, watch: Progress) -> None:
    """Unpacks beside the old state, checks it, and leads its paths to this machine's places."""
    ready = replacement.staging(places.state_dir)
    shutil.rmtree(ready, ignore_errors=True)
    free = shutil.disk_usage(places.state_dir).free
    if free < about.bytes * _ROOM:
        raise StateError(
            f"the export needs {about.bytes >> 20} MB, and {free >> 20} MB are free at {places.state_dir}",
            hint="free some space, then try again; nothing was changed",
        )
    watch(Step("import"))
    ready.mkdir(mode=0o700, parents=True)
    bundle.unpack(file, ready)
    inside = replace(places, state_dir=ready)
    if database_condition(inside) is not DatabaseCondition.GOOD:
        raise StateError(f"{file} holds a damaged database", hint="export again on the other machine")
    database = Database.open(inside.database)
    try:
        before = project_keys(database)
        settle(database, found)
        marks = Marks(database)
        marks.set(MOVES, json.dumps([*json.loads(marks.text(MOVES) or "[]"), *found]))
        names = {key: new for key in before if (new := moved(key, found)) != key}
        history = History(inside.history)
        _rename_projects(history, names, clock)
        relinked(database, dict(_rename_in_plans(history, names, clock)))
        database.flatten()
    finally:
        database.close()


def _rename_projects(history: History, names: Mapping[str, str], clock: Clock) -> None:
    """Entries of projects without a remote name the project by its path: one more commit names it by the new one."""
    head = history.head()  # also: history reads
    entries = tuple(renamed(one, names) for one in head.entries)
    if not head.commit or entries == head.entries:
        return
    commit = history.record(
        head.files,
        entries,
        None,
        message="moved to another machine",
        when=clock.now(),
        parent=head.commit,
        made=head.made,
    )
    history.advance(commit, head.commit)


def _rename_in_plans(history: History, names: Mapping[str, str], clock: Clock) -> Iterator[tuple[str, str]]:
    """Plans that wait, and those that refused runs show, name projects too: (old commit, new commit) of each that had to be written anew."""
    for run in history.parked_runs():
        parked = history.parked(run)
        if parked is None or parked.plan is None:
            continue
        plan = with_projects(parked.plan, names)
        if plan == parked.plan:
            continue
        commit = history.record(
            parked.files,
            tuple(renamed(one, names) for one in parked.entries),
            plan,
            message=f"Plan of run {run}, moved to another machine",
            when=parked.when or clock.now(),
            parent=next(iter(parked.parents), ""),
            made=parked.made,
        )
        history.park(run, commit)
        yield parked.commit, commit


def _replacement(places: Places, about: About) -> Replacement:
    """The list of everything that is put in place, before anything is."""
    ready = replacement.staging(places.state_dir)
    root = Path(os.path.realpath(places.memory_root))
    source = ready / "memory"
    new = sorted(path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file())
    old = Tree.read(places.memory_root).files
    ordered = [*(name for name in new if name != INDEX), *(name for name in new if name == INDEX)]
    written = [
        Target(
            real=str(old[name].real if name in old else root / name),
            staged=str((old[name].real if name in old else root / name).with_name(f".dreamd-import-{number}.tmp")),
            source=f"memory/{name}",
            new=digest_of(source / name),
            mode=about.modes.get(name, 0o600),
        )
        for number, name in enumerate(ordered, start=1)
    ]
    gone = [Target(str(file.real), "", "", ABSENT, 0) for name, file in old.items() if name not in new]
    parents = {Path(target.real).parent for target in written}
    missing = {folder for parent in parents for folder in (parent, *parent.parents) if not folder.exists()}
    folders = tuple(str(folder) for folder in sorted(missing, key=lambda folder: len(folder.parts)))
    pieces = tuple(piece for piece in PIECES if (ready / piece).exists())
    return Replacement(pieces, (*written, *gone), folders)
