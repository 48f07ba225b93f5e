"""What comes again: requests that become habits, rules of two projects, answers of one word."""

import datetime as dt
from dataclasses import replace

import pytest

from dreamd.engines.offline.assents import settled
from dreamd.engines.offline.engine import OfflineEngine
from dreamd.engines.offline.languages.english_practices import WAYS, Way
from dreamd.engines.offline.practices import wording
from dreamd.engines.protocol import Act, Finding, Kind, KnownEntry, Scope, Topic
from engines.typed import SAID, answer, digest, finding, lines, read, turn

TOPIC = Topic(Scope.PROJECT, "orchard", "key")


def asked(text: str, day: int) -> Finding:
    found = read(text).findings
    assert [f.weight < 0.5 for f in found] == [True], "a request alone has no weight"
    return replace(found[0], id=f"finding-{day}", session_id=f"session-{day}", at=SAID + dt.timedelta(days=day))


def decide(entries: list[KnownEntry], *findings: Finding) -> list[tuple[Act, str]]:
    return [(p.act, p.reason) for p in OfflineEngine().reconcile(TOPIC, entries, findings).proposals]


def test_the_same_request_on_three_days_becomes_one_line() -> None:
    said = ["please open a draft PR", "create a draft PR", "commit, push, make a draft PR please"]
    findings = [asked(text, day) for day, text in enumerate(said)]
    assert findings[0].text == "Often asks to open a draft PR."
    assert decide([], *findings) == [(Act.ADD, "new"), (Act.MERGE, "repeated"), (Act.MERGE, "repeated")]


def test_two_days_are_no_habit() -> None:
    findings = [asked("run mise run fmt and lint", day) for day in range(2)]
    assert decide([], *findings) == [(Act.DROP, "weak")] * 2


def test_three_sessions_of_one_day_are_no_habit() -> None:
    findings = [replace(asked("run mise run fmt and lint", n), at=SAID) for n in range(3)]
    assert decide([], *findings) == [(Act.DROP, "weak")] * 3


def test_different_requests_do_not_add_up() -> None:
    said = ["create a draft PR", "use the workmux skill please", "run mise run fmt and lint"]
    assert decide([], *(asked(text, day) for day, text in enumerate(said))) == [(Act.DROP, "weak")] * 3


@pytest.mark.parametrize(
    "text", ["commit and push", "run the tests", "fix the draft layout", "open the PR from this branch"]
)
def test_what_everybody_asks_and_what_is_of_this_task_is_no_habit(text: str) -> None:
    assert read(text).findings == ()


def rule(text: str, project: str, n: int, kind: Kind = Kind.CONVENTION) -> Finding:
    return replace(finding(text, n=n, kind=kind), project_key=project)


def test_a_rule_typed_in_two_projects_is_broadened() -> None:
    a, b = rule("Never use wildcard imports.", "alpha", 1), rule("Never ever use wildcard imports!", "beta", 2)
    assert OfflineEngine().broaden([a, b], ()) == (frozenset({"finding-1", "finding-2"}),)


def test_a_rule_of_memory_and_a_new_one_of_another_project_are_broadened() -> None:
    known = KnownEntry("entry-1", "Never use wildcard imports.", Kind.PROHIBITION, True)
    new = rule("Never use wildcard imports.", "beta", 1, Kind.PROHIBITION)
    assert OfflineEngine().broaden([new], [("alpha", known)]) == (frozenset({"entry-1", "finding-1"}),)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Never edit files under src/gen.", Kind.PROHIBITION),  # a project's path
        ("Never restart the importer by hand.", Kind.PROHIBITION),  # a project's thing
        ("Production is on PostgreSQL 16.", Kind.FACT),  # a fact
    ],
)
def test_what_is_of_a_project_is_not_broadened(text: str, kind: Kind) -> None:
    assert OfflineEngine().broaden([rule(text, "alpha", 1, kind), rule(text, "beta", 2, kind)], ()) == ()


def test_projects_that_differ_in_a_value_keep_their_own() -> None:
    said = [
        replace(rule(f"Use {tool}.", project, n), slot="package manager", value=tool)
        for n, (project, tool) in enumerate([("alpha", "pnpm"), ("beta", "pnpm"), ("gamma", "npm")])
    ]
    assert OfflineEngine().broaden(said, ()) == ()


def test_one_project_alone_is_not_broadened() -> None:
    assert OfflineEngine().broaden([rule("Never use wildcard imports.", "alpha", n) for n in (1, 2)], ()) == ()


@pytest.mark.parametrize(
    ("proposal", "said", "line"),
    [
        ("Both work.\n\nShould we use Redis for the cache instead of a dict?", "yes", "Use Redis for the cache instead of a dict."),
        ("Do you want me to always run the linter before committing?", "yes please", "Always run the linter before committing."),
        ("Which database should we use?\n\n1. PostgreSQL - robust\n2. SQLite - simple", "option 2", "Database to use: SQLite."),
        ("Which queue should we use?\nA. RabbitMQ\nB. Kafka", "A.", "Queue to use: RabbitMQ."),
        ("Want me to rename `Stop` to `TurnEnd` in `phase.go`?", "yes", "Rename `Stop` to `TurnEnd`."),
    ],
)  # fmt: skip
def test_a_short_answer_settles_what_was_proposed(proposal: str, said: str, line: str) -> None:
    assert settled(proposal, said) == line
    found = OfflineEngine().extract(digest(answer(proposal), turn(said, n=1)), ()).findings
    assert [(f.text, f.kind) for f in found] == [(line, Kind.DECISION)]


@pytest.mark.parametrize(
    ("proposal", "said"),
    [
        ("Should I proceed with the fix?", "yes"),
        ("Should we add a retry button?", "yes"),
        ("Should we use this approach for now?", "yes"),
        ("Should we use Redis or Kafka?", "yes"),
        ("Should we use Redis? Or should I look further?", "yes"),
        ("I used Redis for the cache.", "yes"),
        ("Should we use Redis for the cache?", "no idea, what do others do"),
        ("Which one first?\n1. Fix the test\n2. Update the docs", "2"),
        ("Which database should we use?\n1. PostgreSQL\n2. SQLite", "3"),
        ("", "yes"),
    ],
)
def test_a_short_answer_to_anything_else_settles_nothing(proposal: str, said: str) -> None:
    assert settled(proposal, said) is None


@pytest.mark.parametrize(
    ("typed", "scope"),
    [
        ("never push to release without asking me", Scope.PROJECT),
        ("never push anything without asking me", Scope.GENERAL),
        ("answer me in Spanish", Scope.GENERAL),
        ("Bitte antworte immer auf Deutsch", Scope.GENERAL),
        ("用中文回答我", Scope.GENERAL),
        ("I'm on windows so give me powershell commands", Scope.GENERAL),
        ("I'm a backend developer, explain frontend stuff", Scope.GENERAL),
        ("treat warnings as errors", Scope.PROJECT),
        ("generated files in src/gen must not be edited by hand", Scope.PROJECT),
    ],
)
def test_a_rule_stands_where_it_holds(typed: str, scope: Scope) -> None:
    assert [f.scope for f in read(typed).findings] == [scope]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("can we remove acme/eval as that's replaced by acme/sdk", "acme/eval is replaced by acme/sdk."),
        ("refactor it, but keep in mind that handlers have to stay stateless", "Handlers have to stay stateless."),
        ("next time read the migration guide before upgrading", "Read the migration guide before upgrading."),
        ("we no longer use prek we just use lefthook", "We no longer use prek; we just use lefthook."),
        ("answer me in Spanish", "Answer in Spanish."),
        ("remember you have LSP tool access", "LSP tool access is available."),
        ("step == rewindable points between checkpoints", "Step means rewindable points between checkpoints."),
        ("下次先看文档再动手", "先看文档再动手。"),
    ],
)
def test_a_line_reads_well_by_itself(typed: str, line: str) -> None:
    assert lines(typed) == [line]


def test_never_this_do_that_instead_meets_do_that() -> None:
    first = finding("Always run the linter before finishing.", n=1)
    second = finding("Never skip ruff, run the linter before finishing instead.", n=2)
    assert decide([], first, second) == [(Act.ADD, "new"), (Act.MERGE, "repeated")]
    assert decide([], replace(second, at=SAID), first)[1] == (Act.MERGE, "repeated")


def test_the_project_is_named_by_its_file() -> None:
    assert lines("for orchard the package manager is yarn") == ["The package manager is yarn."]


@pytest.mark.parametrize("way", [pytest.param(way, id=way.example) for way in WAYS])
def test_a_way_of_working_is_named_by_its_example(way: Way) -> None:
    assert way.named(way.example)


@pytest.mark.parametrize(
    "typed", ["add a linear search to the parser", "fix the branch that handles errors", "the changelog parser is slow"]
)
def test_words_that_only_look_like_a_way_of_working_name_nothing(typed: str) -> None:
    assert [name for way in WAYS for name in way.named(typed)] == []


def test_what_is_asked_of_a_way_of_working_differs_each_time_and_is_left_out() -> None:
    said = [
        "Often asks to spawn a worker to look at the tide job.",
        "Often asks to spawn a worker for the new berth page.",
    ]
    assert wording(said, "worker") == wording(said[::-1], "worker") == "Often asks to spawn a worker."
