"""`dreamd memory`: what is remembered."""

from __future__ import annotations

from typing import Annotated

import typer

from dreamd.cli.console import Console, listen
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption, only_behind
from dreamd.cli.wording import size
from dreamd.config import load
from dreamd.errors import UsageError
from dreamd.memory.document import count_lines
from dreamd.memory.front import front_values
from dreamd.memory.tree import Tree

_EPILOG = (
    "Examples: dreamd memory · dreamd memory show harbor-api · "
    'dreamd memory add "Answer in British English." · dreamd memory pin "never push"'
)


def register(app: typer.Typer) -> typer.Typer:
    """Adds the verb; its writing half (remember.py) goes below it."""
    verb = typer.Typer(help="Show what is remembered.", rich_markup_mode=None, epilog=_EPILOG)
    verb.callback(invoke_without_command=True, epilog=_EPILOG)(listed)
    verb.command("show", epilog=_EPILOG)(show)
    app.add_typer(verb, name="memory")
    return verb


def listed(
    context: typer.Context, config: ConfigOption = None, as_json: JsonOption = False, verbose: VerboseOption = 0
) -> int:
    """Print MEMORY.md and the list of topic files."""
    listen(verbose)
    if only_behind(context, config, as_json, verbose):
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
    verbose: VerboseOption = 0,
) -> int:
    """Print one topic file."""
    listen(verbose)
    console = Console(as_json=as_json)
    loaded = load(config)
    tree = Tree.read(loaded.places.memory_root, loaded.config.guards.protect)
    found = _named(tree, topic.removesuffix(".md").casefold())
    if len(found) != 1:
        told = f"{len(found)} topics are called" if found else "no topic is called"
        raise UsageError(f"{told} {topic}", hint="topics: " + (", ".join(found or _topics(tree)) or "none yet"))
    console.document({"topic": found[0], "path": str(tree.root / found[0]), "text": tree.text(found[0])})
    console.say(tree.text(found[0]).rstrip("\n"))
    return 0


def _topics(tree: Tree) -> list[str]:
    return [path for path in sorted(tree.files) if "/" in path]


def _named(tree: Tree, wanted: str) -> list[str]:
    """Topic files by path or name; else by title, else by how either begins."""
    names = {path: path.removesuffix(".md").casefold() for path in sorted(tree.files)}
    exact = [path for path, name in names.items() if wanted in (name, name.rsplit("/", 1)[-1])]
    titled = [path for path in names if front_values(tree.document(path).front).get("name", "").casefold() == wanted]
    begun = [
        path for path, name in names.items() if name.startswith(wanted) or name.rsplit("/", 1)[-1].startswith(wanted)
    ]
    return exact or titled or begun
