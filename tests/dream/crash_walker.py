"""Dreams in a walker's world at the walker's time, and kills its own process at the N-th write below HOME."""

import datetime as dt
import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dreamd.clock import FixedClock
from world import World

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def main(home: Path, at: str, settings: str, limit: int) -> None:
    world = World(home, FixedClock(dt.datetime.fromisoformat(at)), json.loads(settings))
    seen = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        path = None
        if event == "open":
            mode, flags = arguments[1], arguments[2]
            writes = (isinstance(mode, str) and any(char in mode for char in "wax+")) or (
                isinstance(flags, int) and flags & WRITES
            )
            path = arguments[0] if writes else None
        elif event in ("os.rename", "os.remove", "os.truncate", "os.rmdir", "os.mkdir"):
            path = arguments[1] if event == "os.rename" else arguments[0]
        if isinstance(path, str | os.PathLike) and os.path.realpath(path).startswith(str(home)):
            seen += 1
            if seen == limit:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    world.kick()


main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
