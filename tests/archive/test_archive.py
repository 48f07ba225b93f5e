"""A session in the archive: copied, verified, read, put back, refused."""

import io
import json
import os
import random
import stat
import tarfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamd.archive import packed
from dreamd.archive.packed import TranscriptChanged
from dreamd.archive.store import Archive, Stored
from dreamd.errors import TranscriptError

SESSION = "7f9c2ba4-e88f-4a3b-9d2c-0a1b2c3d4e5f"
OLD = 1_700_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A transcript with a sub-agent and a tool result, last written long ago."""
    project = tmp_path / "projects" / "-home-sam-orchard"
    files = {
        f"{SESSION}.jsonl": b'{"n":1}\n{"n":2,"t":"\xc3\xa9\\ud83d"}\n\0\0{"n":3}' + b"\n" + b"x" * 400_000 + b"\n",
        f"{SESSION}/subagents/agent-a1.jsonl": b'{"agent":1}\n',
        f"{SESSION}/tool-results/out 1.txt": b"line\r\n" * 1000,
        f"{SESSION}/empty.txt": b"",
    }
    for name, content in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (OLD, OLD))
    return tmp_path / "projects"


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "state" / "archive")


def parts(root: Path) -> list[Path]:
    project = root / "-home-sam-orchard"
    return [project / f"{SESSION}.jsonl", project / SESSION]


def tree(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def hand_made(archive: Archive, names: list[tuple[str, bytes]], kind: bytes = tarfile.REGTYPE) -> Stored:
    """A copy that dreamd did not write, with a right manifest."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        rows = []
        for name, content in names:
            info = tarfile.TarInfo(name)
            info.size, info.type = len(content), kind
            tar.addfile(info, io.BytesIO(content))
            rows.append([name, len(content), packed.hashlib.sha256(content).hexdigest(), 0])
        manifest = json.dumps({"version": 1, "files": rows}).encode()
        info = tarfile.TarInfo(packed.MANIFEST)
        info.size = len(manifest)
        tar.addfile(info, io.BytesIO(manifest))
    stored = Stored("claude-code/x.tar.zst", "", 0, 0)
    file = archive.file(stored)
    file.parent.mkdir(parents=True)
    file.write_bytes(zstandard.ZstdCompressor().compress(plain.getvalue()))
    return stored


def test_a_session_comes_back_byte_for_byte_with_a_new_mtime_for_its_owner_alone(
    archive: Archive, root: Path, tmp_path: Path
) -> None:
    stored = archive.store("claude-code", SESSION, parts(root), root)
    target = tmp_path / "elsewhere"
    paths = archive.restore(stored, target)
    assert tree(target) == tree(root)
    assert paths[0] == target / "-home-sam-orchard" / f"{SESSION}.jsonl"
    assert all(path.stat().st_mtime > OLD + 1000 for path in paths)
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o600}


def test_the_copy_says_what_it_holds_and_is_smaller(archive: Archive, root: Path) -> None:
    stored = archive.store("claude-code", SESSION, parts(root), root)
    file = archive.file(stored)
    assert stored.path == f"claude-code/{SESSION}.tar.zst"
    assert stored.bytes == sum(len(content) for content in tree(root).values())
    assert stored.compressed == file.stat().st_size < stored.bytes
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert next(member.name.rpartition("/")[2] for member in archive.members(stored)) == f"{SESSION}.jsonl"
    assert archive.total_bytes() == stored.compressed


def test_originals_keep_their_bytes_and_their_mtime(archive: Archive, root: Path) -> None:
    before = tree(root)
    archive.store("claude-code", SESSION, parts(root), root)
    assert tree(root) == before
    assert {path.stat().st_mtime for path in root.rglob("*") if path.is_file()} == {OLD}


def test_the_same_session_has_the_same_digest_and_a_grown_one_another(archive: Archive, root: Path) -> None:
    first = archive.store("claude-code", SESSION, parts(root), root)
    assert archive.store("claude-code", SESSION, parts(root), root) == first
    with parts(root)[0].open("ab") as file:
        file.write(b'{"n":4}\n')
    grown = archive.store("claude-code", SESSION, parts(root), root)
    assert grown.path == first.path
    assert grown.digest != first.digest
    with archive.read_original(grown) as stream:
        assert stream.read() == parts(root)[0].read_bytes()
    assert [path.name for path in archive.file(first).parent.iterdir()] == [f"{SESSION}.tar.zst"]


def test_the_original_is_read_as_a_stream_and_by_line(archive: Archive, root: Path) -> None:
    stored = archive.store("claude-code", SESSION, parts(root), root)
    main = parts(root)[0].read_bytes()
    with archive.read_original(stored) as stream:
        assert stream.readline() == b'{"n":1}\n'
        assert stream.read(4) == main[8:12]
    assert archive.read_line(stored, 8) == main[8:].split(b"\n")[0] + b"\n"
    assert archive.read_line(stored, len(main) + 5) == b""
    assert archive.read_line(stored, 0, f"-home-sam-orchard/{SESSION}/subagents/agent-a1.jsonl") == b'{"agent":1}\n'
    with pytest.raises(TranscriptError, match="does not hold"), archive.read_original(stored, "other.jsonl"):
        pass


def test_what_the_reader_of_an_original_raises_stays_its_own(archive: Archive, root: Path) -> None:
    stored = archive.store("claude-code", SESSION, parts(root), root)
    with pytest.raises(KeyError), archive.read_original(stored):
        raise KeyError("mine")


class Growing(packed._Hashed):
    """A reader during whose first read another process appends to the file."""

    path: Path
    cut: int | None = None

    def read(self, size: int = -1) -> bytes:
        if self.cut is not None:
            os.truncate(self.path, self.cut)
        else:
            with self.path.open("ab") as file:
                file.write(b"more\n")
        return super().read(size)


@pytest.mark.parametrize("cut", [None, 10])
def test_a_transcript_that_changes_while_it_is_copied_is_not_stored_and_the_former_copy_stays(
    archive: Archive, root: Path, monkeypatch: pytest.MonkeyPatch, cut: int | None
) -> None:
    former = archive.store("claude-code", SESSION, parts(root), root)
    content = archive.file(former).read_bytes()
    Growing.path, Growing.cut = parts(root)[0], cut
    monkeypatch.setattr(packed, "_Hashed", Growing)
    with pytest.raises(TranscriptChanged):
        archive.store("claude-code", SESSION, parts(root), root)
    assert archive.file(former).read_bytes() == content
    assert len(list(archive.file(former).parent.iterdir())) == 1


def test_a_newer_different_file_is_not_overwritten_and_nothing_else_is_touched(archive: Archive, root: Path) -> None:
    stored = archive.store("claude-code", SESSION, parts(root), root)
    parts(root)[0].write_bytes(b"another conversation\n")
    (root / "-home-sam-orchard" / SESSION / "subagents" / "agent-a1.jsonl").unlink()
    before = tree(root)
    with pytest.raises(TranscriptError, match="newer") as caught:
        archive.restore(stored, root)
    assert caught.value.hint
    assert tree(root) == before
    archive.restore(stored, root, overwrite=True)
    assert parts(root)[0].stat().st_size > 400_000
    assert len(tree(root)) == 4


def test_files_that_are_still_there_only_get_a_new_mtime(archive: Archive, root: Path) -> None:
    stored = archive.store("claude-code", SESSION, parts(root), root)
    inode = parts(root)[0].stat().st_ino
    archive.restore(stored, root)
    assert parts(root)[0].stat().st_ino == inode
    assert parts(root)[0].stat().st_mtime > OLD + 1000


def test_an_older_shorter_version_is_replaced(archive: Archive, root: Path) -> None:
    stored = archive.store("claude-code", SESSION, parts(root), root)
    parts(root)[0].write_bytes(b"short\n")
    os.utime(parts(root)[0], (OLD - 100, OLD - 100))
    archive.restore(stored, root)
    assert parts(root)[0].stat().st_size > 400_000


@pytest.mark.parametrize("name", ["../escape", "/tmp/escape", "a/../../escape", "a\\..\\escape"])
def test_names_that_lead_out_are_refused(archive: Archive, tmp_path: Path, name: str) -> None:
    stored = hand_made(archive, [(name, b"evil")])
    before = tree(tmp_path)
    with pytest.raises(TranscriptError):
        archive.restore(stored, tmp_path / "target", overwrite=True)
    assert tree(tmp_path) == before


def test_links_in_an_archive_are_refused(archive: Archive, tmp_path: Path) -> None:
    stored = hand_made(archive, [("link", b"")], tarfile.SYMTYPE)
    with pytest.raises(TranscriptError):
        archive.restore(stored, tmp_path / "target")


def test_links_in_a_session_s_directory_are_not_followed(archive: Archive, root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("private")
    (root / "-home-sam-orchard" / SESSION / "link.txt").symlink_to(secret)
    stored = archive.store("claude-code", SESSION, parts(root), root)
    assert not any("link" in member.name for member in archive.members(stored))


@settings(max_examples=40, deadline=None)
@given(cut=st.booleans(), place=st.floats(0, 0.999), flip=st.integers(1, 255))
def test_a_damaged_copy_is_always_noticed_before_anything_is_put_back(cut: bool, place: float, flip: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        transcript = base / "p" / "s.jsonl"
        transcript.parent.mkdir()
        transcript.write_bytes(random.Random(1).randbytes(3000))
        archive = Archive(base / "archive")
        stored = archive.store("claude-code", "s", [transcript], base)
        file = archive.file(stored)
        content = bytearray(file.read_bytes())
        at = int(place * len(content))
        if cut:
            content = content[:at]
        else:
            content[at] ^= flip
        file.write_bytes(content)
        try:
            paths = archive.restore(stored, base / "target")
        except TranscriptError:
            assert not (base / "target").exists()
        else:
            assert paths[0].read_bytes() == transcript.read_bytes()


def test_a_missing_copy_says_so(archive: Archive, root: Path, tmp_path: Path) -> None:
    stored = archive.store("claude-code", SESSION, parts(root), root)
    archive.remove(stored)
    archive.remove(stored)
    with pytest.raises(TranscriptError, match="missing"):
        archive.restore(stored, tmp_path / "target")


def test_a_missing_transcript_is_an_error_with_a_hint_and_leaves_nothing(archive: Archive, root: Path) -> None:
    with pytest.raises(TranscriptError) as caught:
        archive.store("claude-code", SESSION, [root / "gone.jsonl"], root)
    assert caught.value.hint
    assert archive.total_bytes() == 0


def test_a_file_outside_the_root_is_refused(archive: Archive, root: Path, tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="below"):
        archive.store("claude-code", SESSION, parts(root), tmp_path / "other")


def test_odd_session_ids_get_names_of_their_own(archive: Archive, root: Path) -> None:
    stored = {
        archive.store("opencode", name, parts(root), root).path for name in ("../a", "..-a", "a/b", "a b", "会话")
    }
    assert len(stored) == 5
    assert all(path.count("/") == 1 and ".." not in path.split("/") for path in stored)


def test_what_a_killed_copy_left_is_swept(archive: Archive, root: Path) -> None:
    stored = archive.store("claude-code", SESSION, parts(root), root)
    archive.file(stored).with_name(".dreamd-1-x.tar.zst").write_bytes(b"half")
    (archive.file(stored).parent.parent / ".dreamd-unpacked" / "claude-code").mkdir(parents=True)
    (archive.file(stored).parent.parent.parent / ".dreamd-rows").mkdir()
    assert archive.recover() == 3
    assert archive.recover() == 0
    assert archive.members(stored)


def test_any_tar_and_zstd_can_read_a_copy(archive: Archive, root: Path) -> None:
    stored = archive.store("claude-code", SESSION, parts(root), root)
    plain = zstandard.ZstdDecompressor().stream_reader(archive.file(stored).read_bytes()).read()
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        assert f"-home-sam-orchard/{SESSION}.jsonl" in tar.getnames()
