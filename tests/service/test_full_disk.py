"""A service whose disk is full waits, says so once, and goes on when there is room again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = r"""
set -e
mount -t tmpfs -o size=12M tmpfs "$1"; export HOME=$1 DREAMD_SCHEDULE__CHECK_EVERY=1s DREAMD_SCHEDULE__ENABLED=false; dreamd=$2
folder=$HOME/.claude/projects/-home-sam-work-orchard; mkdir -p "$folder"
say() {
  printf '{"type":"user","uuid":"u%s","parentUuid":null,"isSidechain":false,"sessionId":"00000000-0000-4000-8000-0000000000%s","cwd":"/home/sam/work/orchard","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"look at the parser"}}\n' \
    "$1" "$1" > "$folder/00000000-0000-4000-8000-0000000000$1.jsonl"
}
until_true() { for _ in $(seq 300); do if eval "$1"; then return 0; fi; sleep 0.1; done; echo "never: $1"; exit 1; }
say 11; touch "$folder/00000000-0000-4000-8000-000000000012.jsonl"
"$dreamd" run 2> "$3" & service=$!
until_true "grep -q gate.closed '$3'"
dd if=/dev/zero of="$HOME/fill" bs=64k 2>/dev/null || true
dd if=/dev/zero of="$HOME/fill2" bs=512 2>/dev/null || true
mv "$folder/00000000-0000-4000-8000-000000000012.jsonl" "$folder/00000000-0000-4000-8000-000000000013.jsonl"
until_true "grep -q work.postponed '$3'"
sleep 3
kill -0 $service
rm "$HOME/fill" "$HOME/fill2"; say 14
until_true "grep -q work.resumed '$3'"
until_true "'$dreamd' sessions --no-scan --json | grep -q 000000000014"
kill $service; wait $service
"""


@pytest.mark.skipif(
    shutil.which("unshare") is None
    or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0,
    reason="a small disk takes a mount namespace of one's own",
)
def test_it_survives_a_full_disk_and_tells_it_once(tmp_path: Path) -> None:
    disk, log = tmp_path / "disk", tmp_path / "service.log"
    disk.mkdir()
    program = str(Path(sys.executable).with_name("dreamd"))
    done = subprocess.run(
        ["unshare", "-m", "bash", "-c", SCRIPT, "bash", str(disk), program, str(log)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "TZ": "UTC"},
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr + log.read_text()
    events = [json.loads(line) for line in log.read_text().splitlines()]
    postponed = [one for one in events if one["event"] == "work.postponed"]
    assert [(one["code"], one["level"]) for one in postponed] == [("state", "error")]
    assert "space" in postponed[0]["hint"]
