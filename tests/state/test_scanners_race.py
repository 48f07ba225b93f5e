"""Two scanners at once, in threads and in processes, count once."""

import subprocess
import sys
import threading

from dreamd.state.database import Database
from dreamd.state.exclusion import Rules
from dreamd.state.sightings import Sightings
from dreamd.transcripts.event import Cursor
from state.state_data import DAY, T0, see, sighting


def test_reading_from_an_overtaken_cursor_is_dropped(database, sessions):
    first = sighting("s1", ["a"], output_tokens={"m": 5})
    see(database, first)
    taken = Sightings(database).take([first], Rules(), T0 + DAY)
    assert (taken.taken, taken.created) == ((), frozenset())
    grown = sighting("s1", ["b"], before=first.reading.cursor, output_tokens={"n": 5})
    see(database, grown)
    see(database, grown)
    session = sessions.get("s1")
    assert (session.human_turns, session.tokens_out) == (2, 10)


def test_reading_of_an_unknown_file_from_the_middle_is_dropped(database, sessions):
    see(database, sighting("s1", ["a"], before=Cursor(100, "h", "t", 1)))
    assert sessions.get("s1").human_turns == 0


def test_threads_count_once(database, sessions):
    scans = [
        [sighting(f"s{number}", [f"{number}-a"], output_tokens={"m": 5}) for number in range(20)] for _ in range(4)
    ]
    together = threading.Barrier(4)

    def run(batch):
        together.wait()
        for one in batch:
            see(database, one)

    threads = [threading.Thread(target=run, args=(batch,)) for batch in scans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(one.human_turns, one.tokens_out) for one in sessions.list()] == [(1, 5)] * 20


SCAN = """
import datetime as dt, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from ingest.toy_agent import DAY, IDLE, T0, ToyAgent, locate
from dreamd.ingest.scanner import Scanner
from dreamd.sources import Source
from dreamd.state.database import Database
database = Database.open(Path(sys.argv[2]))
sys.stdin.readline()
report = Scanner([Source("toy", Path(sys.argv[3]))], database, idle=IDLE, adapters={"toy": ToyAgent()}, locate=locate).scan(T0 + DAY)
print(report.new)
"""


def test_processes_count_once(database, path, sessions, tmp_path):
    from pathlib import Path

    from ingest.toy_agent import say, write

    for number in range(40):
        write(tmp_path / "t", f"s{number}", say(f"{number}-a"), {"type": "answer", "message": "m", "out": 5})
    command = [sys.executable, "-c", SCAN, str(Path(__file__).parents[1]), str(path), str(tmp_path / "t")]
    both = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for one in both:
        one.stdin.write("go\n")
        one.stdin.flush()
    told = [int(one.communicate()[0]) for one in both]
    assert sum(told) == 40
    assert [(one.human_turns, one.tokens_out) for one in sessions.list()] == [(1, 5)] * 40


def test_second_open_of_the_database_sees_the_first_ones_writes(database, path):
    see(database, sighting("s1", ["a"]))
    other = Database.open(path)
    assert len(Sightings(other).stamps(T0)) == 1
    other.close()
