"""How fast transcripts are counted, beside plain reading and bare JSON decoding of the same lines: `python benchmarks/scan.py [TREE]`."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from dreamd.ingest.scanner import Scanner
from dreamd.sources import Source
from dreamd.state.database import Database
from dreamd.transcripts.claude_code import ClaudeCode
from dreamd.transcripts.event import Cursor, SessionFile

ROUNDS = 3
UNCHANGED_FILES = 10_000
#: Size and kind of a line → what it is filled with.
LONG_LINES = {
    "200 MB, output": b"x" * 1000,
    "200 MB, typed": b"words and more words ",
    "30 MB, typed, with emoji": b"words and \xf0\x9f\x9a\x80 ",
    "30 MB, typed, quotes": rb"say \"words\" ",
}
WORDS = (
    "the",
    "build",
    "fails",
    "because",
    "orchard",
    "keeps",
    "its",
    "apples",
    "in",
    "a",
    "cold",
    "cellar",
    "until",
    "noon",
)


def main() -> None:
    """Measures a tree, or one made up for the purpose, and prints the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", nargs="?", type=Path, help="a projects folder of Claude Code; left out: one is made up")
    parser.add_argument("--megabytes", type=int, default=100, help="size of the made-up tree")
    parser.add_argument("--peak", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.peak:
        scan_all(list(ClaudeCode().discover(given.tree)))
        print(peak_memory())
        return
    with tempfile.TemporaryDirectory() as folder:
        root = given.tree or made_up(Path(folder) / "projects", given.megabytes * 1_000_000)
        throughput(root)
        memory("the tree", root)
        for what, unit in LONG_LINES.items():
            memory(f"one line of {what}", one_long_line(Path(folder) / what, what, unit))
        rescan(Path(folder) / "many")


def throughput(root: Path) -> None:
    """Megabytes a second of processor time, the best of some rounds, and each as a share of the decoder's."""
    files = list(ClaudeCode().discover(root))
    size = sum(file.stamp.size for file in files)
    ways: dict[str, Callable[[], None]] = {"scan": lambda: scan_all(files), "plain reading": lambda: read_all(files)}
    for name, decode in decoders().items():
        ways[name] = decoding(files, decode)
    seconds = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):  # every way in every round, so that a busy moment hits all of them
        for name, way in ways.items():
            started = time.process_time()
            way()
            seconds[name] = min(seconds[name], time.process_time() - started)
    print(f"{len(files)} files, {size / 1e6:.1f} MB")
    print(f"{'':<22}{'MB/s':>8}{'scan is':>10}")
    for name, spent in seconds.items():
        print(f"{name:<22}{size / spent / 1e6:>8.0f}{spent / seconds['scan']:>9.2f}x")
    print()


def decoders() -> dict[str, Callable[[bytes], object]]:
    """Bare decoders: what a line costs when nothing is done with it."""
    found: dict[str, Callable[[bytes], object]] = {}
    try:
        import orjson  # noqa: PLC0415 - a yardstick that need not be installed

        found["orjson.loads"] = orjson.loads
    except ImportError:
        print("orjson is not installed; its place stays empty (msgspec untyped is close to it)")
    found["msgspec untyped"] = msgspec.json.Decoder().decode
    found["json.loads"] = json.loads
    return found


def scan_all(files: list[SessionFile]) -> None:
    """The first scan of every file."""
    adapter = ClaudeCode()
    for file in files:
        adapter.scan(file, Cursor(), settled=True)


def read_all(files: list[SessionFile]) -> None:
    """The bytes alone."""
    for file in files:
        fd = os.open(file.path, os.O_RDONLY)
        while os.read(fd, 128 * 1024):
            pass
        os.close(fd)


def decoding(files: list[SessionFile], decode: Callable[[bytes], object]) -> Callable[[], None]:
    """Decodes every line; lines are in memory already, so nothing else is measured."""
    lines = [line for file in files for line in Path(file.path).read_bytes().splitlines()]

    def run() -> None:
        for line in lines:
            try:
                decode(line)
            except ValueError:
                continue

    return run


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes; Linux's rusage would count the parent's before the exec too."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(status.split("VmHWM:", 1)[1].split()[0]) * 1024


def memory(what: str, root: Path) -> None:
    """The largest resident size of a process that scans the tree."""
    done = subprocess.run([sys.executable, __file__, root, "--peak"], capture_output=True, text=True, check=True)
    print(f"peak memory, {what}: {int(done.stdout) / 1e6:.0f} MB")


def rescan(root: Path) -> None:
    """What a look at many unchanged files costs."""
    for number in range(UNCHANGED_FILES):
        path = root / f"-project-{number % 100}" / f"{uuid.UUID(int=number)}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b'{"type":"mode"}\n')
    database = Database.open(root.parent / "state.db")
    scanner = Scanner([Source("claude-code", root)], database, idle=dt.timedelta(minutes=30))
    now = dt.datetime.now(dt.UTC)
    scanner.scan(now)
    spent = []
    for _ in range(ROUNDS * 5):
        started = time.process_time()
        report = scanner.scan(now)
        spent.append(time.process_time() - started)
        if report.unchanged != UNCHANGED_FILES:
            raise AssertionError(report)
    database.close()
    print(f"rescan of {UNCHANGED_FILES} unchanged files: {min(spent) * 1000:.0f} ms of processor time")


def one_long_line(root: Path, what: str, unit: bytes) -> Path:
    """A transcript whose second line is longer than anything that may be held."""
    path = root / "-long" / f"{uuid.UUID(int=1)}.jsonl"
    path.parent.mkdir(parents=True)
    start = b'{"type":"user","message":{"content":"' if "typed" in what else b'{"type":"user","toolUseResult":"'
    end = b'"}}\n' if "typed" in what else b'"}\n'
    with path.open("wb") as file:
        file.write(b'{"type":"mode"}\n' + start)
        for _ in range(int(what.split(maxsplit=1)[0])):
            file.write(unit * (1_000_000 // len(unit)))
        file.write(end + b'{"type":"mode"}\n')
    return root


def made_up(root: Path, size: int) -> Path:
    """A tree with the shape of real ones: few words of a person, much of tools and progress."""
    dice = random.Random(7)
    written = 0
    number = 0
    while written < size:
        number += 1
        path = root / f"-project-{number % 12}" / f"{uuid.UUID(int=number)}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        data = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in session(dice, number)).encode()
        path.write_bytes(data)
        written += len(data)
    return root


def session(dice: random.Random, number: int) -> Iterator[dict[str, object]]:
    """The lines of one session."""
    envelope = {
        "parentUuid": str(uuid.UUID(int=number)),
        "isSidechain": False,
        "userType": "external",
        "cwd": f"/home/sam/work/orchard-{number % 12}",
        "sessionId": str(uuid.UUID(int=number)),
        "version": "2.1.20",
        "gitBranch": "main",
    }
    for turn in range(dice.randint(20, 200)):
        line = envelope | {
            "uuid": str(uuid.UUID(int=dice.getrandbits(128))),
            "timestamp": f"2026-03-02T09:00:{turn % 60:02d}.000Z",
        }
        yield {"type": "file-history-snapshot", "messageId": line["uuid"], "snapshot": {"trackedFileBackups": {}}}
        yield line | {"type": "user", "message": {"role": "user", "content": text(dice, 20)}}
        for _ in range(dice.randint(1, 6)):
            usage = {"input_tokens": 9, "output_tokens": dice.randint(1, 900), "cache_read_input_tokens": 40_000}
            call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": text(dice, 12)}}
            message = {"id": f"msg_{dice.getrandbits(60)}", "role": "assistant", "model": "claude", "usage": usage}
            yield line | {
                "type": "assistant",
                "message": message | {"content": [{"type": "text", "text": text(dice, 60)}]},
            }
            yield line | {"type": "assistant", "message": message | {"content": [call]}}
            output = "\n".join(code(dice) for _ in range(dice.choice((2, 5, 20, 200))))
            result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": output}
            structured = {"stdout": output, "stderr": "", "interrupted": False}
            yield line | {"type": "user", "message": {"role": "user", "content": [result]}, "toolUseResult": structured}
            yield line | {"type": "progress", "data": {"type": "bash_progress", "output": output[:500]}}


def code(dice: random.Random) -> str:
    """A line as tools print them: indented, quoted, numbered."""
    first, second, *rest = dice.choices(WORDS, k=6)
    return f'{dice.randint(1, 999):>5}\t"{first}": {{"{second}": [{dice.random():.4f}, "{" ".join(rest)}"]}},\t\u2192 {first}'


def text(dice: random.Random, words: int) -> str:
    """Some words."""
    return " ".join(dice.choices(WORDS, k=words))


if __name__ == "__main__":
    main()
