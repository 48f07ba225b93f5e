"""Marks, tombstones and requests."""

import sqlite3

from dreamd.state.database import Database
from dreamd.state.marks import Mark, Marks
from dreamd.state.requests import Requests
from dreamd.state.withheld import Withheld
from state.state_data import HOUR, T0


def test_marks_hold_times_and_texts(database):
    marks = Marks(database)
    assert marks.time(Mark.PAUSED_UNTIL) is None
    marks.set(Mark.PAUSED_UNTIL, T0)
    marks.set("windows", "{}")
    assert (marks.time(Mark.PAUSED_UNTIL), marks.text("windows")) == (T0, "{}")
    marks.set(Mark.PAUSED_UNTIL, None)
    assert marks.all() == {"windows": "{}"}


def test_machine_key_is_made_once_and_not_shown(database, path):
    marks = Marks(database)
    key = marks.machine_key()
    assert len(key) == 32
    other = Database.open(path)
    assert Marks(other).machine_key() == key
    other.close()
    assert marks.all() == {}


def test_tombstones_know_words_without_holding_them(database, path):
    withheld = Withheld(database)
    withheld.add(["the cat is grey", "finding-1"], reason="undone", run_id="R", now=T0)
    withheld.add(["finding-1"], reason="forgotten", run_id="S", now=T0)
    assert withheld.holds("the cat is grey")
    assert not withheld.holds("the dog is grey")
    assert withheld.among(["finding-1", "other"]) == {"finding-1": "undone"}
    with sqlite3.connect(path) as connection:
        assert "grey" not in str(connection.execute("SELECT * FROM withheld").fetchall())
    connection.close()
    assert withheld.release(["finding-1"]) == 1
    assert withheld.release_run("R") == 1
    assert not withheld.holds("the cat is grey")


def test_requests_are_taken_once_in_order(database):
    requests = Requests(database)
    first = requests.add("kick", {"engine": "offline"}, T0)
    second = requests.add("kick", {}, T0 + HOUR)
    assert requests.waiting() == 2
    taken = requests.take(T0 + HOUR)
    assert taken is not None
    assert (taken.id, taken.options, taken.taken_at) == (first.id, {"engine": "offline"}, T0 + HOUR)
    assert requests.take(T0 + HOUR).id == second.id
    assert requests.take(T0 + HOUR) is None
    requests.answer(first.id, answer="started", now=T0 + HOUR, run_id="R")
    read = requests.get(first.id)
    assert read is not None
    assert (read.answer, read.run_id, read.done_at) == ("started", "R", T0 + HOUR)
    assert requests.prune(T0 + HOUR) == 1
    assert requests.get(first.id) is None
