"""`dreamd import`: what another machine's `dreamd export` wrote, put in place here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dreamd import log
from dreamd.cli.console import Console
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import count
from dreamd.clock import SystemClock
from dreamd.config import load
from dreamd.moving.unpacking import bring

_EPILOG = "Examples: dreamd import dreamd.export · dreamd import ~/before.dreamd --force"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("import", epilog=_EPILOG)(put)


def put(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `dreamd export` wrote.")],
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace the memory and state that are here; an export of them is kept."),
    ] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Put an export in place: wholly or not at all; transcripts are looked for where this machine keeps them."""
    loaded = load(config)
    told = ("warning", "info", "debug")[min(verbose, 2)]
    log.configure(loaded.places.log, level=loaded.config.log.level, console_level=told, form=loaded.config.log.format)
    console = Console(as_json=as_json)
    with console.progress() as watch:
        done = bring(loaded, SystemClock(), file, watch, force=force)
    console.document(done.to_json())
    counts = done.about.counts
    console.say(
        f"imported what {done.about.home} held on {done.about.created_at:%Y-%m-%d}: "
        f"{count(counts['memory_files'], 'memory file')}, {count(counts['runs'], 'run')}, "
        f"{count(counts['sessions'], 'session')}, {counts['copies']} of them archived"
    )
    for old, new in done.moved:
        console.say(f"{old} is {new} here")
    if done.backup:
        console.say(f"what was here before is in {done.backup}; `dreamd import --force` brings it back")
    return 0
