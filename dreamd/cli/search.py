"""`dreamd search`: over memory and past sessions."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dreamd.briefing.circle import LOOKED_AT, circle_at
from dreamd.briefing.here import here
from dreamd.cli.console import Console, listen
from dreamd.cli.options import ConfigOption, HereOption, JsonOption, VerboseOption
from dreamd.cli.wording import short
from dreamd.clock import SystemClock, local_zone, parse_time, rfc3339
from dreamd.config import Loaded, load
from dreamd.errors import DreamdError, UsageError
from dreamd.memory.tree import Tree
from dreamd.search.index import Index
from dreamd.search.notes import memory_files
from dreamd.search.past import Past
from dreamd.search.query import Hit
from dreamd.settings import parse_duration

_EPILOG = 'Examples: dreamd search pnpm · dreamd search "port 8181" --in memory · dreamd search 部署 --since 30d --json'


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("search", epilog=_EPILOG)(search)


def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words to look for; rare ones lead.")],
    where: Annotated[str | None, typer.Option("--in", metavar="WHERE", help="Only memory, or only sessions.")] = None,
    project: Annotated[
        str | None, typer.Option("--project", metavar="NAME", help="Only this project: its sessions and topic files.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="WHEN", help="Only sessions since: 30d, yesterday, 2026-03-01.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many hits.")] = 20,
    told_here: HereOption = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Find words in memory and in past sessions, best first; any query is safe."""
    listen(verbose)
    if where not in (None, "memory", "sessions"):
        raise UsageError(f"there is nothing called {where} to search in", hint="--in memory or --in sessions")
    console = Console(as_json=as_json)
    loaded = load(config)
    index = Index(loaded.places.search)
    _follow(index, loaded)
    if project and project.startswith(("/", "~", ".")):
        project = here(
            Path(project), loaded.places.memory_root, Past(loaded.places.search), loaded.config.projects
        ).keys[0]
    looked_at = limit * LOOKED_AT if told_here else limit
    result = index.query(" ".join(query), where=where, project=project, since=_moment(since), limit=looked_at)
    hits = _told_here(loaded, result.hits)[:limit] if told_here else result.hits
    console.document({"query": result.query, "took_ms": result.took_ms, "hits": [_json(hit) for hit in hits]})
    for hit in hits:
        place = (
            f"{hit.path}:{hit.line}"
            if hit.where == "memory"
            else f"{short((hit.session or '').split(':', 1)[-1])} {hit.agent or ''} {hit.project or ''}"
        )
        day = hit.at.astimezone().strftime(" %Y-%m-%d") if hit.at else ""
        often = f" ({hit.times} times)" if hit.times > 1 else ""
        console.say(f"{console.style(place + day, 'cyan')}  {_marked(console, hit)}{often}")
    if not hits:
        console.say(result.hint or "nothing found")
    return 0


def _told_here(loaded: Loaded, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    around, past = circle_at(loaded, Path.cwd()), Past(loaded.places.search)
    return tuple(hit for hit in hits if around.tells_hit(hit, past))


def _follow(index: Index, loaded: Loaded) -> None:
    """Takes in what a person edited since the last dream; nothing is written where nothing changed."""
    if index.needs_rebuild:
        return
    with contextlib.suppress(DreamdError):
        tree = Tree.read(loaded.places.memory_root, loaded.config.guards.protect)
        index.update_memory(memory_files(tree))


def _moment(text: str | None) -> dt.datetime | None:
    if text is None:
        return None
    if text in ("today", "yesterday"):
        day = SystemClock().now().astimezone(local_zone()).date() - dt.timedelta(days=text == "yesterday")
        return dt.datetime.combine(day, dt.time(), tzinfo=local_zone())
    try:
        return SystemClock().now() - parse_duration(text)
    except ValueError:
        moment = _day(text) or parse_time(text)
    if moment is None:
        raise UsageError(
            f"{text} is neither a length of time nor a day", hint="write 30d, 12h, yesterday or 2026-03-01"
        )
    return moment


def _day(text: str) -> dt.datetime | None:
    """A day begins at midnight where the person is."""
    try:
        return dt.datetime.combine(dt.date.fromisoformat(text), dt.time(), tzinfo=local_zone())
    except ValueError:
        return None


def _marked(console: Console, hit: Hit) -> str:
    """The snippet with the words found in bold."""
    parts, at = [], 0
    for start, end in hit.spans:
        parts += [hit.text[at:start], console.style(hit.text[start:end], "bold", "yellow")]
        at = end
    return "".join([*parts, hit.text[at:]])


def _json(hit: Hit) -> dict[str, object]:
    return {
        "where": hit.where,
        "path": hit.path,
        "line": hit.line,
        "session": hit.session.split(":", 1)[-1] if hit.session else None,
        "at": rfc3339(hit.at),
        "text": hit.text,
        "score": round(hit.score, 4),
        "agent": hit.agent,
        "project": hit.project,
        "role": hit.role,
        "offset": hit.offset,
        "times": hit.times,
    }
