"""Which session needs a copy, whose file may go, whose copy."""

import datetime as dt
from dataclasses import replace

import pytest
from msgspec import structs

from dreamd.state.copies import Copies
from dreamd.state.exclusion import Rules
from dreamd.state.records import SessionState
from dreamd.state.sighting import Sighting
from dreamd.state.sightings import Sightings
from dreamd.transcripts.event import FileStamp, Growth
from state.state_data import DAY, HOUR, IDLE, T0, dream, see, sighting

NOW = T0 + DAY


@pytest.fixture
def copies(database):
    return Copies(database)


def touched(seen: Sighting, at: dt.datetime) -> Sighting:
    """The sighting of a file with another mtime."""
    stamp = FileStamp(seen.file.stamp.size, int(at.timestamp() * 1e9), 7)
    reading = replace(seen.reading, cursor=replace(seen.reading.cursor, stamp=stamp))
    return replace(seen, file=structs.replace(seen.file, stamp=stamp), reading=reading)


def untyped(seen: Sighting) -> Sighting:
    """The sighting of a session nobody typed in."""
    return replace(seen, reading=replace(seen.reading, headless=True, headless_turns=seen.reading.turns, turns=()))


def ids(found):
    return [one.id for one in found]


def keep(sessions, name: str, at: dt.datetime = NOW) -> int:
    row = sessions.get(name).row
    sessions.archived(row, path=f"{name}.zst", digest="d", now=at)
    return row


def test_a_copy_is_wanted_again_when_a_session_grows(database, sessions, copies):
    see(database, sighting("s1", ["a"]))
    assert ids(copies.wanting(NOW)) == ["s1"]
    assert copies.wanting(T0 - HOUR) == ()
    row = keep(sessions, "s1")
    assert copies.wanting(NOW) == ()
    before = sighting("s1", ["a"]).reading.cursor
    see(database, sighting("s1", ["b"], before=before), now=NOW + HOUR)
    assert ids(copies.wanting(NOW + HOUR)) == ["s1"]
    sessions.unarchived(row)
    assert sessions.get("s1").archived_at is None


def test_every_finished_session_is_kept_but_dreamds_own_and_what_must_not_be(database, sessions, copies):
    see(
        database,
        sighting("typed", ["a"], lineage="a"),
        sighting("copy", ["a"], lineage="a"),
        untyped(sighting("headless", ["h"])),
        sighting("own", ["c"], own=True),
        sighting("forgotten", ["d"]),
    )
    sessions.forget([sessions.get("forgotten").row], NOW)
    assert sorted(ids(copies.wanting(NOW))) == ["copy", "headless", "typed"]


def test_an_original_may_go_when_all_of_it_was_dreamt_of_and_copied(database, sessions, copies):
    see(database, sighting("s1", ["a"]), sighting("s2", ["b"]))
    keep(sessions, "s1")
    assert copies.consolidated(NOW) == ()
    dream(database)
    assert ids(copies.consolidated(NOW)) == ["s1"]
    assert copies.consolidated(T0 - HOUR) == ()
    Sightings(database).vanish([("/t/s1.jsonl", "s1")], NOW)
    assert copies.consolidated(NOW) == ()
    assert sessions.get("s1").state(NOW, IDLE) is SessionState.CONSOLIDATED


def test_an_original_that_other_sessions_share_never_goes(database, sessions, copies):
    one, other = sighting("s1", ["a"]), sighting("s2", ["b"])
    see(database, one, replace(other, file=structs.replace(other.file, path=one.file.path)))
    keep(sessions, "s1")
    keep(sessions, "s2")
    dream(database)
    assert copies.consolidated(NOW) == ()


def test_an_unread_copy_is_never_expendable_and_the_longest_quiet_goes_first(database, sessions, copies):
    see(database, sighting("new", ["a"], at=T0), sighting("old", ["b"], at=T0 - DAY))
    dream(database)
    see(database, sighting("unread", ["c"], at=T0 - 2 * DAY))
    for name in ("new", "old", "unread"):
        keep(sessions, name)
    assert ids(copies.expendable()) == ["old", "new"]


def test_a_copy_given_up_is_not_made_again_until_its_session_grows(database, sessions, copies):
    see(database, sighting("s1", ["a"]))
    dream(database)
    copies.gave_up(keep(sessions, "s1"), NOW + HOUR)
    assert copies.wanting(NOW + DAY) == ()
    assert sessions.get("s1").archived_at is None
    before = sighting("s1", ["a"]).reading.cursor
    see(database, sighting("s1", ["b"], before=before), now=NOW + 2 * HOUR)
    assert ids(copies.wanting(NOW + DAY)) == ["s1"]


def test_a_session_whose_last_copy_was_given_up_is_gone_but_not_unread(database, sessions, copies):
    see(database, sighting("s1", ["a"]))
    dream(database)
    row = keep(sessions, "s1")
    Sightings(database).vanish([("/t/s1.jsonl", "s1")], NOW)
    copies.gave_up(row, NOW)
    assert sessions.get("s1").lost_at == NOW
    assert sessions.get("s1").state(NOW, IDLE) is SessionState.CONSOLIDATED


def test_the_day_of_the_last_change_is_known(database, sessions, copies):
    see(database, touched(sighting("s1", ["a"]), T0), sighting("s2", ["b"]))
    rows = {name: sessions.get(name).row for name in ("s1", "s2")}
    assert copies.touched(rows.values())[rows["s1"]] == T0
    Sightings(database).vanish([("/t/s2.jsonl", "s2")], NOW)
    assert copies.touched(rows.values()).keys() == {rows["s1"]}


def test_what_expires_undreamt_and_without_a_copy_is_counted(database, sessions, copies):
    see(database, *(touched(sighting(name, [name]), T0) for name in ("read", "copied", "unread")))
    Sightings(database).take([touched(sighting("young", ["y"]), T0 + DAY)], Rules(), NOW)
    keep(sessions, "copied")
    assert copies.expiring("toy", "/t", T0 + HOUR) == 2
    assert copies.expiring("toy", "/elsewhere", T0 + HOUR) == 0
    assert copies.expiring("toy", "/t", T0 - HOUR) == 0
    dream(database)
    assert copies.expiring("toy", "/t", T0 + HOUR) == 0
    assert copies.sources() == {("toy", "/t")}


def test_a_rewritten_file_wants_a_new_copy(database, sessions, copies):
    see(database, sighting("s1", ["a"]))
    keep(sessions, "s1")
    before = sighting("s1", ["a"]).reading.cursor
    see(database, replace(sighting("s1", ["b"], growth=Growth.REWRITTEN), before=before), now=NOW + HOUR)
    assert ids(copies.wanting(NOW + HOUR)) == ["s1"]
