"""`dreamd init`: finds the agents, writes the configuration, says what comes next."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from dreamd.cli.console import Console, listen
from dreamd.cli.integrate import AGENT, Wish, integrate
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption, YesOption
from dreamd.cli.wording import count, strangers
from dreamd.config import Loaded, environment, expand, found_sources, load, start_file, write_start_file
from dreamd.errors import UsageError
from dreamd.transcripts import foreign
from dreamd.transcripts.agents import ADAPTERS

_EPILOG = (
    "Examples: dreamd init · dreamd init --print · dreamd init --config ./dreamd.toml · "
    "dreamd init --integrate claude-code · dreamd init --integrate claude-code --plugin --yes · dreamd init --integrate claude-code --remove"
)


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("init", epilog=_EPILOG)(init)


def init(
    show: Annotated[bool, typer.Option("--print", help="Only print what would be written.")] = False,
    agent: Annotated[
        str | None,
        typer.Option("--integrate", metavar="AGENT", help="Connect claude-code: sessions are told what is remembered."),
    ] = None,
    plugin: Annotated[
        bool, typer.Option("--plugin", help="With --integrate: a plugin in the place of a hook.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="With --integrate: take it back.")] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
    yes: YesOption = False,
) -> int:
    """Find the agents on this machine and write the configuration; an existing one is left as it is.

    With --integrate also connect an agent, so that its sessions know what is remembered: shows the change first, and asks.
    """
    listen(verbose)
    console = Console(as_json=as_json)
    if agent not in (None, AGENT):
        raise UsageError(f"dreamd does not know how to connect {agent}", hint=f"--integrate {AGENT}")
    if agent is None and (plugin or remove):
        raise UsageError("--plugin and --remove say how to connect an agent", hint=f"add --integrate {AGENT}")
    wish = Wish(plugin=plugin, remove=remove, show=show, yes=yes)
    if agent is None and show:
        text = start_file(found_sources())
        console.document({"text": text})
        console.say(text.rstrip("\n"))
        return 0
    facts = {} if show or remove else _begin(console, config, alone=agent is None)
    if agent is not None:
        facts["integration"] = integrate(console, load(config), wish)
    console.document(facts)
    return 0


def _begin(console: Console, config: Path | None, *, alone: bool) -> dict[str, object]:
    """Writes the configuration if there is none. `alone`: says what was found and what comes next, else only what was written."""
    path, written = write_start_file(config, start_file(found_sources()))
    found = [(agent, root) for agent, root in found_sources() if root.is_dir()]  # one may be still to come
    loaded = load(path)
    others = foreign.counted(expand("~"), environment())
    facts = _facts(loaded, found, path, written=written) | {"unsupported": others}
    if alone or written:
        console.say(f"{'wrote' if written else 'kept your'} {path}")
    if not alone:
        return facts
    for agent, root in found:
        console.say(f"found {agent}: {count(_sessions(agent, root), 'session')} in {root}")
    if not found:
        console.say("no agent's transcripts were found yet; dreamd looks again each time")
    if others:
        console.say(f"not supported yet: {strangers(others)}")
    console.say(f"memory goes to {loaded.places.memory_root}, dreamd's own state to {loaded.places.state_dir}")
    console.say("engine: offline (no key, no network, no cost)")
    console.say("\nnext: dreamd kick --dry-run shows what a dream would write, dreamd kick dreams,")
    console.say(f"      dreamd init --integrate {AGENT} lets each session know what is remembered")
    return facts


def _facts(loaded: Loaded, found: list[tuple[str, Path]], path: Path, *, written: bool) -> dict[str, object]:
    return {
        "config": str(path),
        "written": written,
        "agents": [
            {"agent": agent, "root": str(root), "projects": _count(root), "sessions": _sessions(agent, root)}
            for agent, root in found
        ],
        "memory": str(loaded.places.memory_root),
        "state": str(loaded.places.state_dir),
        "engine": loaded.config.engine.name,
    }


def _count(root: Path) -> int:
    return sum(1 for entry in root.iterdir() if entry.is_dir())


def _sessions(agent: str, root: Path) -> int:
    found = 0
    with contextlib.suppress(OSError):
        for file in ADAPTERS[agent].discover(root):
            found += file.kind == "main"
    return found
