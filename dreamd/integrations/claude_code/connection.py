"""Whether Claude Code is connected now, as its own files say; for those who only want to know."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dreamd.config import Loaded
from dreamd.errors import DreamdError
from dreamd.integrations.claude_code import settings
from dreamd.integrations.claude_code.call import is_there
from dreamd.integrations.claude_code.connect import Mode


@dataclass(frozen=True, slots=True)
class Connection:
    """`mode` is None where it is not connected; `gone` names what it calls and what is not there."""

    mode: Mode | None = None
    gone: str = ""


def connection(loaded: Loaded) -> Connection:
    """Never raises: settings that cannot be read connect nothing."""
    try:
        text = (loaded.places.claude_dir / "settings.json").read_bytes().decode()
        found = settings.found_in(settings.or_fresh(text))
    except (OSError, UnicodeDecodeError, DreamdError):
        return Connection()
    if found.hooks:
        return Connection(Mode.HOOK, next((one for one in found.hooks if not is_there(one)), ""))
    if found.plugins:
        lost = bool(found.market) and not (Path(found.market) / settings.PLUGIN).is_dir()
        return Connection(Mode.PLUGIN, found.market if lost else "")
    return Connection()
