"""The agents whose transcripts dreamd can read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dreamd.transcripts.adapter import Adapter
from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.codex import Codex
from dreamd.transcripts.gemini import Gemini
from dreamd.transcripts.opencode import OpenCode

#: Name in the configuration → the reader of that agent's transcripts.
ADAPTERS: Mapping[str, Adapter] = MappingProxyType(
    {adapter.agent: adapter for adapter in (ClaudeCode(), Codex(), Gemini(), OpenCode())}
)
