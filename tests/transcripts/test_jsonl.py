"""Lines of any kind and length, read as bytes."""

import os
import zlib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dreamd.transcripts import jsonl
from transcripts.claude_lines import assistant, encode, user, write
from transcripts.claude_session import read, scan, words


def lines_of(path: Path, **more: int | bool) -> tuple[jsonl.Lines, list[tuple[int, bytes]]]:
    """The reader after its work, and what it gave."""
    fd = os.open(path, os.O_RDONLY)
    try:
        reader = jsonl.Lines(fd, 0, path.stat().st_size, **more)  # type: ignore[arg-type]
        return reader, list(reader)
    finally:
        os.close(fd)


@given(st.lists(st.binary(max_size=30)), st.integers(1, 40))
def test_offsets_lead_to_the_lines_whatever_the_block_size(tmp_path_factory, chunks: list[bytes], block: int) -> None:
    path = tmp_path_factory.mktemp("lines") / "file"
    data = b"\n".join(chunks)
    path.write_bytes(data)
    before, jsonl._BLOCK = jsonl._BLOCK, block
    try:
        reader, lines = lines_of(path)
    finally:
        jsonl._BLOCK = before
    whole = data[: data.rfind(b"\n") + 1]
    assert [line for _, line in lines] == whole.split(b"\n")[:-1]
    assert all(data[offset:].startswith(line + b"\n") for offset, line in lines)
    assert (reader.consumed, reader.crc) == (len(whole), zlib.crc32(whole))


def test_a_line_separator_of_unicode_ends_no_line(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "one\u2028two\u0085three"))
    assert words(path) == ["one\u2028two\u0085three"]


def test_runs_of_nul_are_passed_over_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "before"))
    path.write_bytes(path.read_bytes() + b"\0" * 5000 + encode(user(2, "after")) + b"\0\0\0\n")
    assert words(path) == ["before", "after"]
    assert scan(path).bad_lines == 2


def test_invalid_utf8_is_replaced(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "use XX tabs"))
    path.write_bytes(path.read_bytes().replace(b"XX", b"\xff\xfe"))
    assert words(path) == ["use \ufffd\ufffd tabs"]
    assert scan(path).bad_lines == 0


def test_an_inner_object_of_a_cut_record_is_no_record() -> None:
    cut = b'{"type":"assistant","message":{"content":[{"type":"text","text":"never"},{"type":"te{"type":"user","uuid":"u"}'
    saved = jsonl.salvage(cut)
    assert saved.records == ({"type": "user", "uuid": "u"},)
    assert not saved.whole


def test_deep_nesting_is_one_bad_line(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "before"))
    path.write_bytes(path.read_bytes() + b'{"type":"user","x":' + b"[" * 100_000 + b"\n" + encode(user(2, "after")))
    assert words(path) == ["before", "after"]
    assert scan(path).bad_lines == 1


def test_json_that_is_no_object_is_a_bad_line(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "hello"))
    path.write_bytes(b"null\n[1]\n \n\n" + path.read_bytes())
    assert scan(path).bad_lines == 2


def test_odd_values_count_as_missing_and_the_rest_stands(tmp_path: Path) -> None:
    odd = user(1, "use tabs", cwd=7, isMeta="no", origin="human", timestamp=5, toolUseResult=[1], forkedFrom="x")
    told = assistant(2, "fine", isApiErrorMessage={})
    told["message"]["usage"] = {"output_tokens": 3.0, "input_tokens": "many"}  # type: ignore[index]
    path = write(tmp_path, odd, told)
    assert words(path) == ["use tabs"]
    reading = scan(path)
    assert (reading.bad_lines, reading.output_tokens) == (0, {"msg_2": 3})


def test_a_whole_last_line_is_told_without_its_newline(tmp_path: Path) -> None:
    path = write(tmp_path, user(1, "one"))
    path.write_bytes(path.read_bytes()[:-1])
    assert [event.text for event in read(path)] == ["one"]
    live = scan(path, settled=False)
    assert (live.records, live.cursor.consumed, live.bad_lines) == (0, 0, 0)
