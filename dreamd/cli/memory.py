"""`dreamd memory`: what is remembered."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.console import Console
from dreamd.cli.desk import at_desk
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.cli.wording import exit_status, run_line, size
from dreamd.config import load
from dreamd.errors import UsageError
from dreamd.memory.document import count_lines
from dreamd.memory.tree import Tree

_EPILOG = (
    "Examples: dreamd memory · dreamd memory show harbor-api · "
    'dreamd memory add "Answer in British English." · dreamd memory pin "never push"'
)


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    verb = typer.Typer(help="Show what is remembered.", rich_markup_mode=None, epilog=_EPILOG)
    verb.callback(invoke_without_command=True, epilog=_EPILOG)(listed)
    verb.command("show", epilog=_EPILOG)(show)
    verb.command("add", epilog=_EPILOG)(add)
    verb.command("pin", epilog=_EPILOG)(pin)
    app.add_typer(verb, name="memory")


def listed(context: typer.Context, config: ConfigOption = None, as_json: JsonOption = False) -> int:
    """Print MEMORY.md and the list of topic files."""
    if context.invoked_subcommand is not None:
        return 0
    console = Console(as_json=as_json)
    loaded = load(config)
    tree = Tree.read(loaded.places.memory_root, loaded.config.guards.protect)
    console.document(
        {
            "root": str(tree.root),
            "text": tree.text("MEMORY.md"),
            "topics": [
                {"topic": path, "lines": count_lines(file.text), "bytes": len(file.data), "protected": file.protected}
                for path, file in sorted(tree.files.items())
                if "/" in path
            ],
        }
    )
    if "MEMORY.md" not in tree.files:
        console.say(f"nothing is remembered in {tree.root} yet; `dreamd kick` dreams now")
        return 0
    console.say(tree.text("MEMORY.md").rstrip("\n"))
    topics = [
        (path, str(count_lines(file.text)), size(len(file.data)))
        for path, file in sorted(tree.files.items())
        if "/" in path
    ]
    if topics:
        console.say()
        console.table(("TOPIC", "LINES", "SIZE"), topics)
    return 0


def show(
    topic: Annotated[str, typer.Argument(metavar="TOPIC", help="A topic's name or path: harbor-api, people/robin.md.")],
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> int:
    """Print one topic file."""
    console = Console(as_json=as_json)
    loaded = load(config)
    tree = Tree.read(loaded.places.memory_root, loaded.config.guards.protect)
    wanted = topic.removesuffix(".md").casefold()
    found = [
        path
        for path in sorted(tree.files)
        if wanted in (path.removesuffix(".md").casefold(), path.rsplit("/", 1)[-1].removesuffix(".md").casefold())
    ]
    if len(found) != 1:
        told = "several topics are called" if found else "no topic is called"
        raise UsageError(
            f"{told} {topic}", hint="`dreamd memory` lists them" + (f": {', '.join(found)}" if found else "")
        )
    console.document({"topic": found[0], "path": str(tree.root / found[0]), "text": tree.text(found[0])})
    console.say(tree.text(found[0]).rstrip("\n"))
    return 0


def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The line to be remembered.")],
    project: Annotated[str | None, typer.Option("--project", metavar="NAME", help="Into this project's file.")] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Add a line that stays: it never goes stale and is the last to leave MEMORY.md."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        record = app.remember(text, project=project)
        console.document(record.to_json())
        console.say(f"run {record.id} {run_line(record)}")
        return exit_status(record)


def pin(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A remembered line or words of it.")],
    config: ConfigOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = 0,
) -> int:
    """Pin a remembered line, so that it stays however long nothing confirms it."""
    with at_desk(config, verbose, as_json=as_json) as (app, console):
        record = app.pin(text)
        console.document(record.to_json())
        console.say(f"run {record.id} {run_line(record)}")
        return exit_status(record)
