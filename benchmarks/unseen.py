"""What the offline engine makes of turns that its rules and weights were not made of: `python benchmarks/unseen.py [--show]`.

`unseen/*-dev.json` were looked at while the engine was changed, `unseen/*-held.json` only counted. Each holds what lasts (with the
words that one line of memory must hold), values that change, and turns that end with the task (with a word that gives a leak away).
Every turn is typed into a session of its project, the agent's words around it, and one dream by the installed command reads them all.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from offline import dream
from phrasings import START, write_session

Said = tuple[str, str]
HERE = Path(__file__).parent / "unseen"
DAYS = 12


def spread(told: dict[str, Any], chance: random.Random) -> dict[tuple[str, int], list[list[Said]]]:
    """The exchanges of each project and day; a change some days after what it changes."""
    projects = sorted({one["project"] for one in told["lasts"]})
    talk: defaultdict[tuple[str, int], list[list[Said]]] = defaultdict(list)

    def put(project: str, day: int, one: dict[str, str], typed: str) -> None:
        asked: list[Said] = (
            [("user", "go on with the next step"), ("assistant", one["before"])] if one.get("before") else []
        )
        talk[project, day].append([*asked, ("user", typed), ("assistant", one.get("reply") or "OK.")])

    for one in told["lasts"]:
        put(one["project"], chance.randrange(DAYS), one, one["typed"])
    for one in told["changed"]:
        project, first = one.get("project") or projects[0], chance.randrange(5)
        put(project, first, {}, one["first"])
        put(project, first + chance.randrange(2, 6), {}, one["later"])
    for one in told["leaves"]:
        put(chance.choice(projects), chance.randrange(DAYS), one, one["typed"])
    for exchanges in talk.values():
        chance.shuffle(exchanges)
    return dict(talk)


def lines(root: Path) -> list[str]:
    """What memory holds, lower case."""
    texts = (path.read_text(encoding="utf-8").split("---\n", 2)[-1] for path in sorted(root.rglob("*.md")))
    return [
        line.lower()
        for text in texts
        for line in text.splitlines()
        if line.startswith(("- ", "  ")) and "](" not in line
    ]


def score(told: dict[str, Any], memory: list[str]) -> dict[str, float]:
    """The figures of one set."""
    kinds: defaultdict[str, list[bool]] = defaultdict(list)
    for one in told["lasts"]:
        needed, barred = [w.lower() for w in one["need"]], [w.lower() for w in one.get("not") or ()]
        held = any(all(w in line for w in needed) and not any(w in line for w in barred) for line in memory)
        for name in ("lasts", one["kind"], f"in {one.get('lang', 'en')}"):
            kinds[name].append(held)
    changed = [(one["old"].lower(), one["new"].lower()) for one in told["changed"]]
    kinds["changed: new value held"] = [any(new in line for line in memory) for _, new in changed]
    kinds["changed: old one stands"] = [any(old in line and new not in line for line in memory) for old, new in changed]
    kinds["leaks"] = [any(one["word"].lower() in line for line in memory) for one in told["leaves"]]
    return {name: sum(found) / len(found) for name, found in sorted(kinds.items())} | {"lines": float(len(memory))}


def main() -> None:
    """Prints the figures of each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print the memory of the sets that may be looked at")
    given = parser.parse_args()
    for path in sorted(HERE.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory(prefix="dreamd-unseen-") as folder:
            home = Path(folder)
            chance = random.Random(7)
            for (project, day), exchanges in sorted(spread(told, random.Random(5)).items()):
                said = [one for exchange in exchanges for one in exchange]
                write_session(home, chance, f"/home/ada/{project}", START + dt.timedelta(days=day), said)
            dream(home)
            memory = lines(home / ".claude/memory")
        print(f"{path.stem}:", "; ".join(f"{name} {value:.2f}" for name, value in score(told, memory).items()))
        if given.show and path.stem.endswith("-dev"):
            print(*memory, sep="\n")


if __name__ == "__main__":
    main()
