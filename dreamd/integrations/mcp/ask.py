"""What an agent may ask with each tool: typed, limited, described in the words that the model reads."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_Query = Annotated[str, Field(min_length=1, max_length=500, description="Words to look for; rare ones lead.")]
_Limit = Annotated[int, Field(ge=1, le=30, description="At most so many.")]


class Ask(BaseModel):
    """Arguments of a tool; unknown ones are refused, so that a slip is seen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchMemory(Ask):
    """Words in memory."""

    query: _Query
    limit: _Limit = 10


class SearchSessions(Ask):
    """Words in past sessions."""

    query: _Query
    project: Annotated[str, Field(max_length=300, description="Only this project, by name; empty: all.")] = ""
    days: Annotated[int, Field(ge=0, le=36500, description="Only the last so many days; 0: any time.")] = 0
    limit: _Limit = 8


class ProjectContext(Ask):
    """What a session should know."""

    max_tokens: Annotated[int, Field(ge=500, le=4000, description="How long the answer may be.")] = 2000


class Why(Ask):
    """A line of memory."""

    text: Annotated[str, Field(min_length=1, max_length=1000, description="A remembered line, or words of it.")]


class RecentDreams(Ask):
    """Past runs."""

    limit: Annotated[int, Field(ge=1, le=20, description="At most so many.")] = 3
