"""Gemini CLI's own list of what was typed at it in a project (`logs.json`): a witness that tells a person's sessions from a script's."""

from __future__ import annotations

import json
from pathlib import Path

from dreamd.transcripts import fingerprint
from dreamd.transcripts.event import FileStamp

_NAME = "logs.json"
_LARGEST = 64 * 1024 * 1024


class PromptLogs:
    """The lists of projects, each read again only when it changed.

    The interactive client makes the list when it starts and writes each prompt there before it sends it; `gemini -p` does neither. So a
    session that a list leaves out is a script's. Where there is no list (older clients, a copy on another machine) nothing is known.
    """

    def __init__(self) -> None:
        self._known: dict[Path, tuple[FileStamp, frozenset[str]]] = {}

    def is_scripted(self, session: Path, native_id: str | None) -> bool:
        """Whether nobody typed in a session; its file lies in `<project>/chats`."""
        typed = self._typed(session.parent.parent / _NAME)
        return bool(typed) and native_id is not None and native_id not in typed

    def _typed(self, path: Path) -> frozenset[str]:
        """The ids of the sessions in which somebody typed; none where the list is missing, empty or damaged."""
        try:
            stamp = fingerprint.stamp(path.stat())
            known = self._known.get(path)
            if known is None or known[0] != stamp:
                with path.open("rb") as file:
                    entries = json.loads(file.read(_LARGEST))
                names = (one.get("sessionId") for one in entries if isinstance(one, dict))
                known = self._known[path] = stamp, frozenset(name for name in names if isinstance(name, str))
        except (OSError, ValueError, TypeError, RecursionError):
            return frozenset()
        return known[1]
