"""What a long session costs: what was said before is read from the prompt cache, and where even that is dear its pieces are read apart."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from dreamd.context.budget import Budget
from dreamd.context.conversation import Conversation
from dreamd.context.message import told
from dreamd.context.tokens import estimate
from dreamd.dream.cycle import Order
from dreamd.engines.claude import course
from dreamd.engines.claude.engine import ClaudeEngine
from dreamd.engines.claude.limits import Limits
from dreamd.engines.claude.prompts import prompt
from dreamd.engines.costly import Ahead
from dreamd.engines.faults import BudgetSpent
from dreamd.engines.protocol import Digest, Extraction
from dreamd.engines.purse import Purse
from dreamd.state.run_record import Outcome
from dreamd.usage import Usage
from engines_claude.conftest import make_engine, session
from engines_claude.prompt_cache import PromptCache
from engines_claude.scripted import Answer, Server, diligent, finding, pass_of, turns_of
from shared_material import shared
from world import World

PRICED, OWN = "claude-haiku-5-5", "local-model"
TURN = 1_500  # characters of each turn
INSTRUCTIONS = {one.text for name in ("extract", "summarise") for one in prompt(name).static}

Made = Callable[..., ClaudeEngine]


@pytest.fixture
def made(server: Server) -> Iterator[Made]:
    with ExitStack() as stack:

        def one(reader: str = PRICED, purse: Purse | None = None, **limits: Any) -> ClaudeEngine:
            engine = make_engine(server, [], limits=Limits(**limits), reader=reader)
            engine.begin(purse or Purse())
            stack.callback(engine.end)
            return engine

        yield one


def tokens(text: str) -> int:
    return round(len(text) / 2.9) if text in INSTRUCTIONS else estimate(text)


def counting() -> Callable[[dict[str, Any]], Answer]:
    """A model that keeps the rule of every seventh turn, on a server that counts as the Messages API does."""
    cache = PromptCache(tokens)

    def respond(request: dict[str, Any]) -> Answer:
        if pass_of(request) == "summarise":
            answer: Answer = {"text": "The person names rules of orchard. " * 60}
        else:
            rules = {name: words.split(" whatever")[0] for name, words in list(turns_of(request).items())[::7]}
            answer = {"json": {"findings": [finding(text, name, text) for name, text in rules.items()]}}
        said = answer.get("text") or json.dumps(answer["json"])
        return answer | {"usage": cache.usage(request) | {"output_tokens": estimate(said)}}

    return respond


def long_session(turns: int) -> Digest:
    filling = " whatever else is said about it" * 60
    return session(*[f"rule number {n} is to name the branch after ticket {n}{filling}"[:TURN] for n in range(turns)])


def marks(request: dict[str, Any]) -> list[tuple[str, int]]:
    """Where a request is marked: ("system" | "message", number)."""
    system = [("system", n) for n, block in enumerate(request["system"]) if "cache_control" in block]
    messages = [
        ("message", n)
        for n, one in enumerate(request["messages"])
        for block in one["content"]
        if "cache_control" in block
    ]
    return system + messages


def texts(made: Extraction) -> list[str]:
    return [one.text for one in made.findings]


def test_what_will_be_sent_again_is_marked_and_the_last_piece_is_not(server: Server, made: Made) -> None:
    server.answer = counting()
    made().extract(long_session(90), ())
    first, second, third = map(marks, server.requests)
    assert [kind for kind, _ in first] == ["system", "message"]
    assert first[1:] == [("message", 0)]
    assert second[1:] == [("message", 0), ("message", 2)]
    assert third[1:] == [("message", 0), ("message", 2)]  # read up to there; of the last piece nothing is written


def test_each_piece_is_paid_for_once_and_read_from_the_cache_after_that(server: Server, made: Made) -> None:
    server.answer = counting()
    usage = made().extract(long_session(90), ()).usage
    static = sum(tokens(one.text) for one in prompt("extract").static)
    asked = [tokens(one["messages"][-1]["content"][0]["text"]) for one in server.requests]
    assert usage.cache_read == 2 * static + asked[0] + (asked[0] + asked[1]) + answers(server, 1)
    assert usage.input == asked[2] + answers(server, 1, since=1)
    server.answer = counting()
    for request in server.requests:
        for message in request["messages"]:
            for block in message["content"]:
                block.pop("cache_control", None)
    unmarked = [server.answer(one)["usage"] for one in server.requests]
    assert usage.input + usage.cache_write < 0.55 * sum(one["input_tokens"] for one in unmarked)


def answers(server: Server, count: int, since: int = 0) -> int:
    last = server.requests[-1]["messages"]
    said = [tokens(one["content"][0]["text"]) for one in last if one["role"] == "assistant"]
    return sum(said[since : since + count])


def test_what_a_compaction_will_replace_is_hardly_ever_marked(server: Server, made: Made) -> None:
    server.answer = counting()
    made(OWN, context_window=12_000).extract(long_session(20), ())
    summaries = [number for number, one in enumerate(server.requests) if pass_of(one) == "summarise"]
    pairs = [(server.requests[number - 1], server.requests[number + 1]) for number in summaries]
    in_vain = [one for one, _ in pairs if ("message", len(one["messages"]) - 1) in marks(one)]
    assert len(in_vain) <= len(pairs) // 3  # how long an answer will be is a guess
    for _, after in pairs:
        assert marks(after)[1:] in ([], [("message", len(after["messages"]) - 1)])


@pytest.mark.parametrize(("reader", "turns", "talks"), [(PRICED, 90, True), (PRICED, 200, False), (OWN, 300, True)])
def test_a_conversation_is_held_where_it_costs_little_more_than_pieces_apart(
    server: Server, made: Made, reader: str, turns: int, talks: bool
) -> None:
    server.answer = counting()
    found = made(reader).extract(long_session(turns), ())
    asked = [one for one in server.requests if pass_of(one) == "extract"]
    assert (max(len(one["messages"]) for one in asked) > 1) is talks
    assert len(texts(found)) >= turns // 7


def test_together_or_apart_the_same_is_found_and_the_price_stays_within_half_as_much_again(
    server: Server, made: Made
) -> None:
    bills = []
    for purse in (Purse(), Purse(tokens=160_000)):
        server.requests.clear()
        server.answer = every_rule(counting())
        bills.append(made(purse=purse).extract(long_session(90), ()))
    assert len(server.requests) == 2  # the smaller purse does not cover a conversation
    assert texts(bills[0]) == texts(bills[1])
    assert bills[1].usage.usd < bills[0].usage.usd < 1.5 * bills[1].usage.usd


def every_rule(count: Callable[[dict[str, Any]], Answer]) -> Callable[[dict[str, Any]], Answer]:
    """What is found must not depend on where pieces end."""

    def respond(request: dict[str, Any]) -> Answer:
        rules = {
            name: words.split(" whatever")[0] for name, words in turns_of(request).items() if "0 is to name" in words
        }
        found = {"findings": [finding(text, name, text) for name, text in rules.items()]}
        usage = count(request)["usage"] | {"output_tokens": estimate(json.dumps(found))}
        return {"json": found, "usage": usage}

    return respond


def test_a_mark_is_paid_for_within_the_budget_as_a_write(server: Server, made: Made) -> None:
    server.answer = lambda _: {"text": "none"}
    system, text = prompt("extract"), "whatever " * 8_000
    engine = made()
    caller = engine._reader
    plain, marked = (caller.expected(system, estimate(text), 1_024, marked=n).usd for n in (0, estimate(text)))
    assert marked > plain
    engine.begin(Purse(usd=(plain + marked) / 2))
    talk = Conversation(caller, system, make_budget())
    with pytest.raises(BudgetSpent):
        talk.ask(told(text), max_tokens=1_024, followed=True)
    assert server.requests == []
    talk.ask(told(text), max_tokens=1_024)


@pytest.mark.parametrize(
    ("reader", "window", "turns"),
    [
        *[(PRICED, 0, turns) for turns in (5, 60, 90, 150, 300)],
        *[(PRICED, 12_000, 60), (OWN, 12_000, 60), (OWN, 32_000, 100), (OWN, 0, 500)],
    ],
)
def test_the_estimate_of_a_long_session_is_between_half_and_three_times_the_bill(
    server: Server, made: Made, reader: str, window: int, turns: int
) -> None:
    server.answer = counting()
    engine = made(reader, context_window=window)
    usage = engine.extract(long_session(turns), ()).usage
    about = engine.estimate(Ahead([[TURN] * turns], 0))
    assert 0.5 * usage.tokens <= about.tokens <= 3 * usage.tokens
    assert 0.5 * usage.usd <= about.usd <= 3 * usage.usd


def test_the_estimate_of_real_sessions_is_between_half_and_three_times_the_bill(world: World, server: Server) -> None:
    world.transcripts.mkdir(parents=True, exist_ok=True)
    shutil.copytree(
        shared("fixtures", "real", ".claude", "projects"),
        world.transcripts,
        copy_function=shutil.copyfile,
        dirs_exist_ok=True,
    )
    world.settings["transcripts"] = {"archive_after": "never"}
    world.clock.at = dt.datetime.now(dt.UTC) + dt.timedelta(days=1)
    count = counting()

    def respond(request: dict[str, Any]) -> Answer:
        return count(request) if pass_of(request) == "extract" else diligent(request)

    server.answer = respond
    with world.app() as app:
        app.scan()
        forecast = app.forecast()
        told = app.status()["budget"]["next_dream_estimate"]  # type: ignore[index]
    assert told == {"tokens": forecast.cost.tokens, "usd": round(forecast.cost.usd, 4)}
    run = world.kick()
    assert forecast.sessions == run.sessions.gathered > 40
    assert 0.5 * run.cost.tokens <= forecast.cost.tokens <= 3 * run.cost.tokens
    assert 0.5 * run.cost.usd <= forecast.cost.usd <= 3 * run.cost.usd


def test_the_estimate_counts_nothing_twice_that_was_paid_for(world: World, server: Server) -> None:
    world.say(*[f"rule number {n} of orchard is to name the branch after ticket {n}" for n in range(30)])
    with world.app() as app:
        app.scan()
        before = app.forecast().cost
    assert world.kick(Order(dry_run=True)).outcome is Outcome.WAITING  # read, and still pending
    with world.app() as app:
        after = app.forecast().cost
    assert 0 < after.usd < before.usd
    assert after.tokens < before.tokens


def test_the_course_of_a_conversation_pays_for_each_token_as_often_as_it_is_sent() -> None:
    budget = make_budget()
    calls = course.together(budget, [9_000, 9_000, 9_000])
    assert [one.cache_write > 0 for one in calls] == [True, True, False]
    sent = [one.input + one.cache_write + one.cache_read for one in calls]
    cold = course.together(budget, [9_000, 9_000, 9_000], warm=False)
    assert sent == [one.input + one.cache_write + one.cache_read for one in cold]
    assert sum((one.cache_write for one in cold), 0) > sum((one.cache_write for one in calls), 0)
    assert course.apart([]) == []
    assert course.together(budget, []) == []
    assert sum(course.together(budget, [100]), Usage()).cache_write == 0


def make_budget() -> Budget:
    return Budget(100_000, system=prompt("extract").static_tokens)
