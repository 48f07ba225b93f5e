"""What the offline engine makes of phrasings that nobody wrote rules for: `python benchmarks/phrasings.py [--seed N] [--sessions N]`.

Writes seeded sessions of three projects as Claude Code would, dreams over them offline in a throw-away home through the installed
command, and scores the memory: how much of what lasts is held, by kind; how many lines came of what ends with a task; how many
values that were changed still stand; how many changes bear their day. The lines are in `phrasings.toml`.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import tomllib
import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LINES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "phrasings.toml").read_text())
PROJECTS = ("ferry-desk", "mill-console", "chart-room")
START = dt.datetime(2026, 4, 13, 8, 0, tzinfo=dt.UTC)
_SLOT = re.compile(r"\{(\w):(\w+)\}")


@dataclass
class Planted:
    """What was said where, and what memory must and must not hold of it."""

    held: list[tuple[str, str, list[str]]] = field(default_factory=list)  # kind, project, words of one line
    gone: list[tuple[str, str, str, str]] = field(default_factory=list)  # project, old value, new value, day
    left: list[str] = field(default_factory=list)


def filled(chance: random.Random, *texts: str) -> list[str]:
    """The texts with their slots filled, the same word for the same slot."""
    chosen: dict[str, str] = {}
    for name, kind in dict.fromkeys(_SLOT.findall(" ".join(texts))):
        free = [word for word in LINES["words"][kind] if word not in chosen.values()]
        chosen[name] = chance.choice(free)
    return [_SLOT.sub(lambda m: chosen[m[1]], text) for text in texts]


def planted(chance: random.Random, sessions: int) -> tuple[list[list[tuple[str, str]]], Planted]:
    """The turns of each session, and what they mean."""
    talk: list[list[tuple[str, str]]] = [[] for _ in range(sessions)]
    meant = Planted()
    for kind, line, reply, hold in LINES["held"]:
        n = chance.randrange(sessions)
        typed, answer, held = filled(chance, line, reply, hold)
        talk[n].append((typed, answer))
        meant.held.append((kind, PROJECTS[n % 3], held.lower().split()))
    for i, change in enumerate(LINES["changed"]):
        n = chance.randrange(sessions // 3) * 3 + i % 3
        m = min(n + 3 * chance.randint(1, 5), sessions - 3 + i % 3)
        day = (START + dt.timedelta(days=m)).date()
        when, said = chance.choice(
            [("yesterday", day - dt.timedelta(1)), (f"{day - dt.timedelta(3):%A}", day - dt.timedelta(3))]
        )
        first, later, old, new = filled(chance, *change)
        when = f"last {when}" if when[0].isupper() else when
        talk[n].append((first, "OK."))
        talk[max(m, n + 3) if n + 3 < sessions else n].append((later.replace("{when}", when), "Noted."))
        meant.gone.append((PROJECTS[i % 3], old.lower(), new.lower(), said.isoformat()))
    for line, reply in LINES["left"]:
        word = "zq" + "".join(chance.choices("bcdfgklmnprtv", k=3)) + chance.choice(["ation", "ify", "Box", "_map"])
        talk[chance.randrange(sessions)].append((line.replace("{x}", word), reply.replace("{x}", word)))
        meant.left.append(word.lower())
    for turns in talk:
        chance.shuffle(turns)
        for _ in range(chance.randint(1, 4)):
            turns.insert(chance.randint(0, len(turns)), tuple(chance.choice(LINES["small"])))
    return talk, meant


def write(home: Path, chance: random.Random, talk: list[list[tuple[str, str]]]) -> None:
    """The sessions as transcripts below a home."""
    for n, turns in enumerate(talk):
        said = [one for typed, reply in turns for one in (("user", typed), ("assistant", reply))]
        write_session(home, chance, f"/home/ada/{PROJECTS[n % 3]}", START + dt.timedelta(days=n), said)


def write_session(home: Path, chance: random.Random, cwd: str, at: dt.datetime, said: list[tuple[str, str]]) -> None:
    """One session as Claude Code writes it: (role, text) by (role, text), forty seconds apart."""
    sid, parent, rows = str(uuid.UUID(int=chance.getrandbits(128), version=4)), None, []
    for role, text in said:
        at += dt.timedelta(seconds=40)
        row: dict[str, Any] = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": cwd,
            "sessionId": sid,
            "version": "2.1.4",
            "gitBranch": "main",
            "type": role,
            "uuid": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
        }
        row["timestamp"] = at.isoformat().replace("+00:00", "Z")
        row["message"] = {"role": role, "content": text if role == "user" else [{"type": "text", "text": text}]}
        if role == "assistant":
            row["message"] |= {"type": "message", "id": "msg_" + row["uuid"][:8], "model": "claude-sonnet-5-5"}
        rows.append(row)
        parent = row["uuid"]
    folder = home / ".claude/projects" / cwd.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{sid}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def dream(home: Path) -> None:
    """One dream by the installed command."""
    (home / "config.toml").write_text(
        f'[budget]\nmax_sessions_per_run = 5000\n[[sources]]\nagent = "claude-code"\nroot = "{home}/.claude/projects"\n'
    )
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TZ": "UTC"}
    command = [
        str(Path(sys.executable).parent / "dreamd"),
        "kick",
        "--engine",
        "offline",
        "--json",
        "--config",
        str(home / "config.toml"),
    ]
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def score(root: Path, meant: Planted) -> dict[str, float]:
    """The figures of one memory."""
    lines: list[tuple[str, str]] = []
    for path in sorted(root.rglob("*.md")):
        body = path.read_text().split("---\n", 2)[-1]
        lines += [
            (path.name, line.lower())
            for line in body.splitlines()
            if line.startswith(("- ", "  ")) and "](" not in line
        ]

    def holds(words: list[str], project: str) -> bool:
        return any(
            all(w in line for w in words) and (name.startswith((project, "MEMORY")) or "/" not in name)
            for name, line in lines
        )

    kinds: defaultdict[str, list[bool]] = defaultdict(list)
    for kind, project, words in meant.held:
        kinds[kind].append(holds(words, project))
    every = [one for found in kinds.values() for one in found]
    news = [[line for _, line in lines if new in line] for _, _, new, _ in meant.gone]
    stale = [any(old in line and new not in line for _, line in lines) for _, old, new, _ in meant.gone]
    leaks = [any(word in line for _, line in lines) for word in meant.left]
    figures = {"recall": sum(every) / len(every)} | {f"recall {k}": sum(v) / len(v) for k, v in kinds.items()}
    figures["changed values held"] = sum(map(bool, news)) / len(news)
    figures["stale values"] = sum(stale) / len(stale)
    figures["changes with their day"] = sum(
        any(g[3] in line for line in n) for g, n in zip(meant.gone, news, strict=True)
    ) / len(news)
    figures["leaks"] = sum(leaks) / len(leaks)
    return figures | {"lines": float(len(lines))}


def main() -> None:
    """Prints the mean of several seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--sessions", type=int, default=24)
    parser.add_argument("--show", action="store_true", help="print what was missed and what leaked")
    given = parser.parse_args()
    totals: defaultdict[str, list[float]] = defaultdict(list)
    for seed in given.seed:
        chance = random.Random(seed)
        with tempfile.TemporaryDirectory(prefix="dreamd-phrasings-") as folder:
            home = Path(folder)
            talk, meant = planted(chance, given.sessions)
            write(home, chance, talk)
            dream(home)
            for name, value in score(home / ".claude/memory", meant).items():
                totals[name].append(value)
            if given.show:
                for path in sorted((home / ".claude/memory").rglob("*.md")):
                    print(path.name, *path.read_text().splitlines(), sep="\n  ")
    for name, values in totals.items():
        print(f"{name:<24} {sum(values) / len(values):.3f}")


if __name__ == "__main__":
    main()
