"""Runs the command and kills its own process just before the N-th of the agent's own files is deleted."""

import itertools
import os
import signal
import sys
from pathlib import Path

from dreamd.cli.main import main

LIMIT = int(sys.argv.pop(1))
PROJECTS = str(Path(os.environ["HOME"]).resolve() / ".claude" / "projects")
number = itertools.count(1)


def hook(event: str, arguments: tuple[object, ...]) -> None:
    path = arguments[0] if event == "os.remove" else None
    if isinstance(path, str | os.PathLike) and os.path.realpath(path).startswith(PROJECTS) and next(number) == LIMIT:
        os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(hook)
main()
