"""`dreamd run`: the service, in the foreground."""

from __future__ import annotations

import typer

from dreamd import foreign_log, log
from dreamd.cli.options import ConfigOption, VerboseOption
from dreamd.config import load, systemd_variables
from dreamd.service.notify import Systemd
from dreamd.service.serving import prepare, serve

_EPILOG = "Examples: dreamd run · dreamd run -v · dreamd service install (to have it started for you)"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("run", epilog=_EPILOG)(run)


def run(config: ConfigOption = None, verbose: VerboseOption = 0) -> int:
    """Watch the transcripts, count sessions, look at the gates and dream when they are open; SIGTERM ends it.

    SIGHUP reloads the configuration.
    """
    loaded = load(config)
    told = loaded.config.log.level if not verbose else ("info", "debug")[min(verbose, 2) - 1]
    log.configure(loaded.places.log, level=loaded.config.log.level, console_level=told, form=loaded.config.log.format)
    foreign_log.adopt(loaded.config.redact.extra)
    prepare(loaded)
    return serve(loaded, config, Systemd(*systemd_variables()))
