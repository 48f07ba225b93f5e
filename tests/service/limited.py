"""A watcher under limits, in a process of its own: `limited.py ROOT [MAX_WATCHES]`; answers lines of input with lines of JSON.

With WD_ERR set inotify fails as on a full system (28: no more watches after WD_AFTER of them; 24: no more instances);
with MAX_WATCHES the limit is the kernel's own, which takes a user namespace.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path

from watchdog.observers import inotify_c

from dreamd.service.watch import Watcher

LIMIT = Path("/proc/sys/user/max_inotify_watches")
allowed = {"watches": int(os.environ.get("WD_AFTER", "0")), "error": int(os.environ.get("WD_ERR", "0"))}
real_add, real_init = inotify_c.inotify_add_watch, inotify_c.inotify_init


def add(fd: int, path: bytes, mask: int) -> int:
    if allowed["error"] == 28 and allowed["watches"] <= 0:
        ctypes.set_errno(28)
        return -1
    allowed["watches"] -= 1
    return real_add(fd, path, mask)


def init() -> int:
    if allowed["error"] == 24:
        ctypes.set_errno(24)
        return -1
    return real_init()


def held() -> int:
    """The watches that this process holds, as the kernel counts them."""
    texts = []
    for one in Path("/proc/self/fdinfo").iterdir():
        try:
            texts.append(one.read_text())
        except OSError:
            continue
    return sum(line.startswith("inotify ") for text in texts for line in text.splitlines())


def main() -> None:
    if len(sys.argv) > 2:
        LIMIT.write_text(sys.argv[2])
    inotify_c.inotify_add_watch, inotify_c.inotify_init = add, init  # type: ignore[assignment]
    said: list[str | None] = []
    watcher = Watcher([("claude-code", Path(sys.argv[1]))], said.append, lambda: said.append(None))
    watcher.start()
    for line in sys.stdin:
        match line.split():
            case ["supervise"]:
                watcher.supervise()
            case ["limit", number]:
                LIMIT.write_text(number)
            case ["mended"]:
                allowed["error"] = 0
            case ["stop"]:
                break
        (state,) = watcher.state()
        answer = {"mode": state.mode, "problem": state.problem, "watches": held(), "said": said}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    watcher.stop()


if __name__ == "__main__":
    main()
