"""`dreamd context`: what a new session in a directory should be told."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dreamd.briefing.brief import DEFAULT_TOKENS, LEAST_TOKENS, Asked, brief
from dreamd.briefing.hook import TIME_LIMIT, answer, unusable, with_limit
from dreamd.cli.console import Console, console_line, listen
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.config import load
from dreamd.errors import DreamdError, UsageError

_EPILOG = (
    "Examples: dreamd context · dreamd context ~/work/harbor-api --max-tokens 2000 · dreamd context --json · "
    "dreamd context --hook (as Claude Code's SessionStart hook)"
)
_MOST_INPUT = 1 << 20  # characters of a hook's JSON


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("context", epilog=_EPILOG)(context)


def context(
    directory: Annotated[
        Path | None,
        typer.Argument(metavar="DIRECTORY", help="Where the session is; left out: here.", show_default=False),
    ] = None,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", metavar="N", min=LEAST_TOKENS, help="At most about so many tokens.")
    ] = DEFAULT_TOKENS,
    cwd: Annotated[
        Path | None, typer.Option("--cwd", metavar="DIRECTORY", help="The same as DIRECTORY.", show_default=False)
    ] = None,
    hook: Annotated[
        bool, typer.Option("--hook", help="Read Claude Code's SessionStart JSON and answer in its JSON; always exit 0.")
    ] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Print what a new session in a directory should be told: memory, this project, the last sessions here."""
    if hook:
        with_limit(TIME_LIMIT, lambda: _hook(config, max_tokens, cwd or directory))
        return 0
    listen(verbose)
    console = Console(as_json=as_json)
    told = brief(load(config), Asked(cwd or directory or _here(), max_tokens))
    console.document(
        {
            "directory": told.place.directory,
            "project": told.place.name if told.place.known else None,
            "project_key": told.place.keys[0] if told.place.known else None,
            "files": list(told.place.files),
            "tokens": told.tokens,
            "parts": [{"name": part.name.value, "text": part.text, "left_out": part.left_out} for part in told.parts],
            "text": told.text,
        }
    )
    console.say(told.text)
    return 0


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError as fault:
        raise UsageError("the directory you are in is gone", hint="name one: dreamd context DIRECTORY") from fault


def _hook(config: Path | None, max_tokens: int, directory: Path | None) -> None:
    """Whatever goes wrong, the session begins without us."""
    try:
        raw = sys.stdin.buffer.read(_MOST_INPUT).decode("utf-8", "replace")
        console_line(answer(raw, load(config), max_tokens=max_tokens, directory=directory))
    except DreamdError as fault:
        console_line(unusable(f"{fault.message}; dreamd doctor says more"))
    except Exception as fault:  # noqa: BLE001 - a hook that fails would be shown to the person at each start
        console_line(unusable(f"no context for this session ({type(fault).__name__}); dreamd doctor says more"))
    sys.stdout.flush()
