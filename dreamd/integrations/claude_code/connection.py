"""Whether Claude Code is connected now, as its own files say; for those who only want to know."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from dreamd.briefing.import_line import imported
from dreamd.config import Loaded, expand
from dreamd.errors import DreamdError
from dreamd.integrations.claude_code import settings
from dreamd.integrations.claude_code.call import is_server, is_there

_LARGEST = 64 * 1024 * 1024  # bytes of a file of the client's that is read


class Mode(StrEnum):
    """How a session is told; never both at once."""

    HOOK = "hook"
    PLUGIN = "plugin"


@dataclass(frozen=True, slots=True)
class Connection:
    """`mode` is None where neither hook nor plugin is there; `gone` names what one calls and what is not there."""

    found: bool = False  # there is a Claude Code here
    imported: bool = False  # the import line brings MEMORY.md
    mode: Mode | None = None
    server: bool = False  # sessions have the MCP server: the plugin's, or one that was added for all projects
    gone: str = ""

    @property
    def ways(self) -> tuple[str, ...]:
        """How sessions are told what is remembered, for a person to read."""
        return (*(["an import line"] if self.imported else []), *([f"the {self.mode.value}"] if self.mode else []))

    def to_json(self) -> dict[str, object]:
        """As `status` has it."""
        return {
            "found": self.found,
            "import_line": self.imported,
            "mode": self.mode.value if self.mode else None,
            "mcp": self.server,
            "gone": self.gone or None,
        }


def connection(loaded: Loaded) -> Connection:
    """Never raises: files that cannot be read connect nothing."""
    home = loaded.places.claude_dir
    if not home.is_dir():
        return Connection()
    line = imported(home / "CLAUDE.md", loaded.places.memory_root)
    added = server_added(home)
    try:
        text = (home / "settings.json").read_bytes().decode()
        found = settings.found_in(settings.or_fresh(text))
    except (OSError, UnicodeDecodeError, DreamdError):
        return Connection(found=True, imported=line, server=added)
    if found.hooks:
        gone = next((one for one in found.hooks if not is_there(one)), "")
        return Connection(found=True, imported=line, mode=Mode.HOOK, server=added, gone=gone)
    if found.plugins:
        plugin = Path(found.market) / settings.PLUGIN if found.market else None
        lost = plugin is not None and not plugin.is_dir()
        own = plugin is not None and (plugin / ".mcp.json").is_file()
        gone = found.market if lost else ""
        return Connection(found=True, imported=line, mode=Mode.PLUGIN, server=own or added, gone=gone)
    return Connection(found=True, imported=line, server=added)


class _Server(msgspec.Struct):
    """What a client starts; other kinds of servers have no command."""

    command: str = ""
    args: list[str] = []


class _Client(msgspec.Struct):
    servers: dict[str, _Server] = msgspec.field(name="mcpServers", default_factory=dict)


_CLIENT = msgspec.json.Decoder(_Client)


def server_added(home: Path) -> bool:
    """Whether `claude mcp add -s user` has added dreamd's MCP server, as the client's `.claude.json` says: in its directory, or beside the usual one."""
    beside = [home.parent] if home == expand("~/.claude") else []
    return any(any(is_server([one.command, *one.args]) for one in _servers(folder)) for folder in (home, *beside))


def _servers(folder: Path) -> list[_Server]:
    try:
        with (folder / ".claude.json").open("rb") as file:
            return list(_CLIENT.decode(file.read(_LARGEST)).servers.values())
    except (OSError, ValueError, RecursionError):
        return []
