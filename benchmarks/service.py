"""What the service costs: resident memory, processor time, descriptors and wake-ups, idle and under a busy transcript tree.

    python benchmarks/service.py [--idle SECONDS] [--soak SECONDS] [--sessions N]

Starts a real `dreamd run` in a throw-away home on Linux. Idle: nothing happens for so long. Soak: lines are appended to
sessions all the time, new ones appear, and a dream is asked for every half minute. Prints a table; the slope says whether
anything grows.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import json
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
DREAMD = Path(sys.executable).with_name("dreamd")


def line(session: str, project: str, words: str) -> str:
    """One prompt as Claude Code writes it."""
    now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps(
        {
            "type": "user",
            "uuid": str(uuid.uuid4()),
            "parentUuid": None,
            "sessionId": session,
            "timestamp": now,
            "cwd": f"/home/sam/work/{project}",
            "version": "2.1.332",
            "entrypoint": "cli",
            "isSidechain": False,
            "promptSource": "typed",
            "message": {"role": "user", "content": words},
        }
    )


def write(root: Path, number: int, words: str) -> Path:
    """Appends a prompt to the n-th session."""
    session = str(uuid.UUID(int=number, version=4))
    project = f"project{number % 10}"
    path = root / f"-home-sam-work-{project}" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(line(session, project, words) + "\n")
    return path


def zombies(pid: int) -> int:
    """Children of a process that ended and were not waited for."""
    found = 0
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    return found


def usage(pid: int) -> dict[str, float]:
    """Resident MB, CPU seconds, descriptors, threads, context switches and zombies of a process."""
    status = dict(row.split(":\t", 1) for row in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in row)
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return {
        "rss": int(status["VmRSS"].split()[0]) / 1000,
        "cpu": (int(fields[11]) + int(fields[12])) / TICK,
        "fds": len(list(Path(f"/proc/{pid}/fd").iterdir())),
        "threads": int(status["Threads"]),
        "wakes": int(status["voluntary_ctxt_switches"]),
        "zombies": zombies(pid),
    }


def turns(state: Path) -> int:
    """Turns in the database now."""
    with contextlib.closing(sqlite3.connect(f"file:{state}?mode=ro", uri=True)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM turns").fetchone()[0])
        except sqlite3.OperationalError:  # not made yet
            return 0


def latency(root: Path, state: Path) -> float:
    """Seconds from an appended prompt to its row."""
    before, began = turns(state), time.monotonic()
    write(root, 1, "and one more thing about the parser")
    while turns(state) == before and time.monotonic() - began < 10:
        time.sleep(0.005)
    return time.monotonic() - began


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--idle", type=float, default=60)
    parser.add_argument("--soak", type=float, default=120)
    parser.add_argument("--sessions", type=int, default=500)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        root = home / ".claude" / "projects"
        for number in range(asked.sessions):
            write(root, number, f"please look at module {number}")
        environ = {
            "HOME": str(home),
            "PATH": "/usr/bin:/bin",
            "DREAMD_GATES__IDLE": "5s",
            "DREAMD_SCHEDULE__ENABLED": "false",
        }
        service = subprocess.Popen([str(DREAMD), "run"], env=environ, stderr=subprocess.DEVNULL)
        try:
            measure(service.pid, home, root, environ, asked)
        finally:
            service.send_signal(signal.SIGTERM)
            print(f"exit status {service.wait()}")


def measure(pid: int, home: Path, root: Path, environ: dict[str, str], asked: argparse.Namespace) -> None:
    """Idle, latency, soak."""
    state = home / ".local" / "state" / "dreamd" / "state.db"
    while not state.exists() or turns(state) < asked.sessions:
        time.sleep(0.2)
    time.sleep(3)
    first = usage(pid)
    time.sleep(asked.idle)
    last = usage(pid)
    share = (last["cpu"] - first["cpu"]) / asked.idle
    print(
        f"idle {asked.idle:.0f} s, {asked.sessions} sessions: {last['rss']:.1f} MB, {share:.4%} of a core, "
        f"{(last['wakes'] - first['wakes']) / asked.idle:.2f} wake-ups/s, {last['fds']:.0f} fds, {last['threads']:.0f} threads"
    )
    waits = [latency(root, state) for _ in range(20)]
    print(f"appended turn in the database: median {statistics.median(waits):.3f} s, worst {max(waits):.3f} s")
    samples = []
    end, next_dream, chance = time.monotonic() + asked.soak, 0.0, random.Random(1)
    while time.monotonic() < end:
        for _ in range(20):
            write(root, chance.randrange(asked.sessions * 2), "we always use make in this repo, never just")
        if time.monotonic() > next_dream:
            subprocess.run([str(DREAMD), "kick", "--no-wait"], env=environ, capture_output=True, check=False)
            next_dream = time.monotonic() + 30
        samples.append(usage(pid))
        time.sleep(0.5)
    if samples:
        report(samples, asked.soak)
        print(f"state directory {megabytes(state.parent):.1f} MB; outcomes of dreams: {outcomes(state)}")


def report(samples: list[dict[str, float]], seconds: float) -> None:
    """What the soak showed: the mean of each sixth, so that growth cannot hide behind a warm-up."""
    parts = [samples[len(samples) * part // 6 : len(samples) * (part + 1) // 6] or samples[-1:] for part in range(6)]
    sixths = " ".join(f"{statistics.mean(one['rss'] for one in part):.1f}" for part in parts)
    handles = " ".join(f"{max(one['fds'] for one in part):.0f}" for part in parts)
    print(
        f"soak {seconds:.0f} s, {len(samples) * 20} lines: RSS {samples[0]['rss']:.1f} -> {samples[-1]['rss']:.1f} MB "
        f"(means of sixths {sixths}; largest {max(one['rss'] for one in samples):.1f}), largest number of descriptors {handles}, "
        f"threads {samples[-1]['threads']:.0f}, zombies at most {max(one['zombies'] for one in samples):.0f}, "
        f"CPU {(samples[-1]['cpu'] - samples[0]['cpu']) / seconds:.2%} of a core"
    )


def megabytes(folder: Path) -> float:
    """What a folder's files take."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def outcomes(state: Path) -> dict[str, int]:
    """Runs by outcome."""
    with contextlib.closing(sqlite3.connect(f"file:{state}?mode=ro", uri=True)) as database:
        return dict(database.execute("SELECT outcome, count(*) FROM runs GROUP BY outcome").fetchall())


if __name__ == "__main__":
    main()
