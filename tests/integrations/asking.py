"""An MCP client as agents are: the SDK's own, over standard input and output, against the installed command."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult

COMMAND = Path(sys.executable).with_name("dreamd")


@dataclass(frozen=True)
class Replied:
    """What one call came to."""

    text: str
    is_error: bool
    structured: object


@dataclass(frozen=True)
class Talk:
    """A whole conversation: what the server offers, its replies in order, what it wrote to standard error."""

    instructions: str
    tools: dict[str, Any]
    replies: list[Replied]
    stderr: str


def talk(home: Path, *calls: tuple[str, dict[str, Any]], here: str = "", mode: str = "auto", **environ: str) -> Talk:
    """Starts `dreamd mcp` in a home of its own and calls tools one after the other. `mode`: how the protocol is agreed on."""
    server = StdioServerParameters(command=str(COMMAND), args=["mcp"], env=_environ(home, here) | environ, cwd=home)

    async def converse() -> Talk:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
            async with Client(stdio_client(server, errlog=errors), mode=mode, read_timeout_seconds=60) as client:
                tools = {tool.name: tool for tool in (await client.list_tools()).tools}
                replies = []
                for name, arguments in calls:
                    result = await client.call_tool(name, arguments)
                    replies.append(_replied(result))
                told = client.instructions or ""
            errors.seek(0)
            return Talk(told, tools, replies, errors.read())

    return anyio.run(converse)


@contextmanager
def serving(home: Path, here: str = "") -> Iterator[Callable[..., Replied]]:
    """A server that stays while a test changes the world around it; gives a function that calls a tool."""
    server = StdioServerParameters(command=str(COMMAND), args=["mcp"], env=_environ(home, here), cwd=home)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:

        def call(tool: str, **arguments: Any) -> Replied:
            return _replied(portal.call(client.call_tool, tool, arguments))

        yield call


def ask(home: Path, tool: str, here: str = "", **arguments: Any) -> Replied:
    """One call."""
    return talk(home, (tool, arguments), here=here).replies[0]


def _environ(home: Path, here: str) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "TZ": "UTC", "CLAUDE_PROJECT_DIR": here}


def _replied(result: CallToolResult) -> Replied:
    text = "".join(block.text for block in result.content if block.type == "text")
    return Replied(text, bool(result.is_error), result.structured_content)
