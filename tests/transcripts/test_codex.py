"""Codex rollouts of every era: what a person said is read once, and nothing else is taken for theirs."""

import shutil
from pathlib import Path

import pytest
import zstandard

from dreamd.transcripts.codex import Codex
from dreamd.transcripts.event import Cursor, Growth, Origin, Role
from shared_material import shared
from transcripts.codex_lines import (
    CWD,
    ID,
    T0,
    answered,
    at,
    completed,
    dump,
    event,
    item,
    line,
    meta,
    path_of,
    said,
    scan,
    told,
    turn_id,
    write,
)

OTHER = "019c0000-0000-7000-8000-00000000000b"
THIRD = "019c0000-0000-7000-8000-00000000000c"
CONTEXT = f"<environment_context>\n  <cwd>{CWD}</cwd>\n</environment_context>"


def test_words_that_are_logged_twice_are_read_once(tmp_path: Path) -> None:
    path = write(tmp_path, meta(), *said("Ship on Fridays.", 1), *answered("Fridays it is.", 2))
    assert told(path) == [("typed", "Ship on Fridays."), ("assistant", "Fridays it is.")]


def test_of_a_paginated_history_the_completed_items_are_read(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        meta(history_mode="paginated"),
        event("task_started", 1, turn_id=turn_id(1)),
        item("user", "# AGENTS.md instructions for x", CONTEXT, second=1),
        item("user", "use ruff", second=1),
        completed("UserMessage", "use ruff", 1),
        completed("AgentMessage", "Looking.", 2),
        item("assistant", "Looking.", second=2),
        completed("AgentMessage", "Done.", 3),
        event("task_complete", 3, turn_id=turn_id(1), last_agent_message="Done."),
    )
    assert told(path) == [("typed", "use ruff"), ("assistant", "Done.")]


def test_bare_items_without_envelope_are_read_with_the_directory_of_their_context(tmp_path: Path) -> None:
    """Before September 2025: no envelope, no cwd in the first line, no time on the others."""
    bare = [
        {"id": ID, "timestamp": at(), "instructions": None, "git": {"branch": "trunk"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": CONTEXT}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "tabs, please"}]},
        {"type": "reasoning", "summary": [], "encrypted_content": "x"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Tabs."}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "yes"}]},
    ]
    path = write(tmp_path, *bare)
    assert told(path) == [("typed", "tabs, please"), ("assistant", "Tabs."), ("typed", "yes")]
    reading = scan(path)
    assert (reading.first_cwd, reading.branch, reading.lineage, reading.bad_lines) == (CWD, "trunk", ID, 0)
    assert {turn.at for turn in reading.turns} == {T0}
    assert not reading.unknown_types


def test_where_no_event_repeats_them_the_words_of_the_models_view_count(tmp_path: Path) -> None:
    path = write(tmp_path, meta(), item("user", "use uv", second=1), item("assistant", "uv.", second=2))
    assert told(path) == [("typed", "use uv"), ("assistant", "uv.")]


@pytest.mark.parametrize(
    "text",
    [
        "# AGENTS.md instructions for /home/sam/x\n\nuse tabs",
        CONTEXT,
        "<user_instructions>\nuse tabs\n</user_instructions>",
        "<permissions instructions>all</permissions instructions>",
        "<skill>\n<name>worktree</name>\n</skill>",
        "<turn_aborted>\nThe user interrupted\n</turn_aborted>",
        "## User Input\n\nuse tabs",
    ],
)
def test_what_the_client_puts_into_the_persons_place_is_not_theirs(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, meta(), item("user", text, second=1), *answered("ok", 2))
    assert told(path) == [("assistant", "ok")]
    kept = [one for one in Codex().read(path) if one.origin is Origin.INJECTED]
    assert [one.role for one in kept] == [Role.SYSTEM]


def test_the_kinds_of_content_tell_whose_it_is(tmp_path: Path) -> None:
    noted = {"turn_id": turn_id(1), "content_item_kinds": ["hooks.context", "user.text"]}
    path = write(
        tmp_path,
        meta(),
        item("user", "deploys on Fridays", "say it", second=1, internal_chat_message_metadata_passthrough=noted),
        item("assistant", "It.", second=2),
    )
    assert told(path) == [("typed", "say it"), ("assistant", "It.")]


def test_an_editors_context_is_cut_off(tmp_path: Path) -> None:
    text = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nrename it"
    assert told(write(tmp_path, meta(source="vscode"), *said(text, 1))) == [("typed", "rename it")]


def test_words_typed_while_the_agent_works_are_marked_so(tmp_path: Path) -> None:
    path = write(
        tmp_path, meta(), *said("begin", 1), event("user_message", 5, message="wait, not main"), *answered("Ok.", 9)
    )
    assert told(path) == [("typed", "begin"), ("queued", "wait, not main"), ("assistant", "Ok.")]


def test_a_compacted_history_is_no_new_turn(tmp_path: Path) -> None:
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "use ruff"}]}]
    path = write(
        tmp_path,
        meta(),
        *said("use ruff", 1),
        *answered("ok", 2),
        line("response_item", item("assistant", "SUMMARY")["payload"], 3, metadata={"compaction_output": True}),
        line("compacted", {"message": "They use ruff.", "replacement_history": history}, 3),
        *said("go on", 4),
    )
    assert told(path) == [("typed", "use ruff"), ("assistant", "ok"), ("typed", "go on")]
    assert [one.text for one in Codex().read(path) if one.role is Role.SUMMARY] == ["They use ruff."]


def test_turns_that_were_taken_back_are_neither_counted_nor_told(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        meta(),
        *said("keep", 1),
        *answered("kept", 2),
        *said("call it gull", 3),
        *answered("gull", 4),
        event("thread_rolled_back", 5, num_turns=1),
        *said("call it tern", 6),
    )
    assert told(path) == [("typed", "keep"), ("assistant", "kept"), ("typed", "call it tern")]


def test_a_turn_that_was_counted_and_taken_back_later_makes_the_file_count_anew(tmp_path: Path) -> None:
    lines = [meta(), *said("keep", 1), *said("call it gull", 3)]
    path = write(tmp_path, *lines)
    codex = Codex()
    first = scan(path, codex=codex)
    assert len(first.turns) == 2
    write(tmp_path, *lines, event("thread_rolled_back", 5, num_turns=1))
    second = scan(path, first.cursor, codex=codex)
    assert second.growth is Growth.REWRITTEN
    assert [turn.id for turn in second.turns] == [first.turns[0].id]


@pytest.mark.parametrize("source", ["exec", "mcp"])
def test_a_scripts_prompt_is_headless(tmp_path: Path, source: str) -> None:
    path = write(tmp_path, meta(source=source), *said("run", 1))
    assert told(path) == [("headless", "run")]
    assert scan(path).headless


def test_the_screen_that_calls_itself_an_editor_is_a_persons(tmp_path: Path) -> None:
    assert not scan(write(tmp_path, meta(source="vscode"), *said("hello there", 1))).headless


def test_a_persons_turn_in_a_scripts_session_is_theirs(tmp_path: Path) -> None:
    started = event("task_started", 5, turn_id=turn_id(5), turn_attribution={"turn_trigger": "user"})
    path = write(
        tmp_path, meta(source="exec"), *said("run", 1), started, event("user_message", 5, message="now by hand")
    )
    assert told(path) == [("headless", "run"), ("typed", "now by hand")]


@pytest.mark.parametrize(
    "more",
    [
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": OTHER, "depth": 1}}}},
        {"source": {"subagent": "review"}},
        {"source": {"internal": "x"}},
        {"thread_source": "memory_consolidation"},
        {"thread_source": "subagent"},
    ],
)
def test_nobody_speaks_in_a_sub_agents_or_the_clients_own_thread(tmp_path: Path, more: dict[str, object]) -> None:
    path = write(tmp_path, meta(**more), *said("look at the tests", 1), *answered("I looked.", 2))
    reading = scan(path)
    assert (reading.turns, reading.headless_turns, reading.headless) == ((), (), True)
    spoken = [one for one in Codex().read(path) if one.text]
    assert {one.origin for one in spoken} == {Origin.SIDECHAIN}


def test_a_fork_that_replays_its_parent_has_its_turns_and_its_times(tmp_path: Path) -> None:
    """Codex writes the fork's time on every replayed line; the turn's id tells the true one."""
    parent = write(tmp_path, meta(), *said("use ruff", 1), *answered("ok", 2))
    replayed = [{**one, "timestamp": at(500)} for one in [meta(), *said("use ruff", 1), *answered("ok", 2)]]
    fork = write(tmp_path, meta(OTHER, 500, forked_from_id=ID), *replayed, *said("in the fork", 501), session=OTHER)
    first, second = scan(parent), scan(fork)
    assert second.turns[0].id == first.turns[0].id
    assert second.turns[0].at == first.turns[0].at
    assert len(second.turns) == 2
    assert (first.lineage, second.lineage, second.boundaries) == (ID, ID, (OTHER,))


def test_replayed_turns_of_the_oldest_forks_have_the_same_ids(tmp_path: Path) -> None:
    """There the lines have no turn ids."""
    turn = [item("user", "use ruff", second=1), event("user_message", 1, message="use ruff")]
    parent = write(tmp_path, meta(), *turn, *turn)
    again = [{**one, "timestamp": at(500)} for one in [meta(), *turn, *turn]]
    fork = write(tmp_path, meta(OTHER, 500, forked_from_id=ID), *again, session=OTHER)
    middle = meta(OTHER, 500, forked_from_id=ID)
    forked_again = write(tmp_path, meta(THIRD, 900, forked_from_id=OTHER), middle, *again, session=THIRD)
    ids = [[one.id for one in scan(path).turns] for path in (parent, fork, forked_again)]
    assert len(set(ids[0])) == 2
    assert ids[0] == ids[1] == ids[2]


def test_a_compressed_rollout_is_read_whatever_its_name(tmp_path: Path) -> None:
    data = dump([meta(), *said("use ruff", 1), *answered("ok", 2)])
    plain = path_of(tmp_path)
    plain.parent.mkdir(parents=True)
    plain.write_bytes(data)
    before = scan(plain)
    packed = plain.with_name(plain.name + ".zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress(data))
    plain.unlink()
    [file] = Codex().discover(tmp_path)
    after = Codex().scan(file, Cursor())
    assert file.session_id == ID
    assert after.turns == before.turns
    assert after.cursor.consumed == len(data)
    assert Codex().scan(file, after.cursor, settled=True).growth is Growth.UNCHANGED
    packed.rename(plain)
    assert told(plain) == [("typed", "use ruff"), ("assistant", "ok")]


def test_a_damaged_compressed_rollout_gives_what_can_be_had(tmp_path: Path) -> None:
    data = dump([meta(), *said("use ruff", 1)] + [item("developer", f"filler {n * n}") for n in range(20_000)])
    path = path_of(tmp_path).with_suffix(".jsonl.zst")
    path.parent.mkdir(parents=True)
    packed = zstandard.ZstdCompressor().compress(data)
    path.write_bytes(packed[: len(packed) * 2 // 3])
    assert len(scan(path).turns) == 1


def test_a_tools_output_and_failure_are_told(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        meta(),
        *said("try", 1),
        line("response_item", {"type": "function_call", "name": "exec_command", "call_id": "c1", "arguments": "{}"}),
        line(
            "response_item",
            {"type": "function_call_output", "call_id": "c1", "output": "Process exited with code 3\nOutput:\noops"},
        ),
        line("response_item", {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2", "input": "x"}),
        line(
            "response_item",
            {
                "type": "custom_tool_call_output",
                "call_id": "c2",
                "output": '{"output":"Success","metadata":{"exit_code":0}}',
            },
        ),
    )
    tools = [(one.tool, one.text.splitlines()[-1], one.is_error) for one in Codex().read(path) if one.role is Role.TOOL]
    assert tools == [("exec_command", "oops", True), ("apply_patch", "Success", False)]


def test_an_unreadable_remote_names_no_repository(tmp_path: Path) -> None:
    git = {"branch": "main", "repository_url": "https://github.com/..git"}
    assert scan(write(tmp_path, meta(git=git))).repository is None


def test_the_largest_total_is_what_a_thread_used(tmp_path: Path) -> None:
    def count(total: int) -> dict[str, object]:
        return event(
            "token_count", 3, info={"total_token_usage": {"input_tokens": total, "output_tokens": total // 10}}
        )

    reading = scan(write(tmp_path, meta(), count(100), count(300), event("token_count", 4, info=None)))
    assert (list(reading.input_tokens.values()), list(reading.output_tokens.values())) == ([300], [30])


def test_values_of_another_shape_count_as_missing(tmp_path: Path) -> None:
    odd = meta(git="none", cli_version=7, source=["cli"])
    path = write(tmp_path, odd, *said("still read", 1))
    assert told(path) == [("typed", "still read")]
    assert scan(path).bad_lines == 0


def test_par_15_a_long_first_line_and_a_compressed_neighbour(tmp_path: Path) -> None:
    shutil.copytree(shared("cases", "PAR-15", "home", ".codex", "sessions"), tmp_path, dirs_exist_ok=True)
    [plain] = Codex().discover(tmp_path)
    path = Path(plain.path)
    path.parent.chmod(0o755)
    older = path.read_bytes().replace(b"0001", b"0002")
    packed = path.with_name("rollout-2026-03-02T08-00-00-019c0000-0000-7000-8000-000000000002.jsonl.zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress(older))
    found = {file.session_id: file for file in Codex().discover(tmp_path)}
    assert sorted(found) == [f"019c0000-0000-7000-8000-00000000000{n}" for n in (1, 2)]
    for file in found.values():
        reading = Codex().scan(file, Cursor())
        assert (len(reading.turns), reading.first_cwd) == (1, CWD)
        assert reading.unknown_types == {"world_state": 1}
        assert told(Path(file.path)) == [
            ("typed", "Ship the wick module on Fridays only."),
            ("assistant", "Friday releases for wick."),
        ]
