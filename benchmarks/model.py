"""What a dream with a model sends and costs, on a HOME of transcripts: `python benchmarks/model.py HOME [--findings N] [--long TURNS]`.

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
import uuid
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
from engines_claude.prompt_cache import PromptCache

BYTES_PER_TOKEN = 2.1  # of transcripts as they lie on disk
PROSE = 2.9  # bytes a token of English prose, which the static prefix is
_INSTRUCTIONS = {
    section.text for name in ("extract", "summarise", "reconcile") for section in prompt(name).static if section.text
}


def answer(most: int) -> Any:
    """A model that keeps something of most sessions, as long as real findings are."""

    def respond(request: dict[str, Any]) -> dict[str, Any]:
        if scripted.pass_of(request) == "summarise":
            summary = "The person works on it and says how. " * 60
            return {"text": summary, "usage": counted(request, summary)}
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

    cache = PromptCache(tokens, least=1_024)

    def counted(request: dict[str, Any], made: Any) -> dict[str, int]:
        return cache.usage(request) | {"output_tokens": estimate(json.dumps(made))}

    return respond


def tokens(text: str) -> int:
    """Of the instructions as prose, of all else as an estimate has it."""
    return round(len(text) / PROSE) if text in _INSTRUCTIONS else estimate(text)


def long_session(home: Path, turns: int) -> None:
    """One session with so many long prompts instead of a given HOME's."""
    folder = home / ".claude" / "projects" / "-home-sam-work-orchard"
    folder.mkdir(parents=True)
    start = dt.datetime(2026, 3, 1, 9, 0, tzinfo=dt.UTC)
    with (folder / f"{uuid.UUID(int=1)}.jsonl").open("w", encoding="utf-8") as file:
        before = None
        for number in range(turns):
            words = f"Rule {number} of orchard: always name the branch after ticket {number} before pushing. "
            words += " ".join(f"Case {case} of it is about crate {number * 31 + case}." for case in range(40))
            name = str(uuid.UUID(int=100 + number))
            line = {
                "type": "user",
                "uuid": name,
                "parentUuid": before,
                "sessionId": str(uuid.UUID(int=1)),
                "timestamp": (start + dt.timedelta(minutes=number)).isoformat().replace("+00:00", "Z"),
                "cwd": "/home/sam/work/orchard",
                "version": "2.1.332",
                "userType": "external",
                "isSidechain": False,
                "message": {"role": "user", "content": words},
            }
            file.write(json.dumps(line) + "\n")
            before = name


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
    parser.add_argument("home", type=Path, nargs="?", help="a home directory with .claude/projects")
    parser.add_argument("--long", type=int, default=0, help="instead of HOME, one session of so many long prompts")
    parser.add_argument("--findings", type=int, default=4, help="findings a session at most")
    parser.add_argument("--sessions", type=int, default=50, help="sessions a dream")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, scripted.serving(answer(given.findings)) as server:
        home = Path(folder)
        if given.home is None:
            long_session(home, given.long or 80)
        else:
            source = given.home / ".claude" / "projects"
            shutil.copytree(source, home / ".claude" / "projects", copy_function=shutil.copyfile)
        size = sum(path.stat().st_size for path in home.rglob("*.jsonl"))
        dreams, seconds = dream(home, server.url, given.sessions)
    total = sum((one.run.cost for one in dreams if one.run), Usage())
    sent = total.input + total.cache_read + total.cache_write
    fresh = total.input + total.cache_write
    raw = size / BYTES_PER_TOKEN
    calls = {name: len(server.of(name)) for name in ("extract", "summarise", "reconcile")}
    largest = max(estimate(json.dumps(one["messages"], ensure_ascii=False)) for one in server.requests)
    gathered = sum(one.run.sessions.gathered for one in dreams if one.run)
    print(
        f"raw transcripts: {size / 1e6:.1f} MB, about {raw:,.0f} tokens; {gathered} sessions read in {len(dreams)} dreams, {seconds:.0f} s"
    )
    print(
        f"sent: {sent:,} tokens (1/{raw / sent:.0f}), without what was read from the cache {fresh:,} (1/{raw / fresh:.0f})"
    )
    print(
        f"input {total.input:,}, written to the cache {total.cache_write:,}, read from it {total.cache_read:,}, "
        f"written by the model {total.output:,} tokens"
    )
    print(
        f"calls: {calls['extract']} extract, {calls['summarise']} summarise, {calls['reconcile']} reconcile; largest message {largest:,} tokens by estimate"
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
