"""What the client says of itself: sessions it has open, and its term for old transcripts."""

import datetime as dt
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dreamd.processes import held_open, pid_namespace, started
from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.retention import retention

NOW = dt.datetime(2026, 3, 10, 12, tzinfo=dt.UTC)
SESSION = "00000000-0000-4000-8000-000000000001"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / ".claude" / "projects"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def client() -> Iterator[int]:
    """A process that lives as long as the test."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process.pid
        process.terminate()


def registered(root: Path, pid: int, **more: object) -> None:
    """A client's own entry; fields are left out by None."""
    path = root.parent / "sessions" / f"{pid}.json"
    path.parent.mkdir(exist_ok=True)
    entry = {"pid": pid, "sessionId": SESSION, "cwd": "/x", "procStart": started(pid), "status": "busy"} | more
    path.write_text(json.dumps({key: value for key, value in entry.items() if value is not None}))


def live(root: Path) -> frozenset[str]:
    return ClaudeCode().live_sessions(root, NOW)


def test_a_running_clients_session_is_live(root: Path, client: int) -> None:
    registered(root, client)
    assert live(root) == {SESSION}


def test_an_entry_without_a_start_time_counts_as_long_as_its_process_lives(root: Path, client: int) -> None:
    registered(root, client, procStart=None)
    assert live(root) == {SESSION}


def test_what_a_killed_client_left_behind_says_nothing(root: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    registered(root, process.pid, procStart="17")
    assert live(root) == frozenset()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="start times are compared where /proc tells them")
def test_a_pid_that_another_process_got_is_not_the_client(root: Path, client: int) -> None:
    registered(root, client, procStart="17")
    assert live(root) == frozenset()


@pytest.mark.skipif(not pid_namespace(), reason="no pid namespaces here")
@pytest.mark.parametrize(("age", "counts"), [(dt.timedelta(hours=1), True), (dt.timedelta(days=2), False)])
def test_a_client_in_another_container_counts_for_a_day(root: Path, age: dt.timedelta, counts: bool) -> None:
    registered(root, 1, pidDomain="linux:abc:pid:[1]", updatedAt=(NOW - age).timestamp() * 1000)
    assert bool(live(root)) is counts


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"pid": "x"}', b'{"pid": 1}', b"\xff", b'{"sessionId": null, "pid": 1}']
)
def test_an_unreadable_entry_is_passed_over(root: Path, client: int, content: bytes) -> None:
    registered(root, client)
    (root.parent / "sessions" / "7.json").write_bytes(content)
    (root.parent / "sessions" / "notes.txt").write_text("x")
    assert live(root) == {SESSION}


def test_no_registry_means_nobody_is_there(root: Path) -> None:
    assert live(root) == frozenset()


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        (None, 30),
        ("{}", 30),
        ('{"cleanupPeriodDays": 7}', 7),
        ('{"cleanupPeriodDays": 0}', 1),
        ('{"cleanupPeriodDays": 99999999999}', 36_500),
        ('{"cleanupPeriodDays": "7"}', 30),
        ("{ broken", 30),
        ('{"cleanupPeriodDays": 365, "permissions": {"allow": []}}', 365),
    ],
)
def test_the_term_is_the_clients_own_setting(root: Path, settings: str | None, days: int) -> None:
    if settings is not None:
        (root.parent / "settings.json").write_text(settings)
    assert retention("claude-code", root) == dt.timedelta(days=days)


def test_a_file_that_a_process_has_open_is_known(tmp_path: Path) -> None:
    path, other = tmp_path / "open.jsonl", tmp_path / "closed.jsonl"
    path.write_text("x")
    other.write_text("x")
    link = tmp_path / "link"
    link.symlink_to(path)
    with path.open():
        assert held_open([str(path), str(other)]) == {str(path)}
        assert held_open([os.fspath(link)]) == {str(link)}
    assert held_open([str(path)]) == frozenset()
