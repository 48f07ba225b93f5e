"""A call of a tool: its arguments checked, its answer as text. Loaded with the first call: a server must be there at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import ValidationError

from dreamd.config import Loaded
from dreamd.errors import UsageError
from dreamd.integrations.mcp.account import recent_dreams, why
from dreamd.integrations.mcp.answer import MOST_TOKENS, Answer, told
from dreamd.integrations.mcp.ask import ProjectContext
from dreamd.integrations.mcp.context import project_context
from dreamd.integrations.mcp.desk import Desk, desk
from dreamd.integrations.mcp.find import search_memory, search_sessions
from dreamd.integrations.mcp.tools import TOOLS

#: Who answers; each gets an instance of its tool's `ask`.
ANSWERS: Final[Mapping[str, Callable[[Desk, Any], Answer]]] = {
    "search_memory": search_memory,
    "search_sessions": search_sessions,
    "project_context": project_context,
    "why": why,
    "recent_dreams": recent_dreams,
}


def call(name: str, arguments: Mapping[str, Any], loaded: Loaded, here: str) -> str:
    """The answer of a tool as text. Raises a DreamdError, which says what was wrong and what to do."""
    tool = next((one for one in TOOLS if one.name == name), None)
    if tool is None:
        raise UsageError(f"there is no tool {name}", hint=f"tools: {', '.join(ANSWERS)}")
    try:
        ask = tool.ask.model_validate(dict(arguments))
    except ValidationError as fault:
        raise UsageError(f"{name}: {_explained(fault)}", hint="see the tool's schema") from None
    with desk(loaded, here) as opened:
        most = ask.max_tokens if isinstance(ask, ProjectContext) else MOST_TOKENS
        return told(ANSWERS[name](opened, ask), most)


def _explained(fault: ValidationError) -> str:
    """What is wrong with which argument, without its value."""
    problems = fault.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg'][:1].lower()}{one['msg'][1:]}" for one in problems)
