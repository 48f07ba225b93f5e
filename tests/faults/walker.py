"""Runs one command of dreamd again and again over the same home, with the N-th write-class call of each run failing or killing it.

Started with the shim preloaded. Reads a job as JSON on standard input, prints one JSON line for each run.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import shutil
import sys
import traceback
import zlib
from pathlib import Path
from typing import Any

import alembic.command
import dulwich.objects
import dulwich.repo
import dulwich.walk
import zstandard

from dreamd.cli.main import VERBS, build, run

LOADED = (alembic.command, dulwich.objects, dulwich.repo, dulwich.walk, zstandard, VERBS)
SHIM: Any = ctypes.CDLL(os.environ["LD_PRELOAD"].split(":")[0])
#: Names that only somebody at work may leave behind.
TEMPORARY = (".dreamd-", "commit.journal", "import.", "export.new", "history.git.")


def main() -> None:
    build(None)
    job = json.load(sys.stdin)
    base, home = Path(job["base"]), Path(job["home"])
    number = int(job["first"])
    while True:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(base, home, symlinks=True)
        first = child(home, job["command"], (number, *job["fault"]))
        middle = tree(home, job["memory"])
        after = [child(home, command, None) for command in job["after"]]
        found = {
            "number": number,
            **first,
            "middle": middle,
            "after": after,
            "tree": tree(home, job["memory"]),
            "left": left(home, job["memory"]),
            "holding": holding(home / ".local/state/dreamd", job["word"]) if job["word"] else [],
        }
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
        if not first["fired"]:
            return
        number += int(job["step"])


def child(home: Path, command: list[str], fault: tuple[int, int, bool, bool] | None) -> dict[str, Any]:
    """One command in a process of its own."""
    report = home.parent / "report"
    report.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        status = 99
        try:
            for name, number in (("out", 1), ("err", 2)):
                os.dup2(os.open(home.parent / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
            os.chdir(home)
            os.environ["HOME"] = str(home)
            if fault is not None:
                SHIM.fault_arm(os.fsencode(home), *fault)
            status = run(command)
            sys.stdout.flush()
        except BaseException:  # noqa: BLE001 - what the interpreter would show
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            SHIM.fault_disarm()
            report.write_text(json.dumps([bool(SHIM.fault_fired()), SHIM.fault_seen()]))
            os._exit(status)
    _, waited = os.waitpid(pid, 0)
    fired, seen = json.loads(report.read_text()) if report.exists() else (True, 0)
    return {
        "status": os.waitstatus_to_exitcode(waited),
        "fired": fired,
        "seen": seen,
        "out": (home.parent / "out").read_text(errors="replace"),
        "err": (home.parent / "err").read_text(errors="replace"),
    }


def tree(home: Path, memory: str) -> dict[str, str]:
    """Every file of the memory root with its digest."""
    root = home / memory
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def left(home: Path, memory: str) -> list[str]:
    """What is left behind in state and memory that is nobody's."""
    below = (".local/state/dreamd", memory, ".claude/projects")
    places = [path for name in below for path in (home / name).rglob("*")]
    return sorted(
        str(path.relative_to(home))
        for path in places
        if path.name.startswith(TEMPORARY)
        or path.suffix in {".tmp", ".new"}
        or (path.suffix == ".lock" and "history.git" in path.parts)
    )


def holding(state: Path, word: str) -> list[str]:
    """Files below the state directory that hold a word, git's objects unpacked."""
    found = []
    for path in sorted(state.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if "objects" in path.parts:
            with contextlib.suppress(zlib.error):
                data = zlib.decompress(data)
        if word.encode() in data:
            found.append(str(path.relative_to(state)))
    return found


if __name__ == "__main__":
    main()
