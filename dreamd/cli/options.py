"""Options that every verb takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dreamd.errors import UsageError

ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="The configuration to use.", show_default=False)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
VerboseOption = Annotated[
    int,
    typer.Option(
        "--verbose", "-v", count=True, help="Tell more on standard error; twice for debugging.", show_default=False
    ),
]


def only_behind(context: typer.Context, *given: object) -> bool:
    """Whether a sub-command follows. Options of a group belong behind it: before it they would be lost in silence.

    Raises UsageError for those.
    """
    if context.invoked_subcommand is None:
        return False
    if any(given):
        command = f"{context.command_path} {context.invoked_subcommand}"
        raise UsageError(f"put the options behind `{command}`", hint=f"see `{command} --help`")
    return True


HereOption = Annotated[
    bool,
    typer.Option("--here", help="Only what may be told to a session in this directory, by the [[projects]] rules."),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
