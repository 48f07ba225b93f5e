"""Public bug reports about watchers and services, against a real `dreamd run`; each test bears its case's id."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from service.conftest import Start, until
from world import World, dreamd

SITE = """
import ctypes, os
import watchdog.observers.inotify_c as inotify

error, left = int(os.environ["WD_ERR"]), int(os.environ["WD_AFTER"])
real = inotify.inotify_add_watch

def add(fd, path, mask):
    global left
    if error == 28 and left <= 0:
        ctypes.set_errno(28)
        return -1
    left -= 1
    return real(fd, path, mask)

def init():
    ctypes.set_errno(24)
    return -1

inotify.inotify_add_watch = add
if error == 24:
    inotify.inotify_init = init
"""


def sessions(world: World) -> list[dict[str, object]]:
    """What `dreamd sessions` lists without scanning itself."""
    value: list[dict[str, object]] = json.loads(dreamd(world.home, "sessions", "--no-scan", "--json").stdout)
    return value


@pytest.mark.parametrize(
    ("error", "after", "limit"),
    [("28", "0", "max_user_watches"), ("28", "3", "max_user_watches"), ("24", "0", "max_user_instances")],
)
def test_wat_01_without_watches_the_service_polls_and_says_so_once(
    world: World, start: Start, tmp_path: Path, error: str, after: str, limit: str
) -> None:
    for number in range(6):
        world.say("please look at the parser", session=10 + number, project=f"p{number}")
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(SITE)
    service = start(PYTHONPATH=str(site), WD_ERR=error, WD_AFTER=after)
    assert until(lambda: len(sessions(world)) == 6)
    world.say("please look at the lexer", session=30, project="p5")
    world.say("please look at the printer", session=31, project="made-later")
    assert until(lambda: len(sessions(world)) == 8)
    time.sleep(3)  # some more looks at a standing problem
    told = [one for one in service.events() if one["event"] == "watch.degraded"]
    assert len(told) == 1
    assert limit in str(told[0]["hint"])
    assert "polling" in str(told[0]["hint"])
    (watched,) = [one for one in service.status()["daemon"]["watching"] if one["agent"] == "claude-code"]  # type: ignore[index]
    assert watched["mode"] == "polling"
    assert watched["problem"] == ("instance_limit" if error == "24" else "watch_limit")
    assert service.stop() == 0


def test_wat_02_projects_made_faster_than_watches_are_all_counted(world: World, start: Start) -> None:
    world.transcripts.mkdir(parents=True)
    service = start(DREAMD_SCHEDULE__ENABLED="false")
    script = """
i=0
while [ $i -lt 50 ]; do
  s=$(printf '00000000-0000-4000-8000-%012d' $((1000+i))); d="$1/-home-sam-work-p$i"
  mkdir -p "$d/$s/subagents"
  row='"sessionId":"%s","cwd":"/home/sam/work/p%s","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"look at %s"}}\\n'
  printf '{"type":"user","uuid":"u%s","parentUuid":null,"isSidechain":false,'"$row" $i $s $i $i > "$d/$s.jsonl"
  printf '{"type":"user","uuid":"a%s","parentUuid":null,"isSidechain":true,"agentId":"x",'"$row" $i $s $i $i > "$d/$s/subagents/agent-x.jsonl"
  i=$((i+1))
done
"""
    subprocess.run(["sh", "-c", script, "sh", str(world.transcripts)], check=True)
    assert until(lambda: len(sessions(world)) == 50)
    assert all(one["human_turns"] == 1 for one in sessions(world))
    time.sleep(2)
    assert len(sessions(world)) == 50  # the sub-agents' files never became sessions
    assert service.stop() == 0
    assert service.log.stat().st_size < 30_000
    assert (world.state / "dreamd.log").stat().st_size < 30_000


def cpu(pid: int) -> float:
    """Seconds of processor time a process and its ended children have used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(int(one) for one in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def test_wat_06_after_a_dream_neither_its_own_writes_nor_readers_wake_it(world: World, start: Start) -> None:
    root = world.transcripts / "-home-sam-work-orchard" / "memory"  # below the very tree that is watched
    for number in range(5):
        world.say("We always use pnpm in this repo, never npm.", session=10 + number)
    service = start(DREAMD_MEMORY__ROOT=str(root), DREAMD_GATES__MIN_INTERVAL="0s", DREAMD_SCHEDULE__CHECK_EVERY="2s")
    assert until(lambda: service.said("dream.ended"))
    assert (root / "MEMORY.md").exists()
    time.sleep(2)
    events, began = len(service.events()), cpu(service.process.pid)
    quiet = float(os.environ.get("DREAMD_QUIET_SECONDS", "10"))
    time.sleep(quiet)
    for path in world.transcripts.rglob("*"):
        if path.is_file():
            path.read_bytes()
    time.sleep(3)
    assert cpu(service.process.pid) - began < 1
    assert [one["event"] for one in service.events()[events:]] == []
    assert len(service.runs()) == 1
    assert {Path(str(one["path"])).suffix for one in sessions(world)} == {".jsonl"}
    assert len(sessions(world)) == 5


HOLD = """
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
database.execute("BEGIN IMMEDIATE")
print("holding", flush=True)
time.sleep(float(sys.argv[2]))
database.execute("COMMIT")
"""


@pytest.mark.parametrize("seconds", [3.0, 40.0])
def test_svc_09_a_long_write_of_another_process_loses_nothing(world: World, start: Start, seconds: float) -> None:
    world.say("please look at the parser", session=9)
    service = start(DREAMD_SCHEDULE__ENABLED="false")
    assert until(lambda: len(sessions(world)) == 1)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(world.state / "state.db"), str(seconds)], stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        for number in range(5):
            world.say("please look at the lexer", session=10 + number)
        for verb in (["status", "--json"], ["search", "parser", "--json"], ["sessions", "--no-scan", "--json"]):
            answer = dreamd(world.home, *verb)
            assert answer.returncode == 0, answer.stderr
            if seconds > 5:
                assert holder.poll() is None  # it answered while the database was held
    assert until(lambda: len(sessions(world)) == 6)
    assert service.process.poll() is None
    levels = [one["level"] for one in service.events()]
    assert levels.count("warning") + levels.count("error") <= (0 if seconds < 5 else 1)
    assert "Traceback" not in service.log.read_text()
    assert service.stop() == 0
