"""How fast turns are indexed and found again: `python benchmarks/search.py [--turns N]`."""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import random
import statistics
import tempfile
import time
from pathlib import Path

from dreamd.search.index import Index, SessionDoc, TurnDoc

AT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
PROJECTS = [f"project-{n}" for n in range(40)]
VOCABULARY = 60_000
SESSION = 200  # turns


def vocabulary(rand: random.Random) -> list[str]:
    """Words, identifiers and paths; the first ones are the most frequent, as in any language."""
    syllables = [a + b for a in "bcdfghklmnprstvw" for b in "aeiou"]
    words = ["".join(rand.choice(syllables) for _ in range(rand.randint(1, 4))) for _ in range(VOCABULARY)]
    for place in range(50, VOCABULARY, 11):
        words[place] = f"{words[place]}_{words[place - 1]}"
    for place in range(53, VOCABULARY, 17):
        words[place] = f"src/{words[place]}/{words[place - 2]}.py"
    return words


def main() -> None:
    """Prints turns indexed a second, the file's size, and the latency of queries by kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--file", type=Path, help="keep the index here and use it again")
    asked = parser.parse_args()
    rand = random.Random(7)
    words = vocabulary(rand)
    weights = list(itertools.accumulate(1 / (n + 2) for n in range(VOCABULARY)))
    with tempfile.TemporaryDirectory() as folder:
        path = asked.file or Path(folder) / "search.db"
        index = Index(path)
        if index.counts()[2] < asked.turns:
            fill(index, words, weights, asked.turns)
        print(f"{index.counts()[2]} turns, {path.stat().st_size / 1e6:.0f} MB")
        measure(index, words, weights, asked.queries)


def fill(index: Index, words: list[str], weights: list[float], turns: int) -> None:
    """Sessions of 200 turns of 5 to 60 words."""
    rand = random.Random(11)
    began = time.perf_counter()
    making = 0.0
    for number in range(turns // SESSION):
        start = time.perf_counter()
        docs = [
            TurnDoc(AT + dt.timedelta(minutes=number * SESSION + n), "human", " ".join(rand.choices(words, cum_weights=weights, k=rand.randint(5, 60))), n)
            for n in range(SESSION)
        ]  # fmt: skip
        making += time.perf_counter() - start
        project = PROJECTS[int(len(PROJECTS) * rand.random() ** 2)]
        index.update_session(
            SessionDoc(f"claude-code:{number}", "claude-code", project, project, f"/t/{number}"), docs, "1"
        )
    seconds = time.perf_counter() - began - making
    print(f"indexed {turns / seconds:.0f} turns/s")


def measure(index: Index, words: list[str], weights: list[float], queries: int) -> None:
    """Latency in process, p50 and p95 in ms."""
    rand = random.Random(13)
    kinds = {
        "four words as they come": lambda: " ".join(rand.choices(words, cum_weights=weights, k=4)),
        "four common words": lambda: " ".join(rand.sample(words[:40], 4)),
        "two rare words": lambda: " ".join(rand.sample(words[20_000:], 2)),
        "a path": lambda: words[53 + 17 * rand.randrange(3000)],
        "a prefix": lambda: words[100 + rand.randrange(5000)][:5] + "*",
        "ten words": lambda: " ".join(rand.choices(words, cum_weights=weights, k=10)),
    }
    every: list[float] = []
    for name, make in kinds.items():
        every += report(name, [index.query(make()).took_ms for _ in range(queries)])
    report("common, one project", [index.query(kinds["four common words"](), project=rand.choice(PROJECTS)).took_ms for _ in range(queries)])  # fmt: skip
    since = AT + dt.timedelta(days=30)
    report(
        "as they come, since",
        [index.query(kinds["four words as they come"](), since=since).took_ms for _ in range(queries)],
    )
    report("all without filters", every)


def report(name: str, times: list[float]) -> list[float]:
    """One line of the table."""
    cuts = statistics.quantiles(times, n=20)
    print(f"{name:26} p50 {cuts[9]:7.1f} ms   p95 {cuts[18]:7.1f} ms")
    return times


if __name__ == "__main__":
    main()
