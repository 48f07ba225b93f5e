"""What lies on this machine of Claude Code's and of dreamd's beside it, read before anything is decided."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dreamd.config import Loaded, expand
from dreamd.integrations.claude_code.call import Caller
from dreamd.integrations.claude_code.change import read
from dreamd.integrations.claude_code.connection import server_added
from dreamd.integrations.claude_code.receipt import Receipt, read_receipt
from dreamd.integrations.fault import IntegrationError
from dreamd.service.spec import fleeting, spec_of


@dataclass(frozen=True, slots=True)
class Scene:
    """Files by path with their bytes (None: not there), and how dreamd is called from there."""

    settings: Path
    instructions: Path  # the person's CLAUDE.md
    command: Path  # commands/dream.md
    market: Path  # dreamd's own directory with the plugin in it
    note: Path  # where the receipt lies
    memory_root: Path
    files: Mapping[Path, bytes | None]
    plugin: Mapping[Path, bytes]  # what lies below `market`
    receipt: Receipt | None
    caller: Caller
    server: bool  # the MCP server's package is installed
    server_added: bool  # and the person has added it for all projects
    fleeting: bool  # this program lies where things are thrown away

    def text(self, path: Path) -> str | None:
        """A file as text. Raises IntegrationError where it is none."""
        data = self.files[path]
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError:
            raise IntegrationError(
                f"{path} is not UTF-8 text; nothing was changed", hint="save it as UTF-8, then try again"
            ) from None


def market_of(loaded: Loaded) -> Path:
    """Where the plugin lies."""
    return loaded.places.state_dir / "claude-code"


def look(loaded: Loaded) -> Scene:
    """Reads everything. Raises IntegrationError where there is no Claude Code, or a file of it cannot be read."""
    home = loaded.places.claude_dir
    if not home.is_dir():
        raise IntegrationError(
            f"there is no Claude Code here ({home})", hint="start it once, or set CLAUDE_CONFIG_DIR as it is set for it"
        )
    spec, market = spec_of(loaded), market_of(loaded)
    settings, instructions, command = home / "settings.json", home / "CLAUDE.md", home / "commands" / "dream.md"
    note = loaded.places.state_dir / "claude-code.json"
    return Scene(
        settings=settings,
        instructions=instructions,
        command=command,
        market=market,
        note=note,
        memory_root=loaded.places.memory_root,
        files={path: read(path) for path in (settings, instructions, command, note)},
        plugin={path: path.read_bytes() for path in sorted(market.rglob("*")) if path.is_file()},
        receipt=read_receipt(read(note)),
        caller=Caller(spec.program, spec.config),
        server=importlib.util.find_spec("mcp") is not None,
        server_added=server_added(home),
        fleeting=fleeting(spec.program, spec.home),
    )


def short(path: Path) -> str:
    """A path with the home directory written as `~`."""
    home = expand("~")
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
