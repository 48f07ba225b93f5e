"""Brings the state up to date with the transcripts: finds files, reads their new bytes, counts."""

from __future__ import annotations

import datetime as dt
import errno
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

from dreamd.clock import SystemClock
from dreamd.errors import StateError
from dreamd.ingest.paths import both_names, storable, vanished
from dreamd.ingest.report import ScanProblem, ScanReport
from dreamd.sources import Source
from dreamd.state.columns import signed
from dreamd.state.database import Database
from dreamd.state.exclusion import Rules, SessionFacts
from dreamd.state.marks import Mark, Marks
from dreamd.state.projects import Projects
from dreamd.state.records import UNREAD_REASONS
from dreamd.state.sighting import FileKey, Sighting
from dreamd.state.sightings import LOST, SKIPPED, TAILED, Memo, Sightings
from dreamd.transcripts import foreign
from dreamd.transcripts.adapter import Adapter, ManySessions, reader_of
from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.event import Growth, Reading, SessionFile
from dreamd.transcripts.fingerprint import stamp
from dreamd.transcripts.project import ProjectRef, locate

#: A batch is stored when it holds so many files or so many read bytes: memory stays flat, little is read twice after a crash.
BATCH_FILES: Final = 200
BATCH_BYTES: Final = 64 * 1024 * 1024
#: A session names its working directory within its first events.
HEAD_EVENTS: Final = 50

_SECONDS: Final = SystemClock().monotonic

SessionKey = tuple[str, str]


class Locate(Protocol):
    """Which project a working directory belongs to (transcripts/project.py)."""

    def __call__(self, cwd: str, repository: str | None = None) -> ProjectRef:
        """The project of a session that began in `cwd`; the directory may be gone."""
        ...


@dataclass(frozen=True, slots=True)
class _Work:
    """A file that must be looked into."""

    source: Source
    file: SessionFile
    settled: bool

    @property
    def key(self) -> FileKey:
        return self.file.path, self.file.session_id

    @property
    def session(self) -> SessionKey:
        return self.file.agent, self.file.session_id


@dataclass(slots=True)
class _Walk:
    """What discovery found."""

    work: list[_Work] = field(default_factory=list)
    sessions: dict[str, set[str]] = field(
        default_factory=dict
    )  # agent → native ids of the sessions that have a main file
    gone: list[FileKey] = field(default_factory=list)
    problems: list[ScanProblem] = field(default_factory=list)


@dataclass(slots=True)
class _Round:
    """One scan while it runs."""

    now: dt.datetime
    barred: dict[SessionKey, bool] = field(default_factory=dict)
    located: dict[tuple[str, str | None], ProjectRef] = field(default_factory=dict)
    new: set[SessionKey] = field(default_factory=set)
    changed: set[SessionKey] = field(default_factory=set)
    damaged: set[SessionKey] = field(default_factory=set)
    gone: list[FileKey] = field(default_factory=list)
    problems: list[ScanProblem] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    bytes_read: int = 0


class Scanner:
    """Scans the sources. Any number may run at once: what two of them read counts once."""

    def __init__(
        self,
        sources: Sequence[Source],
        database: Database,
        *,
        idle: dt.timedelta,
        headless: bool = False,
        unlearned: Iterable[Path] = (),
        learned: Iterable[Path] = (),
        adapters: Mapping[str, Adapter] = ADAPTERS,
        locate: Locate = locate,
        elapsed: Callable[[], float] = _SECONDS,
    ) -> None:
        self._sources = tuple(replace(source, root=source.root.absolute()) for source in sources)
        self._sightings = Sightings(database)
        self._projects = Projects(database)
        self._marks = Marks(database)
        self._idle = idle
        self._rules = Rules(
            headless=headless,
            unlearned=both_names(unlearned),
            learned=both_names(learned),
            globs={(source.agent, str(source.root)): source.exclude for source in self._sources if source.exclude},
        )
        self._adapters = adapters
        self._locate = locate
        self._elapsed = elapsed

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where it looks, by absolute paths."""
        return self._sources

    def scan(self, now: dt.datetime) -> ScanReport:
        """Looks at every file of every source and reads what is new. Never raises for a transcript's sake."""
        began = self._elapsed()
        self._apply_rules()
        walk = self._walk(now)
        current = self._read(walk.work, now)
        lost = self._sightings.vanish([*walk.gone, *current.gone], now) if walk.gone or current.gone else 0
        current.problems[:0] = walk.problems
        there = {(agent, name) for agent, name in current.new | current.changed if name in walk.sessions.get(agent, ())}
        unchanged = sum(map(len, walk.sessions.values())) - len(there)
        return self._report(current, began, unchanged=unchanged, lost=lost)

    def look(self, paths: Iterable[str], now: dt.datetime) -> ScanReport:
        """Looks at these files only (a watcher's hints); what is new at paths not known yet is left to the next scan."""
        began = self._elapsed()
        wanted = dict.fromkeys(paths)
        shared = {path: source for path in wanted if (source := self._shared(path)) is not None}
        known = self._sightings.files_at(path for path in wanted if path not in shared)
        work = [
            _Work(source, file, settled=False) for path, source in shared.items() for file in self._news(path, source)
        ]
        roots = {(source.agent, str(source.root)): source for source in self._sources}
        for one in (one for found in known.values() for one in found):
            source = roots.get((one.agent, one.root))
            if source is not None:
                try:
                    seen = stamp(Path(one.path).stat())
                except OSError:
                    continue  # gone or unreadable: the scan says which
                work.append(
                    _Work(source, SessionFile(one.agent, one.session_id, one.path, one.kind, seen), settled=False)
                )
        report = self._report(self._read(work, now), began, unchanged=0, lost=0)
        return replace(report, unknown_paths=tuple(path for path in wanted if path not in known and path not in shared))

    def _shared(self, path: str) -> Source | None:
        """The source of a file that holds the sessions of many; None for any other file."""
        for source in self._sources:
            adapter = self._adapters.get(source.agent)
            if isinstance(adapter, ManySessions) and path.startswith(f"{source.root}{os.sep}"):
                return source if adapter.is_shared(Path(path)) else None
        return None

    def _news(self, path: str, source: Source) -> Iterator[SessionFile]:
        adapter = self._adapters[source.agent]
        if isinstance(adapter, ManySessions):
            yield from adapter.files_in(Path(path), news=True)

    def _apply_rules(self) -> None:
        digest = self._rules.digest()
        if self._marks.text(Mark.RULES) != digest:
            self._sightings.judge_all(self._rules)
            self._marks.set(Mark.RULES, digest)

    def _walk(self, now: dt.datetime) -> _Walk:  # noqa: C901 - the hot loop of every scan, 10,000 files in 50 ms
        """Every file there is against every file that is known; one that is found is `_MET` from then on."""
        known = self._sightings.stamps(now - self._idle)
        at_rest = int((now - self._idle).timestamp()) * 1_000_000_000
        walk = _Walk()
        roots = []
        for source in self._sources:
            adapter = self._adapters.get(source.agent)
            if adapter is None or not source.root.is_dir():
                code = "unknown_agent" if adapter is None else errno.errorcode[errno.ENOENT]
                if adapter is None or source.expected:
                    walk.problems.append(ScanProblem(str(source.root), code))
                continue
            if not os.access(source.root, os.R_OK | os.X_OK):
                walk.problems.append(ScanProblem(str(source.root), errno.errorcode[errno.EACCES]))
            roots.append(os.path.join(source.root, ""))  # noqa: PTH118 - the only way to say "ends with a separator"
            sessions = walk.sessions.setdefault(source.agent, set())
            for file in _discovered(adapter, source.root, walk.problems):
                key = (file.path, file.session_id)
                size, mtime_ns, inode, flags = known.get(key, _NEVER)
                if flags == _MET[3]:
                    continue
                there = file.stamp
                same = (
                    mtime_ns == there.mtime_ns
                    and size == there.size
                    and (inode == there.inode or inode == signed(there.inode))
                )
                if mtime_ns is None and not storable(file.path):
                    walk.problems.append(ScanProblem(os.fsencode(file.path).decode("utf-8", "replace"), "EILSEQ"))
                    continue
                known[key] = _MET
                if file.kind == "main":
                    sessions.add(file.session_id)
                if same and not flags:
                    continue
                if not flags & SKIPPED:
                    walk.work.append(
                        _Work(source, file, settled=(same and bool(flags & TAILED)) or there.mtime_ns <= at_rest)
                    )
        if missing := [key for key, stored in known.items() if stored is not _MET and not stored[3] & LOST]:
            met = {path for (path, _), stored in known.items() if stored is _MET}
            walk.gone = list(vanished(missing, tuple(roots), met))
        return walk

    def _read(self, work: Sequence[_Work], now: dt.datetime) -> _Round:
        """Reads and stores, batch by batch; a session's main file before its sub-agents', older sessions first."""
        current = _Round(now)
        first: dict[SessionKey, int] = {}
        for one in work:
            first[one.session] = min(first.get(one.session, one.file.stamp.mtime_ns), one.file.stamp.mtime_ns)
        ordered = iter(sorted(work, key=lambda one: (first[one.session], one.session, one.file.kind, one.file.path)))
        while piece := list(islice(ordered, BATCH_FILES)):
            memos = self._sightings.recall([one.file for one in piece])
            batch: list[Sighting] = []
            bytes_read = 0
            for one in piece:
                sighting = self._sight(one, memos[one.key], current)
                if sighting is None:
                    continue
                batch.append(sighting)
                bytes_read += sighting.reading.bytes_read if sighting.reading else 0
                if bytes_read >= BATCH_BYTES:
                    self._store(batch, current)
                    batch, bytes_read = [], 0
            self._store(batch, current)
        return current

    def _sight(self, work: _Work, memo: Memo, current: _Round) -> Sighting | None:
        """Reads one file, unless its session must not be read; None where it could not be."""
        file, root = work.file, str(work.source.root)
        adapter = self._adapters[file.agent]
        try:
            cwd = memo.cwd
            if cwd is None and self._rules.unlearned and file.kind == "main":
                cwd = _named_cwd(adapter, file)
            project = self._project(cwd, memo.repository, current) if cwd and not memo.placed else None
            if memo.barred or self._is_barred(work, cwd, project, current):
                return Sighting(file, root, memo.cursor, None, cwd=cwd, project=project)
            reading = adapter.scan(file, memo.cursor, settled=work.settled)
        except StateError:
            raise
        except OSError as error:
            self._unreadable(work, errno.errorcode.get(error.errno or 0, "EIO"), current)
            return None
        except Exception as error:  # noqa: BLE001 - a reader's fault with one file must not stop the scan of all others
            self._unreadable(work, type(error).__name__, current)
            return None
        if reading.growth is Growth.GONE:
            current.gone.append(work.key)
            return None
        if reading.growth is Growth.NEW and not (reading.turns or reading.headless_turns):
            reading = _recognised(reading, file)
        if file.kind == "main":
            project = self._placed(memo, reading, current) or project
        return Sighting(file, root, memo.cursor, reading, settled=work.settled, cwd=cwd, project=project)

    def _is_barred(self, work: _Work, cwd: str | None, project: ProjectRef | None, current: _Round) -> bool:
        if work.session not in current.barred:
            places = (cwd or "", project.root if project else "")
            facts = SessionFacts(
                agent=work.file.agent,
                native_id=work.file.session_id,
                path=work.file.path,
                root=str(work.source.root),
                places=tuple(place for place in places if place),
            )
            current.barred[work.session] = self._rules.bar(facts) in UNREAD_REASONS
        return current.barred[work.session]

    def _placed(self, memo: Memo, reading: Reading, current: _Round) -> ProjectRef | None:
        """The project, where a reading tells something about it that was not known."""
        cwd = memo.cwd or reading.first_cwd
        repository = memo.repository or reading.repository
        if cwd is None or (memo.placed and repository == memo.repository):
            return None
        return self._project(cwd, repository, current)

    def _project(self, cwd: str, repository: str | None, current: _Round) -> ProjectRef:
        key = (cwd, repository)
        if key not in current.located:
            found = self._locate(cwd, repository)
            if found.remote is None and not Path(cwd).is_dir():  # what it was when it could still be asked
                known = self._projects.of_cwd(cwd)
                found = ProjectRef(known.key, known.name, known.root, known.remote) if known else found
            current.located[key] = found
        return current.located[key]

    def _unreadable(self, work: _Work, code: str, current: _Round) -> None:
        current.damaged.add(work.session)
        current.problems.append(ScanProblem(work.file.path, code))

    def _store(self, batch: Sequence[Sighting], current: _Round) -> None:
        if not batch:
            return
        taken = self._sightings.take(batch, self._rules, current.now)
        current.new |= taken.created
        for one in taken.taken:
            reading = one.reading
            if reading is None:
                continue
            current.bytes_read += reading.bytes_read
            current.unknown.update(reading.unknown_types)
            if reading.growth is not Growth.UNCHANGED:
                current.changed.add(one.session)
            if reading.bad_lines or reading.oversized_lines:
                current.damaged.add(one.session)
        current.changed -= current.new

    def _report(self, current: _Round, began: float, *, unchanged: int, lost: int) -> ScanReport:
        return ScanReport(
            new=len(current.new),
            changed=len(current.changed),
            unchanged=unchanged,
            damaged=len(current.damaged),
            lost=lost,
            bytes_read=current.bytes_read,
            seconds=self._elapsed() - began,
            unknown_types=dict(current.unknown),
            problems=tuple(current.problems),
        )


_NEVER: Final = (None, None, None, 0)
_MET: Final = (0, 0, 0, -1)


def _discovered(adapter: Adapter, root: Path, problems: list[ScanProblem]) -> Iterator[SessionFile]:
    try:
        yield from adapter.discover(root)
    except OSError as fault:
        problems.append(ScanProblem(fault.filename or str(root), errno.errorcode.get(fault.errno or 0, "EIO")))


def _recognised(reading: Reading, file: SessionFile) -> Reading:
    """A reading in which nobody spoke; where the file is another agent's, by its content, that is all that is told of its records."""
    try:
        with Path(file.path).open("rb") as source:
            whose = foreign.recognised(source.read(foreign.HEAD))
    except OSError:
        return reading
    if whose in {None, file.agent}:
        return reading
    return replace(reading, unknown_types={f"transcript of {whose}": 1}, bad_lines=0, oversized_lines=0)


def _named_cwd(adapter: Adapter, file: SessionFile) -> str | None:
    """The working directory as the head of a transcript tells it."""
    events = reader_of(adapter, file.session_id).read(Path(file.path))
    return next((event.cwd for event in islice(events, HEAD_EVENTS) if event.cwd), None)
