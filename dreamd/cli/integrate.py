"""`dreamd init --integrate claude-code`: shows what connecting changes, asks, and does it; `--remove` takes it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dreamd.cli.console import Console
from dreamd.config import Loaded
from dreamd.errors import UsageError
from dreamd.integrations.claude_code.change import Change
from dreamd.integrations.claude_code.connect import Plan, carry_out, connecting, parting
from dreamd.integrations.claude_code.connection import Mode
from dreamd.integrations.claude_code.scene import look, short
from dreamd.redact.redactor import Redactor

AGENT = "claude-code"
_DONE = {"create": "made", "change": "changed", "delete": "removed"}


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for on the command line."""

    plugin: bool
    remove: bool
    show: bool
    yes: bool


def integrate(console: Console, loaded: Loaded, wish: Wish) -> dict[str, object]:
    """Connects or parts; the facts. Raises UsageError where the person did not say yes: nothing was changed then."""
    scene, redactor = look(loaded), Redactor(loaded.config.redact.extra)
    plan = parting(scene) if wish.remove else connecting(scene, Mode.PLUGIN if wish.plugin else Mode.HOOK)
    diffs = {one.path: redactor.redact(one.diff()).text for one in plan.changes}  # settings may hold a key nearby
    for change in plan.changes:
        _show(console, change, diffs[change.path])
    if plan.to_do and not wish.show:
        question = "Take dreamd out of Claude Code like this?" if wish.remove else "Connect Claude Code like this?"
        if not console.confirm(question, yes=wish.yes):
            raise UsageError("nothing of Claude Code's was changed", hint="answer y, or give --yes")
        carry_out(plan)
    _tell(console, plan, show=wish.show)
    return _facts(plan, diffs, done=plan.to_do and not wish.show)


def _show(console: Console, change: Change, diff: str) -> None:
    """The diff, coloured on a terminal; of what goes whole only the name."""
    if change.action == "delete":
        console.say(console.style(f"delete {change.path}", "red"))
        return
    for line in diff.splitlines():
        colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
        console.say(console.style(line, colour) if colour else line)


def _facts(plan: Plan, diffs: Mapping[Path, str], *, done: bool) -> dict[str, object]:
    return {
        "integration": AGENT,
        "mode": plan.mode.value if plan.mode else None,
        "changed": done,
        "files": [
            {"path": str(one.path), "action": one.action, "diff": diffs[one.path]}
            for one in plan.changes
            if one.action != "keep" or one.after
        ],
        "notes": list(plan.notes),
    }


def _tell(console: Console, plan: Plan, *, show: bool) -> None:
    if not plan.to_do:
        console.say("Claude Code is connected already" if plan.mode else "Claude Code is not connected")
    elif not show:
        for change in plan.changes:
            if change.action in _DONE:
                console.say(f"{_DONE[change.action]} {short(change.path)}")
        if plan.mode is None:
            console.say("Claude Code is parted from dreamd; memory stays where it is")
        else:
            console.say(
                "Claude Code's next session is told what is remembered; /dream dreams. `--remove` takes this back"
            )
    for note in plan.notes:
        console.say(f"{console.style('note:', 'cyan')} {note}")
