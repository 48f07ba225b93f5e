"""The command `dreamd`: finds the verb, runs it, and turns every error into one clear message and its exit status."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from typing import Any

import typer
from typer.exceptions import TyperException

from dreamd import __version__
from dreamd.cli.console import Console, console_line
from dreamd.errors import DreamdError, Interrupted, Terminated, UsageError

#: Verb → the module that holds it, in the order of `dreamd --help`; a module is loaded when its verb is called.
VERBS = {
    "init": "dreamd.cli.init",
    "run": "dreamd.cli.run",
    "kick": "dreamd.cli.kick",
    "status": "dreamd.cli.status",
    "pause": "dreamd.cli.pause",
    "resume": "dreamd.cli.resume",
    "scan": "dreamd.cli.scan",
    "sessions": "dreamd.cli.sessions",
    "runs": "dreamd.cli.runs",
    "memory": "dreamd.cli.memory",
    "diff": "dreamd.cli.diff",
    "undo": "dreamd.cli.undo",
    "accept": "dreamd.cli.accept",
    "reject": "dreamd.cli.reject",
    "why": "dreamd.cli.why",
    "forget": "dreamd.cli.forget",
    "search": "dreamd.cli.search",
    "context": "dreamd.cli.context",
    "compact": "dreamd.cli.compact",
    "restore": "dreamd.cli.restore",
    "mcp": "dreamd.cli.mcp",
    "export": "dreamd.cli.exporting",
    "import": "dreamd.cli.importing",
    "logs": "dreamd.cli.logs",
    "service": "dreamd.cli.service",
    "doctor": "dreamd.cli.doctor",
    "config": "dreamd.cli.config",
    "demo": "dreamd.cli.demo",
}

#: Verb → the module of what is below it that needs more, and the words behind the verb that do without.
_BELOW = {
    "memory": ("dreamd.cli.remember", (None, "show", "--json")),
    "runs": ("dreamd.cli.one_run", (None, "--json", "--limit", "-n")),
}

_EPILOG = "Start with `dreamd init`, then `dreamd kick`. `dreamd demo` shows a whole dream without touching anything of yours."


def _version(asked: bool) -> None:
    if asked:
        console_line(f"dreamd {__version__}")
        raise typer.Exit


def build(verb: str | None, below: str | None = "") -> typer.Typer:
    """The command line with one verb loaded, or with all of them for help and completion.

    `below` is the word behind the verb: `dreamd memory` does without what writing needs, `dreamd runs` without history.
    """
    app = typer.Typer(
        name="dreamd",
        help="The memory of a person who works with coding agents.",
        epilog=_EPILOG,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root(
        version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    ) -> None:
        """Reads what was said in finished sessions and keeps a small, true MEMORY.md."""

    for name, module in VERBS.items():
        if verb in (None, name):
            made = importlib.import_module(module).register(app)
            more, spared = _BELOW.get(name, ("", ()))
            if more and below not in spared:
                importlib.import_module(more).register(made)
    return app


def _loaded(verb: str | None, below: str | None) -> typer.Typer:
    """The command line. What is loaded here stays to the end: looking through it for garbage took a sixth of a short command's time."""
    gc.disable()
    try:
        return build(verb, below)
    finally:
        gc.freeze()
        gc.enable()


def main() -> None:
    """The console script."""
    os.umask(0o077)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(run(sys.argv[1:]))


def _terminated(_number: int, _frame: object) -> None:
    raise Terminated


def run(arguments: list[str]) -> int:  # noqa: PLR0911 - one return for each way a command can end
    """One call of the command; returns the exit status and never raises."""
    if arguments == ["--version"]:
        console_line(f"dreamd {__version__}")
        return 0
    first = next((word for word in arguments if not word.startswith("-")), None)
    completing = "_DREAMD_COMPLETE" in os.environ
    verb = first if first in VERBS and not completing else None
    console = Console(as_json="--json" in arguments)
    try:
        below = next(iter(arguments[arguments.index(verb) + 1 :]), None) if verb else ""
        status: Any = _loaded(verb, below)(args=arguments, prog_name="dreamd", standalone_mode=False)
        sys.stdout.flush()
    except TyperException as error:
        if error.format_message().startswith("Usage:"):  # a group without its command
            console.note(error.format_message())
            return 2
        console.fail(UsageError(error.format_message(), hint=f"see `dreamd {verb or ''} --help`".replace("  ", " ")))
        return 2
    except DreamdError as error:
        console.fail(error)
        return error.exit_status
    except Terminated:
        console.fail(Interrupted("terminated", hint="what was being written is whole; call it again when you like"))
        return 130
    except (KeyboardInterrupt, typer.Abort):
        console.fail(Interrupted("interrupted", hint="nothing half-done stays behind; call it again when you like"))
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status if isinstance(status, int) else 0
