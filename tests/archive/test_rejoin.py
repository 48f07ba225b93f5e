"""A session that went on after its file was deleted: nothing of an earlier copy is missing from the next."""

import os
from pathlib import Path

import pytest

from dreamd.archive.originals import Seen, delete
from dreamd.archive.packed import TranscriptChanged
from dreamd.archive.store import Archive, Stored
from dreamd.errors import TranscriptError

SESSION = "7f9c2ba4-e88f-4a3b-9d2c-0a1b2c3d4e5f"
FIRST = b'{"uuid":"a"}\n{"uuid":"b"}\n'
OLD = 1_700_000_000


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "state" / "archive")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "projects"
    put(made, FIRST)
    put(made, b'{"agent":1}\n', f"{SESSION}/subagents/agent-a1.jsonl")
    put(made, b"output", f"{SESSION}/tool-results/one.txt")
    return made


def put(root: Path, content: bytes, name: str = f"{SESSION}.jsonl") -> Path:
    path = root / "-home-sam-orchard" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (OLD, OLD))
    return path


def parts(root: Path) -> list[Path]:
    main = root / "-home-sam-orchard" / f"{SESSION}.jsonl"
    return [main, main.with_suffix("")]


def store(archive: Archive, root: Path, earlier: Stored | None = None) -> Stored:
    return archive.store("claude-code", SESSION, parts(root), root, earlier=earlier)


def held(archive: Archive, stored: Stored) -> dict[str, bytes]:
    found = {}
    for member in archive.members(stored):
        with archive.read_original(stored, member.name) as stream:
            found[member.name.removeprefix("-home-sam-orchard/")] = stream.read()
    return found


def main_of(archive: Archive, stored: Stored) -> bytes:
    return held(archive, stored)[f"{SESSION}.jsonl"]


def test_a_grown_transcript_is_copied_as_it_is(archive: Archive, root: Path) -> None:
    earlier = store(archive, root)
    put(root, FIRST + b'{"uuid":"c"}\n')
    assert main_of(archive, store(archive, root, earlier)) == FIRST + b'{"uuid":"c"}\n'


def test_a_transcript_begun_anew_stands_behind_the_earlier_one(archive: Archive, root: Path) -> None:
    earlier = store(archive, root)
    put(root, b'{"uuid":"b"}\n{"uuid":"c"}\n')
    again = store(archive, root, earlier)
    assert main_of(archive, again) == FIRST + b'{"uuid":"c"}\n'
    put(root, b'{"uuid":"d"}\n')
    assert main_of(archive, store(archive, root, again)) == FIRST + b'{"uuid":"c"}\n{"uuid":"d"}\n'


def test_an_unfinished_last_line_keeps_to_itself(archive: Archive, root: Path) -> None:
    put(root, FIRST + b'{"uuid":"to')
    earlier = store(archive, root)
    put(root, b'{"uuid":"c"}')
    assert main_of(archive, store(archive, root, earlier)) == FIRST + b'{"uuid":"to\n{"uuid":"c"}'


def test_files_that_are_gone_stay_in_the_copy_and_changed_ones_are_as_they_are(archive: Archive, root: Path) -> None:
    earlier = store(archive, root)
    (parts(root)[1] / "subagents" / "agent-a1.jsonl").unlink()
    put(root, b"other", f"{SESSION}/tool-results/one.txt")
    again = held(archive, store(archive, root, earlier))
    assert again[f"{SESSION}/subagents/agent-a1.jsonl"] == b'{"agent":1}\n'
    assert again[f"{SESSION}/tool-results/one.txt"] == b"other"


def test_the_main_transcript_comes_first_in_every_copy(archive: Archive, root: Path) -> None:
    earlier = store(archive, root)
    put(root, b'{"uuid":"c"}\n')
    assert archive.members(store(archive, root, earlier))[0].name.endswith(f"{SESSION}.jsonl")


def test_a_damaged_earlier_copy_is_set_aside(archive: Archive, root: Path) -> None:
    earlier = store(archive, root)
    path = archive.file(earlier)
    path.write_bytes(path.read_bytes()[:-20])
    assert main_of(archive, store(archive, root, earlier)) == FIRST
    assert path.with_name(f"{path.name}.damaged").exists()


def test_a_missing_earlier_copy_is_no_hindrance(archive: Archive, root: Path) -> None:
    earlier = store(archive, root)
    archive.file(earlier).unlink()
    assert main_of(archive, store(archive, root, earlier)) == FIRST


def test_nothing_is_left_of_the_work(archive: Archive, root: Path) -> None:
    earlier = store(archive, root)
    put(root, b'{"uuid":"c"}\n')
    stored = store(archive, root, earlier)
    assert [path.name for path in archive.file(stored).parent.iterdir()] == [archive.file(stored).name]


def test_a_restored_session_that_was_begun_anew_is_whole(archive: Archive, root: Path) -> None:
    earlier = store(archive, root)
    put(root, b'{"uuid":"c"}\n')
    archive.restore(store(archive, root, earlier), root)
    assert parts(root)[0].read_bytes() == FIRST + b'{"uuid":"c"}\n'


def test_files_are_proven_by_a_copy_that_holds_every_byte(archive: Archive, root: Path) -> None:
    stored = store(archive, root)
    assert next(one.path for one in archive.proven(stored, parts(root), root)) == parts(root)[0]
    assert len(archive.proven(stored, parts(root), root)) == 3


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (f"{SESSION}.jsonl", FIRST + b'{"uuid":"c"}\n'),
        (f"{SESSION}/tool-results/one.txt", b"0utput"),
        (f"{SESSION}/tool-results/two.txt", b"new"),
    ],
)
def test_files_that_the_copy_does_not_hold_are_not_proven(
    archive: Archive, root: Path, name: str, content: bytes
) -> None:
    stored = store(archive, root)
    put(root, content, name)
    assert archive.proven(stored, parts(root), root) == ()


def test_a_transcript_begun_anew_is_proven_by_its_lines(archive: Archive, root: Path) -> None:
    earlier = store(archive, root)
    put(root, b'{"uuid":"b"}\n{"uuid":"c"}\n')
    assert len(archive.proven(store(archive, root, earlier), parts(root), root)) == 3


def test_a_damaged_copy_proves_nothing(archive: Archive, root: Path) -> None:
    stored = store(archive, root)
    path = archive.file(stored)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(TranscriptError):
        archive.proven(stored, parts(root), root)


def test_proven_files_are_deleted_with_their_empty_directories(archive: Archive, root: Path) -> None:
    seen = archive.proven(store(archive, root), parts(root), root)
    delete(seen, [parts(root)[1]])
    assert list(root.rglob("*")) == [root / "-home-sam-orchard"]


def test_what_somebody_else_put_there_stays(archive: Archive, root: Path) -> None:
    seen = archive.proven(store(archive, root), parts(root), root)
    mine = put(root, b"mine", f"{SESSION}/notes/mine.txt")
    delete(seen, [parts(root)[1]])
    assert [path for path in root.rglob("*") if path.is_file()] == [mine]


def test_a_file_that_changed_since_keeps_them_all(archive: Archive, root: Path) -> None:
    seen = archive.proven(store(archive, root), parts(root), root)
    with parts(root)[0].open("ab") as file:
        file.write(b'{"uuid":"c"}\n')
    with pytest.raises(TranscriptChanged):
        delete(seen, [parts(root)[1]])
    assert all(one.path.exists() for one in seen)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are listed in /proc here")
def test_an_open_file_keeps_them_all(archive: Archive, root: Path) -> None:
    seen = archive.proven(store(archive, root), parts(root), root)
    with seen[1].path.open(), pytest.raises(TranscriptChanged):
        delete(seen, [parts(root)[1]])
    assert all(one.path.exists() for one in seen)


def test_a_replaced_file_is_another_one(root: Path) -> None:
    path = parts(root)[0]
    seen = Seen.now(path)
    other = path.with_name("other")
    other.write_bytes(FIRST)
    os.utime(other, (OLD, OLD))
    other.replace(path)
    assert Seen.now(path) != seen


def test_one_file_of_a_copy_is_unpacked_for_a_while(archive: Archive, root: Path) -> None:
    stored = store(archive, root)
    with archive.unpacked(stored, f"-home-sam-orchard/{SESSION}.jsonl") as path:
        assert path.read_bytes() == FIRST
        assert path.stat().st_mode & 0o777 == 0o600
    assert not path.exists()
    with pytest.raises(TranscriptError), archive.unpacked(stored, "nothing"):
        pass


def test_what_a_killed_copy_left_is_swept_directories_too(archive: Archive, root: Path) -> None:
    folder = archive.file(store(archive, root)).parent
    (folder / ".dreamd-left").mkdir()
    (folder / ".dreamd-left" / "0").write_bytes(b"x")
    assert archive.recover() == 1
    assert len(list(folder.iterdir())) == 1
