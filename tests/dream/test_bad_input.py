"""What is missing, unreadable, read-only, full or damaged: one clear sentence with a hint, memory intact, and mended the next run works."""

import datetime as dt
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from world import World

WORDS = ("We always use pnpm in this repo, never npm.", "Never push without asking me first.")
SECRETIVE = "The heron sleeps in the boathouse."  # a person's words: in no error and no log
DREAMD = str(Path(sys.executable).with_name("dreamd"))


def rightless() -> list[str]:
    """What makes permission bits hold for root too."""
    if os.geteuid() != 0:
        return []
    prefix = [
        "setpriv",
        "--bounding-set=-dac_override,-dac_read_search",
        "--inh-caps=-dac_override,-dac_read_search",
        "--",
    ]
    if (
        shutil.which("setpriv") is None
        or subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("root has every right here, and setpriv cannot take them away")
    return prefix


def namespace(script: str) -> list[str]:
    """A shell script that runs in a mount namespace of its own before the command in its arguments."""
    for prefix in (["unshare", "-m"], ["unshare", "-rm"]):
        probe = [*prefix, "sh", "-ec", "mount -t tmpfs -o size=64k none /mnt"]
        if shutil.which("unshare") and subprocess.run(probe, check=False, capture_output=True).returncode == 0:
            return [*prefix, "sh", "-ec", script, "sh"]
    pytest.skip("no mount namespace can be made here")


def dreamd(home: Path, *arguments: str, by: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TZ": "UTC"}
    return subprocess.run(
        [*(by or []), DREAMD, *arguments],
        env=environ,
        cwd=home,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        timeout=120,
    )


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "home")
    made.clock.at = dt.datetime.now(dt.UTC)
    made.root.mkdir(parents=True)
    (made.root / "MEMORY.md").write_text(f"# Memory\n\n- {SECRETIVE}\n")
    made.say(*WORDS)
    return made


def explained(world: World, done: subprocess.CompletedProcess[str], status: int, sentence: str, hint: str = "") -> None:
    """One sentence and one hint on standard error (warnings of the log aside), and nobody's words anywhere."""
    told = [line for line in done.stderr.splitlines() if not line.startswith("{")]
    assert done.returncode == status, done.stderr + done.stdout
    assert [line.split(":")[0] for line in told] == ["dreamd", "hint"], done.stderr
    assert sentence in told[0], told
    assert hint in told[1], told
    silent(world, done)


def silent(world: World, done: subprocess.CompletedProcess[str]) -> None:
    log = world.state / "dreamd.log"
    try:
        logged = log.read_text() if log.is_file() else ""
    except OSError:
        logged = ""
    for words in ("heron", "boathouse", "pnpm", "asking me"):
        assert words not in done.stderr
        assert words not in logged
    assert "Traceback" not in done.stderr


def works_again(world: World) -> None:
    done = dreamd(world.home, "kick")
    assert done.returncode == 0, done.stderr
    assert f"- {SECRETIVE}\n" in world.memory()
    assert "pnpm" in world.text()
    silent(world, done)


def made_a_file(root: Path) -> None:
    root.rename(root.with_name("aside"))
    root.write_text("x")


def put_back(root: Path) -> None:
    root.unlink()
    root.with_name("aside").rename(root)


def made_dangling(root: Path) -> None:
    root.rename(root.with_name("aside"))
    root.symlink_to(root.with_name("nowhere"))


ROOTS: dict[str, tuple[Callable[[Path], object], Callable[[Path], object], str, str]] = {
    "unreadable": (lambda r: r.chmod(0), lambda r: r.chmod(0o700), "Permission denied", "[memory] root"),
    "not to be entered": (lambda r: r.chmod(0o600), lambda r: r.chmod(0o700), "Permission denied", "[memory] root"),
    "not writable": (lambda r: r.chmod(0o500), lambda r: r.chmod(0o700), "cannot be written", "writable"),
    "a file": (made_a_file, put_back, "Not a directory", "a folder is expected there"),
    "a dangling link": (made_dangling, put_back, "it is a link to a folder that is not there", "mount it"),
    "MEMORY.md unreadable": (
        lambda r: (r / "MEMORY.md").chmod(0),
        lambda r: (r / "MEMORY.md").chmod(0o600),
        "MEMORY.md",
        "[memory] root",
    ),
    "a folder unreadable": (
        lambda r: (r / "projects").mkdir(mode=0),
        lambda r: (r / "projects").chmod(0o700),
        "projects",
        "[memory] root",
    ),
    "a file for a folder": (
        lambda r: (r / "projects").write_text("x"),
        lambda r: (r / "projects").unlink(),
        "Not a directory",
        "a folder is expected there",
    ),
    "a folder that is a dangling link": (
        lambda r: (r / "projects").symlink_to(r / "nowhere"),
        lambda r: (r / "projects").unlink(),
        "projects",
        "mount it",
    ),
}


@pytest.mark.parametrize("name", ROOTS)
def test_a_memory_root_that_cannot_be_used_is_named(world: World, name: str) -> None:
    breaks, mends, sentence, hint = ROOTS[name]
    by = rightless()
    breaks(world.root)
    explained(world, dreamd(world.home, "kick", by=by), 1, sentence, hint)
    found = dreamd(world.home, "search", "heron", by=by)
    assert (found.returncode, "Traceback" in found.stderr) == (0, False)
    mends(world.root)
    assert (world.root / "MEMORY.md").read_text() == f"# Memory\n\n- {SECRETIVE}\n"
    works_again(world)


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_something_else_called_memory_md_is_named_and_left_alone(world: World, kind: str) -> None:
    place = world.root / "MEMORY.md"
    place.rename(world.root / "aside")
    place.mkdir() if kind == "folder" else os.mkfifo(place)
    explained(world, dreamd(world.home, "kick"), 1, "it is not a file", "move")
    place.rmdir() if kind == "folder" else place.unlink()
    (world.root / "aside").rename(place)
    works_again(world)


def test_a_missing_root_is_made_and_a_vanished_one_is_not(world: World) -> None:
    shutil.rmtree(world.root)
    assert dreamd(world.home, "kick").returncode == 0
    before = world.tree()
    world.root.rename(world.home / "aside")
    done = dreamd(world.home, "kick")
    assert done.returncode == 5
    assert "vanished" in done.stdout
    assert "undo" in done.stderr
    silent(world, done)
    assert not world.root.exists()
    assert dreamd(world.home, "undo").returncode == 0
    assert world.tree() == before


def test_a_read_only_file_system_is_named(world: World) -> None:
    by = namespace(f'mount --bind "{world.root}" "{world.root}"; mount -o remount,ro,bind "{world.root}"; exec "$@"')
    before = world.tree()
    explained(world, dreamd(world.home, "kick", by=by), 1, "EROFS", "read-only")
    assert world.tree() == before
    works_again(world)


def test_a_full_disk_leaves_memory_as_it_was(world: World) -> None:
    """All in one namespace: a small file system is filled, a dream fails, room is made, a dream goes well."""
    script = f"""
        cp "{world.root}/MEMORY.md" "{world.home}/old"
        mount -t tmpfs -o size=64k none "{world.root}"
        cp "{world.home}/old" "{world.root}/MEMORY.md"
        dd if=/dev/zero of="{world.root}/ballast" bs=1k count=70 2>/dev/null || true
        status=0; "$@" 2>"{world.home}/err" || status=$?
        cmp "{world.home}/old" "{world.root}/MEMORY.md"
        ls -A "{world.root}" > "{world.home}/left"
        rm "{world.root}/ballast"
        "$@" && cp -r "{world.root}" "{world.home}/new"
        exit $status
    """
    done = dreamd(world.home, "kick", by=namespace(script))
    told = (world.home / "err").read_text()
    explained(world, subprocess.CompletedProcess([], done.returncode, "", told), 1, "ENOSPC", "free some space")
    assert sorted((world.home / "left").read_text().split()) == ["MEMORY.md", "ballast"]
    assert SECRETIVE in (world.home / "new" / "MEMORY.md").read_text()
    assert "pnpm" in (world.home / "new" / "projects" / "orchard.md").read_text()


@pytest.mark.parametrize("room", [100, 300, 600, 1000])
def test_a_full_state_directory_leaves_memory_as_it_was(world: World, room: int) -> None:
    """Whatever is the first thing that does not fit: the database, history, or the index that cannot fail a dream."""
    script = f"""
        mkdir -p "{world.state}"; mount -t tmpfs -o size={room}k none "{world.state}"
        status=0; "$@" 2>"{world.home}/err" || status=$?
        cp -r "{world.root}" "{world.home}/after"
        mount -o remount,size=64m "{world.state}"
        "$@" || exit 99
        {DREAMD} runs --json > "{world.home}/runs"
        exit $status
    """
    old = world.memory()
    done = dreamd(world.home, "kick", by=namespace(script))
    told = (world.home / "err").read_text()
    assert "Traceback" not in told
    assert done.returncode in (0, 1), done.stderr
    if done.returncode:
        explained(world, subprocess.CompletedProcess([], 1, "", told), 1, "", "")
        # Where only the last step did not fit, memory is new and the next run concludes it.
        assert (world.home / "after" / "MEMORY.md").read_text() in (old, world.memory())
    assert all(run["outcome"] for run in json.loads((world.home / "runs").read_text()))
    assert f"- {SECRETIVE}\n" in world.memory()
    assert "pnpm" in world.text()


@pytest.mark.parametrize(
    "data",
    [b"# M\n\n- caf\xe9 heron\n", "# M\n\n- heron\n".encode("utf-16"), b"\xff\xfe\x00\x01"],
    ids=["latin-1", "utf-16", "binary"],
)
def test_a_memory_that_is_not_utf8_stays_byte_for_byte_and_dreams_go_on_beside_it(world: World, data: bytes) -> None:
    (world.root / "MEMORY.md").write_bytes(data)
    (world.root / "patterns").mkdir()
    (world.root / "patterns" / "old.md").write_bytes(data)
    done = dreamd(world.home, "kick", "--json")
    assert done.returncode == 0
    assert "files_not_utf8=2" in json.loads(done.stdout)["notes"]
    silent(world, done)
    assert (world.root / "MEMORY.md").read_bytes() == data
    assert (world.root / "patterns" / "old.md").read_bytes() == data
    assert "Never push" in (world.root / "patterns" / "preferences.md").read_text()
    for verb in (["memory"], ["status"], ["search", "heron"], ["diff"], ["why", "pnpm"], ["undo"]):
        told = dreamd(world.home, *verb)
        assert (told.returncode, "Traceback" in told.stderr) == (0, False), verb
    assert (world.root / "MEMORY.md").read_bytes() == data


def test_nul_bytes_survive(world: World) -> None:
    data = f"# M\n\n- Mi\0ne\n\0\0\n- {SECRETIVE}\n".encode()
    (world.root / "MEMORY.md").write_bytes(data)
    assert dreamd(world.home, "kick").returncode == 0
    assert (world.root / "MEMORY.md").read_bytes().startswith(data)
    assert dreamd(world.home, "search", "boathouse").stdout.startswith("MEMORY.md:")
    assert dreamd(world.home, "undo").returncode == 0
    assert (world.root / "MEMORY.md").read_bytes() == data


def test_a_state_directory_that_cannot_be_written_is_named(world: World) -> None:
    by = rightless()
    world.state.mkdir(parents=True)
    world.state.chmod(0o500)
    explained(world, dreamd(world.home, "kick", by=by), 1, str(world.state), "")
    world.state.chmod(0o700)
    world.state.rmdir()
    world.state.write_text("x")
    explained(world, dreamd(world.home, "kick"), 1, str(world.state), "")
    world.state.unlink()
    works_again(world)


@pytest.mark.parametrize(
    "damage", [b"garbage " * 1000, b"SQLite format 3\0" + b"\xff" * 4000], ids=["garbage", "header"]
)
def test_a_damaged_search_index_heals(world: World, damage: bytes) -> None:
    assert dreamd(world.home, "kick").returncode == 0
    for suffix in ("", "-wal", "-shm"):
        (world.state / f"search.db{suffix}").unlink(missing_ok=True)
    (world.state / "search.db").write_bytes(damage)
    first = dreamd(world.home, "search", "heron")
    assert first.returncode == 0
    silent(world, first)
    assert dreamd(world.home, "kick").returncode == 0
    assert "boathouse" in dreamd(world.home, "search", "heron").stdout


@pytest.mark.parametrize("damage", [b"garbage " * 1000, None], ids=["garbage", "truncated"])
def test_a_damaged_database_costs_no_memory(world: World, damage: bytes | None) -> None:
    assert dreamd(world.home, "kick").returncode == 0
    before, place = world.tree(), world.state / "state.db"
    for suffix in ("-wal", "-shm"):
        place.with_name(f"state.db{suffix}").unlink(missing_ok=True)
    place.write_bytes(damage) if damage else os.truncate(place, 8_000)
    done = dreamd(world.home, "kick")
    silent(world, done)
    if done.returncode:
        explained(world, done, 1, "state", "")
        dreamd(world.home, "doctor", "--fix")
    works_again(world)
    assert world.tree() == before


def break_head(history: Path) -> None:
    (history / "HEAD").unlink()


def break_objects(history: Path) -> None:
    for path in (history / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            os.truncate(path, 3)


def lock_everything(history: Path) -> None:
    for name in ("HEAD.lock", "refs/heads/main.lock", "packed-refs.lock"):
        (history / name).write_text("")


@pytest.mark.parametrize("breaks", [break_head, lock_everything], ids=["HEAD is missing", "stale locks"])
def test_what_a_killed_process_left_of_history_is_mended(world: World, breaks: Callable[[Path], None]) -> None:
    assert dreamd(world.home, "kick").returncode == 0
    breaks(world.state / "history.git")
    done = dreamd(world.home, "undo")
    assert done.returncode == 0, done.stderr
    assert world.memory() == f"# Memory\n\n- {SECRETIVE}\n"
    world.say("Robin owns the deployment scripts.", session=2)
    assert dreamd(world.home, "kick").returncode == 0
    assert "Robin" in world.text()


HISTORIES: dict[str, Callable[[Path], object]] = {
    "objects truncated": break_objects,
    "a ref to nowhere": lambda history: (history / "refs/heads/main").write_text("0" * 40 + "\n"),
    "a ref of garbage": lambda history: (history / "refs/heads/main").write_bytes(b"\0\xff garbage"),
    "an empty ref": lambda history: (history / "refs/heads/main").write_bytes(b""),
    "no objects": lambda history: shutil.rmtree(history / "objects"),
    "a file": lambda history: (shutil.rmtree(history), history.write_text("x")),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_a_damaged_history_stops_dreams_and_costs_no_memory(world: World, name: str) -> None:
    assert dreamd(world.home, "kick").returncode == 0
    before, history = world.tree(), world.state / "history.git"
    HISTORIES[name](history)
    world.say("Robin owns the deployment scripts.", session=2)
    for verb in ("kick", "undo"):
        explained(world, dreamd(world.home, verb), 1, "history.git cannot be used", "")
        assert world.tree() == before
    history.rename(world.home / "damaged")
    assert dreamd(world.home, "kick").returncode == 0
    works_again(world)
    assert all(
        line in world.text() for data in before.values() for line in data.decode().splitlines() if "- " in line[:2]
    )


def test_a_damaged_journal_is_named(world: World) -> None:
    assert dreamd(world.home, "kick").returncode == 0
    before = world.tree()
    (world.state / "commit.journal").write_text("x")
    explained(world, dreamd(world.home, "kick"), 1, "commit.journal", "moved away")
    assert world.tree() == before
    (world.state / "commit.journal").unlink()
    works_again(world)
