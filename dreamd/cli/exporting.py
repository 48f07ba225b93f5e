"""`dreamd export`: memory, history, archive and state in one file for another machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import count, size
from dreamd.moving.packing import export

_EPILOG = "Examples: dreamd export dreamd.export · dreamd export /mnt/usb/dreamd.export --force, then on the other machine: dreamd import /mnt/usb/dreamd.export"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("export", epilog=_EPILOG)(write)


def write(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it holds everything, in the clear.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file where it exists.")] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Write memory, history, archive and state into one verified file for another machine, or for a backup."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        with console.progress() as watch:
            done = export(app, file, watch, overwrite=force)
        console.document(done.to_json())
        counts = done.about.counts
        console.say(
            f"{done.file}: {size(done.bytes)}, {count(counts['memory_files'], 'memory file')}, "
            f"{count(counts['runs'], 'run')}, {count(counts['sessions'], 'session')}, "
            f"{counts['copies']} of them archived"
        )
        if done.without_copy:
            console.say(
                f"{count(done.without_copy, 'session')} without a copy (still in use, or transcripts.archive_after is "
                '"never"): what was said in them is not in the file'
            )
    return 0
