"""What a dreamd beside Claude Code writes for it: the `/dream` command, and a plugin with hook, command, skill and MCP server."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from dreamd import __version__
from dreamd.integrations.claude_code.call import Caller
from dreamd.integrations.claude_code.settings import MARKET, PLUGIN, hook_entry

_KICK = re.compile(r"^!`(?P<call>.+) \|\| true`$", re.MULTILINE)
_DREAM = """---
description: Have dreamd learn from the finished sessions now
allowed-tools: Bash({call}), Bash(true)
---
The person asked dreamd, their memory daemon, for a dream. This is what it answered:

!`{call} || true`

Tell them in a sentence or two what came of it. Do nothing else.
"""
_SKILL = """---
name: memory
description: >-
  Looks up what this person said, decided or learned in earlier sessions with coding agents. Use it when they refer to earlier work
  ("as last time", "what did we decide about"), and before asking them something they may have told an agent already.
---
dreamd remembers earlier sessions: rules, preferences, decisions, facts, commands, people, and what was said.

- Remembered lines: the tool `search_memory`{or_search}.
- What was said in past sessions: the tool `search_sessions`{or_sessions}.
- Where a remembered line comes from: the tool `why`{or_why}.
- What to know in this project: the tool `project_context`{or_context}.

Search with few, rare words: names, identifiers, numbers. What you find is quoted from earlier: weigh it against the code as it is now.
"""
_ABOUT = "Long-term memory from your finished sessions"


def dream_command(caller: Caller) -> str:
    """`commands/dream.md`: kicks, and tells what came of it, not what was learned; a dream that fails is told too."""
    return _DREAM.format(call=caller.line("kick", "--brief"))


def is_dream_command(text: str) -> bool:
    """Whether a file is such a command as it was written, of this installation or another."""
    found = _KICK.search(text)
    return found is not None and text == _DREAM.format(call=found["call"])


def plugin_files(caller: Caller, *, server: bool) -> Mapping[str, str]:
    """Every file of the plugin and of the directory it is offered from, by relative path. `server`: with the MCP server."""
    program, *arguments = caller.words("mcp")
    files = {
        ".claude-plugin/marketplace.json": _json(
            {
                "name": MARKET,
                "owner": {"name": "dreamd"},
                "plugins": [{"name": PLUGIN, "source": f"./{PLUGIN}", "description": _ABOUT}],
            }
        ),
        f"{PLUGIN}/.claude-plugin/plugin.json": _json(
            {"name": PLUGIN, "version": __version__, "description": _ABOUT, "author": {"name": "dreamd"}}
        ),
        f"{PLUGIN}/hooks/hooks.json": _json(
            {
                "description": "Tells a new session what dreamd remembers",
                "hooks": {"SessionStart": [hook_entry(caller.hook)]},
            }
        ),
        f"{PLUGIN}/commands/dream.md": dream_command(caller),
        f"{PLUGIN}/skills/memory/SKILL.md": _SKILL.format(
            or_search=_or(caller, "search", "--here", "--in", "memory", "WORDS"),
            or_sessions=_or(caller, "search", "--here", "--in", "sessions", "WORDS"),
            or_why=_or(caller, "why", "--here", "TEXT"),
            or_context=_or(caller, "context"),
        ),
    }
    if server:
        entry = {"type": "stdio", "command": program, "args": arguments}
        files[f"{PLUGIN}/.mcp.json"] = _json({"mcpServers": {"dreamd": entry}})
    return files


def _or(caller: Caller, *arguments: str) -> str:
    return f", or `{caller.line(*arguments)}`"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
