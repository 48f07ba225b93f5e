"""English: what is kept, in which words, and what is left."""

import pytest

from dreamd.engines.protocol import Kind, Scope
from dreamd.transcripts.event import Origin
from engines.typed import lines, read, turn

KEPT = [
    (Kind.PROHIBITION, "never push to a shared branch", "Never push to a shared branch."),
    (Kind.PROHIBITION, "don't ever amend a published commit", "Never amend a published commit."),
    (Kind.PROHIBITION, "do not merge without a green build", "Do not merge without a green build."),
    (Kind.PROHIBITION, "dont add comments that repeat the code", "Do not add comments that repeat the code."),
    (Kind.PROHIBITION, "no console.log in production code", "No console.log in production code."),
    (Kind.PROHIBITION, "avoid inheritance in the domain layer", "Avoid inheritance in the domain layer."),
    (Kind.PROHIBITION, "stop adding try/except around everything", "Stop adding try/except around everything."),
    (
        Kind.PROHIBITION,
        "handlers must not talk to the database directly",
        "Handlers must not talk to the database directly.",
    ),
    (Kind.PROHIBITION, "silent fallbacks are not acceptable", "Silent fallbacks are not acceptable."),
    (Kind.PROHIBITION, "I did not ask you to commit", "Do not commit unless asked."),
    (Kind.PROHIBITION, "it's not ok to swallow exceptions in workers", "Do not swallow exceptions in workers."),
    (Kind.PROHIBITION, "you must not commit generated files", "Never commit generated files."),
    (Kind.PROHIBITION, "do not guess, ask", "Do not guess, ask."),
    (Kind.PREFERENCE, "I prefer small commits", "Prefers small commits."),
    (Kind.PREFERENCE, "i hate emojis in log messages", "Hates emojis in log messages."),
    (
        Kind.PREFERENCE,
        "I'd rather see one long function than five tiny ones",
        "Would rather see one long function than five tiny ones.",
    ),
    (
        Kind.PREFERENCE,
        "please always run the formatter before you commit",
        "Always run the formatter before you commit.",
    ),
    (Kind.PREFERENCE, "I want you to always show the plan first", "Always show the plan first."),
    (Kind.PREFERENCE, "from now on answer in english", "Answer in English."),
    (Kind.PREFERENCE, "be concise", "Be concise."),
    (Kind.PREFERENCE, "keep responses short", "Keep responses short."),
    (Kind.PREFERENCE, "ask me before every deploy", "Ask me before every deploy."),
    (Kind.PREFERENCE, "rule: ask before adding a dependency", "Always ask before adding a dependency."),
    (
        Kind.PREFERENCE,
        "when you touch a public function, update its docstring",
        "When you touch a public function, update its docstring.",
    ),
    (Kind.PREFERENCE, "use httpx instead of requests", "Use httpx instead of requests."),
    (Kind.CORRECTION, "no, use podman not docker", "Use podman not docker."),
    (Kind.CORRECTION, "actually we use poetry here, not pip", "We use poetry, not pip."),
    (Kind.CORRECTION, "that's wrong, the port is 8181", "The port is 8181."),
    (
        Kind.DECISION,
        "We decided to keep the monolith because the team is small",
        "We decided to keep the monolith because the team is small.",
    ),
    (
        Kind.DECISION,
        "ok so let's go with SQLite because we only have one writer",
        "Go with SQLite because we only have one writer.",
    ),
    (Kind.DECISION, "we switched the queue from RQ to arq", "We switched the queue from RQ to arq."),
    (Kind.DECISION, "i no longer use tox", "No longer uses tox."),
    (Kind.DECISION, "we're going to adopt trunk based development", "We're going to adopt trunk based development."),
    (Kind.DECISION, "also i don't think we need a retry queue", "We don't need a retry queue."),
    (Kind.DECISION, "keep queue retention at 3 days", "Keep queue retention at 3 days."),
    (Kind.DECISION, "error messages should name the file", "Error messages should name the file."),
    (Kind.CONVENTION, "we always squash before merging", "We always squash before merging."),
    (Kind.CONVENTION, "every endpoint needs an integration test", "Every endpoint needs an integration test."),
    (Kind.CONVENTION, "public functions must have type hints", "Public functions must have type hints."),
    (Kind.CONVENTION, "branch names start with feat/ or fix/", "Branch names start with feat/ or fix/."),
    (Kind.CONVENTION, "put new migrations under db/migrate", "Put new migrations under db/migrate."),
    (Kind.CONVENTION, "we don't support Internet Explorer", "We don't support Internet Explorer."),
    (Kind.COMMAND, "run the unit tests with `make unit`", "Run the unit tests with `make unit`."),
    (Kind.COMMAND, "run e2e tests with npx playwright test", "Run e2e tests with npx playwright test."),
    (Kind.FACT, "the API listens on port 8181", "The API listens on port 8181."),
    (Kind.FACT, "the default branch here is trunk", "The default branch is trunk."),
    (Kind.FACT, "docs live in docs/guide", "Docs live in docs/guide."),
    (Kind.FACT, "note that the legacy importer is read-only", "The legacy importer is read-only."),
    (Kind.FACT, "The release branch is called stable.", "The release branch is called stable."),
    (Kind.FACT, "all timestamps are stored in UTC", "All timestamps are stored in UTC."),
    (Kind.FACT, "we are on python 3.12", "We are on python 3.12."),
    (
        Kind.LEARNING,
        "the root cause of the timeouts was a missing index",
        "The root cause of the timeouts was a missing index.",
    ),
    (
        Kind.LEARNING,
        "the flaky upload test was caused by a shared temp dir; a per-test dir fixed it",
        "The flaky upload test was caused by a shared temp dir; a per-test dir fixed it.",
    ),
    (
        Kind.OUTCOME,
        "p95 latency dropped from 900 ms to 210 ms after adding the index",
        "p95 latency dropped from 900 ms to 210 ms after adding the index.",
    ),
    (Kind.OUTCOME, "caching the tokens made the build 40% faster", "Caching the tokens made the build 40% faster."),
    (
        Kind.PERSON,
        "Amira owns the deploy scripts, ask her before changing them",
        "Amira owns the deploy scripts, ask her before changing them.",
    ),
    (Kind.PERSON, "ask Kim about anything that touches billing", "Ask Kim about anything that touches billing."),
    (Kind.PERSON, "the payments service is maintained by Noor", "The payments service is maintained by Noor."),
]

LEFT = [
    "add a test for the retry helper",
    "fix the login bug please",
    "now update the readme",
    "can you explain how the scheduler picks a job?",
    "don't touch the other file for now",
    "why is this failing",
    "the build is broken again",
    "ok looks good, push it",
    "yes",
    "option 2",
    "A.",
    "thanks, that works perfectly",
    "the tests pass now",
    "I'm working on the invoice export today",
    "let's go with the second one",
    "use that instead",
    "it should be blue",
    "this should never happen",
    "I never saw this error before",
    "rename foo to bar instead of baz in utils.py",
    "please always... hmm wait",
    "what if we always cached it?",
    "maybe we should use redis instead",
    "I think the problem is in the parser",
    "the server is running on my machine right now",
    "run the tests",
    "delete the branch when done",
    "I want to know why it takes so long",
    "I like it",
    "I love how fast this is",
    "I don't understand this diff",
    "don't worry about the warnings",
    "don't forget to run the linter",
    "never mind, found it",
    "I prefer option B",
    "we need to look at the logs because the job died",
    "we have an issue with the deploy",
    "the button should be disabled while loading",
    "we decided to look at it tomorrow",
    "just for this run use port 9999",
    "temporarily skip the validator check today",
    "the parser test fails on line 88 of src/core/parser.py",
    "now do the same for the router and the enum",
    "is the default branch main?",
    "you must be kidding",
    "there is always one more bug",
    "it always fails on the second run",
    "everything should work now",
    "this must be a mistake",
    "it was always like this",
    "can you make sure the docs are always in sync?",
    "remove the flag, it's no longer needed",
    "the endpoint returns 404 for deleted users, fix it",
    "I ran the migration and it failed",
    "shouldn't this be in the config?",
    "we could use a queue for that",
    "continue with step 3",
    "add docstrings to all functions in this file",
    "replace all prints with logging",
    "make the tests green",
    "let's not do that now",
    "let's see if it keeps happening",
    "the new version is out",
    "you forgot the import",
    "let's use this approach",
    "let's call it a day",
    "we should probably add a cache",
    "the user wants a dark mode",
    "should we use pnpm or npm?",
    "not sure if we need that",
    "I guess we use tabs",
    "can we use tabs instead of spaces?",
    "tell me if we should always squash",
    "don't set it, let's see if it keeps happening",
    "use the skill",
    "my staging key is [REDACTED:anthropic], don't put it anywhere",
]


@pytest.mark.parametrize(("kind", "typed", "line"), KEPT, ids=[typed for _, typed, _ in KEPT])
def test_a_lasting_sentence_becomes_one_line(kind: Kind, typed: str, line: str) -> None:
    (found,) = read(typed).findings
    assert (found.kind, found.text) == (kind, line)
    assert found.weight >= 1
    assert found.turn_id == "turn-0"
    assert found.quote.lower().strip(" .") in typed.lower()


@pytest.mark.parametrize("typed", LEFT)
def test_what_does_not_last_is_left_with_a_reason(typed: str) -> None:
    extraction = read(typed)
    assert [f.text for f in extraction.findings if f.weight >= 1] == []
    assert extraction.findings or extraction.dropped


@pytest.mark.parametrize(
    ("typed", "scope"),
    [
        ("never commit without asking me first", Scope.GENERAL),
        ("I prefer British spelling in everything you write", Scope.GENERAL),
        ("always answer briefly", Scope.GENERAL),
        ("never commit to this repo without asking", Scope.PROJECT),
        ("in this repo, always squash commits", Scope.PROJECT),
        ("always update openapi.yaml after changing an endpoint", Scope.PROJECT),
        ("never touch the billing tables", Scope.PROJECT),
        ("we always squash before merging", Scope.PROJECT),
        ("the orchard tests must never be skipped", Scope.PROJECT),
        ("the memory leak was caused by unclosed cursors", Scope.PATTERN),
        ("Amira owns the deploy scripts", Scope.PERSON),
    ],
)
def test_a_line_is_the_projects_unless_it_is_about_the_person_everywhere(typed: str, scope: Scope) -> None:
    (found,) = read(typed).findings
    assert found.scope is scope


def test_a_request_after_a_fact_is_cut_off() -> None:
    assert lines("for orchard the cache layer is Redis, please stick to it") == ["The cache layer is Redis."]
    assert lines("no longer need the staging cluster, can you delete it?") == ["No longer need the staging cluster."]


def test_a_rule_inside_a_request_is_found() -> None:
    assert lines("can you add to CLAUDE.md that we always run `make fmt` together with `make lint`") == [
        "We always run `make fmt` together with `make lint`."
    ]


def test_a_pronoun_is_resolved_from_the_sentence_before_or_the_line_is_dropped() -> None:
    assert lines("The preview server is flaky. It must listen on port 8181.") == [
        "The preview server must listen on port 8181."
    ]
    assert lines("It must listen on port 8181.") == []


def test_a_reason_typed_when_refusing_a_tool_counts_more() -> None:
    (typed,) = read("prefer subagents to save on the main context").findings
    (refused,) = read(turn("prefer subagents to save on the main context", origin=Origin.REFUSAL)).findings
    assert refused.kind is Kind.CORRECTION
    assert refused.weight > typed.weight


def test_a_secret_takes_its_clause_with_it_and_leaves_the_fact() -> None:
    assert lines("The staging key was rotated, the new one is [REDACTED:github] use it.") == [
        "The staging key was rotated (2026-03-18)."
    ]


def test_context_turns_make_no_findings() -> None:
    assert read(turn("never push to main")).findings
    from dreamd.engines.offline.extract import extract
    from engines.typed import digest

    assert extract(digest(turn("never push to main"), fresh=frozenset())).findings == ()
