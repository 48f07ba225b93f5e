"""`dreamd service`: dreamd as a service of this machine, installed, looked at and taken away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dreamd.cli.console import Console, listen
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption, YesOption
from dreamd.cli.wording import size
from dreamd.clock import SystemClock
from dreamd.config import Loaded, load
from dreamd.errors import UsageError
from dreamd.integrations.claude_code.connection import connection
from dreamd.service import installing
from dreamd.service.condition import Condition, Ledger
from dreamd.service.purge import doomed, purge_state
from dreamd.service.spec import ServiceSpec, spec_of, unseen_keys

_STILL_CHARGED = "a batch is under way that could not be cancelled; its server works on it and charges for it"
_EPILOG = (
    "Examples: dreamd service install · dreamd service status · dreamd service print · dreamd service print --system · "
    "dreamd service uninstall · dreamd service uninstall --purge"
)


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    verb = typer.Typer(
        help="Run dreamd as a service: a systemd user unit, or a launchd agent on macOS.",
        no_args_is_help=True,
        rich_markup_mode=None,
        epilog=_EPILOG,
    )
    verb.command("install", epilog=_EPILOG)(install)
    verb.command("uninstall", epilog=_EPILOG)(uninstall)
    verb.command("status", epilog=_EPILOG)(status)
    verb.command("print", epilog=_EPILOG)(show)
    app.add_typer(verb, name="service")


def install(config: ConfigOption = None, as_json: JsonOption = False, verbose: VerboseOption = 0) -> None:
    """Write the service's definition, start it now and at each login; safe to repeat, and after an upgrade."""
    listen(verbose)
    console = Console(as_json=as_json)
    loaded = load(config)
    spec = spec_of(loaded)
    done = installing.install(spec)
    if unseen := unseen_keys(loaded):
        done.notes.append(
            f"the service does not see the variables of your shell; write into {loaded.places.config_file}: {', '.join(unseen)}"
        )
    _tell(console, spec, done, installing.look(spec))


def uninstall(
    purge_all: Annotated[
        bool,
        typer.Option("--purge", help="Also remove dreamd's state (history and archive too) and configuration."),
    ] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
    yes: YesOption = False,
) -> None:
    """Stop the service and remove its definition. Memory is never touched."""
    listen(verbose)
    console = Console(as_json=as_json)
    loaded = load(config)
    spec = spec_of(loaded)
    paths = doomed(loaded.places, spec) if purge_all else ()
    if purge_all and not console.confirm(_question(paths, loaded), yes=yes):
        raise UsageError("nothing was uninstalled or purged", hint="answer y, or give --yes")
    done = installing.uninstall(spec)
    if purge_all:
        called_off = purge_state(loaded, spec, SystemClock())
        done.did += ["cancelled the batch that a run waited for"] if called_off else []
        done.notes += [_STILL_CHARGED] if called_off is False else []
        done.did += [f"removed {path}" for path in paths]
        done.notes.append(f"your memory stays in {loaded.places.memory_root}")
    if connection(loaded).mode is not None:
        done.notes.append("Claude Code is still connected: `dreamd init --integrate claude-code --remove` parts it")
    _tell(console, spec, done, installing.look(spec))


def status(config: ConfigOption = None, as_json: JsonOption = False, verbose: VerboseOption = 0) -> None:
    """Show whether the service is installed, enabled and running."""
    listen(verbose)
    console = Console(as_json=as_json)
    found = installing.look(spec_of(load(config)))
    console.document(found.to_json())
    console.facts(
        {
            "installed": f"{_word(found.installed)} ({found.path})"
            + (", out of date: `dreamd service install`" if found.current is False else ""),
            "enabled": _word(found.enabled),
            "running": (f"yes (pid {found.pid})" if found.pid else _word(found.active))
            + (f", {found.told}" if found.told else ""),
            "restarts": str(found.restarts),
            "while logged out": _word(found.linger),
        }
    )
    if not found.reachable:
        console.say(f"no {found.manager} manager of this user answers")


def show(
    system: Annotated[
        bool, typer.Option("--system", help="The hardened system unit for a user of its own (systemd).")
    ] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> None:
    """Print the definition that install would write; nothing is changed."""
    listen(verbose)
    console = Console(as_json=as_json)
    text = installing.definition(spec_of(load(config)), system=system)
    console.document({"text": text})
    console.say(text.rstrip("\n"))


def _tell(console: Console, spec: ServiceSpec, done: Ledger, found: Condition) -> None:
    console.document(found.to_json() | {"did": done.did, "notes": done.notes, "command": list(spec.command)})
    for step in done.did:
        console.say(step)
    if not done.did:
        console.say("nothing to do")
    for note in done.notes:
        console.say(f"{console.style('note:', 'cyan')} {note}")


def _question(paths: tuple[Path, ...], loaded: Loaded) -> str:
    held = sum(
        file.stat().st_size
        for path in paths
        for file in (path.rglob("*") if path.is_dir() else [path])
        if file.is_file()
    )
    return (
        f"Remove {size(held)} of state and configuration under {loaded.places.state_dir} for good? Past dreams can then be neither "
        "shown nor undone, and archived sessions that their agent has deleted are lost. Memory stays."
    )


def _word(value: bool | None) -> str:
    return {True: "yes", False: "no", None: "unknown"}[value]
