"""`dreamd config`: the keys in force, whether they are right, and where they come from."""

from __future__ import annotations

import datetime as dt

import typer

from dreamd.cli.console import Console
from dreamd.cli.options import ConfigOption, JsonOption
from dreamd.config import Loaded, keys, load, toml_value

_EPILOG = "Examples: dreamd config check · dreamd config show · DREAMD_GATES__IDLE=10m dreamd config show"


def register(app: typer.Typer) -> None:
    """Adds the verb."""
    verb = typer.Typer(
        help="Show or check the configuration.", no_args_is_help=True, rich_markup_mode=None, epilog=_EPILOG
    )
    verb.command("show", epilog=_EPILOG)(show)
    verb.command("check", epilog=_EPILOG)(check)
    verb.command("path", epilog=_EPILOG)(path)
    app.add_typer(verb, name="config")


def show(config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Print every key with the value in force: the file's, the environment's or the default."""
    console = Console(as_json=as_json)
    loaded = load(config)
    values = in_force(loaded)
    console.document({"file": str(loaded.places.config_file), "exists": loaded.file_exists, "values": values})
    section = ""
    for key, value in values.items():
        table, name = key.split(".", 1)
        if table != section:
            console.say(f"[{table}]" if not section else f"\n[{table}]")
            section = table
        console.say(f"{name} = {toml_value(value)}")
    for number, source in enumerate(loaded.config.sources):
        console.say(
            f"{'' if number else chr(10)}[[sources]]\nagent = {toml_value(source.agent)}\nroot = {toml_value(source.root)}"
        )
    for project in loaded.config.projects:
        console.say(f"\n[[projects]]\npath = {toml_value(project.path)}\nlearn = {toml_value(project.learn)}")


def check(config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Check the configuration; all problems at once, exit status 3 where there is any."""
    console = Console(as_json=as_json)
    loaded = load(config)
    console.document({"file": str(loaded.places.config_file), "exists": loaded.file_exists, "problems": []})
    console.say(f"{loaded.places.config_file}: {'good' if loaded.file_exists else 'not there; defaults are in force'}")


def path(config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Print where the configuration is read from and where things lie."""
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
