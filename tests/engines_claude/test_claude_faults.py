"""Every way a server can fail has one consequence: tried again within bounds, split, the session's fault, or the end of the run."""

from __future__ import annotations

import json

import pytest

from dreamd.engines.claude.client import Sdk
from dreamd.engines.claude.engine import ClaudeEngine
from dreamd.engines.claude.providers import anthropic_client
from dreamd.engines.faults import BudgetSpent, EngineBusy, EngineFault, EngineUnusable, UnusableAnswer
from dreamd.engines.purse import Purse
from engines_claude.conftest import KEY, make_engine, session
from engines_claude.scripted import Script, Server, diligent, finding, turns_of

RULE = "in quillmark we always squash before merging"
GOOD = {"json": {"findings": [finding("Squash before merging in quillmark.", "t1", RULE)]}}


def test_a_server_that_asks_to_wait_is_given_the_time_it_asks_for(
    engine: ClaudeEngine, server: Server, waits: list[float]
) -> None:
    """LLM-04 A."""
    server.answer = Script({"status": 429, "type": "rate_limit_error", "headers": {"retry-after": "7"}}, GOOD)
    assert len(engine.extract(session(RULE), ()).findings) == 1
    assert len(server.requests) == 2
    assert len(waits) == 1
    assert waits[0] >= 7


def test_an_overloaded_server_is_asked_again_with_growing_pauses(
    engine: ClaudeEngine, server: Server, waits: list[float]
) -> None:
    """LLM-04 B."""
    server.answer = Script(*[{"status": 529, "type": "overloaded_error"}] * 3, GOOD)
    assert len(engine.extract(session(RULE), ()).findings) == 1
    assert len(server.requests) == 4
    assert waits == sorted(waits)
    assert waits[0] > 1


@pytest.mark.parametrize(
    ("answer", "requests"),
    [
        ({"status": 529, "type": "overloaded_error"}, 4),
        ({"status": 500}, 4),
        ({"status": 503, "type": ""}, 4),
        ({"status": 429, "type": "rate_limit_error"}, 4),
        ({"raw": b'{"type": "error", "error": {"type": "overloaded_error", "message": "no"}}'}, 4),
        ({"drop": True}, 3),
        ({"raw": b'{"id": "msg_1", "type": "mess'}, 2),
        ({"raw": b"<html>a proxy speaks</html>", "headers": {"content-type": "text/html"}}, 2),
    ],
)
def test_a_server_that_stays_away_ends_the_run_after_bounded_tries(
    engine: ClaudeEngine, server: Server, answer: dict[str, object], requests: int
) -> None:
    """LLM-04 C; the SDK's own retries do not multiply ours."""
    server.answer = lambda _: answer
    with pytest.raises(EngineBusy):
        engine.extract(session(RULE), ())
    assert len(server.requests) == requests


def test_a_server_that_asks_for_an_hour_is_busy_at_once(
    engine: ClaudeEngine, server: Server, waits: list[float]
) -> None:
    server.answer = lambda _: {"status": 429, "type": "rate_limit_error", "headers": {"retry-after": "3600"}}
    with pytest.raises(EngineBusy, match="3600 s"):
        engine.extract(session(RULE), ())
    assert (len(server.requests), waits) == (1, [])


def test_a_hanging_server_costs_its_timeout_twice(server: Server, waits: list[float]) -> None:
    """LLM-04 F."""
    server.answer = lambda _: {**GOOD, "delay": 1.0}
    with pytest.raises(EngineBusy, match="timeout"):
        make_engine(server, waits, timeout=0.2).extract(session(RULE), ())
    assert len(server.requests) == 2


def test_a_refused_connection_is_tried_a_few_times(server: Server, waits: list[float]) -> None:
    """LLM-04 E."""
    nowhere = Server(diligent, url="http://127.0.0.1:9")
    with pytest.raises(EngineBusy, match="connection"):
        make_engine(nowhere, waits).extract(session(RULE), ())
    assert len(waits) == 2


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, "authentication_error"),
        (403, "permission_error"),
        (402, "billing_error"),
        (404, "not_found_error"),
        (401, ""),
    ],
)
def test_a_refused_key_ends_the_run_with_one_request_and_never_shows_it(
    engine: ClaudeEngine, server: Server, status: int, kind: str
) -> None:
    """LLM-04 D."""
    server.answer = lambda _: {"status": status, "type": kind, "message": f"invalid {KEY}"}
    with pytest.raises(EngineUnusable) as caught:
        engine.extract(session(RULE), ())
    assert len(server.requests) == 1
    assert KEY not in f"{caught.value.message} {caught.value.hint}"
    assert "engine." in caught.value.hint


def test_a_session_too_long_for_the_server_is_halved_and_never_sent_unchanged(
    engine: ClaudeEngine, server: Server
) -> None:
    """LLM-03."""
    long = {
        "status": 400,
        "type": "invalid_request_error",
        "message": "prompt is too long: 310000 tokens > 200000 maximum",
    }
    server.answer = lambda request: long if len(turns_of(request)) > 3 else diligent(request)
    words = [f"rule number {number} of this project is to write plainly" for number in range(8)]
    made = engine.extract(session(*words), ())
    assert {one.turn_id for one in made.findings} == {f"uuid-{number}" for number in range(8)}
    asked = [tuple(turns_of(one).values()) for one in server.requests]
    assert len(set(asked)) == len(asked)


def test_a_turn_too_long_by_itself_is_the_sessions_fault(engine: ClaudeEngine, server: Server) -> None:
    server.answer = lambda _: {"status": 413, "type": "request_too_large"}
    with pytest.raises(UnusableAnswer):
        engine.extract(session(RULE), ())
    assert len(server.requests) == 1


def test_any_other_refused_request_is_not_sent_again(engine: ClaudeEngine, server: Server) -> None:
    server.answer = lambda _: {"status": 400, "type": "invalid_request_error", "message": "messages.0: what is this"}
    with pytest.raises(UnusableAnswer):
        engine.extract(session(RULE), ())
    assert len(server.requests) == 1


USED = {"input_tokens": 900, "output_tokens": 100}


@pytest.mark.parametrize(
    "bad",
    [
        {"text": "The migration is finished. Shall I commit it now?"},
        {"text": ""},
        {"blocks": []},
        {"text": '{"findings": [{"kind": "fact"'},
        {"text": json.dumps(GOOD["json"]), "stop": "max_tokens"},
        {"text": json.dumps(GOOD["json"]), "stop": "length"},
        {"text": "", "stop": "refusal"},
        {"json": {"facts": []}},
        {"json": {"findings": [{"text": "Squash."}]}},
    ],
)
def test_an_answer_that_is_none_is_asked_for_once_more_and_then_it_is_the_sessions_fault(
    engine: ClaudeEngine, server: Server, bad: dict[str, object]
) -> None:
    """PAS-08, LLM-06: never an empty success, never the part before the cut; both tries are paid for."""
    bad = {"usage": USED, **bad}
    server.answer = Script(bad, {**GOOD, "usage": USED})
    made = engine.extract(session(RULE), ())
    assert len(made.findings) == 1
    assert (made.usage.input, made.usage.output) == (1800, 200)
    assert server.requests[1]["max_tokens"] > server.requests[0]["max_tokens"]
    assert server.requests[0]["system"] == server.requests[1]["system"]
    server.answer = lambda _: bad
    with pytest.raises(UnusableAnswer) as caught:
        engine.extract(session(RULE), ())
    assert caught.value.usage.input == 1800
    assert len(server.requests) == 4


def test_a_server_that_counts_nothing_is_not_free(engine: ClaudeEngine, server: Server) -> None:
    nothing = {"input_tokens": None, "output_tokens": None, "cache_read_input_tokens": None}
    server.answer = lambda _: {**GOOD, "usage": nothing}
    usage = engine.extract(session(RULE), ()).usage
    assert usage.input > 1000
    assert usage.output > 10
    server.answer = lambda _: {**GOOD, "usage": None}
    assert engine.extract(session(RULE), ()).usage.input > 1000


def test_a_call_that_the_purse_does_not_cover_is_not_made(engine: ClaudeEngine, server: Server) -> None:
    for purse in (Purse(tokens=3000), Purse(usd=0.00001), Purse(tokens=0), Purse(usd=0.0)):
        engine.begin(purse)
        with pytest.raises(BudgetSpent):
            engine.extract(session(RULE), ())
    assert server.requests == []


def test_the_purse_is_told_what_was_really_spent(engine: ClaudeEngine, server: Server) -> None:
    """CST-02 c: 60,000 tokens a call, 100,000 a day: two calls, then none."""
    server.answer = lambda _: {**GOOD, "usage": {"input_tokens": 55_000, "output_tokens": 5_000}}
    engine.begin(Purse(tokens=100_000))
    engine.extract(session(RULE), ())
    engine.extract(session(RULE), ())
    with pytest.raises(BudgetSpent):
        engine.extract(session(RULE), ())
    assert len(server.requests) == 2


def test_what_was_paid_before_a_fault_is_told_with_it(engine: ClaudeEngine, server: Server) -> None:
    turns = [f"turn {number}: " + "word of a plain sentence " * 70 for number in range(200)]
    empty = {"json": {"findings": []}, "usage": USED}
    server.answer = Script(empty, {"status": 401, "type": "authentication_error"})
    with pytest.raises(EngineFault) as caught:
        engine.extract(session(*turns), ())
    assert caught.value.usage.input == 900


def test_a_missing_package_is_told_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(EngineUnusable) as caught:
        Sdk(lambda: anthropic_client(KEY, "", 20.0)).check()
    assert "'.[claude]'" in caught.value.hint
