"""`dreamd demo`: a whole dream over bundled sample sessions, in a throw-away home."""

from __future__ import annotations

import datetime as dt
import os
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from dreamd import log
from dreamd.app import opened
from dreamd.cli.console import Console, listen
from dreamd.cli.options import JsonOption, VerboseOption
from dreamd.cli.wording import run_line, when
from dreamd.clock import FixedClock, local_zone
from dreamd.config import Loaded, Places
from dreamd.demo.stage import set_stage
from dreamd.dream.cycle import Order
from dreamd.memory.tree import Tree
from dreamd.settings import Config, Source

_EPILOG = "Examples: dreamd demo · dreamd demo --keep /tmp/dreamd-demo"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("demo", epilog=_EPILOG)(demo)


def demo(
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Put the throw-away home there and leave it.")
    ] = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Show a whole dream: no key, no network, nothing of yours read or written.

    A made-up person's week of sessions is put into a temporary home, dreamt of, and the memory it left is shown.
    """
    listen(verbose)
    console = Console(as_json=as_json)
    if keep is not None:
        keep.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _perform(console, keep.absolute())
    with tempfile.TemporaryDirectory(prefix="dreamd-demo-") as home:
        return _perform(console, Path(home))


def _perform(console: Console, home: Path) -> int:
    zone = local_zone()
    now = dt.datetime.now(dt.UTC)
    transcripts = set_stage(home, now, zone)
    loaded = _configuration(home)
    log.configure(loaded.places.log, console_level="error")
    console.say(console.style(f"{len(transcripts)} sample sessions of a week in a throw-away home", "dim"))
    with opened(loaded, clock=FixedClock(now), zone=zone, home=home) as app:
        with console.progress() as watch:
            dreamt = app.kick(Order(), watch)
        run = dreamt.run
        if run is None:
            return 1
        tree = Tree.read(loaded.places.memory_root)
        explanations = [
            app.why(text) for text in ("pnpm",) if "pnpm" in "".join(file.text for file in tree.files.values())
        ]
    console.document({"run": run.to_json(), "files": {path: file.text for path, file in sorted(tree.files.items())}})
    console.say(f"{run_line(run)}\n")
    for path, file in sorted(tree.files.items(), key=lambda item: ("/" in item[0], item[0])):
        console.say(console.style(f"── {path} " + "─" * max(0, 60 - len(path)), "cyan"))
        console.say(file.text.rstrip("\n") + "\n")
    for told in explanations:
        console.say(console.style('── dreamd why "pnpm" ' + "─" * 41, "cyan"))
        console.say(f"{told.file}:{told.line}  {told.text}")
        for one in told.evidence:
            console.say(f"  {when(one.at)}: “{one.quote}”")
    console.say(console.style("\nyours: dreamd init, then dreamd kick", "dim"))
    return 0


def _configuration(home: Path) -> Loaded:
    state = home / ".local" / "state" / "dreamd"
    places = Places(
        config_file=home / ".config" / "dreamd" / "config.toml",
        state_dir=state,
        default_state_dir=state,
        memory_root=home / ".claude" / "memory",
        claude_dir=home / ".claude",
    )
    config = Config(sources=[Source(agent="claude-code", root=os.fspath(home / ".claude" / "projects"))])
    return Loaded(config, places, file_exists=False)
