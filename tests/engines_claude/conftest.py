"""A scripted server and a world whose engine asks it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest

from dreamd.engines.claude.caller import Patience
from dreamd.engines.claude.client import Sdk
from dreamd.engines.claude.engine import ClaudeEngine
from dreamd.engines.claude.limits import Limits
from dreamd.engines.claude.prices import Prices
from dreamd.engines.claude.providers import anthropic_client
from dreamd.engines.protocol import Digest, Turn
from dreamd.transcripts.event import Origin, Role
from engines_claude.scripted import Server, serving
from world import World

DAY = dt.datetime(2026, 12, 1, 9, 0, tzinfo=dt.UTC)
KEY = "test-key-of-nobody"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        yield made


@pytest.fixture
def waits() -> list[float]:
    """What the engine would have slept."""
    return []


@pytest.fixture
def engine(server: Server, waits: list[float]) -> Iterator[ClaudeEngine]:
    made = make_engine(server, waits)
    yield made
    made.end()


def make_engine(
    server: Server,
    waits: list[float],
    *,
    limits: Limits | None = None,
    timeout: float = 20.0,
    reader: str = "claude-haiku-5-5",
) -> ClaudeEngine:
    return ClaudeEngine(
        Sdk(lambda: anthropic_client(KEY, server.url, timeout)),
        gather_model=reader,
        consolidate_model="claude-sonnet-5-5",
        prices=Prices.on(DAY.date()),
        limits=limits,
        patience=Patience(sleep=waits.append),
    )


@pytest.fixture
def world(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> World:
    """A home at noon on 2026-03-10 whose configuration says claude."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    made = World(tmp_path / "home")
    made.settings["engine"] = {"name": "claude", "base_url": server.url}
    return made


def session(*turns: tuple[str, str] | str, fresh: tuple[int, ...] | None = None, name: str = "orchard") -> Digest:
    """A digest: a string is a person's turn, a pair is ("agent" | origin, words)."""
    made = []
    for number, one in enumerate(turns):
        who, text = ("person", one) if isinstance(one, str) else one
        agent = who == "agent"
        made.append(
            Turn(
                id=f"uuid-{number}",
                at=DAY + dt.timedelta(minutes=number),
                role=Role.ASSISTANT if agent else Role.HUMAN,
                origin=Origin.MODEL if agent else Origin.TYPED,
                text=text,
                path="/t.jsonl",
                offset=number,
            )
        )
    people = [number for number, one in enumerate(turns) if isinstance(one, str)]
    return Digest(
        session_id="s1",
        agent="claude-code",
        project_key="/home/sam/work/orchard",
        project_name=name,
        turns=tuple(made),
        fresh=frozenset(f"uuid-{number}" for number in (people if fresh is None else fresh)),
        zone=dt.UTC,
    )
