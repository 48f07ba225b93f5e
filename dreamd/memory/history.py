"""The history of memory: a real bare git repository, one commit a dream."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dreamd.errors import UsageError
from dreamd.memory.codec import decode_entries, decode_made, decode_plan, encode_entries, encode_made, encode_plan
from dreamd.memory.plan import Change, EntryRecord, Made, Plan
from dreamd.memory.repository import Repository

_MAIN = "refs/heads/main"
_PLANS = "refs/dreamd/plans"
_ENTRIES, _PLAN, _MADE = ".dreamd/entries.jsonl", ".dreamd/plan.json", ".dreamd/made.json"
_MOST_LOOSE = 500  # objects that are files of their own: some fifty dreams
_PRUNED_AFTER = dt.timedelta(days=14)  # what a killed or refused dream wrote and nothing leads to
_FULL_ID = re.compile(r"[0-9a-f]{40}")
_RUN_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One commit. `commit` is "" for the empty history."""

    commit: str = ""
    parents: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)  # the memory files, by path relative to the root
    entries: tuple[EntryRecord, ...] = ()
    plan: Plan | None = None  # None: what a person did by hand between two dreams
    run_id: str = ""
    when: dt.datetime | None = None
    made: Made = field(default_factory=Made)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One commit in the log, without the files."""

    commit: str
    parents: tuple[str, ...]
    run_id: str  # "" for what was done by hand
    when: dt.datetime
    message: str
    plan: Plan | None


class History:
    """`history.git`. Writers hold the dream lock; readers need nothing. Made by the first write."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._repository = Repository(path)

    def head(self) -> Snapshot:
        """What the last dream left; the empty snapshot where none was. Raises StateError where history is damaged."""
        commit = self._repository.ref(_MAIN)
        if commit:
            self._repository.confirm(commit)
        return self._snapshot(commit)

    def head_id(self) -> str:
        """The id of the last dream's commit; "" for an empty history."""
        return self._repository.ref(_MAIN)

    def at(self, commit: str) -> Snapshot:
        """A commit by its id or a unique beginning of it; "" is the empty history. Raises UsageError if unknown."""
        if not commit or _FULL_ID.fullmatch(commit):
            return self._snapshot(commit)
        hits = [known for known in self._repository.commits() if known.startswith(commit)]
        if len(hits) != 1:
            raise UsageError("no such commit in history.git", hint="`dreamd runs` lists the dreams")
        return self._snapshot(hits[0])

    def record(
        self,
        files: Mapping[str, bytes],
        entries: Sequence[EntryRecord],
        plan: Plan | None,
        *,
        message: str,
        when: dt.datetime,
        parent: str,
        made: Made | None = None,
        trailers: Sequence[tuple[str, str]] = (),
    ) -> str:
        """Write the objects of a commit, fsynced; no ref moves.

        Args:
            files: the memory files as they are (or shall be) on disk, by relative path.
            entries: every entry of dreamd's in them.
            plan: what led there; None for what a person did by hand.
            message: one line for a person; the reasons and the plan's trailers are added.
            when: the time of the run.
            parent: commit id; "" for the first.
            made: what of it dreamd itself made.
            trailers: further ones, `(("Fingerprint", …), …)`.

        Returns:
            The commit id.

        Raises:
            StateError: where it cannot be written.
        """
        own = {_ENTRIES: encode_entries(entries), _MADE: encode_made(made or Made())}
        if plan is not None:
            own[_PLAN] = encode_plan(plan)
        return self._repository.put({**files, **own}, _message(message, plan, trailers), when, parent)

    def advance(self, commit: str, expected_parent: str) -> bool:
        """Move main to a commit if it stands at `expected_parent` ("" for nowhere) or is there already."""
        if self._repository.ref(_MAIN) == commit:
            return True
        return self._repository.move_ref(_MAIN, expected_parent, commit)

    def park(self, run_id: str, commit: str) -> None:
        """Keep a waiting run's commit under refs/dreamd/plans/<run>."""
        self._repository.move_ref(_plan_ref(run_id), None, commit)

    def parked(self, run_id: str) -> Snapshot | None:
        """A waiting run's commit: its plan, and the files as they would be; None where it has none."""
        commit = self._repository.ref(_plan_ref(run_id))
        return self._snapshot(commit) if commit else None

    def parked_runs(self) -> tuple[str, ...]:
        """Ids of the runs whose plans wait."""
        return self._repository.refs(_PLANS)

    def unpark(self, run_id: str) -> None:
        """Let a waiting run's plan go; nothing happens where there is none."""
        if self._repository.ref(_plan_ref(run_id)):
            self._repository.drop_ref(_plan_ref(run_id))

    def log(self) -> Iterator[LogEntry]:
        """Commits from the newest to the oldest; those of what was done by hand have no plan."""
        commit = self._repository.ref(_MAIN)
        while commit:
            about = self._repository.info(commit)
            raw = self._repository.file(commit, _PLAN)
            plan = decode_plan(raw) if raw is not None else None
            run_id = plan.run_id if plan else ""
            yield LogEntry(commit, about.parents, run_id, about.when, about.message, plan)
            commit = about.parents[0] if about.parents else ""

    def commit_of(self, run_id: str) -> str:
        """The commit that a run (whole id) made; "" where it made none."""
        return next((entry.commit for entry in self.log() if entry.run_id == run_id), "")

    def recover(self) -> None:
        """Take away what a killed writer left behind. Call only under the dream lock."""
        self._repository.recover()

    def tidy(self, held: Collection[str], now: dt.datetime) -> tuple[int, int]:
        """Pack the past once it is many files, and let go what nothing leads to; waiting plans and the commits `held` stay.

        Returns how many objects were packed and how many went. Call only under the dream lock. Raises StateError.
        """
        if self._repository.loose() <= _MOST_LOOSE:
            return 0, 0
        return self._repository.pack(_MAIN, held, now - _PRUNED_AFTER)

    def _snapshot(self, commit: str) -> Snapshot:
        if not commit:
            return Snapshot()
        about = self._repository.info(commit)
        files = self._repository.files(commit)
        own = {path: files.pop(path) for path in (_ENTRIES, _PLAN, _MADE) if path in files}
        plan = decode_plan(own[_PLAN]) if _PLAN in own else None
        return Snapshot(
            commit=commit,
            parents=about.parents,
            files=files,
            entries=decode_entries(own.get(_ENTRIES, b"")),
            plan=plan,
            run_id=plan.run_id if plan else "",
            when=about.when,
            made=decode_made(own[_MADE]) if _MADE in own else Made(),
        )


def _plan_ref(run_id: str) -> str:
    if not _RUN_ID.fullmatch(run_id):
        raise UsageError("not a run id", hint="`dreamd runs` lists them")
    return f"{_PLANS}/{run_id}"


def _message(line: str, plan: Plan | None, trailers: Sequence[tuple[str, str]]) -> str:
    """A commit message: one line, each change with its reason (no words of the memory), trailers."""
    parts = [line.strip() or "dream"]
    if plan is None:
        return "\n\n".join([*parts, *_trailer_lines(trailers)]) + "\n"
    reasons = [_reason(change) for change in plan.changes]
    reasons += [f"carry {carry.file} -> {carry.to_file}: {carry.reason}" for carry in plan.carries]
    if reasons:
        parts.append("\n".join(reasons))
    own = [("Run", plan.run_id), *(("Session", session) for session in plan.sessions)]
    findings = sorted({finding for change in plan.changes for finding in change.findings})
    if findings:
        own.append(("Findings", " ".join(findings)))
    return "\n\n".join([*parts, *_trailer_lines([*own, *trailers])]) + "\n"


def _reason(change: Change) -> str:
    where = f"{change.from_file} -> {change.file}" if change.from_file else change.file
    return f"{change.kind} {change.entry} {where}: {change.reason}"


def _trailer_lines(trailers: Sequence[tuple[str, str]]) -> list[str]:
    lines = [f"{name}: {' '.join(value.split())}" for name, value in trailers if value]
    return ["\n".join(lines)] if lines else []
