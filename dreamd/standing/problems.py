"""What needs a person: observed facts, each with a code, a sentence and what to do."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dreamd.access import Denied, Lack, denied
from dreamd.dream.books import Books
from dreamd.dream.deadlines import WARNING, expiring
from dreamd.state.marks import Mark
from dreamd.state.run_record import Outcome

_BATCH_PATIENCE = dt.timedelta(hours=26)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that stands between the person and their memory; `code` is from a closed set that the README documents."""

    code: str
    message: str
    hint: str

    def to_json(self) -> dict[str, str]:
        """CONTRACT's shape."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


def problems(shop: Books) -> list[Problem]:
    """What stands now, the most urgent first."""
    places = [_place(one) for one in denied(shop.places, (one.root for one in shop.sources))]
    return places + [problem for look in _LOOKS if (problem := look(shop)) is not None]


def _place(fault: Denied) -> Problem:
    """A place that a dream needs and cannot use now."""
    told, hint = _PLACES[fault.lack]
    return Problem(fault.lack.value, told.format(path=fault.path), hint)


_PLACES: Mapping[Lack, tuple[str, str]] = {
    Lack.STATE_UNWRITABLE: (
        "{path} cannot be written",
        "make the state directory and the files in it writable for you",
    ),
    Lack.ARCHIVE_UNWRITABLE: ("no transcript can be copied into {path}", "make the archive writable for you"),
    Lack.MEMORY_UNREADABLE: (
        "{path} cannot be read",
        "check that [memory] root is a folder of yours that you may read",
    ),
    Lack.MEMORY_UNWRITABLE: ("{path} cannot be written", "make it a folder of yours that you may write"),
    Lack.TRANSCRIPTS_UNREADABLE: ("the transcripts in {path} cannot be read", "make the folder readable for you"),
    Lack.LOCKS_UNUSABLE: (
        "files in {path} cannot be locked, so no dream begins",
        "set XDG_STATE_HOME to a folder on a local disk",
    ),
}


def _failing(shop: Books) -> Problem | None:
    failures, _ = shop.runs.failures()
    if not failures:
        return None
    told = "the last dream failed" if failures == 1 else f"{failures} dreams in a row failed"
    return Problem("dreams_failing", told, "`dreamd runs show last` and `dreamd logs` say why")


def _refused(shop: Books) -> Problem | None:
    newest = next(iter(shop.runs.list(limit=1)), None)
    if newest is None or newest.outcome is not Outcome.REFUSED:
        return None
    hint = (
        "`dreamd undo` puts it back" if newest.reason == "vanished" else "`dreamd runs show last` says what it wanted"
    )
    return Problem("dream_refused", f"the last dream was refused ({newest.reason})", hint)


def _waiting(shop: Books) -> Problem | None:
    waiting = next((run for run in shop.runs.waiting() if run.reason == "review"), None)
    if waiting is None:
        return None
    hint = "look with `dreamd runs show`, then `dreamd accept last` or `dreamd reject last`"
    return Problem("review_waiting", f"run {waiting.id} waits for review", hint)


def _late(shop: Books) -> Problem | None:
    """Servers end a batch after a day; one that is still waited for then cannot be asked about."""
    batch = shop.batches.open()
    if batch is None or shop.clock.now() - batch.written_at <= _BATCH_PATIENCE:
        return None
    hint = "`dreamd kick` says what stands against it; `dreamd reject last` gives it up"
    return Problem("batch_overdue", f"run {batch.run_id} still waits for its batch", hint)


def _overdue(shop: Books) -> Problem | None:
    """Enough sessions wait, and nothing has dreamt of them for three times as long as it should take."""
    now, gates = shop.clock.now(), shop.config.gates
    counts = shop.sessions.counts(now, gates.idle)
    if counts.pending + counts.gathered < gates.min_sessions:
        return None
    last = shop.marks.time(Mark.LAST_SUCCESS_AT)
    unread = [one for one in shop.sessions.list() if one.unread]
    since = last or min((max(one.quiet_at, one.seen_at) for one in unread), default=now)
    if now - since <= 3 * gates.min_interval:
        return None
    days = (now - since) // dt.timedelta(days=1)
    told = f"the last successful dream was {days} days ago" if last else "no dream has succeeded yet"
    waits = f"{counts.pending + counts.gathered} sessions wait"
    return Problem(
        "dream_overdue", f"{waits}; {told}", "is the service running (`dreamd doctor`)? `dreamd kick` dreams now"
    )


def _contradicted(shop: Books) -> Problem | None:
    number = shop.marks.text(Mark.CONTRADICTIONS)
    if not number:
        return None
    told = "a line that you wrote" if number == "1" else f"{number} lines that you wrote"
    hint = "look for “the line above is older” in the memory files and keep the one that is true"
    return Problem("lines_contradicted", f"newer words contradict {told}", hint)


def _expiring(shop: Books) -> Problem | None:
    soon = expiring(shop)
    if not soon:
        return None
    told = f"the agent deletes {soon} {'session' if soon == 1 else 'sessions'} within {WARNING.days} days that were not dreamt of"
    return Problem("transcripts_expiring", told, "`dreamd kick` reads them now and keeps a copy")


def _rebuilt(shop: Books) -> Problem | None:
    """Told for a week: what was forgotten or undone before cannot be known any more."""
    at = shop.marks.time(Mark.REBUILT_AT)
    if at is None or shop.clock.now() - at > dt.timedelta(days=7):
        return None
    told = "the state database was damaged or gone and has been rebuilt from transcripts and history"
    return Problem("state_rebuilt", told, "`dreamd doctor` says what could not be known again")


def _quarantined(shop: Books) -> Problem | None:
    number = shop.sessions.counts(shop.clock.now(), shop.config.gates.idle).quarantined
    if not number:
        return None
    told = "a session" if number == 1 else f"{number} sessions"
    return Problem("sessions_quarantined", f"{told} could not be read", "`dreamd sessions --state quarantined`")


_LOOKS: tuple[Callable[[Books], Problem | None], ...] = (
    _failing,
    _refused,
    _waiting,
    _late,
    _expiring,
    _overdue,
    _contradicted,
    _quarantined,
    _rebuilt,
)
