"""The checks of the ground dreamd stands on: versions, rights, memory, transcripts, disk, clock, key."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Final

from dreamd.doctor.bench import Bench
from dreamd.doctor.check import Check, Why, error, fine, warning

_SQLITE: Final = (3, 35, 0)
_PYTHON: Final = (3, 11)
_LITTLE, _NONE = 1_000_000_000, 100_000_000  # bytes free
_AHEAD = dt.timedelta(minutes=5)
SEARCHING: Final = "`dreamd init --integrate claude-code` says how to add the MCP server"
_TERMS: Final = {"claude-code": "cleanupPeriodDays", "gemini": "general.sessionRetention.maxAge"}
_MARGIN = dt.timedelta(days=3)  # between a dream's interval and an agent's deleting


def python(bench: Bench) -> Check:
    """Python is new enough."""
    told = ".".join(map(str, bench.python))
    if bench.python < _PYTHON:
        return error("python", Why.TOO_OLD, f"Python {told} is too old", "install dreamd with Python 3.11 or newer")
    return fine("python", f"Python {told}")


def sqlite(bench: Bench) -> Check:
    """SQLite knows what the state needs."""
    told = ".".join(map(str, bench.sqlite))
    if bench.sqlite < _SQLITE:
        return error("sqlite", Why.TOO_OLD, f"SQLite {told} is too old", "use a Python with SQLite 3.35 or newer")
    return fine("sqlite", f"SQLite {told}")


def configuration(bench: Bench) -> Check:
    """The configuration was read; a wrong one ends the doctor's visit before this."""
    return fine("configuration", str(bench.config_file) if bench.config_exists else "no file: defaults are in force")


def rights(bench: Bench) -> Check:
    """Nobody else can look into state and configuration."""
    if bench.rights:
        named = ", ".join(f"{one.path} ({one.mode:04o})" for one in bench.rights[:3])
        more = f" and {len(bench.rights) - 3} more" if len(bench.rights) > 3 else ""  # noqa: PLR2004 - as many as were named
        return error(
            "rights", Why.OPEN_TO_OTHERS, f"others can read {named}{more}", "`dreamd doctor --fix` takes their rights"
        )
    if bench.missing:
        return fine("rights", "the first dream makes the state directory", Why.NOT_YET)
    return fine("rights", "state and configuration are yours alone")


def memory(bench: Bench) -> Check:
    """A file can be made and removed in the memory root."""
    if bench.memory_fault:
        return error(
            "memory",
            Why.NOT_WRITABLE,
            f"{bench.memory_root}: {bench.memory_fault}",
            "make it a directory that you can write",
        )
    return fine("memory", f"{bench.memory_root} can be written")


def caps(bench: Bench) -> Check:
    """Memory fits what its readers load."""
    if bench.over:
        return warning(
            "caps",
            Why.OVER_CAP,
            f"longer than readers load: {', '.join(bench.over)}",
            "the next dream moves the lowest lines",
        )
    return fine("caps", "memory files are within their caps")


def transcripts(bench: Bench) -> Check:
    """There is something to read."""
    if not any(root.exists for root in bench.roots):
        return warning("transcripts", Why.NOT_FOUND, "no agent's transcripts were found", "name them under [[sources]]")
    closed = [str(root.path) for root in bench.roots if root.exists and not root.readable]
    if closed:
        return error("transcripts", Why.NOT_READABLE, f"cannot read {', '.join(closed)}", "make them readable for you")
    gone = [str(root.path) for root in bench.roots if not root.exists]
    if gone:
        return warning("transcripts", Why.NOT_FOUND, f"not there: {', '.join(gone)}", "mount it, or change [[sources]]")
    return fine("transcripts", ", ".join(str(root.path) for root in bench.roots))


def agents(bench: Bench) -> Check:
    """Which agents on this machine nobody learns from: those that the configuration leaves out, and those that dreamd cannot read."""
    told = [f"not under [[sources]]: {', '.join(bench.unread)}"] if bench.unread else []
    if bench.unsupported:
        named = ", ".join(f"{name} ({number} sessions)" for name, number in sorted(bench.unsupported.items()))
        told.append(f"not supported yet: {named}")
    return fine("agents", "; ".join(told) or "every agent found here is read")


def retention(bench: Bench) -> Check:
    """No agent deletes transcripts before they are dreamt of."""
    if bench.past is not None and bench.past.expiring:
        return warning(
            "retention",
            Why.SOON_DELETED,
            f"{bench.past.expiring} sessions will soon be deleted by their agent, undreamt",
            "`dreamd kick` reads them now",
        )
    for root in bench.roots:
        if root.retention is not None and root.retention < bench.min_interval + _MARGIN:
            return warning(
                "retention",
                Why.SOON_DELETED,
                f"{root.agent} deletes transcripts after {root.retention.days} days, dreams come every {_days(bench.min_interval)}",
                f"raise `{_TERMS.get(root.agent, 'the term')}` in the agent's settings, or lower `gates.min_interval`",
            )
    return fine("retention", "transcripts outlive the time between dreams")


def watches(bench: Bench) -> Check:
    """The kernel lets every directory be watched."""
    need = sum(root.directories for root in bench.roots)
    if bench.max_watches is None:
        return fine("watches", f"{need} directories to watch")
    if need > bench.max_watches // 2:
        return warning(
            "watches",
            Why.TOO_MANY,
            f"{need} directories, and this user may watch {bench.max_watches} in all; beyond, dreamd looks by the clock",
            f"echo fs.inotify.max_user_watches={max(524288, need * 4)} | sudo tee /etc/sysctl.d/60-dreamd.conf && sudo sysctl --system",
        )
    return fine("watches", f"{need} directories of {bench.max_watches} that may be watched")


def clock(bench: Bench) -> Check:
    """No dream ended in the future."""
    past = bench.past
    stamps = [one for one in (past.last_success_at, past.last_attempt_at) if one] if past else []
    if any(one > bench.now + _AHEAD for one in stamps):
        return warning(
            "clock",
            Why.IN_THE_FUTURE,
            f"the last dream is dated {max(stamps):%Y-%m-%d %H:%M} UTC, the clock says {bench.now:%Y-%m-%d %H:%M} UTC",
            "set the clock right; `dreamd kick` then sets the date right",
        )
    return fine("clock", "no date lies in the future")


def disk(bench: Bench) -> Check:
    """There is room."""
    path, free = min(bench.free, key=lambda one: one[1])
    told, hint = f"{free // 1_000_000} MB free at {path}", "free some space"
    if free < _NONE:
        return error("disk", Why.NEARLY_FULL, told, hint)
    return warning("disk", Why.NEARLY_FULL, told, hint) if free < _LITTLE else fine("disk", told)


def key(bench: Bench) -> Check:
    """The service finds the key that its engine needs."""
    if not bench.key.needed:
        return fine("key", f"engine {bench.engine}: no key needed")
    if not bench.key.where and bench.key.told_by_machine:
        return warning(
            "key",
            Why.MISSING,
            "no credentials for the engine's provider were found where the service would look",
            "log in with the provider's own tool, or write what it needs into ~/.config/dreamd/env; fine where the machine itself has a role",
        )
    if not bench.key.where:
        return error(
            "key",
            Why.MISSING,
            "the engine needs a key and the service would not find one",
            "write ANTHROPIC_API_KEY=… into ~/.config/dreamd/env, or name a file in `engine.api_key_file`; a shell's variable is not seen",
        )
    if bench.key.open_to_others:
        return error("key", Why.OPEN_TO_OTHERS, f"others can read {bench.key.where}", f"chmod 600 {bench.key.where}")
    return fine("key", f"found in {bench.key.where}")


def reading(bench: Bench) -> Check:
    """Claude Code's sessions know what is remembered."""
    known = bench.connection
    if bench.import_file is None:
        return fine("reading", "no Claude Code here")
    if known.gone:
        return warning(
            "reading",
            Why.OUTDATED,
            f"Claude Code's settings name what is not there: {known.gone}",
            "`dreamd init --integrate claude-code` connects it anew, with --remove it takes it out",
        )
    if known.ways:
        search = "can search too" if known.server else f"cannot search: {SEARCHING}"
        return fine("reading", f"Claude Code is told what is remembered by {' and '.join(known.ways)}, and {search}")
    return warning(
        "reading",
        Why.MISSING,
        "Claude Code's sessions are not told what is remembered",
        f"`dreamd init --integrate claude-code`, or add the line {bench.import_line} to {bench.import_file}",
    )


def _days(span: dt.timedelta) -> str:
    hours = span.total_seconds() / 3600
    return f"{hours:.0f} hours" if hours < 48 else f"{hours / 24:.0f} days"  # noqa: PLR2004 - two days


GROUND: Final[tuple[Callable[[Bench], Check], ...]] = (
    python,
    sqlite,
    configuration,
    rights,
    memory,
    caps,
    transcripts,
    agents,
    retention,
    watches,
    clock,
    disk,
    key,
    reading,
)
