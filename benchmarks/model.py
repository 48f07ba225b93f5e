"""What a dream with a model sends and costs, on a HOME of transcripts: `python benchmarks/model.py HOME [--findings N]`.

A server on loopback answers in the model's place: it keeps the first sentence that was typed in each new turn, at most N a
session, adds whatever it is asked to order, and counts tokens and a prompt cache as the real one would (by the bytes of what
was sent). Nothing leaves this machine. Prints tokens of the raw transcripts, tokens sent, the ratio, calls, the share of the
static prefix that was read from the cache, and the price by the packaged table.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from dreamd.app import opened
from dreamd.clock import FixedClock
from dreamd.config import Loaded, Places
from dreamd.context.tokens import estimate
from dreamd.dream.cycle import Dreamt, Order
from dreamd.engines.claude.prompts import prompt
from dreamd.settings import Config

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from dreamd.usage import Usage
from engines_claude import scripted

BYTES_PER_TOKEN = 2.1  # of transcripts as they lie on disk
PROSE = 2.9  # bytes a token of English prose, which the static prefix is


def answer(most: int) -> Any:
    """A model that keeps something of most sessions, as long as real findings are."""

    def respond(request: dict[str, Any]) -> dict[str, Any]:
        if scripted.pass_of(request) == "extract":
            made = []
            for name, words in scripted.turns_of(request).items():
                first = re.split(r"(?<=[.!?])\s|\n", words.strip())[0][:180]
                if len(first.split()) > 6 and len(made) < most:
                    made.append(scripted.finding(first, name, first))
            usage = counted(request, made)
            return {"json": {"findings": made}, "usage": usage}
        names = re.findall(r"^--- \w+ (f\d+) ", scripted.message_of(request), re.MULTILINE)
        made = [scripted.proposal("add", [name]) for name in names]
        return {"json": {"proposals": made}, "usage": counted(request, made)}

    seen: set[str] = set()

    def counted(request: dict[str, Any], made: list[Any]) -> dict[str, int]:
        prefix = json.dumps([request["model"], request["system"]])
        static = round(sum(len(block["text"]) for block in request["system"]) / PROSE)
        known = prefix in seen
        seen.add(prefix)
        return {
            "input_tokens": estimate(scripted.message_of(request)),
            "output_tokens": estimate(json.dumps(made)),
            "cache_read_input_tokens": static if known else 0,
            "cache_creation_input_tokens": 0 if known else static,
        }

    return respond


def dream(home: Path, url: str, sessions: int) -> tuple[list[Dreamt], float]:
    """Dreams until nothing is pending; (the dreams, seconds)."""
    config = Config.model_validate(
        {
            "engine": {"name": "claude", "base_url": url},
            "sources": [{"agent": "claude-code", "root": str(home / ".claude" / "projects")}],
            "budget": {"max_sessions_per_run": sessions},
            "transcripts": {"archive_after": "never"},
        }
    )
    state = home / ".local" / "state" / "dreamd"
    places = Places(home / "config.toml", state, state, home / ".claude" / "memory", home / ".claude")
    clock = FixedClock(dt.datetime.now(dt.UTC))
    start = time.monotonic()
    made = []
    with opened(Loaded(config, places, file_exists=False), clock=clock, zone=dt.UTC, home=home) as app:
        app.scan()
        clock.at += dt.timedelta(days=1)
        forecast = app.forecast()
        print(
            f"estimate beforehand: {forecast.cost.tokens:,} tokens, ${forecast.cost.usd:.4f} for {forecast.sessions} sessions"
        )
        for _ in range(20):
            dreamt = app.kick(Order())
            if dreamt.run is None or not dreamt.run.cost.tokens:
                break
            made.append(dreamt)
            clock.at += dt.timedelta(hours=1)
    return made, time.monotonic() - start


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, help="a home directory with .claude/projects")
    parser.add_argument("--findings", type=int, default=4, help="findings a session at most")
    parser.add_argument("--sessions", type=int, default=50, help="sessions a dream")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, scripted.serving(answer(given.findings)) as server:
        home = Path(folder)
        shutil.copytree(
            given.home / ".claude" / "projects", home / ".claude" / "projects", copy_function=shutil.copyfile
        )
        size = sum(path.stat().st_size for path in home.rglob("*.jsonl"))
        dreams, seconds = dream(home, server.url, given.sessions)
    total = sum((one.run.cost for one in dreams if one.run), Usage())
    sent = total.input + total.cache_read + total.cache_write
    fresh = total.input + total.cache_write
    raw = size / BYTES_PER_TOKEN
    calls = {name: len(server.of(name)) for name in ("extract", "reconcile")}
    largest = max(estimate(json.dumps(one["messages"], ensure_ascii=False)) for one in server.requests)
    gathered = sum(one.run.sessions.gathered for one in dreams if one.run)
    print(
        f"raw transcripts: {size / 1e6:.1f} MB, about {raw:,.0f} tokens; {gathered} sessions read in {len(dreams)} dreams, {seconds:.0f} s"
    )
    print(
        f"sent: {sent:,} tokens (1/{raw / sent:.0f}), without what was read from the cache {fresh:,} (1/{raw / fresh:.0f})"
    )
    print(f"written by the model: {total.output:,} tokens")
    print(
        f"calls: {calls['extract']} extract, {calls['reconcile']} reconcile; largest message {largest:,} tokens by estimate"
    )
    static = total.cache_read + total.cache_write
    print(f"target: at most 1/50 of the raw tokens sent: {'reached' if raw / sent >= 50 else 'MISSED'}")
    print(
        f"target: at least 80 % of the static prefix from the cache: {'reached' if total.cache_read / static >= 0.8 else 'MISSED'}"
    )
    print(
        f"static prefix ({len(prompt('extract').static_text) / PROSE:,.0f} + {len(prompt('reconcile').static_text) / PROSE:,.0f} tokens): {total.cache_read / static:.0%} read from the cache"
    )
    print(f"price: ${total.usd:.4f} in all, ${total.usd / max(1, len(dreams)):.4f} a dream")


if __name__ == "__main__":
    main()
