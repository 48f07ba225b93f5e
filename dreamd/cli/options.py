"""Options that every verb takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
