"""`dreamd mcp`: an MCP server on standard input and output."""

from __future__ import annotations

import sys

import typer

from dreamd import log
from dreamd.cli.options import ConfigOption, VerboseOption
from dreamd.config import load, session_directory
from dreamd.errors import UsageError
from dreamd.integrations.mcp.server import serve

_EPILOG = "Examples: claude mcp add -s user dreamd -- dreamd mcp · `dreamd mcp` by any other client, over standard input and output"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("mcp", epilog=_EPILOG)(mcp)


def mcp(config: ConfigOption = None, verbose: VerboseOption = 0) -> None:
    """Serve memory and past sessions to an agent over the Model Context Protocol; started by the agent, reads only."""
    if sys.stdin.isatty():
        raise UsageError(
            "this is started by an agent, not by a person",
            hint="`claude mcp add -s user dreamd -- dreamd mcp` has Claude Code start it; to look yourself: `dreamd search`",
        )
    loaded = load(config)
    log.configure(
        loaded.places.log, level=loaded.config.log.level, console_level=("warning", "info", "debug")[min(verbose, 2)]
    )
    serve(lambda: load(config), session_directory())
