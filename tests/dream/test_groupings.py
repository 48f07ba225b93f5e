"""The same sayings give the same memory, however they are grouped into dreams and whichever session is read first."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from dreamd.dream.clerk import Shelf, bare
from dreamd.dream.consolidate import Knowledge, consolidate
from dreamd.engines.offline import slots
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.protocol import Finding, Kind, Scope, Topic
from dreamd.memory.plan import ChangeKind, EntryRecord

NOW = dt.datetime(2026, 3, 10, 12, tzinfo=dt.UTC)
SHELF = Shelf(Topic(Scope.PROJECT, "orchard", "k"), "projects/orchard.md")
NUMBER = st.sampled_from(["2", "3", "11", "30"])
#: Of each the first place tells which thing is spoken of, the second what holds of it.
SAYINGS = (
    "In step {} we always use plain words.",
    "Test {} of the parser is slow.",
    "The limit of queue {} is {}00 entries at most.",
    "In the v{} api we keep snake case.",
    "Always indent with tabs in phase {}.",
    "Always indent with spaces in chapter {}.",
    "The printers on floor {} are blue.",
    "In option A the cache lives for {} days.",
    "In option B the cache lives for {} days.",
    "在第{}步我们用简单的话。",
    "The API runs on port 80{}.",
    "The admin page is on port 80{} now.",
    "Keep backups for {} days.",
    "The demo is on floor {}.",
    "Never push to main.",
    "Always push to main.",
    "Use pnpm, not npm.",
    "We use npm.",
    "Always indent with spaces.",
    "CI runs on Travis.",
    "CI runs on Buildkite now.",
)
SAYING = st.sampled_from(SAYINGS).flatmap(
    lambda form: st.tuples(*[NUMBER] * form.count("{}")).map(lambda numbers: form.format(*numbers))
)


def findings(sayings: Sequence[str]) -> list[Finding]:
    """Each said in a session of its own, a day after the one before."""
    found = []
    for n, text in enumerate(sayings):
        slot = slots.find(text)
        one = Finding(Kind.CONVENTION, Scope.PROJECT, text, f"t{n}", NOW - dt.timedelta(days=50 - n), text)
        one = replace(one, id=f"f{n}", session_id=f"s{n}", path=f"{n}.jsonl", project_key="k")
        found.append(replace(one, slot=slot.name, value=slot.value) if slot else one)
    return found


def remembered(dreams: Iterable[Sequence[Finding]]) -> set[str]:
    """The lines that stand after dreams over some findings each."""
    records: list[EntryRecord] = []
    for n, found in enumerate(dreams):
        done = consolidate(
            OfflineEngine(),
            Knowledge(tuple(records), (), ()),
            found,
            lambda _: SHELF,
            withheld=lambda _: None,
            reject=lambda _: None,
            run_id=f"R{n}",
            now=NOW,
            zone=dt.UTC,
        )
        records = [wish.record for wish in done.wishes if wish.act is not ChangeKind.REMOVE]
    return {bare(record.text) for record in records}


@settings(max_examples=60, deadline=None)
@given(st.lists(SAYING, min_size=2, max_size=8), st.data())
def test_one_dream_many_dreams_and_two_halves_remember_the_same(sayings: list[str], data: st.DataObject) -> None:
    found = findings(sayings)
    half = data.draw(st.integers(1, len(found) - 1))
    at_once = remembered([found])
    assert remembered([one] for one in found) == at_once
    assert remembered([found[:half], found[half:]]) == at_once


@settings(max_examples=60, deadline=None)
@given(st.lists(SAYING, min_size=2, max_size=8), st.data())
def test_sessions_that_are_read_out_of_order_change_nothing(sayings: list[str], data: st.DataObject) -> None:
    found = findings(sayings)
    shuffled = data.draw(st.permutations(found))
    half = data.draw(st.integers(1, len(found) - 1))
    at_once = remembered([found])
    assert remembered([one] for one in shuffled) == at_once
    assert remembered([shuffled[:half], shuffled[half:]]) == at_once
