"""The tools that the server offers, each with its name, what it says of itself and what may be asked; who answers is in calls.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from dreamd.integrations.mcp.ask import Ask, ProjectContext, RecentDreams, SearchMemory, SearchSessions, Why

#: What the client puts before the tools, once a session.
INSTRUCTIONS: Final = (
    "dreamd keeps what this person and their coding agents said, decided and learned in past sessions. "
    "Look here before asking the person something they may have told you already."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `ask` is what its arguments are checked by."""

    name: str
    title: str
    description: str
    ask: type[Ask]

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
    ),
    Tool(
        "search_sessions",
        "Search past sessions",
        "Finds what was said in past sessions with coding agents, by the person or the agent: day, project, session, excerpt.",
        SearchSessions,
    ),
    Tool(
        "project_context",
        "What to know here",
        "Tells what is remembered for a session in this directory: rules, this project's facts and decisions, its last sessions.",
        ProjectContext,
    ),
    Tool(
        "why",
        "Why is this remembered",
        "Says where a remembered line comes from: the days, the sessions and the words it rests on.",
        Why,
    ),
    Tool(
        "recent_dreams",
        "Recent dreams",
        "Says what the last dreams changed in memory, newest first.",
        RecentDreams,
    ),
)
