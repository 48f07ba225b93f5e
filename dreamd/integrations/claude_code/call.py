"""How Claude Code calls dreamd: the program by its absolute path, written for a shell, and known again."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

_HOOK = ("context", "--hook")


@dataclass(frozen=True, slots=True)
class Caller:
    """This installation on this configuration. `config` is None for the default file."""

    program: tuple[str, ...]
    config: Path | None = None

    def words(self, *arguments: str) -> tuple[str, ...]:
        """Program and arguments."""
        chosen = ("--config", str(self.config)) if self.config else ()
        return (*self.program, *arguments, *chosen)

    def line(self, *arguments: str) -> str:
        """The same for a shell."""
        return shlex.join(self.words(*arguments))

    @property
    def hook(self) -> str:
        """What the SessionStart hook runs."""
        return self.line(*_HOOK)


def is_hook(command: object) -> bool:
    """Whether a hook's command is dreamd's, of this installation or another."""
    words = _words(command)
    return any(words[at : at + 2] == list(_HOOK) for at in range(1, len(words))) and (
        "dreamd" in (Path(words[0]).name, *words[1:3])
    )


def is_server(words: list[str]) -> bool:
    """Whether these start dreamd's MCP server, of this installation or another."""
    return "mcp" in words[1:] and "dreamd" in (Path(words[0]).name, *words[1:3])


def is_there(command: str) -> bool:
    """Whether the program of a command can be run; one without a path is looked for by whoever runs it."""
    words = _words(command)
    return bool(words) and ("/" not in words[0] or os.access(words[0], os.X_OK))


def _words(command: object) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return []
