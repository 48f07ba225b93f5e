"""How long agents keep their own transcripts, as each one's settings say."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path

_LARGEST = 1024 * 1024  # bytes of a settings file that are read
_CLAUDE_DAYS = 30  # the client's default for `cleanupPeriodDays`
_MOST_DAYS = 36_500
_GEMINI_AGE = "30d"  # the client's own default since it writes logs
_UNITS = {"h": dt.timedelta(hours=1), "d": dt.timedelta(days=1), "w": dt.timedelta(weeks=1), "m": dt.timedelta(days=30)}


def retention(agent: str, root: Path) -> dt.timedelta | None:
    """How long after its last change (mtime) the agent deletes a transcript below `root`; None: it never does."""
    term = _TERMS.get(agent)
    return term(root.parent) if term else None


def _claude_code(home: Path) -> dt.timedelta:
    """`cleanupPeriodDays` of the client's settings, 1 day at least."""
    days = _settings(home).get("cleanupPeriodDays")
    if not isinstance(days, int | float) or isinstance(days, bool) or not math.isfinite(days):
        days = _CLAUDE_DAYS
    return dt.timedelta(days=min(max(days, 1), _MOST_DAYS))


def _gemini(home: Path) -> dt.timedelta | None:
    """`general.sessionRetention.maxAge` of the client's settings."""
    general = _settings(home).get("general")
    rule = general.get("sessionRetention") if isinstance(general, dict) else None
    if not isinstance(rule, dict):
        rule = {}
    if rule.get("enabled") is False:
        return None
    age = re.fullmatch(r"(\d+)([hdwm])", str(rule.get("maxAge", _GEMINI_AGE)))
    return int(age[1]) * _UNITS[age[2]] if age else None


def _settings(home: Path) -> dict[str, object]:
    try:
        with (home / "settings.json").open("rb") as file:
            found = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


#: Codex and OpenCode delete nothing by themselves.
_TERMS: Mapping[str, Callable[[Path], dt.timedelta | None]] = {"claude-code": _claude_code, "gemini": _gemini}
