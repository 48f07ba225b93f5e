"""A small world for tests of whole dreams: a home, a clock that is moved, and somebody who talks to an agent."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dreamd.app import App, opened
from dreamd.clock import FixedClock
from dreamd.config import Loaded, Places
from dreamd.dream.cycle import Dreamt, Order
from dreamd.engines.protocol import Engine
from dreamd.settings import Config
from dreamd.state.run_record import RunRecord

NOW = dt.datetime(2026, 3, 10, 12, 0, tzinfo=dt.UTC)
NAMESPACE = uuid.UUID(int=7)


@dataclass
class World:
    """One person's home. Everything in it is a real file; time stands until a test moves it."""

    home: Path
    clock: FixedClock = field(default_factory=lambda: FixedClock(NOW))
    settings: dict[str, dict[str, object]] = field(default_factory=dict)
    projects: list[dict[str, object]] = field(default_factory=list)
    engine: Engine | None = None
    said: int = 0

    @property
    def root(self) -> Path:
        return self.home / ".claude" / "memory"

    @property
    def transcripts(self) -> Path:
        return self.home / ".claude" / "projects"

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "dreamd"

    def say(
        self,
        *words: str,
        project: str = "orchard",
        session: int = 1,
        ago: dt.timedelta = dt.timedelta(hours=2),
        answer: str = "Understood.",
        **more: object,
    ) -> Path:
        """Somebody types words into a session, one turn each, the first `ago` before now; an answer follows each."""
        cwd = f"/home/sam/work/{project}"
        path = self.transcripts / cwd.replace("/", "-") / f"{uuid.UUID(int=session, version=4)}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        start = self.clock.at - ago
        with path.open("a", encoding="utf-8") as file:
            for number, text in enumerate(words):
                at = start + dt.timedelta(seconds=number)
                user = self._line(path.stem, cwd, at) | {
                    "type": "user",
                    "promptSource": "typed",
                    "message": {"role": "user", "content": text},
                }
                file.write(json.dumps(user | more, ensure_ascii=False) + "\n")
                reply = self._line(path.stem, cwd, at) | {
                    "type": "assistant",
                    "message": {
                        "id": f"msg_{self.said}",
                        "role": "assistant",
                        "model": "claude-test",
                        "content": [{"type": "text", "text": answer}],
                        "usage": {"output_tokens": 5},
                    },
                }
                file.write(json.dumps(reply, ensure_ascii=False) + "\n")
        stamp = start.timestamp()
        os.utime(path, (stamp, stamp))
        return path

    def _line(self, session: str, cwd: str, at: dt.datetime) -> dict[str, object]:
        self.said += 1
        return {
            "uuid": str(uuid.uuid5(NAMESPACE, str(self.said))),
            "parentUuid": None,
            "sessionId": session,
            "timestamp": at.isoformat().replace("+00:00", "Z"),
            "cwd": cwd,
            "version": "2.1.332",
            "entrypoint": "cli",
            "isSidechain": False,
        }

    def case(self, folder: Path, memory_of: str = "") -> None:
        """A case's home laid into this one; its memory in a project's folder goes to the memory root."""
        shutil.copytree(folder / "home", self.home, dirs_exist_ok=True, copy_function=shutil.copyfile)
        for directory, _, files in os.walk(self.home):
            Path(directory).chmod(0o755)
            for name in files:
                Path(directory, name).chmod(0o644)
        if memory_of:
            shutil.copytree(self.transcripts / memory_of / "memory", self.root, dirs_exist_ok=True)

    def loaded(self) -> Loaded:
        raw = {section: dict(values) for section, values in self.settings.items()}
        config = Config.model_validate(
            {"sources": [{"agent": "claude-code", "root": str(self.transcripts)}], "projects": self.projects} | raw
        )
        places = Places(self.home / "config.toml", self.state, self.state, self.root, self.home / ".claude")
        return Loaded(config, places, file_exists=False)

    @contextmanager
    def app(self) -> Iterator[App]:
        with opened(self.loaded(), clock=self.clock, zone=dt.UTC, engine=self.engine, home=Path("/home/sam")) as app:
            yield app

    def kick(self, order: Order | None = None) -> RunRecord:
        """One dream; its run."""
        run = self.dream(order).run
        assert run is not None
        return run

    def dream(self, order: Order | None = None) -> Dreamt:
        with self.app() as app:
            return app.kick(order or Order())

    def later(self, **span: float) -> None:
        self.clock.at += dt.timedelta(**span)

    def tree(self) -> dict[str, bytes]:
        """Every file of the memory root."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }

    def text(self) -> str:
        """Everything remembered, in one string."""
        return "\n".join(data.decode() for data in self.tree().values())

    def memory(self) -> str:
        return (self.root / "MEMORY.md").read_text(encoding="utf-8")


def dreamd(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The installed command as a person would call it, in a home of its own."""
    command = Path(sys.executable).with_name("dreamd")
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "TZ": "UTC"} | more
    return subprocess.run(
        [str(command), *arguments],
        env=environ,
        cwd=home,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        timeout=120,
    )
