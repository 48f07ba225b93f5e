"""Files written by real clients and real people, read without error; what people typed, compared with labels."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.event import Growth, Origin, Role, SessionFile
from dreamd.transcripts.project import locate
from shared_material import shared
from transcripts.claude_session import human, read, scan


def transcripts(*parts: str) -> list[SessionFile]:
    """Every transcript below a part of the shared material that holds projects folders."""
    roots = [Path(folder) for folder, _, _ in os.walk(shared(*parts)) if folder.endswith(".claude/projects")]
    return [file for root in roots for file in ClaudeCode().discover(root)]


@pytest.mark.parametrize("parts", [("fixtures", "clients"), ("fixtures", "real"), ("cases",)])
def test_count_and_reading_tell_the_same_turns_of_a_person(parts: tuple[str, ...]) -> None:
    files = transcripts(*parts)
    assert len(files) > 40
    for file in files:
        reading = scan(Path(file.path))
        events = read(Path(file.path))
        told = human(events)
        assert [turn.id for turn in reading.turns] == [event.id for event in told], file.path
        assert [turn.offset for turn in reading.turns] == [event.raw.offset for event in told], file.path
        headless = [event.id for event in events if event.origin is Origin.HEADLESS]
        assert [turn.id for turn in reading.headless_turns] == headless, file.path
        assert [event.raw.offset for event in events] == sorted(event.raw.offset for event in events), file.path
        assert len({event.id for event in events}) == len(events), file.path
        assert scan(Path(file.path), reading.cursor).growth is Growth.UNCHANGED


def test_every_type_of_the_clients_is_known() -> None:
    unknown: Counter[str] = Counter()
    for file in transcripts("fixtures"):
        unknown.update(scan(Path(file.path)).unknown_types)
    assert unknown == {}


def test_the_only_broken_line_of_the_real_sessions_is_counted_and_saved() -> None:
    readings = [scan(Path(file.path)) for file in transcripts("fixtures", "real")]
    assert sum(reading.bad_lines for reading in readings) == 1
    assert sum(reading.oversized_lines for reading in readings) == 0
    assert sum(len(reading.turns) for reading in readings) == 352


def test_scripted_clients_hold_exactly_what_was_typed_into_them() -> None:
    told: list[tuple[Origin, str]] = []
    for file in transcripts("fixtures", "clients", "claude", "queued"):
        told += [(event.origin, event.text) for event in human(read(Path(file.path)))]
    assert told == [
        (Origin.TYPED, "slow job please"),
        (Origin.QUEUED, "QUEUED-WORDS by the way always use ruff"),
        (Origin.TYPED, "make a file"),
        (Origin.REFUSAL, "REFUSAL-REASON never create txt files"),
        (Origin.TYPED, "ask me"),
        (Origin.ANSWER, "Q: Which linter? A: ruff"),
    ]


def test_headless_sessions_hold_no_turn_of_a_person() -> None:
    for file in transcripts("fixtures", "clients"):
        reading = scan(Path(file.path))
        if reading.headless:
            assert reading.turns == (), file.path


def test_a_fork_shares_lineage_and_turns_with_its_origin() -> None:
    readings = [scan(Path(file.path)) for file in transcripts("fixtures", "clients", "claude", "resume")]
    lineages = Counter(reading.lineage for reading in readings)
    assert sorted(lineages.values()) == [1, 2]
    shared_lineage = max(lineages, key=lambda key: lineages[key])
    first, second = (
        {turn.id for turn in reading.headless_turns} for reading in readings if reading.lineage == shared_lineage
    )
    assert len(first & second) == 3


#: Labels that differ on purpose. Queued and delivered: told once, where it was delivered. Slash commands: not prose.
#: Pulled back into the input line and sent with more words: told as sent.
_LABELLED_OTHERWISE = {
    ("b82405ba-a054-4152-bc86-e9b0d4832b68", 168): "sent with more words",
    ("b82405ba-a054-4152-bc86-e9b0d4832b68", 508): "slash command",
    ("79e9becd-0b83-42f1-8cb1-33375d080476", 96): "slash command",
    ("0c275b1b-9732-433e-9e70-9b7bfdb578a3", 248): "delivered",
    ("196820da-1026-4b6f-a513-a6aae42da1a6", 133): "delivered",
    ("196820da-1026-4b6f-a513-a6aae42da1a6", 188): "delivered",
    ("3fe1b6bc-dbd0-4320-b980-4f147befa187", 148): "sent with more words",
}


def test_what_people_typed_is_what_the_labels_say() -> None:
    """The other way round, eleven messages typed beside a tool's result have no label: they are a person's words."""
    labels = [json.loads(line) for line in shared("gold", "human_prompts.jsonl").read_bytes().splitlines()]
    labelled = {
        (Path(label["file"]).stem, label["line"]): label["text"] for label in labels if label["kind"] != "codex"
    }
    told = {}
    for file in transcripts("fixtures", "real"):
        lines: dict[int, int] = {}
        offset = 0
        for number, line in enumerate(Path(file.path).read_bytes().split(b"\n"), start=1):
            lines[offset] = number
            offset += len(line) + 1
        for event in human(read(Path(file.path))):
            told[(Path(file.path).stem, lines[event.raw.offset])] = event
    assert set(labelled) - set(told) == set(_LABELLED_OTHERWISE)
    assert len(set(told) - set(labelled)) == 11
    for place in set(labelled) & set(told):
        if told[place].origin in {Origin.TYPED, Origin.QUEUED, Origin.REFUSAL}:
            assert told[place].text == labelled[place].strip()
        elif told[place].origin is Origin.COMMAND:
            assert labelled[place].endswith(told[place].text)


def test_no_memory_or_instruction_text_is_told_as_a_persons(tmp_path: Path) -> None:
    for file in transcripts("fixtures", "clients"):
        for event in read(Path(file.path)):
            if event.role is Role.HUMAN:
                assert "<system-reminder>" not in event.text
                assert "CLAUDE.md" not in event.text


def test_real_sessions_fall_into_the_projects_of_their_people() -> None:
    keys = Counter()
    for file in transcripts("fixtures", "real"):
        reading = scan(Path(file.path))
        keys[locate(reading.first_cwd, reading.repository).name] += 1
    assert keys["cli"] > 25
