"""A file that may not grow any more takes part of a write: what was cut off is noticed, and what comes later is whole again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

#: Files of this process may have so many bytes: a write that goes beyond is cut off there, the next one fails (setrlimit(2)).
LIMITED = """
import resource, sys
from pathlib import Path
from dreamd.log import LogFile
from dreamd.archive.packed import created

place, (_, hard) = Path(sys.argv[1]), resource.getrlimit(resource.RLIMIT_FSIZE)
log = LogFile(place / "dreamd.log")
log.write('{"event": "one.done"}')
resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
try:
    with created(place / "copy") as file:
        file.write(b"x" * 150)
    print("whole")
except OSError as fault:
    print(type(fault).__name__)
log.write('{"event": "two.done", "text": "' + "y" * 100 + '"}')
log.write('{"event": "three.done"}')
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
log.write('{"event": "four.done"}')
log.write('{"event": "five.done"}')
"""


def limited(place: Path) -> str:
    done = subprocess.run([sys.executable, "-c", LIMITED, str(place)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_copy_that_is_cut_off_is_no_copy(tmp_path: Path) -> None:
    assert limited(tmp_path) == "OSError"


def test_a_torn_line_of_the_log_takes_no_other_with_it(tmp_path: Path) -> None:
    limited(tmp_path)
    lines = (tmp_path / "dreamd.log").read_text().splitlines()
    whole = [json.loads(line)["event"] for line in lines if line.endswith("}")]
    assert whole == ["one.done", "four.done", "five.done"]
    assert len(lines) == 4
