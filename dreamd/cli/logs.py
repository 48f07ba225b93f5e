"""`dreamd logs`: the structured log."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from dreamd.cli.console import Console, listen
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.config import load
from dreamd.errors import UsageError
from dreamd.log import LEVELS

_EPILOG = "Examples: dreamd logs · dreamd logs -f · dreamd logs --run 01JD --level warning · dreamd logs --json | jq ."


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("logs", epilog=_EPILOG)(logs)


def logs(
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as lines come; Ctrl-C ends it.")] = False,
    lines: Annotated[int, typer.Option("-n", min=0, help="How many of the newest lines.")] = 50,
    run: Annotated[str | None, typer.Option("--run", metavar="ID", help="Only lines of this run.")] = None,
    level: Annotated[str, typer.Option("--level", help="debug, info, warning or error: this and above.")] = "debug",
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Print the structured log, oldest first."""
    listen(verbose)
    if level not in LEVELS:
        raise UsageError(f"there is no level {level}", hint="levels: " + ", ".join(LEVELS))
    console = Console(as_json=as_json)
    path = load(config).places.log
    chosen = [event for event in _events(path) if _wanted(event, run, level)]
    for event in chosen[-lines:] if lines else []:
        _print(console, event)
    if follow:
        with _at_end(path) as stream:
            for event in _coming(stream):
                if _wanted(event, run, level):
                    _print(console, event)
    return 0


def _events(path: Path) -> Iterator[dict[str, Any]]:
    older = [path.with_name(f"{path.name}.{number}") for number in (3, 2, 1)]
    for one in (*older, path):
        if one.exists():
            with one.open(encoding="utf-8", errors="replace") as stream:
                yield from filter(None, map(_parse, stream))


def _at_end(path: Path) -> Any:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    stream = path.open(encoding="utf-8", errors="replace")
    stream.seek(0, 2)
    return stream


def _coming(stream: Any) -> Iterator[dict[str, Any]]:
    while True:
        line = stream.readline()
        if not line:
            time.sleep(0.2)
        elif (event := _parse(line)) is not None:
            yield event


def _parse(line: str) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _wanted(event: dict[str, Any], run: str | None, level: str) -> bool:
    rank = LEVELS.index(event["level"]) if event.get("level") in LEVELS else len(LEVELS)
    return rank >= LEVELS.index(level) and (run is None or str(event.get("run_id", "")).startswith(run.upper()))


def _print(console: Console, event: dict[str, Any]) -> None:
    if console.as_json:
        print(json.dumps(event, ensure_ascii=False), flush=True)  # noqa: T201 - JSON lines, not one document
        return
    facts = " ".join(f"{key}={value}" for key, value in event.items() if key not in ("timestamp", "level", "event"))
    colour = {"warning": "yellow", "error": "red"}.get(str(event.get("level")), "dim")
    console.say(
        f"{event.get('timestamp', '')} {console.style(str(event.get('level', '')).ljust(7), colour)} {event.get('event', '')} {facts}".rstrip()
    )
