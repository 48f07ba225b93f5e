"""Living beside Claude Code's own memory: read to avoid repeating it, never written, never learned from."""

import datetime as dt
import json
from pathlib import Path

import pytest

from dreamd.briefing.hook import answer
from dreamd.briefing.own_memory import own_memory
from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.event import Role
from world import World

ORCHARD = "/home/sam/work/orchard"
NOTES = "# Memory index\n\n- [pnpm](feedback_pnpm.md) — We always use pnpm in this repo, never npm\n- The staging host is heron-4.\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / "home")
    world.say("We always use pnpm in this repo, never npm.", "The API port is 8282.")
    world.kick()
    return world


def notes(world: World) -> Path:
    path = world.transcripts / "-home-sam-work-orchard" / "memory" / "MEMORY.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(NOTES, encoding="utf-8")
    return path


def told(world: World, directory: str = ORCHARD) -> str:
    raw = json.dumps({"cwd": directory})
    text: str = json.loads(answer(raw, world.loaded()))["hookSpecificOutput"]["additionalContext"]
    return text.partition("# This project")[2].partition("# Last sessions")[0]


def test_what_its_index_says_is_not_repeated(world: World) -> None:
    assert "pnpm" in told(world)
    before = notes(world).stat().st_mtime_ns
    assert "pnpm" not in told(world)
    assert "8282" in told(world)
    path = notes(world)
    assert (path.read_text(), [one.name for one in path.parent.iterdir()]) == (NOTES, ["MEMORY.md"])
    assert before


@pytest.mark.parametrize("off", ["settings", "variable", "other project"])
def test_where_it_is_not_loaded_nothing_is_left_out(world: World, off: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = notes(world)
    if off == "settings":
        (world.home / ".claude" / "settings.json").write_text('{"autoMemoryEnabled": false}')
    elif off == "variable":
        monkeypatch.setenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")
    else:
        path.parent.parent.rename(path.parent.parent.with_name("-home-sam-work-meadow"))
    assert "pnpm" in told(world)


@pytest.mark.parametrize("harm", ["directory", "bytes", "settings"])
def test_an_index_that_cannot_be_read_says_nothing(world: World, harm: str) -> None:
    path = notes(world)
    if harm == "directory":
        path.unlink()
        path.mkdir()
    elif harm == "bytes":
        path.write_bytes(b"\xff\xfe\x00" * 50_000)
    else:
        (world.home / ".claude" / "settings.json").write_text("{ no json")
    assert "8282" in told(world)


def test_only_what_the_client_loads_counts(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-x" / "memory"
    folder.mkdir(parents=True)
    lines = [f"- Note number {n} about herons on roofs.\n" for n in range(300)]
    (folder / "MEMORY.md").write_text("".join(lines))
    own = own_memory(tmp_path, "/x")
    assert own.tells("Note number 199 about herons on roofs")
    assert not own.tells("Note number 250 about herons on roofs")
    assert not own.tells("herons")
    assert own.tells("Note about herons on roofs.")
    assert not own.tells("Roofs on herons about note.")


def test_notes_that_a_transcript_shows_are_not_learned(world: World) -> None:
    """As the client writes them: instructions, a reminder in the first message, a read of the file, a write to it."""
    before = world.tree()
    world.later(hours=5)
    path = world.say("Go on, please.", session=9)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    base = {key: lines[0][key] for key in ("sessionId", "cwd", "timestamp", "version", "entrypoint", "isSidechain")}
    said = "We never deploy on Fridays."
    block = f"<system-reminder>\nContents of {path.parent}/memory/MEMORY.md (user's auto-memory):\n\n- {said}\n</system-reminder>"
    shown = [
        {"type": "attachment", "uuid": "a1", "attachment": {"type": "instructions", "content": said}},
        {"type": "api-request-blob", "uuid": "a2", "message": {"role": "user", "content": block}},
        {
            "type": "user",
            "uuid": "a3",
            "promptSource": "typed",
            "message": {"role": "user", "content": f"{block}\nGo on."},
        },
        {
            "type": "assistant",
            "uuid": "a4",
            "message": {
                "id": "m9",
                "role": "assistant",
                "model": "claude-test",
                "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "MEMORY.md"}}],
            },
        },
        {
            "type": "user",
            "uuid": "a5",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": f"1\t- {said}"}],
            },
        },
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in ([base | one for one in shown] + lines)))
    human = [event.text for event in ADAPTERS["claude-code"].read(path) if event.role is Role.HUMAN]
    assert human == ["Go on.", "Go on, please."]
    run = world.kick()
    assert run.ended_at is not None
    assert world.tree() == before
    assert world.clock.at > dt.datetime(2026, 3, 10, tzinfo=dt.UTC)
