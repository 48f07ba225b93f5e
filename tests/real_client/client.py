"""The real Claude Code in a home of its own, asking a scripted server on loopback."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from shared_material import shared
from world import dreamd

COMMAND = Path(sys.executable).with_name("dreamd")
CLIENT = os.environ.get("DREAMD_REAL_CLAUDE", "")
KEY = "sk-ant-test-0123456789abcdefghij"
_PATIENCE = 90  # seconds until a client that hangs fails its test


@dataclass
class Client:
    """One person's home with Claude Code and dreamd in it."""

    home: Path
    server: Any
    project: Path
    environ: dict[str, str] = field(default_factory=dict)

    def dreamd(self, *arguments: str) -> Any:
        """A command's JSON."""
        done = dreamd(self.home, *arguments, "--json", **self.environ)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def configure(self, *more: str, headless: bool = True) -> None:
        """Dreamd's configuration: sessions are finished at once, and `claude -p` counts."""
        file = self.home / ".config" / "dreamd" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            "\n".join([f'[gates]\nidle = "1s"\nheadless = {str(headless).lower()}', *more]), encoding="utf-8"
        )

    def dream(self) -> Any:
        """A dream over what is finished: the run."""
        self.wait_idle()
        return self.dreamd("kick")

    def wait_idle(self) -> None:
        """Until the last session is finished."""
        time.sleep(1.5)

    def transcripts(self) -> str:
        """All that the client wrote of its sessions."""
        return "".join(one.read_text(encoding="utf-8") for one in (self.home / ".claude" / "projects").rglob("*.jsonl"))

    def connect(self, *more: str, program: Path = COMMAND) -> None:
        """As a person would."""
        done = subprocess.run(
            [program, "init", "--integrate", "claude-code", "--yes", *more],
            env={"HOME": str(self.home), "PATH": "/usr/bin:/bin", **self.environ},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def run(self, *arguments: str) -> list[dict[str, Any]]:
        """`claude -p …`: its messages, the result last."""
        done = subprocess.run(
            [CLIENT, "-p", *arguments, "--output-format", "stream-json", "--verbose"],
            cwd=self.project,
            env=self._environ(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another command of the client's."""
        return subprocess.run(
            [CLIENT, *arguments],
            cwd=self.project,
            env=self._environ(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE,
        )

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What the model was asked so far."""
        bodies = [one["body"] for one in self.server.state.reqs]
        return [body for body in bodies if isinstance(body, dict) and "messages" in body]

    def told(self, since: int = 0) -> str:
        """Every text that reached the model, as one string."""
        return "\n".join(json.dumps(body, ensure_ascii=False) for body in self.requests[since:])

    @contextmanager
    def terminal(self) -> Iterator[Terminal]:
        """The client as a person has it: in a terminal."""
        seen = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(self.project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
        }
        (self.home / ".claude.json").write_text(json.dumps(seen), encoding="utf-8")
        pid, descriptor = pty.fork()
        if pid == 0:
            os.chdir(self.project)
            os.execve(CLIENT, [CLIENT], self._environ() | {"TERM": "xterm-256color"})
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
        terminal = Terminal(pid, descriptor)
        try:
            yield terminal
        finally:
            terminal.end()

    def _environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": f"{Path(CLIENT).parent}:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{self.server.server_address[1]}",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            # Older versions do not wait for a server that a busy machine starts slowly.
            "MCP_CONNECTION_NONBLOCKING": "0",
            "MCP_CONNECT_TIMEOUT_MS": "60000",
            **self.environ,
        }


@dataclass
class Terminal:
    """A pseudo terminal with a client in it."""

    pid: int
    descriptor: int
    shown: bytes = b""

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())
        self.watch(1.0)
        os.write(self.descriptor, b"\r")

    def watch(self, seconds: float) -> None:
        """Reads what is shown for so long."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self.descriptor], [], [], left)[0]:
                try:
                    self.shown += os.read(self.descriptor, 65536)
                except OSError:
                    return

    def until(self, what: Any) -> None:
        """Waits until a condition holds."""
        for _ in range(_PATIENCE * 4):
            if what():
                return
            self.watch(0.25)
        raise AssertionError("it never came: " + self.shown.decode("utf-8", "replace")[-2000:])

    def end(self) -> None:
        """Closes the terminal, as a person closes a window."""
        for _ in range(40):
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                break
            os.kill(self.pid, 1)
            self.watch(0.25)
        else:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
        os.close(self.descriptor)


@contextmanager
def living(tmp_path: Path, script: dict[str, Any]) -> Iterator[Client]:
    """A home, a git project and a server that answers as the script says; skips where there is no client."""
    if not CLIENT:
        pytest.skip("DREAMD_REAL_CLAUDE does not name a claude command")
    spec = importlib.util.spec_from_file_location("fake_llm", shared("tools", "fake_llm.py"))
    assert spec is not None
    assert spec.loader is not None
    fake_llm = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fake_llm)
    server = fake_llm.start(script)
    project = tmp_path / "quillmark"
    subprocess.run(["git", "init", "-q", "-b", "main", str(project)], check=True)
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    try:
        yield Client(home, server, project)
    finally:
        server.shutdown()
        server.server_close()
