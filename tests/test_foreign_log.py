"""Libraries, warnings and dying threads speak through the one log, without anybody's words."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SPOKEN = """
import logging, sys, threading, warnings
from pathlib import Path
from dreamd import foreign_log, log
log.configure(Path(sys.argv[1]), form="json")
foreign_log.adopt()
foreign_log.adopt()
logging.getLogger("apscheduler.scheduler").error("Error adding %s", "we will rename the whole thing tomorrow")
logging.getLogger("httpx").warning("key sk-ant-api03-" + "Zx9" * 31 + "AA refused")
logging.getLogger("chatty").info("not worth a line")
warnings.warn("old ways", DeprecationWarning, stacklevel=1)
def die():
    raise ValueError("what somebody typed")
thread = threading.Thread(target=die, name="observer")
thread.start()
thread.join()
"""


def test_what_others_say_is_told_as_events_of_ours(tmp_path: Path) -> None:
    file = tmp_path / "dreamd.log"
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", SPOKEN, str(file)], capture_output=True, text=True, check=True
    )
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(one["event"], one["level"]) for one in lines] == [
        ("library.logged", "error"),
        ("library.logged", "warning"),
        ("library.logged", "warning"),
        ("thread.failed", "error"),
    ]
    assert (lines[0]["library"], lines[0]["message"]) == ("apscheduler.scheduler", "Error adding %s")
    assert lines[1]["message"] == "key [REDACTED:anthropic] refused"
    assert "old ways" in lines[2]["message"]
    assert (lines[3]["thread"], lines[3]["fault"]) == ("observer", "ValueError")
    told = file.read_text() + done.stderr
    assert "rename the whole thing" not in told
    assert "somebody typed" not in told
    assert all(line.startswith("{") for line in done.stderr.splitlines())
