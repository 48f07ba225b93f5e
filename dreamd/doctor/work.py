"""The checks of dreamd's own work: service, database, index, history, archive, and how dreams went."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Final

from dreamd.doctor.bench import Bench
from dreamd.doctor.check import Check, Why, error, fine, warning
from dreamd.search.file import Condition as IndexCondition
from dreamd.state.condition import DatabaseCondition

_FAILS = 2  # dreams in a row
_PATIENCE = 3  # times the interval
_LEAST_PATIENCE = dt.timedelta(days=2)


def service(bench: Bench) -> Check:
    """Somebody looks at the gates."""
    found = bench.service
    if not bench.scheduled:
        return fine("service", "schedule.enabled is false: dreams come only when told to", Why.SCHEDULE_OFF)
    if found.installed and not found.active and bench.living is None:
        return error(
            "service",
            Why.NOT_RUNNING,
            f"the service is installed and does not run ({found.result or 'stopped'})",
            "`dreamd service install` starts it; `dreamd logs` says why it ended",
        )
    if found.installed and found.current is False:
        return warning(
            "service",
            Why.OUTDATED,
            "the service was installed by another version or configuration",
            "`dreamd service install`",
        )
    if found.installed and not found.enabled:
        return warning("service", Why.NOT_ENABLED, "the service does not start by itself", "`dreamd service install`")
    if not found.installed and bench.living is None:
        return warning(
            "service",
            Why.NOT_INSTALLED,
            "no service runs: nothing dreams by itself",
            "`dreamd service install`, or `dreamd kick --if-due` from a timer",
        )
    return fine("service", f"runs (pid {found.pid or bench.living})")


def linger(bench: Bench) -> Check:
    """The service outlives a logout."""
    if not bench.service.installed or bench.service.manager != "systemd":
        return fine("linger", "not needed")
    if bench.service.linger is None:
        return fine("linger", "logind does not say whether the service runs while you are logged out", Why.UNKNOWN)
    if not bench.service.linger:
        return warning("linger", Why.STOPS_AT_LOGOUT, "the service stops when you log out", "loginctl enable-linger")
    return fine("linger", "the service runs while you are logged out")


def reach(bench: Bench) -> Check:
    """The running service can write where it must, seen through its own eyes."""
    if bench.unreached:
        return error(
            "reach",
            Why.NOT_WRITABLE,
            f"the running service cannot write {', '.join(map(str, bench.unreached))}: made anew since it started, perhaps",
            "systemctl --user restart dreamd",
        )
    return fine("reach", "the service can write its places" if bench.living else "no service runs")


def database(bench: Bench) -> Check:
    """Every page of the database reads well."""
    match bench.database:
        case DatabaseCondition.DAMAGED:
            return error(
                "database", Why.DAMAGED, "state.db is damaged", "`dreamd doctor --fix` sets it aside and rebuilds it"
            )
        case DatabaseCondition.LOST:
            return error(
                "database",
                Why.LOST,
                "state.db is gone or empty, though there were dreams",
                "`dreamd doctor --fix` rebuilds it from transcripts, archive and history",
            )
        case DatabaseCondition.BUSY:
            return warning("database", Why.BUSY, "state.db is busy", "try again; see which process has it open")
        case DatabaseCondition.UNREADABLE:
            return error(
                "database", Why.NOT_READABLE, "state.db cannot be opened", "check the rights of the state directory"
            )
        case DatabaseCondition.NEW:
            return fine("database", "there is none yet", Why.NOT_YET)
        case DatabaseCondition.GOOD:
            return _rebuilt(bench)


def _rebuilt(bench: Bench) -> Check:
    past = bench.past
    if (
        past is not None
        and past.rebuilt_at
        and (past.last_attempt_at is None or past.last_attempt_at < past.rebuilt_at)
    ):
        return warning(
            "database",
            Why.REBUILT,
            f"state.db was rebuilt on {past.rebuilt_at:%Y-%m-%d}; what had been found and not used yet is read again",
            "nothing to do; the damaged file lies beside the new one until something is forgotten, and may be deleted",
        )
    return fine("database", "every page reads well")


def index(bench: Bench) -> Check:
    """The search index can be used."""
    if bench.index is IndexCondition.READY:
        return fine("index", "the search index is usable")
    if bench.index is IndexCondition.DAMAGED:
        return warning(
            "index", Why.DAMAGED, "the search index is damaged", "delete search.db; the next dream makes it again"
        )
    return fine("index", "the next dream makes the search index", Why.NOT_YET)


def history(bench: Bench) -> Check:
    """History reads, and ends where the database says."""
    if bench.history_fault:
        return error(
            "history", Why.NOT_READABLE, bench.history_fault, "restore history.git from a backup, or move it away"
        )
    past = bench.past
    if past is not None and past.head and past.head != bench.history_head:
        return error(
            "history",
            Why.DIFFERS,
            "history.git does not end with the last dream that the database knows",
            "put back the state directory as one: state.db and history.git belong together",
        )
    return (
        fine("history", "history ends with the last dream")
        if bench.history_head
        else fine("history", "no dream yet", Why.NOT_YET)
    )


def backups(bench: Bench) -> Check:
    """What an import replaced does not lie about for ever."""
    if bench.backups:
        names = ", ".join(str(path) for path in bench.backups)
        return warning(
            "backups",
            Why.LEFT_BEHIND,
            f"imports left {names} more than 30 days ago: all that was remembered before",
            "delete what you will not import again; nothing else needs it",
        )
    return fine("backups", "no import left a backup more than 30 days ago")


def archive(bench: Bench) -> Check:
    """A few archived sessions read back byte for byte."""
    if bench.past is None or not bench.past.sampled:
        return fine("archive", "nothing archived yet", Why.NOT_YET)
    if bench.past.damaged:
        return error(
            "archive",
            Why.DAMAGED,
            f"archived copies do not read back: {', '.join(bench.past.damaged)}",
            "check the disk; delete the copy of a session that still has its transcript, and the next dream copies it anew",
        )
    return fine("archive", f"{bench.past.sampled} archived sessions read back")


def dreams(bench: Bench) -> Check:
    """Dreams come and succeed."""
    past = bench.past
    if past is None:
        return fine("dreams", "no dream yet", Why.NOT_YET)
    if past.failures >= _FAILS:
        since = (
            f", the last success was {past.last_success_at:%Y-%m-%d}"
            if past.last_success_at
            else ", none ever succeeded"
        )
        told = f" ({past.last_error})" if past.last_error else ""
        return error(
            "dreams",
            Why.FAILING,
            f"{past.failures} dreams in a row failed{since}{told}",
            "`dreamd runs show last` says why",
        )
    if not bench.scheduled or past.pending < bench.min_sessions:
        return fine("dreams", "nothing is overdue")
    if past.last_success_at is None:
        return warning(
            "dreams",
            Why.NEVER,
            f"no dream ever succeeded, and {past.pending} sessions wait",
            "`dreamd kick` dreams now",
        )
    age = bench.now - past.last_success_at
    if age > max(bench.min_interval * _PATIENCE, _LEAST_PATIENCE):
        return error(
            "dreams",
            Why.OVERDUE,
            f"the last success was {age.days} days ago, and {past.pending} sessions wait",
            "`dreamd status` says which gate is closed",
        )
    return fine("dreams", f"the last success was on {past.last_success_at:%Y-%m-%d}")


def lock(bench: Bench) -> Check:
    """No dream died with the lock in its hand."""
    if bench.left_lock is not None:
        return warning(
            "lock",
            Why.LEFT_BEHIND,
            f"a dream died while it held the lock (pid {bench.left_lock})",
            "nothing to do: the next dream takes it over and finishes or undoes what it began",
        )
    return fine("lock", "free, or held by somebody who lives")


WORK: Final[tuple[Callable[[Bench], Check], ...]] = (
    service,
    linger,
    reach,
    database,
    index,
    history,
    backups,
    archive,
    dreams,
    lock,
)
