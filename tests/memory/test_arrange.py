"""What goes where: sections, order, caps, pointers, staleness."""

import datetime as dt
from dataclasses import replace

from dreamd.memory.arrange import arrange
from dreamd.memory.document import entry_key
from dreamd.memory.layout import MEMORY, OVERFLOW, POINTER, rank
from dreamd.memory.plan import ChangeKind, EntryRecord, Reason
from dreamd.memory.wish import Arrangement, Caps, Excess, Ground, Place, Wish

NOW = dt.datetime(2026, 3, 10, 12, tzinfo=dt.UTC)
CAPS = Caps(max_lines=200, max_bytes=25_000, topic_max_lines=200, stale_after=dt.timedelta(days=180))
EMPTY = Ground({}, {}, frozenset(), frozenset())
PLACES = {"projects/api.md": Place("projects/api.md", "api", "~/work/api")}


def record(
    number: int, text: str = "", kind: str = "preference", scope: str = "general", **more: object
) -> EntryRecord:
    text = text or f"Rule number {number}."
    made = EntryRecord(
        id=f"01J{number:023d}",
        file="" if scope == "general" else "projects/api.md",
        section="" if scope == "general" else "Rules",
        text=text,
        key=entry_key(text),
        kind=kind,
        scope=scope,
        last_at=NOW,
        added_at=NOW,
        findings=("f",),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def added(*records: EntryRecord) -> list[Wish]:
    return [Wish(one, ChangeKind.ADD, Reason.NEW, findings=one.findings) for one in records]


def done(
    wishes: list[Wish], ground: Ground = EMPTY, caps: Caps = CAPS, now: dt.datetime = NOW, **excess: Excess
) -> Arrangement:
    over = {name.replace("__", "/").replace("_2", "~2") + ".md": much for name, much in excess.items()}
    return arrange(wishes, PLACES, ground, caps, now, dt.UTC, over)


def test_general_rules_go_to_memory_and_project_entries_to_their_file_with_a_pointer() -> None:
    made = done(added(record(1, kind="prohibition"), record(2, "Use pnpm, not npm.", scope="project")))
    places = {(c.file, c.section) for c in made.changes}
    assert places == {(MEMORY, "Rules"), ("projects/api.md", "Rules"), (MEMORY, "Projects")}
    (pointer,) = [c for c in made.changes if c.reason is Reason.POINTER]
    assert pointer.new == "[api](projects/api.md): ~/work/api; Use pnpm, not npm"
    (head,) = made.heads
    assert (head.name, head.modified, head.type) == ("api", NOW.date(), "project")


def test_arranging_what_stands_changes_nothing() -> None:
    first = done(added(record(1), record(2, scope="project"), record(3, kind="fact", scope="project", section="Facts")))
    again = done([Wish(one) for one in first.kept])
    assert again.changes == ()
    assert again.kept == first.kept


def test_new_entries_stand_behind_those_that_rank_as_high_and_move_nothing() -> None:
    first = done(added(record(1, kind="prohibition", weight=5.0), record(2, kind="prohibition", weight=1.0)))
    new = record(3, kind="prohibition", weight=3.0)
    made = done([*(Wish(one) for one in first.kept), *added(new)])
    (change,) = made.changes
    assert change.after == first.kept[0].id


def test_over_the_cap_the_lowest_ranked_leave_for_the_overflow_topic() -> None:
    wishes = added(*(record(n, weight=float(n)) for n in range(1, 60)))
    made = done(wishes, caps=replace(CAPS, max_lines=40), MEMORY=Excess(10))
    inside = [one for one in made.kept if one.file == MEMORY and one.kind != POINTER]
    outside = [one for one in made.kept if one.file == OVERFLOW]
    assert len(inside) + len(outside) == 59
    assert len(inside) == 30
    assert min(map(rank, inside)) >= max(map(rank, outside))
    assert any(one.kind == POINTER and one.value == OVERFLOW for one in made.kept)


def test_a_topic_over_its_lines_goes_on_in_a_second_part_with_its_own_pointer() -> None:
    wishes = added(*(record(n, scope="project", weight=float(n)) for n in range(1, 80)))
    made = done(wishes, caps=replace(CAPS, topic_max_lines=50), projects__api=Excess(12), projects__api_2=Excess(12))
    files = {one.file for one in made.kept if one.kind != POINTER}
    assert files == {"projects/api.md", "projects/api~2.md", "projects/api~3.md"}
    assert {one.value for one in made.kept if one.kind == POINTER} == files


def test_unconfirmed_entries_leave_memory_first_and_their_topic_after_as_long_again() -> None:
    first = done(added(record(1), record(2, scope="project"), record(3, pinned=True)))
    later = NOW + dt.timedelta(days=200)
    made = done([Wish(one) for one in first.kept], now=later)
    moved = [c for c in made.changes if c.kind is ChangeKind.MOVE]
    assert [(c.file, c.reason) for c in moved] == [(OVERFLOW, Reason.STALE)]
    latest = done([Wish(one) for one in made.kept], now=NOW + dt.timedelta(days=400))
    gone = [c for c in latest.changes if c.kind is ChangeKind.REMOVE and c.reason is Reason.STALE]
    assert len(gone) == 2
    assert {one.pinned for one in latest.kept} == {True}


def test_a_pointer_goes_with_its_file_and_a_persons_own_link_is_enough() -> None:
    first = done(added(record(2, scope="project")))
    pointers = [Wish(one) for one in first.kept if one.kind == POINTER]
    assert [c.kind for c in done(pointers).changes] == [ChangeKind.REMOVE]
    linked = replace(EMPTY, pointed=frozenset({"projects/api.md"}))
    assert [c.file for c in done(added(record(2, scope="project")), linked).changes] == ["projects/api.md"]


def test_an_isolated_projects_pointer_tells_nothing() -> None:
    places = {"projects/api.md": Place("projects/api.md", "api", "~/work/api", isolated=True)}
    made = arrange(added(record(2, scope="project")), places, EMPTY, CAPS, NOW, dt.UTC)
    (pointer,) = [c for c in made.changes if c.reason is Reason.POINTER]
    assert pointer.new == "[api](projects/api.md)"


def test_old_evidence_said_again_is_stale_at_once_and_not_a_dream_later() -> None:
    first = done(added(record(1), record(2)))
    later = NOW + dt.timedelta(days=200)
    plain, reworded = (one for one in first.kept if one.kind != POINTER)
    wishes = [
        Wish(plain, ChangeKind.MERGE, Reason.REPEATED, plain.text, ("g",)),
        Wish(
            replace(reworded, text="Rule number two.", key=entry_key("Rule number two.")),
            ChangeKind.SUPERSEDE,
            Reason.NEWER_VALUE,
            reworded.text,
            ("h",),
        ),
    ]
    made = done(wishes, now=later)
    assert {one.file for one in made.kept if one.kind != POINTER} == {OVERFLOW}
    told = [(change.kind, change.entry) for change in made.changes if change.reason is not Reason.POINTER]
    assert told == [(ChangeKind.MOVE, plain.id), (ChangeKind.MERGE, plain.id), (ChangeKind.SUPERSEDE, reworded.id)]
    assert done([Wish(one) for one in made.kept], now=later).changes == ()


def test_beyond_what_lines_can_hold_the_folder_leads_to_the_oldest_topics_and_stays_as_it_is() -> None:
    many = [
        replace(
            record(number, f"Rule {number} of the thing.", scope="pattern"),
            file=f"patterns/subject-number-{number:04}.md",
            section="Lessons",
            last_at=NOW - dt.timedelta(hours=number),
        )
        for number in range(900)
    ]
    first = done(added(*many))
    text = "\n".join(change.new or "" for change in first.changes if change.reason is Reason.POINTER)
    assert "[subject-number-0000](patterns/subject-number-0000.md)" in text
    assert "subject-number-0899" not in text
    assert text.count("Older still: [more in patterns/](patterns/)") == 1
    assert len(text.encode()) <= CAPS.max_bytes
    again = done([Wish(one) for one in first.kept])
    assert again.changes == ()
    fewer = done([Wish(one) for one in first.kept if one.kind == POINTER or one.file < "patterns/subject-number-0100"])
    gone = [change for change in fewer.changes if change.kind is ChangeKind.REMOVE]
    assert any(change.old == "Older still: [more in patterns/](patterns/)" for change in gone)
