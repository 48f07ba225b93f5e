"""The engines by their name in the configuration; a third is one more line and one more file."""

from __future__ import annotations

import datetime as dt
import importlib
from collections.abc import Callable, Mapping
from typing import Final

from dreamd.engines.protocol import Engine
from dreamd.errors import UsageError
from dreamd.settings import Config

#: Name → module and function that makes it; loaded when it is asked for, because each brings rules or models of its own.
ENGINES: Final[Mapping[str, str]] = {
    "offline": "dreamd.engines.offline.engine:offline",
    "claude": "dreamd.engines.claude.build:mixed",
}
#: The engine that asks nobody: what it would cost need not be looked up.
FREE: Final = "offline"


def engine(name: str, config: Config, day: dt.date) -> Engine:
    """The engine with this name. Raises UsageError where there is none."""
    if name not in ENGINES:
        raise UsageError(f"there is no engine {name}", hint=f"engines: {', '.join(ENGINES)}")
    module, function = ENGINES[name].split(":")
    make: Callable[[Config, dt.date], Engine] = getattr(importlib.import_module(module), function)
    return make(config, day)
