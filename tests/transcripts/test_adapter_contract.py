"""What every adapter keeps, whatever its agent: one suite for all of them."""

import builtins
import datetime as dt
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dreamd.errors import TranscriptError
from dreamd.transcripts.adapter import Adapter, ManySessions, reader_of
from dreamd.transcripts.agents import ADAPTERS
from dreamd.transcripts.event import PERSON_ORIGINS, Cursor, Growth, Reading, Role, SessionFile
from dreamd.transcripts.retention import retention
from transcripts.specimens import CWD, KEPT_OPEN, SPECIMENS, Specimen, snapshot


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while KEPT_OPEN:
        KEPT_OPEN.pop().close()


@pytest.fixture(params=SPECIMENS, ids=lambda one: f"{one.agent}-{one.grow.__name__.strip('_')}")
def specimen(request: pytest.FixtureRequest) -> Specimen:
    return request.param


@dataclass
class Known:
    """What is known of a file after some readings, added up as the state does it."""

    cursor: Cursor = field(default_factory=Cursor)
    turns: dict[str, object] = field(default_factory=dict)
    records: int = 0
    bad_lines: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    facts: dict[str, object] = field(default_factory=dict)
    last_at: dt.datetime | None = None

    def add(self, reading: Reading) -> None:
        self.cursor = reading.cursor
        if reading.growth in {Growth.NEW, Growth.REWRITTEN}:
            self.turns, self.records, self.bad_lines, self.unknown = {}, 0, 0, Counter()
        for turn in (*reading.turns, *reading.headless_turns):
            self.turns.setdefault(turn.id, (turn.at, turn.origin))
        self.records += reading.records
        self.bad_lines += reading.bad_lines
        self.unknown.update(reading.unknown_types)
        for name in ("first_cwd", "branch", "version", "lineage", "repository"):
            if getattr(reading, name) is not None:
                self.facts.setdefault(name, getattr(reading, name))
        self.last_at = max(filter(None, (self.last_at, reading.last_at)), default=None)


def only(adapter: Adapter, root: Path) -> SessionFile:
    [file] = adapter.discover(root)
    return file


def scanned(adapter: Adapter, root: Path, cursor: Cursor, *, settled: bool = False) -> Reading:
    return adapter.scan(only(adapter, root), cursor, settled=settled)


@contextmanager
def nothing_opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: object, **__: object) -> None:
        pytest.fail("something was opened")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        patch.setattr(builtins, "open", refuse)
        patch.setattr(sqlite3, "connect", refuse)
        yield


def test_every_agent_has_a_specimen() -> None:
    assert {one.agent for one in SPECIMENS} == set(ADAPTERS)


def test_an_adapter_says_who_it_is_and_what_it_was_checked_with(specimen: Specimen) -> None:
    adapter = specimen.adapter()
    assert adapter.agent == specimen.agent
    assert adapter.verified_with


def test_discovery_opens_nothing(specimen: Specimen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if specimen.opens:
        pytest.skip("its sessions are rows of a database")
    path = specimen.grow(tmp_path, specimen.steps)
    adapter = specimen.adapter()
    with nothing_opened(monkeypatch):
        file = only(adapter, tmp_path)
    assert (file.agent, file.path, file.kind) == (specimen.agent, str(path), "main")
    assert file.session_id


def test_a_missing_root_and_an_empty_one_have_nothing(specimen: Specimen, tmp_path: Path) -> None:
    adapter = specimen.adapter()
    (tmp_path / "empty").mkdir()
    for root in (tmp_path / "empty", tmp_path / "missing"):
        assert list(adapter.discover(root)) == []
        assert adapter.live_sessions(root, dt.datetime(2026, 3, 2, tzinfo=dt.UTC)) == frozenset()
        retention(adapter.agent, root)


def test_a_scan_in_pieces_comes_to_what_a_scan_of_the_whole_does(specimen: Specimen, tmp_path: Path) -> None:
    adapter = specimen.adapter()
    pieces = Known()
    for step in range(1, specimen.steps + 1):
        specimen.grow(tmp_path, step)
        pieces.add(scanned(adapter, tmp_path, pieces.cursor, settled=step == specimen.steps))
    whole = Known()
    whole.add(scanned(specimen.adapter(), tmp_path, Cursor(), settled=True))
    assert pieces.turns == whole.turns
    assert len(whole.turns) == len(specimen.words)
    assert pieces.facts == whole.facts
    assert whole.facts["first_cwd"] == CWD
    assert (pieces.unknown, pieces.bad_lines, pieces.last_at) == (whole.unknown, whole.bad_lines, whole.last_at)


def test_a_scan_goes_on_where_another_process_left_off(specimen: Specimen, tmp_path: Path) -> None:
    """Nothing that a reader remembers may be needed for what it counts."""
    remembering, forgetting = Known(), Known()
    adapter = specimen.adapter()
    for step in range(1, specimen.steps + 1):
        specimen.grow(tmp_path, step)
        remembering.add(scanned(adapter, tmp_path, remembering.cursor))
        forgetting.add(scanned(specimen.adapter(), tmp_path, forgetting.cursor))
        assert forgetting.turns == remembering.turns


def test_what_is_counted_is_what_is_read(specimen: Specimen, tmp_path: Path) -> None:
    specimen.grow(tmp_path, specimen.steps)
    adapter = specimen.adapter()
    file = only(adapter, tmp_path)
    reading = adapter.scan(file, Cursor(), settled=True)
    events = list(reader_of(adapter, file.session_id).read(Path(file.path)))
    people = [one for one in events if one.role is Role.HUMAN and one.origin in PERSON_ORIGINS]
    assert tuple(one.text for one in people) == specimen.words
    assert [(one.id, one.at, one.raw.offset) for one in people] == [
        (one.id, one.at, one.offset) for one in reading.turns
    ]
    assert {one.raw.path for one in events} == {file.path}
    assert [one.text for one in events if one.role is Role.ASSISTANT] == ["Ruff.", "Fridays."]


def test_events_of_a_stretch_are_those_that_begin_in_it(specimen: Specimen, tmp_path: Path) -> None:
    specimen.grow(tmp_path, specimen.steps)
    adapter = specimen.adapter()
    file = only(adapter, tmp_path)
    reader = reader_of(adapter, file.session_id)
    events = list(reader.read(Path(file.path)))
    assert [one.raw.offset for one in events] == sorted(one.raw.offset for one in events)
    middle = events[len(events) // 2].raw.offset
    before = list(reader.read(Path(file.path), end=middle))
    after = list(reader.read(Path(file.path), start=middle))
    assert [one.id for one in before] + [one.id for one in after] == [one.id for one in events]


def test_reading_changes_nothing(specimen: Specimen, tmp_path: Path) -> None:
    specimen.grow(tmp_path, specimen.steps)
    before = snapshot(tmp_path)
    adapter = specimen.adapter()
    file = only(adapter, tmp_path)
    adapter.scan(file, Cursor(), settled=True)
    list(reader_of(adapter, file.session_id).read(Path(file.path)))
    assert snapshot(tmp_path) == before


def test_what_did_not_change_is_not_opened_again(
    specimen: Specimen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specimen.grow(tmp_path, specimen.steps)
    adapter = specimen.adapter()
    file = only(adapter, tmp_path)
    first = adapter.scan(file, Cursor(), settled=True)
    with nothing_opened(monkeypatch):
        again = adapter.scan(file, first.cursor, settled=True)
    assert (again.growth, again.cursor, again.bytes_read) == (Growth.UNCHANGED, first.cursor, 0)


def test_unknown_records_are_counted_and_harmless(specimen: Specimen, tmp_path: Path) -> None:
    specimen.grow(tmp_path, specimen.steps)
    reading = scanned(specimen.adapter(), tmp_path, Cursor(), settled=True)
    assert reading.unknown_types == {specimen.unknown: 1}
    assert (reading.bad_lines, reading.growth) == (0, Growth.NEW)


def test_a_file_that_is_gone_is_no_error(specimen: Specimen, tmp_path: Path) -> None:
    path = specimen.grow(tmp_path, specimen.steps)
    adapter = specimen.adapter()
    file = only(adapter, tmp_path)
    path.unlink()
    reading = adapter.scan(file, Cursor())
    assert (reading.growth, reading.cursor) == (Growth.GONE, Cursor())
    shutil.rmtree(tmp_path)
    assert adapter.scan(file, Cursor()).growth is Growth.GONE


def test_what_is_no_transcript_at_all_is_no_exception(specimen: Specimen, tmp_path: Path) -> None:
    path = specimen.grow(tmp_path, specimen.steps)
    adapter = specimen.adapter()
    file = only(adapter, tmp_path)
    for junk in (b"", b"\n", b"\x00" * 5000, b"PK\x03\x04 not json\n" * 50, b"[1, 2, 3]\n", b'"text"\n', b"{}\n"):
        path.write_bytes(junk)
        reading = adapter.scan(file, Cursor(), settled=True)
        assert reading.turns == ()


def test_every_file_that_grows_is_known_as_a_transcript(specimen: Specimen, tmp_path: Path) -> None:
    """What a watcher sees change leads to the transcript; nothing else beside it does."""
    path = specimen.grow(tmp_path, 1)
    before = snapshot(tmp_path)
    specimen.grow(tmp_path, specimen.steps)
    adapter = specimen.adapter()
    changed = {name for name, found in snapshot(tmp_path).items() if before.get(name) != found and "-shm" not in name}
    assert changed
    assert {adapter.transcript_at(name) for name in changed} - {None} == {str(path)}
    assert adapter.transcript_at(str(path.with_name("notes.txt"))) is None
    assert adapter.nested or path.parent == tmp_path


def test_what_belongs_to_a_session_is_no_other_sessions_transcript(specimen: Specimen, tmp_path: Path) -> None:
    path = specimen.grow(tmp_path, specimen.steps)
    adapter = specimen.adapter()
    file = only(adapter, tmp_path)
    beside = adapter.belongings(path, file.session_id)
    assert path not in beside
    assert all(one.is_relative_to(tmp_path) and not path.is_relative_to(one) for one in beside)


def test_sessions_that_share_a_file_are_told_apart_and_carried_out(specimen: Specimen, tmp_path: Path) -> None:
    path = specimen.grow(tmp_path / "root", specimen.steps)
    adapter = specimen.adapter()
    if not isinstance(adapter, ManySessions):
        assert not specimen.opens
        return
    [file] = adapter.files_in(path)
    assert adapter.is_shared(path)
    assert list(adapter.files_in(path, news=True)) == [file]
    assert list(adapter.files_in(path, news=True)) == []
    before = snapshot(tmp_path / "root")
    copy = tmp_path / "copy"
    adapter.carry_out(path, file.session_id, copy)
    assert snapshot(tmp_path / "root") == before
    texts = [[one.text for one in adapter.reader(file.session_id).read(place)] for place in (path, copy)]
    assert texts[0] == texts[1]
    with pytest.raises(TranscriptError):
        adapter.carry_in(copy, file.session_id, path, overwrite=True)  # the client has it open
    assert snapshot(tmp_path / "root") == before
    with pytest.raises(TranscriptError):
        adapter.carry_out(path, "nobody", tmp_path / "other")
