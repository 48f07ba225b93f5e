"""The tools that the server offers, each with its name, what it says of itself, what may be asked, and who answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from dreamd.config import Loaded
from dreamd.errors import UsageError
from dreamd.integrations.mcp.account import recent_dreams, why
from dreamd.integrations.mcp.answer import MOST_TOKENS, Answer, told
from dreamd.integrations.mcp.ask import Ask, ProjectContext, RecentDreams, SearchMemory, SearchSessions, Why
from dreamd.integrations.mcp.context import project_context
from dreamd.integrations.mcp.desk import Desk, desk
from dreamd.integrations.mcp.find import search_memory, search_sessions

#: What the client puts before the tools, once a session.
INSTRUCTIONS: Final = (
    "dreamd keeps what this person and their coding agents said, decided and learned in past sessions. "
    "Look here before asking the person something they may have told you already."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `answer` gets an instance of `ask`."""

    name: str
    title: str
    description: str
    ask: type[Ask]
    answer: Callable[[Desk, Any], Answer]

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, without what only Python's names say."""
        made = self.ask.model_json_schema()
        for one in made.get("properties", {}).values():
            one.pop("title", None)
        return {key: value for key, value in made.items() if key not in ("title", "description")}


TOOLS: Final = (
    Tool(
        "search_memory",
        "Search memory",
        "Finds remembered rules, preferences, decisions, facts and commands. Each line of the answer: file:line and the line.",
        SearchMemory,
        search_memory,
    ),
    Tool(
        "search_sessions",
        "Search past sessions",
        "Finds what was said in past sessions with coding agents, by the person or the agent: day, project, session, excerpt.",
        SearchSessions,
        search_sessions,
    ),
    Tool(
        "project_context",
        "What to know here",
        "Tells what is remembered for a session in this directory: rules, this project's facts and decisions, its last sessions.",
        ProjectContext,
        project_context,
    ),
    Tool(
        "why",
        "Why is this remembered",
        "Says where a remembered line comes from: the days, the sessions and the words it rests on.",
        Why,
        why,
    ),
    Tool(
        "recent_dreams",
        "Recent dreams",
        "Says what the last dreams changed in memory, newest first.",
        RecentDreams,
        recent_dreams,
    ),
)
_BY_NAME: Final[Mapping[str, Tool]] = {tool.name: tool for tool in TOOLS}


def call(name: str, arguments: Mapping[str, Any], loaded: Loaded, here: str) -> str:
    """The answer of a tool as text. Raises a DreamdError, which says what was wrong and what to do."""
    tool = _BY_NAME.get(name)
    if tool is None:
        raise UsageError(f"there is no tool {name}", hint=f"tools: {', '.join(_BY_NAME)}")
    try:
        ask = tool.ask.model_validate(dict(arguments))
    except ValidationError as fault:
        raise UsageError(f"{name}: {_explained(fault)}", hint="see the tool's schema") from None
    with desk(loaded, here) as opened:
        most = ask.max_tokens if isinstance(ask, ProjectContext) else MOST_TOKENS
        return told(tool.answer(opened, ask), most)


def _explained(fault: ValidationError) -> str:
    """What is wrong with which argument, without its value."""
    problems = fault.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg'][:1].lower()}{one['msg'][1:]}" for one in problems)
