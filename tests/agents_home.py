"""A person's home with several agents in it, for tests of whole dreams over their sessions."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dreamd.app import App, opened
from dreamd.clock import FixedClock
from dreamd.config import Loaded, Places
from dreamd.dream.cycle import Order
from dreamd.settings import Config
from dreamd.state.records import SessionRecord
from transcripts import codex_lines as codex
from transcripts.specimens import KEPT_OPEN, grow_opencode

NOW = dt.datetime(2026, 3, 10, 12, 0, tzinfo=dt.UTC)
RULE = "Always run the linter with ruff, never with flake8."


class Home:
    """A person's home with several agents in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FixedClock(NOW)
        self.codex = path / ".codex" / "sessions"
        self.archived = path / ".codex" / "archived_sessions"
        self.gemini = path / ".gemini" / "tmp"
        self.opencode = path / ".local" / "share" / "opencode"
        self.originals = "keep"
        self.projects: list[dict[str, object]] = []

    def loaded(self) -> Loaded:
        places = [("codex", self.codex), ("codex", self.archived), ("gemini", self.gemini), ("opencode", self.opencode)]
        named = [
            {"agent": agent, "root": str(root)} for agent, root in places if root.exists() or root == self.archived
        ]
        config = Config.model_validate(
            {"sources": named, "transcripts": {"originals": self.originals}, "projects": self.projects}
        )
        state, root = self.path / "state", self.path / "memory"
        return Loaded(config, Places(self.path / "config.toml", state, state, root, self.path / ".claude"), False)

    @contextmanager
    def app(self) -> Iterator[App]:
        with opened(self.loaded(), clock=self.clock, zone=dt.UTC, home=Path("/home/sam")) as app:
            yield app

    def dream(self) -> str:
        with self.app() as app:
            run = app.kick(Order()).run
        assert run is not None
        return str(run.outcome)

    def sessions(self) -> dict[str, SessionRecord]:
        with self.app() as app:
            app.scan()
            return {one.id: one for one in app.sessions()}

    def memory(self) -> str:
        return "\n".join(path.read_text() for path in sorted((self.path / "memory").rglob("*.md")))


def say_in_codex(home: Home, *words: str) -> Path:
    lines = [codex.meta()]
    for number, text in enumerate(words):
        lines += [*codex.said(text, number * 10 + 1), *codex.answered("Understood.", number * 10 + 2)]
    path = codex.write(home.codex, *lines)
    os.utime(path, (codex.T0.timestamp(), codex.T0.timestamp()))
    return path


def say_in_opencode(home: Home, text: str) -> Path:
    path = grow_opencode(home.opencode, 5)
    KEPT_OPEN[-1].execute("UPDATE part SET data = ? WHERE id = 'prt_0'", (json.dumps({"type": "text", "text": text}),))
    return path


def words(app: App, session: str) -> list[str]:
    return [one.text for one in app.session(session)[1]]
