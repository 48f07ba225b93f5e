"""WAT-01: a system without a watch or an instance to spare, or with some but not enough."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")

_CHILD = Path(__file__).with_name("limited.py")
_Ask = Callable[[str], dict[str, Any]]


@contextmanager
def _child(*command: str, **environment: str) -> Iterator[_Ask]:
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def ask(line: str) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line + "\n")
        process.stdin.flush()
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        return answer

    try:
        yield ask
    finally:
        _, errors = process.communicate("stop\n", timeout=5)
    assert errors == ""
    assert process.returncode == 0


@contextmanager
def _patched(root: Path, **environment: str) -> Iterator[_Ask]:
    with _child(sys.executable, str(_CHILD), str(root), **environment) as ask:
        yield ask


@contextmanager
def _namespaced(root: Path, watches: int) -> Iterator[_Ask]:
    """The kernel's own limit, in a user namespace."""
    unshare = shutil.which("unshare")
    probe = ("-Ur", "sh", "-c", "echo 5 > /proc/sys/user/max_inotify_watches")
    if unshare is None or subprocess.run([unshare, *probe], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    with _child(unshare, "-Ur", sys.executable, str(_CHILD), str(root), str(watches)) as ask:
        yield ask


def _tree(root: Path, projects: int) -> Path:
    for number in range(projects):
        (root / f"-p{number}").mkdir(parents=True)
    return root


def _until(ask: _Ask, line: str, met: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    end = time.monotonic() + 5
    while not met(answer := ask(line)):
        assert time.monotonic() < end, answer
        time.sleep(0.02)
    return answer


def test_no_watch_at_all_means_polling_and_no_exception(tmp_path: Path) -> None:
    with _patched(_tree(tmp_path, 3), WD_ERR="28") as ask:
        answer = ask("look")
    assert (answer["mode"], answer["problem"], answer["watches"]) == ("polling", "watch_limit", 0)


def test_limit_reached_half_way_is_noticed_and_the_watches_that_worked_are_given_back(tmp_path: Path) -> None:
    with _patched(_tree(tmp_path, 10), WD_ERR="28", WD_AFTER="3") as ask:
        answer = ask("look")
    assert (answer["mode"], answer["problem"], answer["watches"]) == ("polling", "watch_limit", 0)


def test_no_inotify_instance_means_polling_until_there_is_one(tmp_path: Path) -> None:
    with _patched(_tree(tmp_path, 3), WD_ERR="24") as ask:
        assert ask("look")["problem"] == "instance_limit"
        assert ask("supervise")["problem"] == "instance_limit"
        ask("mended")
        answer = ask("supervise")
        assert (answer["mode"], answer["problem"], answer["watches"]) == ("events", None, 4)
        assert answer["said"][-1] is None  # what happened in between is to be scanned


def test_tree_larger_than_the_kernels_limit_is_polled_without_a_try_and_watched_once_the_limit_is_raised(
    tmp_path: Path,
) -> None:
    root = _tree(tmp_path, 30)
    with _namespaced(root, 20) as ask:
        answer = ask("look")
        assert (answer["mode"], answer["problem"], answer["watches"]) == ("polling", "watch_limit", 0)
        assert ask("supervise")["problem"] == "watch_limit"
        ask("limit 40")
        answer = ask("supervise")
        assert (answer["mode"], answer["problem"], answer["watches"]) == ("events", None, 31)
        new = root / "-p7" / "a.jsonl"
        new.write_text("{}\n")
        _until(ask, "look", lambda answer: str(new) in answer["said"])


def test_tree_that_shrinks_below_the_limit_is_watched_again(tmp_path: Path) -> None:
    root = _tree(tmp_path, 30)
    with _namespaced(root, 20) as ask:
        for number in range(15):
            (root / f"-p{number}").rmdir()
        assert ask("supervise")["mode"] == "events"


def test_tree_that_grows_over_the_limit_is_polled_from_then_on(tmp_path: Path) -> None:
    root = _tree(tmp_path, 10)
    with _namespaced(root, 12) as ask:
        assert ask("look")["mode"] == "events"
        for number in range(10, 20):
            (root / f"-p{number}").mkdir()
        answer = _until(ask, "supervise", lambda answer: answer["mode"] == "polling")
        assert (answer["problem"], answer["watches"]) == ("watch_limit", 0)
        assert None in answer["said"]
