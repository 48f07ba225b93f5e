"""`dreamd compact`: a long session made short, as a hand-over for the next one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dreamd.app import App
from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import size, when
from dreamd.clock import rfc3339
from dreamd.context.extractive import MAX_LINES
from dreamd.context.handover import Handover, handover
from dreamd.context.transcript import messages_of
from dreamd.dream.kept import readable, reader
from dreamd.errors import TranscriptError
from dreamd.state.records import SessionRecord

_EPILOG = "Examples: dreamd compact 4d56 · dreamd compact 4d56 --lines 60 > handover.md"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    app.command("compact", epilog=_EPILOG)(compact)


def compact(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="A session id or its unique beginning.")],
    lines: Annotated[
        int,
        typer.Option("--lines", metavar="N", min=1, max=MAX_LINES, help="At most so many lines beside your own words."),
    ] = MAX_LINES,
    no_scan: Annotated[
        bool, typer.Option("--no-scan", help="Use what is known without looking at the transcripts.")
    ] = False,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Make a long session short, as a hand-over for the next one: Markdown, secrets hidden, your own words verbatim."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        if not no_scan:
            app.scan()
        record = app.shop.sessions.get(session)
        made = _made(app, record, lines)
        console.document(
            {
                "session": record.id,
                "agent": record.agent,
                "project": record.project.name if record.project else None,
                "cwd": record.cwd,
                "branch": record.branch,
                "first_at": rfc3339(record.first_at),
                "last_at": rfc3339(record.last_at),
                "about": made.about,
                "summary": made.summary,
                "lines": len(made.summary.splitlines()),
                "said": list(made.said),
            }
        )
        console.say(f"# {record.project.name if record.project else 'A session'}: {record.id}")
        console.say(_facts(record))
        for line in made.markdown():
            if line.startswith("## "):
                console.say()
            console.say(line)
    return 0


def _made(app: App, record: SessionRecord, lines: int) -> Handover:
    shop = app.shop
    if not readable(shop, record):
        raise TranscriptError(
            f"the transcript of session {record.id} is gone", hint="its agent deleted it and dreamd has no copy"
        )
    events = reader(shop, record).read(Path(record.path))
    messages = messages_of(events, lambda text: shop.redactor.redact(text).text, headless=True)
    return handover(list(messages), lines=lines)


def _facts(record: SessionRecord) -> str:
    facts = [f"{record.agent}, {when(record.first_at)} to {when(record.last_at)}, {size(record.bytes)}"]
    facts += [f"in {record.cwd}"] if record.cwd else []
    facts += [f"on branch {record.branch}"] if record.branch else []
    return ", ".join(facts)
