"""Lines too long to be held: their head is read, and memory stays flat."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamd.transcripts import clip, jsonl
from dreamd.transcripts.clip import Clipper
from transcripts.claude_lines import encode, queue, result, user, write
from transcripts.claude_session import human, read, scan, words

ROCKET = "\N{ROCKET}"
PEAK = 150 * 1000  # kB

texts = st.text(st.sampled_from(["a", '"', "\\", "\n", "\u00e9", ROCKET, "u", "0", "d", "{"]), max_size=30)
documents = st.recursive(
    texts | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=12
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits so low that short lines are long."""
    monkeypatch.setattr(clip, "STRING", 7)
    monkeypatch.setattr(clip, "AMPLE", 60)
    monkeypatch.setattr(clip, "SHORT_STRING", 3)


def clipped(line: bytes, blocks: list[int]) -> bytes | None:
    """The line fed in blocks of these sizes, the rest in one."""
    clipper = Clipper()
    for size in blocks:
        clipper.feed(line[:size])
        line = line[size:]
    clipper.feed(line)
    return clipper.line()


@given(documents, st.booleans(), st.lists(st.integers(0, 6), max_size=40), st.integers(0, 400))
def test_a_clipped_line_depends_on_no_block_and_keeps_its_shape(
    document: object, ascii_only: bool, blocks: list[int], cut: int
) -> None:
    before = clip.STRING, clip.AMPLE, clip.SHORT_STRING
    clip.STRING, clip.AMPLE, clip.SHORT_STRING = 7, 60, 3
    try:
        line = json.dumps(document, ensure_ascii=ascii_only).encode()
        whole = clipped(line, [])
        assert whole is not None
        assert shape(json.loads(whole)) == shape(document)
        assert clipped(line, blocks) == whole
        assert clipped(line[:cut], blocks) == clipped(line[:cut], [])
    finally:
        clip.STRING, clip.AMPLE, clip.SHORT_STRING = before


def shape(value: object) -> object:
    """A document without its texts; what was cut may make keys equal."""
    if isinstance(value, dict):
        return dict
    if isinstance(value, list):
        return [shape(one) for one in value]
    return str if isinstance(value, str) else value


@pytest.mark.parametrize("end", ["\\u00e9", "\\ud83d\\ude80", "\\\\", "\\n", "\u00e9", ROCKET])
def test_no_character_is_cut_in_two(small: None, end: str) -> None:
    for before in range(8):
        line = f'"{"x" * before}{end}{"y" * 20}"'.encode()
        made = clipped(line, [])
        assert made is not None
        assert json.loads(made).rstrip("y").removesuffix("\n[...]").rstrip("y") in json.loads(line)


def test_a_line_that_breaks_off_in_a_string_stays_broken(small: None) -> None:
    made = clipped(b'{"a": "long long long', [4, 5])
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(made or b"")


def test_a_huge_prompt_is_a_turn_with_its_head(tmp_path: Path) -> None:
    huge = "Always squash. " + ROCKET + 'he said "x" and ' * 500_000
    path = write(tmp_path, user(1, "before"), user(2, huge), user(3, "after"))
    first, told, last = words(path)
    assert (first, last) == ("before", "after")
    assert told.startswith("Always squash. " + ROCKET)
    assert told.endswith("[...]")
    assert len(told.encode()) < 70_000
    reading = scan(path)
    assert (reading.records, reading.bad_lines, reading.oversized_lines) == (3, 0, 0)


def test_it_is_the_same_turn_wherever_reading_begins(tmp_path: Path) -> None:
    waiting = "and " * 1_500_000
    path = write(tmp_path, user(1, "x" * 100_001))
    cursor = scan(path).cursor
    with path.open("ab") as file:
        file.write(encode(queue(2, "enqueue", waiting), result(3, "ok"), queue(4, "remove")))
    (turn,) = scan(path, cursor).turns
    assert turn.id == human(read(path))[-1].id
    assert turn.id == scan(path).turns[-1].id


def test_an_oversized_line_is_counted_and_its_head_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "before"), user(2, "Use tabs. " + "x" * jsonl.MAX_LINE), user(3, "after"))
    reading = scan(path)
    assert (reading.oversized_lines, reading.bad_lines, reading.records) == (1, 0, 3)
    assert reading.turns[1].at is not None
    assert words(path)[1].startswith("Use tabs. ")


def test_an_oversized_line_of_small_pieces_is_counted_and_passed_over(tmp_path: Path) -> None:
    pieces = ",".join(f'"{number:060d}"' for number in range(jsonl.MAX_LINE // 60))
    path = write(tmp_path, user(1, "before"))
    path.write_bytes(
        path.read_bytes() + b'{"type":"progress","data":[%s]}\n' % pieces.encode() + encode(user(2, "after"))
    )
    reading = scan(path)
    assert (reading.oversized_lines, reading.records) == (1, 2)
    assert words(path) == ["before", "after"]


def test_a_record_behind_a_long_cut_one_is_saved(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "before"))
    cut = b'{"type":"user","uuid":"cut","message":{"content":"' + b"x" * 9_000_000
    path.write_bytes(path.read_bytes() + cut + encode(user(2, "after")))
    assert words(path) == ["before", "after"]
    assert scan(path).bad_lines == 1


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel tells no peak memory here")
@pytest.mark.parametrize("what", ["one_word", "emoji", "escapes", "result"])
def test_memory_stays_flat(tmp_path: Path, what: str) -> None:
    path = write(tmp_path, user(1, "before"))
    unit = {
        "one_word": b"x" * 16,
        "emoji": b"words and more\xf0\x9f\x9a\x80",
        "escapes": rb"\"a\" \\ \n",
        "result": b"x",
    }[what]
    with path.open("ab") as file:
        kind = b'"tool_use_id":"t","type":"tool_result"' if what == "result" else b'"type":"text"'
        name = b"content" if what == "result" else b"text"
        file.write(b'{"type":"user","uuid":"long","message":{"content":[{%s,"%s":"' % (kind, name))
        for _ in range(200 if what == "one_word" else 30):
            file.write(unit * (1_000_000 // len(unit)))
        file.write(b'"}]}}\n' + encode(user(2, "after")))
    program = (
        "import sys; from pathlib import Path; from dreamd.transcripts.claude_code import ClaudeCode; "
        "from dreamd.transcripts.event import Cursor; adapter = ClaudeCode(); (file,) = adapter.discover(Path(sys.argv[1])); "
        "reading = adapter.scan(file, Cursor()); told = list(adapter.read(Path(file.path))); "
        "peak = Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]; "
        "print(len(reading.turns), len(told), peak)"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=True)
    turns, told, peak = map(int, done.stdout.split())
    assert (turns, told) == ((2, 3) if what == "result" else (3, 3))
    assert peak < PEAK
