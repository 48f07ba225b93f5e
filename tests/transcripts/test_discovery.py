"""Where transcripts lie, and what beside them is none."""

from pathlib import Path

from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.event import Cursor
from transcripts.claude_lines import SESSION, number, result, user, write


def found(root: Path) -> list[tuple[str, str, str]]:
    """Kind, session and path below the root."""
    return sorted(
        (file.kind, file.session_id, Path(file.path).relative_to(root).as_posix())
        for file in ClaudeCode().discover(root)
    )


def put(path: Path, content: str = "") -> None:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def test_a_missing_root_holds_nothing(tmp_path: Path) -> None:
    assert found(tmp_path / "nowhere") == []


def test_all_layouts_of_sub_agents_belong_to_their_session(tmp_path: Path) -> None:
    folder = write(tmp_path, user(1, "hello")).parent
    write(tmp_path, user(2, "look", isSidechain=True), session="agent-1a2b3c4d")
    for name in ("agent-a1.jsonl", "agent-acompact-x.jsonl", "workflows/wf_1/agent-b2.jsonl"):
        put(folder / SESSION / "subagents" / name)
    assert [(kind, session) for kind, session, _ in found(tmp_path)] == [("main", SESSION)] + [
        ("subagent", SESSION)
    ] * 4


def test_nothing_else_is_a_transcript(tmp_path: Path) -> None:
    folder = write(tmp_path, user(1, "hello")).parent
    for name in (
        "memory/MEMORY.md",
        f"memory/{number(9)}.jsonl",
        f"{SESSION}/tool-results/{number(8)}.jsonl",
        f"{SESSION}/subagents/journal.jsonl",
        f"{SESSION}/subagents/agent-a.meta.json",
        f".tmp-{SESSION}",
        f"{SESSION}.jsonl.tmp",
        "notes.jsonl",
        "sessions-index.json",
        f"../{number(7)}.jsonl",
    ):
        put(folder / name)
    assert len(found(tmp_path)) == 1


def test_links_are_followed_once(tmp_path: Path) -> None:
    folder = write(tmp_path, user(1, "hello")).parent
    (tmp_path / "alias").symlink_to(folder, target_is_directory=True)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    nested = folder / SESSION / "subagents" / "deep"
    nested.mkdir(parents=True)
    (nested / "up").symlink_to(folder / SESSION / "subagents", target_is_directory=True)
    put(nested / "agent-a1.jsonl")
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    put(elsewhere / f"{number(5)}.jsonl")
    (tmp_path / "moved").symlink_to(elsewhere, target_is_directory=True)
    assert [path for _, _, path in found(tmp_path)] == [
        f"-home-sam-work-orchard/{SESSION}.jsonl",
        f"moved/{number(5)}.jsonl",
        f"-home-sam-work-orchard/{SESSION}/subagents/deep/agent-a1.jsonl",
    ]


def test_the_registry_knows_the_agent_by_its_name() -> None:
    assert ADAPTERS["claude-code"].agent == "claude-code"
    assert "2.1.332" in ADAPTERS["claude-code"].verified_with


def test_titles_repository_and_first_directory_are_found(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"type": "custom-title", "customTitle": "old"},
        user(1, "hello", entrypoint="cli"),
        result(2, "ok", cwd="/elsewhere"),
        {"type": "pr-link", "prRepository": "acme/orchard"},
        {"type": "ai-title", "aiTitle": "by a model"},
        {"type": "custom-title", "customTitle": "Ours"},
    )
    (file,) = ClaudeCode().discover(tmp_path)
    reading = ClaudeCode().scan(file, Cursor())
    assert (reading.title, reading.repository, reading.first_cwd) == ("Ours", "acme/orchard", "/home/sam/work/orchard")
    assert (reading.version, reading.branch, reading.entrypoint, reading.lineage) == (
        "2.1.20",
        "main",
        "cli",
        number(1),
    )
    assert path.exists()
