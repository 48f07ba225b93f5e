"""`dreamd runs`: past dreams and what they did."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption, only_behind
from dreamd.cli.reading import at_books
from dreamd.cli.wording import run_line, when

_EPILOG = "Examples: dreamd runs · dreamd runs show last · dreamd runs show 01JD --json"


def register(app: typer.Typer) -> typer.Typer:
    """Adds the verb; what is below it may be added to what comes back."""
    verb = typer.Typer(help="Show past dreams.", rich_markup_mode=None, epilog=_EPILOG)
    verb.callback(invoke_without_command=True, epilog=_EPILOG)(listed)
    app.add_typer(verb, name="runs")
    return verb


def listed(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many.")] = 20,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """List runs, newest first."""
    if only_behind(context, config, as_json, verbose):
        return 0
    with at_books(config, verbose, as_json=as_json) as (_, books, console):
        runs = books.runs.list(limit=limit)
        console.document([run.to_json() for run in runs])
        console.table(
            ("RUN", "STARTED", "TRIGGER", "WHAT"),
            [
                (
                    run.id,
                    when(run.started_at),
                    run.trigger.value,
                    run_line(run) + (" · undone" if run.undone_at else ""),
                )
                for run in runs
            ],
        )
        if not runs:
            console.say("no dream yet; `dreamd kick` dreams now")
    return 0
