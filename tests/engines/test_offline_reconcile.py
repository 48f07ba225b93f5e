"""How findings meet what memory holds."""

import datetime as dt

import pytest

from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.offline.similar import opposed, same, sense
from dreamd.engines.protocol import Act, Finding, Kind, KnownEntry, Proposal, Scope, Topic
from engines.typed import SAID, finding

TOPIC = Topic(Scope.PROJECT, "orchard", "key")


def entry(text: str, *, mine: bool = True, slot: str = "", value: str = "", day: int = 0) -> KnownEntry:
    return KnownEntry("entry-1", text, Kind.FACT if mine else None, mine, slot, value, SAID + dt.timedelta(days=day))


def propose(entries: list[KnownEntry], *findings: Finding) -> list[Proposal]:
    return list(OfflineEngine().reconcile(TOPIC, entries, findings).proposals)


def acts(entries: list[KnownEntry], *findings: Finding) -> list[tuple[Act, str | None, str]]:
    return [(p.act, p.entry_id, p.reason) for p in propose(entries, *findings)]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Always run the linter before committing.", "Always run the linter before you commit."),
        ("Never push to main.", "Never ever push to main!"),
        ("Do not commit without asking.", "Never commit without asking me."),
        ("Always answer briefly.", "Always answer briefly, no summary of every change."),
        ("Use pnpm, not npm.", "Use pnpm instead of npm."),
        ("包管理器统一用 pnpm。", "包管理器用 pnpm。"),
        ("Keep the tests in a separate folder.", "Keep tests in a seperate folder."),
        ("Never touch the environment files.", "Never touch the enviroment files."),
        ("Receive webhooks in the gateway only.", "Recieve webhooks in the gateway only."),
        ("Schreibe die Dokumentation immer mit.", "Schreibe die Dokumentaton immer mit."),
    ],
)
def test_the_same_thing_in_other_words_is_the_same(a: str, b: str) -> None:
    assert same(sense(a), sense(b))
    assert same(sense(b), sense(a))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The main host is db-7.", "The main host is db-3."),
        ("Indent with tabs.", "Indent with spaces."),
        ("The API runs on port 8181.", "The API runs on port 8282."),
        ("Commit generated files.", "Never commit generated files."),
        ("Use pnpm, not npm.", "Use npm, not pnpm."),
        ("Run the tests before committing.", "Run the tests after committing."),
        ("The billing worker uses Redis.", "The search worker uses Redis."),
        ("Keep retention at 3 days.", "Keep retention at 30 days."),
        ("Update parse_date in utils.py.", "Update parse_time in utils.py."),
        ("Use pnpm.", "Use pnpm for the mobile app only, never for the scripts."),
        ("前端用 pnpm。", "后端用 pnpm。"),
        ("Ask legal before you contact vendors.", "Ask legal before you contract vendors."),
        ("Use the shared cache for sessions.", "Use the sharded cache for sessions."),
        ("Sort the invoices in ascending order.", "Sort the invoices in descending order."),
        ("Log every upload of the client.", "Log every unload of the client."),
        ("Reviews of the parser go to Hansen.", "Reviews of the parser go to Hanson."),
        ("Run the tests on staging first.", "Run the tests on stating first."),
        ("Encode the payload before sending it.", "Decode the payload before sending it."),
        ("Use the internal network for builds.", "Use the external network for builds."),
        ("Keep parse_dates in the reader module.", "Keep parse_datas in the reader module."),
        ("提交前跑测试。", "不要在提交前跑测试。"),
    ],
)
def test_values_names_and_negation_keep_things_apart(a: str, b: str) -> None:
    assert not same(sense(a), sense(b))


def test_swapped_choices_are_opposed() -> None:
    assert opposed(sense("Use pnpm, not npm."), sense("Use npm, not pnpm."))
    assert opposed(sense("Commit generated files."), sense("Never commit generated files."))
    assert not opposed(sense("Use pnpm, not npm."), sense("Use ruff, not flake8."))


def test_something_new_is_added() -> None:
    assert acts([], finding("Tags are signed.")) == [(Act.ADD, None, "new")]


def test_the_same_thing_said_again_gains_evidence() -> None:
    assert acts([entry("Never push to main.")], finding("Never ever push to main.")) == [
        (Act.MERGE, "entry-1", "repeated")
    ]


def test_a_newer_value_of_a_slot_takes_the_place_of_the_older() -> None:
    old = entry("The API runs on port 8181.", slot="api port", value="8181")
    new = finding("The API listens on port 8282.", slot="api port", value="8282")
    assert acts([old], new) == [(Act.SUPERSEDE, "entry-1", "newer_value")]


def test_what_else_the_older_line_says_is_carried_over() -> None:
    old = entry("The API runs on port 8181, the admin page on 5173.", slot="api port", value="8181")
    (proposal,) = propose([old], finding("The API listens on port 8282.", slot="api port", value="8282"))
    assert proposal.text == "The API runs on port 8282, the admin page on 5173."


def test_an_older_word_does_not_undo_a_newer_one() -> None:
    old = entry("The API runs on port 8282.", slot="api port", value="8282", day=9)
    assert acts([old], finding("The API runs on port 8181.", slot="api port", value="8181")) == [
        (Act.DROP, None, "contradicted")
    ]


def test_the_same_value_in_other_words_is_one_entry() -> None:
    old = entry("The package manager is pnpm.", slot="package manager", value="pnpm")
    assert acts([old], finding("Use pnpm, not npm.", slot="package manager", value="pnpm")) == [
        (Act.MERGE, "entry-1", "repeated")
    ]


def test_no_longer_using_a_thing_ends_the_line_that_says_to_use_it() -> None:
    assert acts([entry("Use prek.")], finding("No longer uses prek.")) == [(Act.SUPERSEDE, "entry-1", "newer_value")]
    other = entry("The prek hooks of the mobile client run twice a day on the build server.")
    assert acts([other], finding("No longer uses prek."))[0][0] is Act.ADD


def test_a_persons_line_is_never_replaced_or_merged() -> None:
    theirs = entry("The API runs on port 8181.", mine=False)
    same_words = finding("The API runs on port 8181.")
    assert acts([theirs], same_words) == [(Act.DROP, None, "duplicate")]
    theirs = entry("Use npm, not pnpm.", mine=False)
    assert acts([theirs], finding("Use pnpm, not npm.")) == [(Act.ADD, "entry-1", "contradicted")]


def test_findings_of_one_batch_meet_each_other_oldest_first() -> None:
    first = finding("The API runs on port 8181.", n=1, slot="api port", value="8181")
    second = finding("The API runs on port 8282.", n=2, slot="api port", value="8282")
    third = finding("The API listens on port 8282.", n=3, slot="api port", value="8282")
    assert acts([], third, first, second) == [
        (Act.ADD, None, "new"),
        (Act.SUPERSEDE, "finding-1", "newer_value"),
        (Act.MERGE, "finding-1", "repeated"),
    ]


def test_a_weak_finding_stands_only_when_another_session_says_it_again() -> None:
    weak = finding("The button should be blue.", n=1, weight=0.5)
    assert acts([], weak) == [(Act.DROP, None, "weak")]
    again = finding("The button should be blue.", n=2, weight=0.5, session="session-1")
    assert [a for a, _, _ in acts([], weak, again)] == [Act.DROP, Act.DROP]
    elsewhere = finding("The button should be blue.", n=3, weight=0.5)
    assert [a for a, _, _ in acts([], weak, elsewhere)] == [Act.ADD, Act.MERGE]


def test_forget_what_i_said_ends_the_line_it_is_about() -> None:
    taken_back = finding(
        "What was said about the linter no longer holds.", slot="retracted", value="the linter", kind=Kind.CORRECTION
    )
    assert acts([entry("Always run the linter before committing.")], taken_back) == [
        (Act.SUPERSEDE, "entry-1", "contradicted")
    ]
    assert acts([], taken_back) == [(Act.DROP, None, "weak")]


def test_junk_from_anywhere_is_dropped() -> None:
    assert acts([], finding("User: please create the org")) == [(Act.DROP, None, "junk")]


def test_a_second_run_over_the_same_changes_nothing() -> None:
    findings = [
        finding("Never push to main.", n=1),
        finding("The API runs on port 8181.", n=2, slot="api port", value="8181"),
        finding("The API runs on port 8282.", n=3, slot="api port", value="8282"),
        finding("Use pnpm, not npm.", n=4, slot="package manager", value="pnpm"),
    ]
    first = propose([], *findings)
    assert first == propose([], *reversed(findings))
    known = [
        KnownEntry("e1", "Never push to main.", Kind.PROHIBITION, True, last_at=findings[0].at),
        KnownEntry("e2", "The API runs on port 8282.", Kind.FACT, True, "api port", "8282", findings[2].at),
        KnownEntry("e3", "Use pnpm, not npm.", Kind.PREFERENCE, True, "package manager", "pnpm", findings[3].at),
    ]
    assert {p.act for p in propose(known, *findings)} == {Act.DROP}
