"""How good the offline engine is on labelled sessions, on CodeBench and in bulk.

`python benchmarks/offline.py gold GOLD HOME`: dreams over a copy of HOME's transcripts and lets GOLD/score.py judge the memory.
`python benchmarks/offline.py codebench SCRIPT [--seed N ...]`: the same for the sets that a CodeBench script makes.
`python benchmarks/offline.py bulk [--sessions N]`: made-up sessions in one dream, the seconds it takes, and whether a second one changes anything.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from phrasings import planted, write

#: Where agents keep their transcripts below a home.
AGENTS = {"claude-code": ".claude/projects", "codex": ".codex/sessions"}


def configured(home: Path) -> Path:
    """A configuration that reads every session of a home in one dream."""
    sources = "".join(
        f'[[sources]]\nagent = "{agent}"\nroot = "{home / place}"\n'
        for agent, place in AGENTS.items()
        if (home / place).is_dir()
    )
    path = home / "dreamd.toml"
    path.write_text(f"[budget]\nmax_sessions_per_run = 100000\n{sources}")
    return path


def dream(home: Path) -> str:
    """One dream by the installed command; the seconds that passed and those of the processor."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TZ": "UTC"}
    command = [str(Path(sys.executable).parent / "dreamd"), "kick", "--engine", "offline", "--json"]
    begun, used = time.perf_counter(), processor()
    done = subprocess.run([*command, "--config", str(configured(home))], env=env, check=False, capture_output=True)
    if done.returncode:
        raise SystemExit(done.stdout.decode() + done.stderr.decode())
    return f"{time.perf_counter() - begun:.1f} s, {processor() - used:.1f} s of a processor"


def processor() -> float:
    """What the commands run so far took of it."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def gold(folder: Path, source: Path) -> None:
    """The scorer's own figures."""
    with tempfile.TemporaryDirectory(prefix="dreamd-gold-") as place:
        home = Path(place)
        for below in AGENTS.values():
            if (source / below).is_dir():
                shutil.copytree(source / below, home / below)
        print(f"dream               {dream(home)}")
        judge = [sys.executable, folder / "score.py", folder / "gold.jsonl", folder / "traps.jsonl"]
        subprocess.run([*map(str, judge), str(home / ".claude/memory")], check=True)


def codebench(script: Path, seeds: list[int]) -> None:
    """The mean of the script's figures over the seeds."""
    totals: defaultdict[str, list[float]] = defaultdict(list)
    for seed in seeds:
        with tempfile.TemporaryDirectory(prefix="dreamd-codebench-") as place:
            home = Path(place)
            subprocess.run([sys.executable, str(script), "gen", str(home / ".claude"), "--seed", str(seed)], check=True)
            dream(home)
            judge = [sys.executable, str(script), "score", str(home / ".claude"), str(home / ".claude/memory")]
            for name, value in json.loads(subprocess.run(judge, check=True, capture_output=True).stdout).items():
                totals[name].append(value)
    for name, values in totals.items():
        print(f"{name:<20} {sum(values) / len(values):.3f}")


def bulk(sessions: int) -> None:
    """One dream over many sessions, and a second over the same."""
    with tempfile.TemporaryDirectory(prefix="dreamd-bulk-") as place:
        home = Path(place)
        for seed in range(max(1, sessions // 50)):
            chance = random.Random(seed)
            write(home, chance, planted(chance, 50)[0])
        found = len(list(home.rglob("*.jsonl")))
        print(f"{found} sessions: {dream(home)}")
        before = digest(home)
        again = dream(home)
        print(f"the same again: {again}, {'nothing changed' if digest(home) == before else 'CHANGED'}")


def digest(home: Path) -> str:
    """One figure for all bytes of the memory."""
    tree = sorted((home / ".claude/memory").rglob("*.md"))
    return hashlib.sha256(b"".join(str(p).encode() + p.read_bytes() for p in tree)).hexdigest()


def main() -> None:
    """Runs what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked = parser.add_subparsers(dest="what", required=True)
    one = asked.add_parser("gold")
    one.add_argument("folder", type=Path, help="holds score.py, gold.jsonl and traps.jsonl")
    one.add_argument("home", type=Path, help="a home with transcripts; it is only read")
    two = asked.add_parser("codebench")
    two.add_argument("script", type=Path)
    two.add_argument("--seed", type=int, nargs="*", default=[1, 2, 3, 4, 5])
    three = asked.add_parser("bulk")
    three.add_argument("--sessions", type=int, default=1000)
    given = parser.parse_args()
    if given.what == "gold":
        gold(given.folder, given.home)
    elif given.what == "codebench":
        codebench(given.script, given.seed)
    else:
        bulk(given.sessions)


if __name__ == "__main__":
    main()
