"""dreamd's entries in Claude Code's settings.json: the SessionStart hook, or the plugin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dreamd.integrations.claude_code import json_text
from dreamd.integrations.claude_code.call import is_hook
from dreamd.integrations.claude_code.json_text import Edit
from dreamd.integrations.fault import IntegrationError

#: Seconds until Claude Code ends the hook; dreamd ends it much earlier itself.
HOOK_SECONDS = 3
MARKET, PLUGIN = "dreamd", "dreamd"
ENABLED = f"{PLUGIN}@{MARKET}"
_HOOKS, _EVENT = "hooks", "SessionStart"
_MARKETS, _PLUGINS = "extraKnownMarketplaces", "enabledPlugins"
_FRESH = "{}\n"


class Found(NamedTuple):
    """What the settings hold of dreamd's."""

    hooks: tuple[str, ...]  # commands
    plugins: tuple[str, ...]  # enabled ones of this name, "dreamd@market"
    market: str  # the directory of dreamd's own plugin; "" for none
    silenced: bool  # the person switched all hooks off


def hook_entry(command: str) -> dict[str, object]:
    """One group of the event, as Claude Code wants it."""
    return {"hooks": [{"type": "command", "command": command, "timeout": HOOK_SECONDS}]}


def found_in(text: str) -> Found:
    """Raises IntegrationError where the text is none that Claude Code reads."""
    value = _checked(text)
    market = value.get(_MARKETS, {}).get(MARKET, {})
    source = market.get("source", {}) if isinstance(market, dict) else {}
    return Found(
        hooks=tuple(command for *_, command in _hooks(value)),
        plugins=tuple(name for name, on in value.get(_PLUGINS, {}).items() if on and name.startswith(f"{PLUGIN}@")),
        market=str(source.get("path", "")) if isinstance(source, dict) else "",
        silenced=value.get("disableAllHooks") is True,
    )


def with_hook(text: str, command: str) -> tuple[Edit, ...]:
    """The edits, one after the other, that put the hook in."""
    made = _Editing(text)
    made.container((_HOOKS,), {})
    made.container((_HOOKS, _EVENT), [])
    made.put((_HOOKS, _EVENT, -1), hook_entry(command))
    return tuple(made.edits)


def with_plugin(text: str, directory: Path) -> tuple[Edit, ...]:
    """The edits that make a directory known as a place of plugins and enable the one in it."""
    made = _Editing(text)
    made.container((_MARKETS,), {})
    made.put((_MARKETS, MARKET), {"source": {"source": "directory", "path": str(directory)}})
    made.container((_PLUGINS,), {})
    made.put((_PLUGINS, ENABLED), True)
    return tuple(made.edits)


def without(text: str) -> tuple[Edit, ...]:
    """The edits that take every entry of dreamd's out, and what is empty then."""
    made = _Editing(text)
    while (place := next(_hooks(made.value), None)) is not None:
        group, number, _ = place
        made.take((_HOOKS, _EVENT, group, "hooks", number))
        if not made.value[_HOOKS][_EVENT][group]["hooks"]:
            made.take((_HOOKS, _EVENT, group))
        made.drop_empty((_HOOKS, _EVENT), (_HOOKS,))
    if ENABLED in made.value.get(_PLUGINS, {}):
        made.take((_PLUGINS, ENABLED))
        made.drop_empty((_PLUGINS,))
    if MARKET in made.value.get(_MARKETS, {}):
        made.take((_MARKETS, MARKET))
        made.drop_empty((_MARKETS,))
    return tuple(made.edits)


def or_fresh(text: str | None) -> str:
    """The text, or what a new file begins with; an empty file counts as none."""
    return text if text is not None and text.strip() else _FRESH


def is_fresh(text: str) -> bool:
    """Whether nothing is left in it."""
    return text.strip() in ("", "{}")


class _Editing:
    """Edits that build on each other; after each the text is JSON that says what it should."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.value = _checked(text)
        self.edits: list[Edit] = []

    def container(self, path: tuple[str, ...], empty: dict[str, object] | list[object]) -> None:
        """Makes an empty object or array there, if there is none."""
        inner = self.value
        for step in path:
            if step not in inner:
                self.put(path, empty)
                return
            inner = inner[step]

    def put(self, path: tuple[str | int, ...], value: object) -> None:
        if isinstance(path[-1], str) and path[-1] in _at(self.value, path[:-1]):
            self.take(path)
        self._edit(json_text.put(self.text, path, value))

    def take(self, path: tuple[str | int, ...]) -> None:
        self._edit(json_text.take(self.text, path))

    def drop_empty(self, *paths: tuple[str, ...]) -> None:
        for path in paths:
            if not _at(self.value, path):
                self.take(path)

    def _edit(self, edit: Edit) -> None:
        self.text = edit.apply(self.text)
        self.value = _checked(self.text)
        self.edits.append(edit)


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def _hooks(value: dict[str, Any]) -> Iterator[tuple[int, int, str]]:
    """(group, number, command) of every hook of dreamd's."""
    for group, entry in enumerate(value.get(_HOOKS, {}).get(_EVENT, [])):
        inner = entry.get("hooks") if isinstance(entry, dict) else None
        for number, hook in enumerate(inner if isinstance(inner, list) else []):
            if isinstance(hook, dict) and is_hook(hook.get("command")):
                yield group, number, hook["command"]


def _checked(text: str) -> dict[str, Any]:
    """The settings' value; its shape is right where dreamd looks and writes. Raises IntegrationError."""
    hint = "Claude Code does not read such a file either; mend it (`claude doctor` names the place), then try again"
    try:
        value = json_text.value_of(text)
    except (ValueError, RecursionError) as fault:
        where = f": line {fault.lineno}" if hasattr(fault, "lineno") else ""
        raise IntegrationError(f"settings.json is no valid JSON{where}; nothing was changed", hint=hint) from None
    shapes: tuple[tuple[tuple[str, ...], type], ...] = (
        ((), dict),
        ((_HOOKS,), dict),
        ((_HOOKS, _EVENT), list),
        ((_MARKETS,), dict),
        ((_PLUGINS,), dict),
    )
    for path, shape in shapes:
        inner: Any = value
        for step in path:
            inner = inner.get(step, shape() if step == path[-1] else {})
        if not isinstance(inner, shape):
            named = ".".join(path) or "it"
            raise IntegrationError(
                f"settings.json: {named} is not what Claude Code expects; nothing was changed", hint=hint
            )
    return dict(value)
