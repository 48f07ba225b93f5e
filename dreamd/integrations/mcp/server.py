"""The owner of the official SDK: serves the tools over standard input and output until the client goes."""

from __future__ import annotations

import importlib
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dreamd import __version__
from dreamd.config import Loaded
from dreamd.errors import ConfigError, DreamdError
from dreamd.integrations.fault import IntegrationError
from dreamd.integrations.mcp.tools import INSTRUCTIONS, TOOLS, Tool
from dreamd.log import logger

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp_types import CallToolResult

#: Loaded when a tool is first called, as a verb's module is: some clients do not wait for a server that comes late.
_CALLS = "dreamd.integrations.mcp.calls"
_AT_ONCE = 2  # calls; SQLite answers each in milliseconds


def serve(load: Callable[[], Loaded], here: str) -> None:
    """Answers until standard input ends. Standard output holds the protocol alone: whatever else is printed goes to standard error.

    `load` reads the configuration anew for each call. Raises IntegrationError where the SDK is not installed.
    """
    try:
        import anyio  # noqa: PLC0415 - comes with the SDK
        from mcp.server.stdio import stdio_server  # noqa: PLC0415 - 0.8 s, and only here
    except ImportError:
        raise IntegrationError(
            "the package that speaks the Model Context Protocol is not installed",
            hint="install dreamd with its extra `mcp`, as in: pip install '.[mcp]'",
        ) from None

    # A read is waiting in a thread that no exception reaches. There is nothing to put away: nothing is written here.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)

    async def main() -> None:
        server = _server(load, here)
        async with stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())

    anyio.run(main)


def _server(load: Callable[[], Loaded], here: str) -> Server[Any]:
    import anyio  # noqa: PLC0415 - as above
    import mcp_types as types  # noqa: PLC0415 - as above
    from mcp.server.lowlevel import Server  # noqa: PLC0415 - as above

    limiter = anyio.CapacityLimiter(_AT_ONCE)

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await anyio.to_thread.run_sync(
            _answered, params.name, params.arguments or {}, load, here, limiter=limiter, abandon_on_cancel=True
        )

    return Server(
        "dreamd",
        version=__version__,
        title="dreamd",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(tool: Tool) -> Any:
    import mcp_types as types  # noqa: PLC0415 - as above

    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _answered(name: str, arguments: dict[str, Any], load: Callable[[], Loaded], here: str) -> CallToolResult:
    """Text alone: a client that is given structured content shows its model that and not the text."""
    import mcp_types as types  # noqa: PLC0415 - as above

    wrong = False
    try:
        text = importlib.import_module(_CALLS).call(name, arguments, load(), here)
    except DreamdError as error:
        wrong, text = True, _said(error)
    except Exception as fault:  # noqa: BLE001 - the client gets a clean error and the session goes on
        logger().error("tool.failed", tool=name, error=type(fault).__name__)
        wrong, text = True, "dreamd could not answer; `dreamd doctor` looks for the cause"
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=wrong)


def _said(error: DreamdError) -> str:
    """What happened, and what to do."""
    problems = error.problems if isinstance(error, ConfigError) else ()
    return ". ".join(filter(None, (error.message, *problems, error.hint)))
