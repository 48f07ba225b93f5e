"""A transcript read bit by bit, replaced, touched, cut: what changed is known, and nothing is counted twice."""

import dataclasses
import os
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dreamd.clock import parse_time
from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.event import Cursor, Growth, Reading
from transcripts.claude_lines import assistant, at, encode, queue, result, user, write
from transcripts.claude_session import human, read, scan, session_file, words

STORY = (
    encode(
        user(1, "Deploy on Fridays only 🚀"),
        assistant(2, "Yes.", message="m1", output=3),
        queue(3, "enqueue", "use tabs"),
        assistant(3, "More.", message="m1", output=7),
        queue(4, "remove"),
        {"type": "zz-new", "timestamp": at(4)},
        assistant(5, "Done."),
        queue(6, "enqueue", "and run ruff"),
        queue(7, "dequeue"),
        user(8, "and run ruff"),
        result(9, "ok", toolUseResult={"stdout": "x" * 3000}),
        queue(10, "enqueue", "wait"),
        queue(11, "popAll", "wait"),
        user(12, "wait for me"),
        user(1, "Deploy on Fridays only 🚀"),
        user(13, "last"),
    )
    + b'{"type":"user","uuid":"cut\n{"type":"mode"}{"type":"mode"}\n\n'
)


def grown(path: Path, data: bytes, minute: int) -> None:
    """The file as it was at that minute."""
    path.write_bytes(data)
    moment = parse_time(at(minute))
    assert moment is not None
    os.utime(path, (moment.timestamp(), moment.timestamp()))


def added(readings: list[Reading]) -> dict[str, object]:
    """What readings of one file come to together; a turn seen again (a re-appended segment) is the one already known."""
    turns: dict[str, tuple[int, str]] = {}
    tokens: dict[str, int] = {}
    for reading in readings:
        for key, value in reading.output_tokens.items():
            tokens[key] = max(value, tokens.get(key, 0))
        for turn in reading.turns:
            turns.setdefault(turn.id, (turn.offset, turn.origin))
    return {
        "turns": turns,
        "records": sum(reading.records for reading in readings),
        "bad": sum(reading.bad_lines for reading in readings),
        "unknown": sum(sum(reading.unknown_types.values()) for reading in readings),
        "tokens": tokens,
        "first": min(reading.first_at for reading in readings if reading.first_at),
        "last": max(reading.last_at for reading in readings if reading.last_at),
    }


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, len(STORY)), max_size=8))
def test_reading_in_any_cuts_equals_one_reading(tmp_path: Path, cuts: list[int]) -> None:
    path = tmp_path / "00000000-0000-4000-8000-000000000001.jsonl"
    readings = []
    cursor = Cursor()
    for cut in [*sorted(cuts), len(STORY)]:
        grown(path, STORY[:cut], 13)
        reading = scan(path, cursor, settled=False)
        assert reading.growth is not Growth.REWRITTEN
        same = ClaudeCode().read(path, start=cursor.consumed, end=reading.cursor.consumed)
        assert [event.id for event in human(list(same))] == [turn.id for turn in reading.turns]
        cursor = reading.cursor
        readings.append(reading)
    once = scan(path, settled=False)
    assert added(readings) == added([once])
    assert dataclasses.replace(cursor, stamp=None) == dataclasses.replace(once.cursor, stamp=None)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.integers(0, len(STORY)))
def test_no_bytes_make_it_fail(tmp_path: Path, noise: bytes, place: int) -> None:
    path = tmp_path / "00000000-0000-4000-8000-000000000001.jsonl"
    path.write_bytes(STORY[:place] + noise + STORY[place:])
    reading = scan(path)
    told = human(read(path))
    assert {turn.id for turn in reading.turns} == {event.id for event in told}
    for event in told:
        assert event.text.encode().decode() == event.text
        assert "\x00" not in event.text


def test_words_in_the_queue_are_told_once(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(STORY)
    assert words(path) == ["Deploy on Fridays only 🚀", "use tabs", "and run ruff", "wait for me", "last"]


def test_words_still_in_the_queue_are_counted_when_the_file_is_idle(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    grown(path, encode(user(1, "go on"), queue(2, "enqueue", "never push")), 3)
    live = scan(path, settled=False)
    assert len(live.turns) == 1
    idle = scan(path, live.cursor, settled=True)
    assert len(idle.turns) == 1
    assert idle.cursor.consumed == path.stat().st_size


def test_words_left_in_the_queue_long_ago_are_counted_at_once(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    grown(path, encode(user(1, "go on"), queue(2, "enqueue", "never push")), 60)
    assert len(scan(path, settled=False).turns) == 2


def test_an_unchanged_file_is_not_opened(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "hello"))
    file = session_file(path)
    cursor = ClaudeCode().scan(file, Cursor()).cursor
    path.unlink()
    again = ClaudeCode().scan(file, cursor)
    assert (again.growth, again.bytes_read) == (Growth.UNCHANGED, 0)


def test_a_touched_file_is_unchanged(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "hello"))
    cursor = scan(path).cursor
    os.utime(path, ns=(0, 0))
    reading = scan(path, cursor)
    assert (reading.growth, reading.bytes_read) == (Growth.UNCHANGED, 0)
    assert reading.cursor.stamp == session_file(path).stamp


def test_an_edit_of_the_same_size_with_an_older_time_is_seen(tmp_path: Path) -> None:
    many = [user(count, f"number {count:04d} " + "x" * 200) for count in range(1, 100)]
    path = write(tmp_path, *many)
    cursor = scan(path).cursor
    path.write_bytes(path.read_bytes().replace(b"number 0050", b"number 9950"))
    os.utime(path, ns=(0, 0))
    assert scan(path, cursor).growth is Growth.REWRITTEN


def test_a_file_that_shrank_is_read_anew(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "hello"), user(2, "again"))
    cursor = scan(path).cursor
    write(tmp_path, user(2, "again"))
    reading = scan(path, cursor)
    assert (reading.growth, len(reading.turns)) == (Growth.REWRITTEN, 1)


def test_only_new_bytes_are_read_of_a_grown_file(tmp_path: Path) -> None:
    path = write(tmp_path, *(user(count, "x" * 1000) for count in range(1, 100)))
    cursor = scan(path).cursor
    new = encode(user(200, "one more"))
    with path.open("ab") as file:
        file.write(new)
    reading = scan(path, cursor)
    assert (reading.growth, reading.bytes_read, len(reading.turns)) == (Growth.APPENDED, len(new), 1)


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "hello"))
    path.chmod(0o400)
    before = path.stat().st_mtime_ns
    scan(path)
    read(path)
    assert path.stat().st_mtime_ns == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_an_empty_stub_is_harmless(tmp_path: Path) -> None:
    path = write(tmp_path)
    reading = scan(path)
    assert (reading.growth, reading.records, reading.turns) == (Growth.NEW, 0, ())
    assert read(path) == []
