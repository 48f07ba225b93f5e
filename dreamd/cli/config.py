"""`dreamd config`: the keys in force, whether they are right, and where they come from."""

from __future__ import annotations

import datetime as dt

import typer

from dreamd.cli.console import Console, listen
from dreamd.cli.options import ConfigOption, JsonOption, VerboseOption
from dreamd.config import Loaded, example, keys, load, toml_value

_EPILOG = "Examples: dreamd config check · dreamd config show · DREAMD_GATES__IDLE=10m dreamd config show"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    verb = typer.Typer(
        help="Show or check the configuration.", no_args_is_help=True, rich_markup_mode=None, epilog=_EPILOG
    )
    verb.command("show", epilog=_EPILOG)(show)
    verb.command("check", epilog=_EPILOG)(check)
    verb.command("path", epilog=_EPILOG)(path)
    verb.command("example", epilog=_EPILOG)(example_file)
    app.add_typer(verb, name="config")


def show(config: ConfigOption = None, as_json: JsonOption = False, verbose: VerboseOption = 0) -> None:
    """Print every key with the value in force: the file's, the environment's or the default."""
    listen(verbose)
    console = Console(as_json=as_json)
    loaded = load(config)
    values = in_force(loaded)
    tables = {
        "sources": [source.model_dump() for source in loaded.config.sources],
        "projects": [project.model_dump() for project in loaded.config.projects],
        "prices": [price.model_dump() for price in loaded.config.prices],
    }
    console.document({"file": str(loaded.places.config_file), "exists": loaded.file_exists, "values": values} | tables)
    section = ""
    for key, value in values.items():
        table, name = key.split(".", 1)
        if table != section:
            console.say(f"[{table}]" if not section else f"\n[{table}]")
            section = table
        console.say(f"{name} = {toml_value(value)}")
    for name, rows in tables.items():
        for row in rows:
            console.say(f"\n[[{name}]]")
            for key, value in row.items():
                console.say(f"{key} = {toml_value(value)}")


def example_file(as_json: JsonOption = False, verbose: VerboseOption = 0) -> None:
    """Print a configuration file with every key, its default and its meaning."""
    listen(verbose)
    console = Console(as_json=as_json)
    console.document({"text": example()})
    console.say(example().rstrip("\n"))


def check(config: ConfigOption = None, as_json: JsonOption = False, verbose: VerboseOption = 0) -> None:
    """Check the configuration; all problems at once, exit status 3 where there is any."""
    listen(verbose)
    console = Console(as_json=as_json)
    loaded = load(config)
    console.document({"file": str(loaded.places.config_file), "exists": loaded.file_exists, "problems": []})
    console.say(f"{loaded.places.config_file}: {'good' if loaded.file_exists else 'not there; defaults are in force'}")


def path(config: ConfigOption = None, as_json: JsonOption = False, verbose: VerboseOption = 0) -> None:
    """Print where the configuration is read from and where things lie."""
    listen(verbose)
    console = Console(as_json=as_json)
    places = load(config).places
    where = {
        "config": str(places.config_file),
        "state": str(places.state_dir),
        "memory": str(places.memory_root),
        "log": str(places.log),
        "history": str(places.history),
        "archive": str(places.archive),
    }
    console.document(where)
    console.facts(where)


def in_force(loaded: Loaded) -> dict[str, object]:
    """Every scalar or list key of the sections with its value as it would be written in the file."""
    values: dict[str, object] = {}
    for key, field in keys():
        section, name = key.split(".", 1)
        table = getattr(loaded.config, section)
        if isinstance(table, list):
            continue
        value = getattr(table, name)
        if isinstance(value, dt.timedelta):
            value = _as_duration(value)
        elif value is None:
            value = "never" if field.default == "24h" else ""
        values[key] = value
    return values


def _as_duration(value: dt.timedelta) -> str:
    seconds = value.total_seconds()
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds and seconds % length == 0 and not (unit == "d" and seconds == length):
            return f"{int(seconds // length)}{unit}"
    return f"{seconds:g}s"
