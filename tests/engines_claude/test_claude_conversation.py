"""A session of several pieces through the real SDK: one conversation, made short when it must be, and findings that do not depend on it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from dreamd.engines.claude.engine import ClaudeEngine
from dreamd.engines.claude.limits import Limits
from dreamd.engines.faults import EngineFault, EngineUnusable
from dreamd.engines.protocol import Digest, Extraction
from dreamd.engines.purse import Purse
from engines_claude.conftest import make_engine, session
from engines_claude.scripted import Answer, Server, finding, message_of, pass_of, turns_of

Reading = Callable[..., ClaudeEngine]

EARLIER = "found in earlier parts of this session"
HEAD = "[Summary of what came before]"
SMALL, MIDDLE = 8_192, 12_000  # windows; in the small one two pieces have room beside the instructions


@pytest.fixture
def reading(server: Server) -> Iterator[Reading]:
    """Makes engines for a window and a purse, with a model that has no price: what a conversation costs does not matter."""
    with ExitStack() as made:

        def one(window: int = SMALL, purse: Purse | None = None) -> ClaudeEngine:
            engine = make_engine(server, [], limits=Limits(context_window=window), reader="local-model")
            engine.begin(purse or Purse())
            made.callback(engine.end)
            return engine

        yield one


def long_session(turns: int, every: int = 1) -> Digest:
    """Each turn is a rule and much besides, or only each so many-th."""
    filling = "whatever else is said about it " * 12
    return session(*[f"{rule(number) if number % every == 0 else ''} {filling}" for number in range(turns)])


def rule(number: int) -> str:
    return f"rule number {number} of orchard is to name the branch after ticket {number}"


def texts(request: dict[str, Any]) -> list[list[str]]:
    return [[block["text"] for block in message["content"]] for message in request["messages"]]


def counted(request: dict[str, Any]) -> int:
    """Tokens of a request where each costs two bytes, as estimates take it."""
    return sum(len(text) for text in itertools.chain(*texts(request), [one["text"] for one in request["system"]])) // 2


def brief(request: dict[str, Any]) -> Answer:
    """Keeps the rule of each new turn, and counts as estimates do."""
    usage = {"input_tokens": counted(request), "output_tokens": 100}
    if pass_of(request) == "summarise":
        return {"text": "The person names rules of orchard.", "usage": usage}
    rules = {name: words.split(" whatever")[0] for name, words in turns_of(request).items() if words.startswith("rule")}
    return {"json": {"findings": [finding(text, name, text) for name, text in rules.items()]}, "usage": usage}


def kept(made: Extraction) -> list[tuple[str, str]]:
    return [(one.turn_id, one.text) for one in made.findings]


def expected(turns: int, every: int = 1) -> list[tuple[str, str]]:
    return [(f"uuid-{number}", rule(number)) for number in range(0, turns, every)]


def paid(server: Server) -> int:
    return sum(counted(one) for one in server.requests)


def test_the_pieces_of_a_long_session_are_one_conversation(server: Server, reading: Reading) -> None:
    server.answer = lambda request: {"json": brief(request)["json"]}
    made = reading().extract(long_session(8), ())
    first, second, third, *_ = map(texts, server.requests)
    assert second[:1] == first
    assert json.loads(second[1][0])["findings"][0]["text"] == rule(0)
    assert third[:3] == second
    assert [one["role"] for one in server.requests[2]["messages"]] == ["user", "assistant"] * 2 + ["user"]
    assert EARLIER not in server.bodies  # what was found stands in the answers
    assert "further part" in second[2][0]
    assert "further part" not in first[0][0]
    names = [name for one in server.requests for name in turns_of(one)]
    assert len(set(names)) == len(names) == 8
    assert len({json.dumps(one["system"]) for one in server.requests}) == 1
    assert len({json.dumps(one["output_config"]) for one in server.requests}) == 1
    assert kept(made) == expected(8)


def test_the_findings_are_those_of_pieces_read_apart_which_cost_less(server: Server, reading: Reading) -> None:
    server.answer = brief
    together = reading(MIDDLE).extract(long_session(40), ())
    assert max(len(one["messages"]) for one in server.requests) > 1
    spent = paid(server)
    server.requests.clear()
    apart = reading(MIDDLE, Purse(tokens=40_000)).extract(long_session(40), ())
    assert {len(one["messages"]) for one in server.requests} == {1}
    assert EARLIER in server.bodies
    assert kept(together) == kept(apart) == expected(40)
    assert paid(server) < spent


def test_a_conversation_is_made_short_to_one_summary_at_its_head_and_stays_in_the_window(
    server: Server, reading: Reading
) -> None:
    server.answer = brief
    made = reading(MIDDLE).extract(long_session(60, every=6), ())
    summaries, asked = server.of("summarise"), server.of("extract")
    assert 2 <= len(summaries) < len(asked)
    assert kept(made) == expected(60, every=6)
    for one in asked:
        heads = [text for message in texts(one) for text in message if text.startswith(HEAD)]
        assert heads == [text for text in texts(one)[0][:1] if text.startswith(HEAD)]
        assert counted(one) + one["max_tokens"] <= MIDDLE
    assert all(counted(one) + one["max_tokens"] <= MIDDLE for one in summaries)
    headed = [one for one in asked if texts(one)[0][0].startswith(HEAD)]
    short = [one for n, one in enumerate(headed) if n == 0 or texts(one)[0] != texts(headed[n - 1])[0]]
    assert len(short) == len(summaries)  # none was paid for in vain
    assert "The person names rules of orchard." in texts(short[0])[0][0]
    assert all(EARLIER in message_of(one) and rule(0) in message_of(one) for one in short)
    assert made.usage.input == paid(server)


@pytest.mark.parametrize(
    "bad",
    [
        {"status": 400, "type": "invalid_request_error", "message": "no"},
        {"text": "The person", "stop": "max_tokens"},
        {"text": ""},
    ],
)
def test_where_a_summary_cannot_be_had_the_one_by_rules_serves(server: Server, reading: Reading, bad: Answer) -> None:
    used = {"input_tokens": 900, "output_tokens": 10}
    server.answer = lambda one: bad | {"usage": used} if pass_of(one) == "summarise" else brief(one)
    made = reading(MIDDLE).extract(long_session(40), ())
    assert kept(made) == expected(40)
    assert any(texts(one)[0][0].startswith(HEAD) for one in server.of("extract"))
    assert "The person" not in "".join(texts(server.of("extract")[-1])[0])
    failed = 0 if "status" in bad else 900 * len(server.of("summarise"))
    assert made.usage.input == failed + sum(counted(one) for one in server.of("extract"))


def test_a_full_window_begins_anew_with_what_was_found(server: Server, reading: Reading) -> None:
    full = {"input_tokens": SMALL - 100, "output_tokens": 90}
    server.answer = lambda request: brief(request) | {"usage": full}
    made = reading().extract(long_session(8), ())
    assert {len(one["messages"]) for one in server.requests} == {1}
    assert server.of("summarise") == []
    assert rule(0) in message_of(server.requests[1])
    assert EARLIER in message_of(server.requests[1])
    assert kept(made) == expected(8)
    assert made.usage.input == len(server.requests) * full["input_tokens"]


def test_a_conversation_too_long_for_the_server_is_left_and_its_piece_sent_alone(
    server: Server, reading: Reading
) -> None:
    long = {"status": 400, "type": "invalid_request_error", "message": "prompt is too long: 9000 tokens > 8192 maximum"}
    server.answer = lambda request: long if len(request["messages"]) > 1 else {"json": brief(request)["json"]}
    made = reading().extract(long_session(8), ())
    assert kept(made) == expected(8)
    assert len({json.dumps(texts(one)) for one in server.requests}) == len(server.requests)


def test_a_piece_too_long_for_the_server_is_halved_in_a_conversation_too(server: Server, reading: Reading) -> None:
    long = {"status": 413, "type": "request_too_large"}
    server.answer = lambda request: long if len(turns_of(request)) > 2 else {"json": brief(request)["json"]}
    made = reading(MIDDLE).extract(long_session(40), ())
    assert kept(made) == expected(40)
    assert len({json.dumps(texts(one)) for one in server.requests}) == len(server.requests)


def test_a_fault_in_the_third_piece_keeps_the_first_two(server: Server, reading: Reading) -> None:
    refusal = {"status": 401, "type": "authentication_error"}
    server.answer = lambda request: refusal if len(server.of("extract")) > 2 else brief(request)
    with pytest.raises(EngineUnusable) as caught:
        reading(MIDDLE).extract(long_session(40), ())
    names = [name for one in server.of("extract")[:2] for name in turns_of(one)]
    assert len(server.of("extract")) == 3
    assert [one.text for one in caught.value.found] == [rule(number) for number in range(len(names))]
    assert caught.value.read == {f"uuid-{number}" for number in range(len(names))}
    assert caught.value.usage.input == sum(counted(one) for one in server.requests[:-1])


def test_an_answer_that_is_none_stands_before_no_later_question(server: Server, reading: Reading) -> None:
    bad = {"text": "Shall I go on?", "usage": {"input_tokens": 500, "output_tokens": 10}}
    server.answer = lambda request: bad if len(server.requests) == 2 else brief(request)
    made = reading(MIDDLE).extract(long_session(20), ())
    _, second, third, *later = server.requests
    assert len(third["messages"]) == 1
    assert "could not be used" in message_of(third)
    assert rule(0) in message_of(third)
    assert third["max_tokens"] > second["max_tokens"]
    assert all("Shall I go on?" not in json.dumps(one) for one in (third, *later))
    assert kept(made) == expected(20)
    assert made.usage.input == 500 + paid(server) - counted(second)


def test_answers_that_are_none_twice_end_the_session_with_what_was_found_and_paid(
    server: Server, reading: Reading
) -> None:
    bad = {"text": "Shall I go on?", "usage": {"input_tokens": 500, "output_tokens": 10}}
    server.answer = lambda request: bad if len(server.requests) >= 2 else brief(request)
    with pytest.raises(EngineFault, match="twice") as caught:
        reading(MIDDLE).extract(long_session(20), ())
    assert len(server.requests) == 3
    assert caught.value.usage.input == 1000 + counted(server.requests[0])
    assert len(caught.value.read) == len(turns_of(server.requests[0]))


def test_a_purse_spent_on_the_way_keeps_what_was_read(server: Server, reading: Reading) -> None:
    server.answer = lambda request: brief(request) | {"usage": {"input_tokens": 60_000, "output_tokens": 100}}
    with pytest.raises(EngineFault, match="budget does not cover") as caught:
        reading(MIDDLE, Purse(tokens=180_000)).extract(long_session(40), ())
    assert len(server.requests) == 3
    assert len(caught.value.found) == len(caught.value.read) > 0
    assert caught.value.usage.tokens == len(server.requests) * 60_100
