"""The conversation with Claude Code's SessionStart hook: its JSON in, ours out, whatever happens."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

from dreamd.briefing.brief import DEFAULT_TOKENS, Asked, Briefing, brief
from dreamd.briefing.import_line import imported
from dreamd.config import Loaded
from dreamd.state.glance import Glance

#: What Claude Code takes of one hook; of a longer text the model gets a path and a preview.
MOST_CHARACTERS = 10_000
TIME_LIMIT = 2.0  # seconds
_EVENT = "SessionStart"


def answer(raw: str, loaded: Loaded, *, max_tokens: int = DEFAULT_TOKENS, directory: Path | None = None) -> str:
    """One JSON document for the hook's standard output; `{}` where there is nothing to tell.

    Args:
        raw: what came on standard input; anything else than the hook's JSON counts as nothing said.
        loaded: the configuration.
        max_tokens: the most to tell.
        directory: where the session is; the hook's own `cwd` goes before it.
    """
    said = _fields(raw)
    asked = Asked(
        Path(said.get("cwd") or directory or Path.cwd()),
        max_tokens=max_tokens,
        max_characters=MOST_CHARACTERS,
        session=said.get("session_id", ""),
        claude_code=True,
        memory=not imported(loaded.places.claude_dir / "CLAUDE.md", loaded.places.memory_root),
    )
    return spoken(brief(loaded, asked))


def spoken(briefing: Briefing) -> str:
    """A briefing as Claude Code's hook answer."""
    told: dict[str, object] = {}
    if briefing.tells:
        told["hookSpecificOutput"] = {"hookEventName": _EVENT, "additionalContext": briefing.text}
    if trouble := trouble_of(briefing.glance):
        told["systemMessage"] = trouble
    return json.dumps(told, ensure_ascii=False)


def trouble_of(seen: Glance) -> str:
    """The one line that the person sees; "" where dreams go well."""
    if seen.waiting:
        return f"dreamd: run {seen.waiting} waits for your review (dreamd accept last, or dreamd reject last)"
    if seen.refused:
        return f"dreamd: the last dream was refused ({seen.refused}); dreamd runs show last says why"
    if seen.failures:
        told = "the last dream failed" if seen.failures == 1 else f"{seen.failures} dreams in a row failed"
        return f"dreamd: {told}; dreamd doctor says why"
    return ""


def unusable(problem: str) -> str:
    """The hook's answer where dreamd itself cannot work: a line for the person, nothing for the model."""
    return json.dumps({"systemMessage": f"dreamd: {problem}"}, ensure_ascii=False)


def with_limit(seconds: float, work: Callable[[], None]) -> None:
    """Does the work; when it takes longer, this process ends with status 0 where it stands: no session waits for it."""
    timer = threading.Timer(seconds, os._exit, (0,))
    timer.daemon = True
    timer.start()
    try:
        work()
    finally:
        timer.cancel()


def _fields(raw: str) -> dict[str, str]:
    """The texts among the hook's fields."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return {key: text for key, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}
