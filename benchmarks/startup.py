"""How long commands take as whole processes, beside an empty Python: `python benchmarks/startup.py [HOME] [--imports]`."""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

DREAMD = Path(sys.executable).with_name("dreamd")  # not resolved: a virtual environment's Python is a link
BASELINE = "python -c pass"
#: What is timed, and the target in milliseconds where one is set.
COMMANDS: dict[str, tuple[list[str], int | None]] = {
    BASELINE: ([sys.executable, "-c", "pass"], None),
    "dreamd --version": ([str(DREAMD), "--version"], None),
    "dreamd config check": ([str(DREAMD), "config", "check"], None),
    "dreamd memory": ([str(DREAMD), "memory"], None),
    "dreamd search x": ([str(DREAMD), "search", "x"], 250),
    "dreamd context": ([str(DREAMD), "context"], 250),
    "dreamd context --hook": ([str(DREAMD), "context", "--hook"], 250),
    "dreamd status": ([str(DREAMD), "status"], 500),
    "dreamd runs": ([str(DREAMD), "runs"], None),
    "dreamd kick --dry-run": ([str(DREAMD), "kick", "--dry-run"], None),
}
ROUNDS = 10
_IMPORT = re.compile(r"import time:\s*(\d+) \|\s*(\d+) \| ( *)(\S+)")


def main() -> None:
    """Measures in a home that is given (only read from: none of these commands writes memory), or in the demo's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", nargs="?", type=Path, help="the HOME to measure in; left out: that of `dreamd demo`")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--imports", action="store_true", help="also say which imports take longest")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dreamd-startup-") as folder:
        environ = environment(given.home or Path(folder))
        if given.home is None:
            subprocess.run([DREAMD, "demo", "--keep", folder], env=environ, capture_output=True, check=True)
        table(environ, given.rounds)
        if given.imports:
            for name in ("dreamd search x", "dreamd status"):
                imports(name, environ)


def environment(home: Path) -> dict[str, str]:
    """The caller's environment with another home, and none of what would lead past it."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("DREAMD_", "XDG_", "CLAUDE_"))}
    return kept | {"HOME": str(home.absolute())}


def table(environ: dict[str, str], rounds: int) -> None:
    """The median of warm runs of each command, interleaved so that a busy moment hits all of them."""
    spent: dict[str, list[Spent]] = {name: [] for name in COMMANDS}
    for turn in range(rounds + 1):
        for name, (command, _) in COMMANDS.items():
            took = run(command, environ)
            if turn:  # the first round warms the caches
                spent[name].append(took)
    base = statistics.median(one.cpu for one in spent[BASELINE])
    print(f"{'':<22}{'median':>8}{'best':>8}{'cpu':>8}{'beside python':>15}{'target':>9}")
    for name, (_, target) in COMMANDS.items():
        median = statistics.median(one.wall for one in spent[name])
        best, cpu = min(one.wall for one in spent[name]), statistics.median(one.cpu for one in spent[name])
        goal = "" if target is None else f"{target} ms {'ok' if median * 1000 < target else 'MISSED'}"
        print(
            f"{name:<22}{median * 1000:>5.0f} ms{best * 1000:>5.0f} ms{cpu * 1000:>5.0f} ms{cpu / base:>14.1f}x  {goal}"
        )


class Spent(NamedTuple):
    """What one run took, in seconds: by the clock, and of processors alone, which a busy machine changes less."""

    wall: float
    cpu: float


def run(command: list[str], environ: dict[str, str]) -> Spent:
    """A process from its start to its end."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def imports(name: str, environ: dict[str, str], most: int = 15) -> None:
    """What a command's imports take: packages by the time spent in their own modules, then the costliest trees."""
    command, _ = COMMANDS[name]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command], env=environ, capture_output=True, text=True, check=True
    )
    own: dict[str, int] = {}
    trees: list[tuple[int, str]] = []
    for line in done.stderr.splitlines():
        found = _IMPORT.match(line)
        if found:
            package = found[4].split(".")[0]
            own[package] = own.get(package, 0) + int(found[1])
            trees.append((int(found[2]), found[4]))
    print(f"\n{name}: {sum(own.values()) / 1000:.0f} ms of imports (with the measuring itself)")
    for package, spent in sorted(own.items(), key=lambda one: -one[1])[:most]:
        print(f"  {spent / 1000:>6.1f} ms  {package}")
    print("  costliest with all they import:")
    for spent, module in sorted(trees, reverse=True)[:most]:
        print(f"  {spent / 1000:>6.1f} ms  {module}")


if __name__ == "__main__":
    main()
