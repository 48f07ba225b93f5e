"""What is no more and what was learned: values that were replaced end older lines; a cause counts with its fix."""

import datetime as dt
from dataclasses import replace

import pytest

from dreamd.engines.offline.causes import learned
from dreamd.engines.offline.changes import gone
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.offline.slots import Slot, find
from dreamd.engines.offline.verdict import WEAK
from dreamd.engines.protocol import Act, Finding, Kind, KnownEntry, Scope, Topic
from engines.typed import answer, lines, read, turn

TOPIC = Topic(Scope.PROJECT, "orchard", "key")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("We replaced Kafka with NATS as job queue.", {"kafka"}),
        ("Rename `retry_limit` to `grace_limit`.", {"retry_limit"}),
        ("The queue went from Kafka to NATS.", {"kafka"}),
        ("The preview host is stage-b instead of stage-a.", {"stage-a"}),
        ("We moved off Kafka, the queue is NATS.", {"kafka"}),
        ("The auth scheme is passkeys, not passwords.", {"password"}),
        ("NATS replaces Kafka as the queue.", {"kafka"}),
        ("Noor took over the checkout crew from Tariq.", {"tariq"}),
        ("The queue is NATS, Kafka was the old one.", {"kafka"}),
    ],
)
def test_a_sentence_says_what_is_no_more(text: str, old: set[str]) -> None:
    assert old in [set(one.stems) for one in gone(text)]


@pytest.mark.parametrize("text", ["The queue is NATS.", "Never use Kafka.", "Answer briefly.", "我们用 NATS。"])
def test_most_sentences_end_nothing(text: str) -> None:
    assert gone(text) == ()


def stands(*said: str) -> list[str]:
    """What stands after things were said on different days."""
    found: list[Finding] = []
    for day, text in enumerate(said):
        for one in read(text).findings:
            if one.weight >= WEAK and one.at:
                at = one.at + dt.timedelta(days=day)
                found.append(replace(one, id=f"f{len(found)}", session_id=f"s{day}", at=at))
    standing: dict[str, str] = {}
    for proposal in OfflineEngine().reconcile(TOPIC, (), found).proposals:
        text = next(f.text for f in found if f.id == proposal.finding_ids[0])
        if proposal.act is Act.ADD:
            standing[proposal.finding_ids[0]] = proposal.text or text
        elif proposal.act is Act.SUPERSEDE and proposal.entry_id:
            standing[proposal.entry_id] = proposal.text or text
    return list(standing.values())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("stick with Kafka for the job queue", "yesterday the team replaced Kafka with NATS as job queue"),
        ("the dev port we use is 4411", "we moved off 4411, the dev port is 4599 now"),
        ("for the cache layer go with Varnish", "the cache layer changed yesterday: it's Squid, not Varnish"),
        ("orchard's database is Firebird", "Firebird is gone, Derby is the new database"),
        ("make sure the logging library stays pino", "we no longer use pino as logging library, it's winston"),
        (
            "everything in orchard assumes 4411 as the dev port",
            "scrap 4411: the dev port has been 4599 since yesterday",
        ),
    ],
)
def test_the_old_value_does_not_stand_beside_the_new_one(before: str, after: str) -> None:
    left = stands(before, after)
    assert len(left) == 1
    assert left != stands(before)


def test_a_line_about_another_thing_stays() -> None:
    assert len(stands("the build box is gx-07", "the mail relay is gx-09 instead of gx-08")) == 2


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("For the cache layer go with Varnish.", Slot("cache layer", "Varnish")),
        ("Stable is our default branch.", Slot("default branch", "Stable")),
        ("The dev port we use is 4411.", Slot("dev port", "4411")),
        ("Orchard has Firebird as its database.", Slot("database", "Firebird")),
        ("The job queue has been RabbitMQ since 2026-03-02.", Slot("job queue", "RabbitMQ")),
    ],
)
def test_a_value_is_found_however_it_is_given(text: str, slot: Slot) -> None:
    assert find(text) == slot


@pytest.mark.parametrize(
    "said",
    [
        "Root cause of the websocket failure was the idle limit. Setting idle_limit=90 fixed it.",
        "The upload test was flaky because of a shared temp dir; solved with TMPDIR=./tmp",
        "Turns out clock skew caused the token failure. The fix was TZ=UTC.",
        "It was a stale lock file that made the import flaky; deleting it does the trick.",
    ],
)
def test_a_cause_with_its_fix_is_learned_whoever_says_it(said: str) -> None:
    mine = [f for f in read(said).findings if f.kind is Kind.LEARNING and f.weight >= WEAK]
    theirs = read("why is it red", answer(said, n=1), turn("thanks", n=2)).findings
    assert len(mine) == 1
    assert [f.kind for f in theirs if f.weight >= WEAK] == [Kind.LEARNING]


@pytest.mark.parametrize(
    "said",
    [
        "The error comes from a missing import; fixing it.",
        "The test fails because of the timeout.",
        "It might be caused by the cache, setting TTL=0 could fix it.",
        "I fixed the flaky test.",
        "Was the failure caused by TZ? Setting TZ=UTC fixed it?",
    ],
)
def test_half_of_it_or_a_guess_is_not_learned(said: str) -> None:
    assert list(learned([said])) == []


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("it's important to me that you ask before adding a library", "Always ask before adding a library."),
        ("make it a habit to run the formatter before you finish", "Always run the formatter before you finish."),
        ("write the tests first - no exceptions", "Always write the tests first."),
        ("you forgot to update the changelog again, please always do", "Always update the changelog."),
        ("would be nice if you could always show the plan first", "Always show the plan first."),
    ],
)
def test_a_rule_that_is_insisted_on_stands(typed: str, line: str) -> None:
    assert lines(typed) == [line]


def test_work_that_was_handed_over_ends_in_the_first_ones_file() -> None:
    found = read("yesterday Noor Haddad took over the billing crew from Tariq Aziz").findings
    ended = [f for f in found if f.slot == "retracted"]
    assert [(f.subject, f.value, f.text) for f in ended] == [
        ("Tariq Aziz", "billing crew", "Noor Haddad took over the billing crew from Tariq Aziz.")
    ]
    topic = Topic(Scope.PERSON, "Tariq Aziz")
    known = KnownEntry("entry-1", "Tariq Aziz leads the billing crew.", Kind.PERSON, True)
    one = replace(ended[0], id="f1", session_id="s1")
    assert [p.act for p in OfflineEngine().reconcile(topic, [known], [one]).proposals] == [Act.SUPERSEDE]
    assert [p.act for p in OfflineEngine().reconcile(topic, [], [one]).proposals] == [Act.DROP]
