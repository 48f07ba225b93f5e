"""`dreamd init`: finds the agents, writes the configuration, says what comes next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dreamd.cli.console import Console, listen
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption, YesOption
from dreamd.config import Loaded, found_sources, further_sources, load, start_file, write_start_file

_EPILOG = "Examples: dreamd init · dreamd init --print · dreamd init --config ./dreamd.toml"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("init", epilog=_EPILOG)(init)


def init(
    show: Annotated[bool, typer.Option("--print", help="Only print the configuration that would be written.")] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
    yes: YesOption = False,
) -> int:
    """Find the agents on this machine and write the configuration; an existing one is left as it is."""
    listen(verbose)
    console = Console(as_json=as_json)
    found = found_sources()
    further = further_sources()
    text = start_file(found, further)
    found = [(agent, root) for agent, root in found if root.is_dir()]  # one may be still to come
    if show:
        console.document({"text": text})
        console.say(text.rstrip("\n"))
        return 0
    del yes  # nothing here needs a question: a file that exists is never replaced
    path, written = write_start_file(config, text)
    loaded = load(path)
    console.document(_facts(loaded, found, path, written=written))
    console.say(f"{'wrote' if written else 'kept your'} {path}")
    for agent, root in found:
        console.say(f"found {agent}: {_count(root)} directories in {root}")
    if not found:
        console.say("no agent's transcripts were found yet; dreamd looks again each time")
    for agent in dict.fromkeys(agent for agent, _ in further):
        console.say(f"found {agent} too: it is read once its [[sources]] in {path} are uncommented")
    console.say(f"memory goes to {loaded.places.memory_root}, dreamd's own state to {loaded.places.state_dir}")
    console.say("engine: offline (no key, no network, no cost)")
    console.say("\nnext: dreamd kick --dry-run shows what a dream would write, dreamd kick dreams")
    return 0


def _facts(loaded: Loaded, found: list[tuple[str, Path]], path: Path, *, written: bool) -> dict[str, object]:
    return {
        "config": str(path),
        "written": written,
        "agents": [{"agent": agent, "root": str(root), "projects": _count(root)} for agent, root in found],
        "memory": str(loaded.places.memory_root),
        "state": str(loaded.places.state_dir),
        "engine": loaded.config.engine.name,
    }


def _count(root: Path) -> int:
    return sum(1 for entry in root.iterdir() if entry.is_dir())
