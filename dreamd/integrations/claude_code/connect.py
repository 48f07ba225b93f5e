"""Connecting Claude Code with dreamd, and parting them: decided as a list of changes, shown, then made."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dreamd.briefing.import_line import import_line, imports
from dreamd.integrations.claude_code import settings
from dreamd.integrations.claude_code.change import Change, apply
from dreamd.integrations.claude_code.connection import Mode
from dreamd.integrations.claude_code.files import dream_command, is_dream_command, plugin_files
from dreamd.integrations.claude_code.imports import with_line, without_line
from dreamd.integrations.claude_code.json_text import Edit
from dreamd.integrations.claude_code.receipt import Entry, Receipt
from dreamd.integrations.claude_code.scene import Scene
from dreamd.integrations.fault import IntegrationError


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done. `mode` is None for parting; the receipt is written with the rest and not shown."""

    mode: Mode | None
    changes: tuple[Change, ...]
    receipt: Change
    folders: tuple[Path, ...] = ()  # to be removed where they are empty afterwards
    notes: tuple[str, ...] = ()

    @property
    def to_do(self) -> bool:
        """Whether anything changes."""
        return any(one.action != "keep" for one in (*self.changes, self.receipt))


def connecting(scene: Scene, mode: Mode) -> Plan:
    """What is missing or another mode's, changed; what is as wanted, left. Raises IntegrationError; then nothing is changed."""
    made = [_settings(scene, mode), _instructions(scene)]
    changes = [*_plugin(scene, mode), _command(scene), made[1][0], made[0][0]]
    kept = scene.receipt or Receipt()
    new_folders = [scene.command.parent] if not scene.command.parent.exists() else []
    receipt = Receipt(
        tuple(entry for _, entry in made if entry is not None),
        tuple(dict.fromkeys((*kept.folders, *map(str, new_folders)))),
    )
    folders = _plugin_folders(scene) if mode is Mode.HOOK else ()
    # Without one, what is recognised is taken out when parting; an empty one would say that nothing is dreamd's.
    known = receipt.entries or scene.receipt is not None
    written = Change(scene.note, scene.files[scene.note], receipt.written() if known else None)
    return Plan(mode, tuple(changes), written, folders, tuple(_notes(scene, mode)))


def parting(scene: Scene) -> Plan:
    """Everything of dreamd's taken out; files that nobody touched since are again what they were, byte for byte."""
    settings.found_in(settings.or_fresh(scene.text(scene.settings)))
    before = _before(scene, scene.settings, settings.without)
    changes = [Change(scene.settings, scene.files[scene.settings], before)]
    changes.append(Change(scene.instructions, scene.files[scene.instructions], _uninstructed(scene)))
    own = is_dream_command(scene.text(scene.command) or "")
    changes.append(Change(scene.command, scene.files[scene.command], None if own else scene.files[scene.command]))
    changes += [Change(path, data, None) for path, data in scene.plugin.items()]
    folders = (*map(Path, scene.receipt.folders if scene.receipt else ()), *_plugin_folders(scene), scene.note.parent)
    notes = [] if own or scene.files[scene.command] is None else [f"{scene.command} is yours and stays"]
    return Plan(None, tuple(changes), Change(scene.note, scene.files[scene.note], None), folders, tuple(notes))


def carry_out(plan: Plan) -> None:
    """Makes the changes. Raises IntegrationError; then everything is as it was."""
    # The settings come last when connecting and first when parting: nothing is named there that is not there.
    order = (*plan.changes[:-1], plan.receipt, plan.changes[-1]) if plan.mode else (*plan.changes, plan.receipt)
    new = [folder for one in order if one.after for folder in one.path.parents if not folder.exists()]
    try:
        apply(order)
    except BaseException:
        _drop(new)
        raise
    _drop(plan.folders)


def _drop(folders: Sequence[Path]) -> None:
    """Removes those that are empty, the deepest first."""
    for folder in sorted(folders, key=lambda one: -len(one.parts)):
        with contextlib.suppress(OSError):  # not empty, or gone
            folder.rmdir()


def _settings(scene: Scene, mode: Mode) -> tuple[Change, Entry | None]:
    path, now = scene.settings, scene.files[scene.settings]
    found = settings.found_in(settings.or_fresh(scene.text(path)))
    others = [name for name in found.plugins if name != settings.ENABLED]
    if others:
        raise IntegrationError(
            f"the plugin {others[0]} is enabled already; nothing was changed",
            hint=f"`claude plugin disable {others[0]}`, then try again",
        )
    ready = (
        (found.hooks == (scene.caller.hook,) and not found.plugins and not found.market)
        if mode is Mode.HOOK
        else (not found.hooks and found.plugins == (settings.ENABLED,) and found.market == str(scene.market))
    )
    if ready:
        return Change(path, now, now), scene.receipt.entry(str(path)) if scene.receipt else None
    base = _before(scene, path, settings.without)
    text = None if base is None else base.decode()
    fresh = settings.or_fresh(text)
    lead = (Edit(0, text, fresh),) if text is not None and text != fresh else ()
    edits = (
        settings.with_hook(fresh, scene.caller.hook) if mode is Mode.HOOK else settings.with_plugin(fresh, scene.market)
    )
    after = _edited(fresh, edits).encode()
    return Change(path, now, after), Entry.of(str(path), base, after, (*lead, *edits))


def _instructions(scene: Scene) -> tuple[Change, Entry | None]:
    path, now = scene.instructions, scene.files[scene.instructions]
    text = scene.text(path) or ""

    def works(one: str) -> bool:
        return imports(one, path.parent, scene.memory_root)

    if works(text):
        return Change(path, now, now), scene.receipt.entry(str(path)) if scene.receipt else None
    edits = with_line(text, import_line(scene.memory_root), works)
    after = _edited(text, edits).encode()
    return Change(path, now, after), Entry.of(str(path), now, after, edits)


def _uninstructed(scene: Scene) -> bytes | None:
    """CLAUDE.md without the line, if dreamd put it there, or if nobody knows who did."""
    path = scene.instructions
    if scene.receipt is not None and scene.receipt.entry(str(path)) is None:
        return scene.files[path]
    return _before(scene, path, lambda text: without_line(text, import_line(scene.memory_root)))


def _command(scene: Scene) -> Change:
    now = scene.files[scene.command]
    own = now is None or is_dream_command(scene.text(scene.command) or "")
    return Change(scene.command, now, dream_command(scene.caller).encode() if own else now)


def _plugin(scene: Scene, mode: Mode) -> list[Change]:
    wanted = plugin_files(scene.caller, server=scene.server) if mode is Mode.PLUGIN else {}
    files = {scene.market / name: text.encode() for name, text in wanted.items()}
    return [Change(path, scene.plugin.get(path), files.get(path)) for path in sorted({*files, *scene.plugin})]


def _before(scene: Scene, path: Path, without: Callable[[str], Sequence[Edit]]) -> bytes | None:
    """A file as it was: to the byte where it is as dreamd left it, else without what is recognised as dreamd's."""
    now = scene.files[path]
    entry = scene.receipt.entry(str(path)) if scene.receipt else None
    if now is None:
        return None
    if entry is not None:
        untouched, before = entry.undone(now)
        if untouched:
            return before
    text = scene.text(path) or ""
    left = _edited(text, without(text)) if text.strip() else text
    made = entry is not None and entry.before is None
    return None if made and settings.is_fresh(left) else left.encode()


def _edited(text: str, edits: Sequence[Edit]) -> str:
    for edit in edits:
        text = edit.apply(text)
    return text


def _plugin_folders(scene: Scene) -> tuple[Path, ...]:
    """The plugin's directories."""
    inside = {folder for path in scene.plugin for folder in path.parents if folder.is_relative_to(scene.market)}
    return tuple(inside)


def _notes(scene: Scene, mode: Mode) -> list[str]:
    notes = []
    command = scene.text(scene.command)
    if command is not None and not is_dream_command(command):
        notes.append(f"{scene.command} is yours and stays: /dream is not dreamd's")
    if settings.found_in(settings.or_fresh(scene.text(scene.settings))).silenced:
        notes.append(f"disableAllHooks is true in {scene.settings}: no hook runs until you take it out")
    if scene.fleeting:
        notes.append(f"{scene.caller.program[0]} may vanish; install dreamd for good, then do this again")
    if not scene.server:
        part = "the plugin goes without its MCP server" if mode is Mode.PLUGIN else "the MCP server is not there"
        notes.append(f"{part}: install dreamd with its extra `mcp`, then do this again")
    elif mode is Mode.HOOK and not scene.server_added:
        notes.append(f"to let it search too: claude mcp add -s user dreamd -- {scene.caller.line('mcp')}")
    return notes
