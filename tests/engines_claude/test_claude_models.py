"""What a server says of its models: asked once, kept, a help and never a condition."""

from __future__ import annotations

import json
from typing import Any

import pytest
from structlog.testing import capture_logs

from dreamd.engines.claude.engine import ClaudeEngine
from dreamd.engines.claude.limits import Limits
from dreamd.engines.purse import Purse
from dreamd.log import logger
from dreamd.state.model_record import ModelRecord
from dreamd.state.run_record import Outcome
from engines_claude.conftest import make_engine, session
from engines_claude.scripted import Script, Server, diligent, message_of, pass_of
from world import World

RULE = "in quillmark we always squash before merging anything"
HAIKU, SONNET = "claude-haiku-5-5", "claude-sonnet-5-5"
#: A quarter of a 32k window by bytes: many of them do not fit together.
LONG = f"rule of orchard: {'we always keep the small and plain things where they are ' * 30}"


class Notes(dict[tuple[str, str], ModelRecord]):
    """A book in memory."""

    def get(self, place: str, model: str) -> ModelRecord | None:  # type: ignore[override]
        return super().get((place, model))

    def put(self, place: str, model: str, said: ModelRecord) -> None:
        self[place, model] = said


def asked(server: Server) -> list[str]:
    return [one.removeprefix("GET /v1/models/") for one in server.asked if one.startswith("GET /v1/models/")]


def largest(server: Server) -> int:
    return max(len(message_of(one)) for one in server.of("extract"))


def test_a_model_is_asked_for_once_and_never_again_for_weeks(world: World, server: Server) -> None:
    server.models = {HAIKU: {"max_input_tokens": 1_000_000, "max_tokens": 64_000}}
    world.say(RULE, "never edit the lock file of tideglass by hand")
    assert world.kick().outcome is Outcome.COMMITTED
    assert sorted(asked(server)) == [HAIKU, SONNET]
    for day in range(3):
        world.later(days=1)
        world.say(f"{RULE} on day {day} of the harbour", session=day + 2)
        world.kick()
    assert len(asked(server)) == 2
    world.later(days=30)
    world.say("releases of mortar are cut on the second Tuesday", session=9)
    world.kick()
    assert len(asked(server)) == 4


def test_nothing_pending_asks_nothing_of_a_model_that_is_known(world: World, server: Server) -> None:
    world.say(RULE)
    world.kick()
    before = list(server.asked)
    assert world.kick().reason == "nothing_pending"
    assert server.asked == before


def test_the_window_of_the_model_holds_where_it_is_smaller_than_the_price_tier(server: Server) -> None:
    digest = session(*[f"{LONG} number {n}" for n in range(60)])
    sizes = []
    for window in (None, 32_000):
        server.models = {HAIKU: {"max_input_tokens": window}} if window else {}
        engine = make_engine(server, [])
        engine.begin(Purse(), Notes())
        server.requests.clear()
        engine.extract(digest, ())
        sizes.append(largest(server))
        engine.end()
    assert sizes[1] < 0.5 * sizes[0]


@pytest.mark.parametrize("name", ["max_model_len", "context_length", "n_ctx"])
def test_servers_of_ones_own_use_names_of_their_own(server: Server, name: str) -> None:
    server.models = {HAIKU: {name: 16_000}}
    engine, notes = make_engine(server, []), Notes()
    engine.begin(Purse(), notes)
    assert server.asked == []
    engine.extract(session(RULE), ())
    assert [one.window for one in notes.values()] == [16_000]
    engine.end()


def test_the_price_tier_holds_where_the_window_is_larger(server: Server) -> None:
    server.models = {HAIKU: {"max_input_tokens": 1_000_000}}
    engine = make_engine(server, [])
    engine.begin(Purse(), Notes())
    engine.extract(session(*[f"{LONG} number {n}" for n in range(150)]), ())
    assert len(server.of("extract")) > 1
    engine.end()


def test_what_a_person_configured_is_not_asked_for(server: Server) -> None:
    engine = make_engine(server, [], limits=Limits(context_window=50_000))
    engine.begin(Purse(), Notes())
    engine.extract(session(RULE), ())
    assert asked(server) == []
    engine.end()


def test_an_answer_is_never_asked_to_be_longer_than_the_model_gives(server: Server) -> None:
    server.models = {HAIKU: {"max_tokens": 700}}
    engine = make_engine(server, [])
    engine.begin(Purse(), Notes())
    server.answer = lambda _: {"text": "no", "stop": "max_tokens"}
    with pytest.raises(Exception, match="no usable answer"):
        engine.extract(session(LONG), ())
    assert [one["max_tokens"] for one in server.requests] == [700, 700]
    engine.end()


def test_a_server_that_is_away_now_is_asked_again_later(world: World, server: Server) -> None:
    server.away = True
    world.say(RULE, "never edit the lock file of tideglass by hand")
    assert world.kick().outcome is Outcome.COMMITTED
    server.away = False
    before = len(asked(server))
    world.later(days=1)
    world.say("releases of mortar are cut on the second Tuesday", session=9)
    world.kick()
    assert len(asked(server)) == before + 2


def big(engine: ClaudeEngine, server: Server) -> list[dict[str, Any]]:
    """A session that fills most of one request."""
    engine.begin(Purse())
    engine.extract(session(*[f"{LONG} number {n}" for n in range(14)]), ())
    engine.end()
    return server.of("extract")


def test_only_what_is_large_is_counted_before_it_is_sent(server: Server) -> None:
    server.counts = lambda request: len(json.dumps(request)) // 4
    small = make_engine(server, [], limits=Limits(context_window=100_000))
    small.begin(Purse())
    small.extract(session(RULE), ())
    small.end()
    assert server.asked == []
    server.requests.clear()
    sent = big(make_engine(server, [], limits=Limits(context_window=32_000)), server)
    assert server.asked.count("POST /v1/messages/count_tokens") >= 1
    assert sent


def test_a_piece_that_the_server_counts_as_too_long_is_never_sent_whole(server: Server) -> None:
    limits = Limits(context_window=32_000)
    calm = big(make_engine(server, [], limits=limits), server)
    whole = max(map(len, map(message_of, calm)))
    server.requests.clear()
    server.counts = lambda request: len(json.dumps(request)) if len(json.dumps(request)) > whole else 1_000
    halved = big(make_engine(server, [], limits=limits), server)
    assert max(map(len, map(message_of, halved))) < 0.8 * whole
    assert len(halved) > len(calm)


def test_a_server_that_does_not_count_is_asked_once_in_a_run_and_estimates_serve(server: Server) -> None:
    engine = make_engine(server, [], limits=Limits(context_window=16_000))
    engine.begin(Purse())
    for day in range(2):
        made = engine.extract(session(*[f"{LONG} number {n} of day {day}" for n in range(6)]), ())
        assert made.usage.tokens > 0
    engine.end()
    assert len(server.of("extract")) == 2
    assert server.asked.count("POST /v1/messages/count_tokens") == 1


@pytest.mark.parametrize("window", [8_192, 16_000])
def test_a_topic_is_ordered_in_as_many_requests_as_a_small_window_asks_for(
    world: World, server: Server, window: int
) -> None:
    """What is sent never goes beyond the window, by the server's own count, whatever is found."""
    world.settings["budget"] = {"context_window": window}
    for number in range(1, 31):
        words = f"rule {number} of orchard says that the limit of queue {number} is {number}00 entries, {'however long ' * 8}"
        world.say(words, session=number)
    sizes: list[int] = []

    def counted(request: dict[str, Any]) -> dict[str, Any]:
        sizes.append(len(json.dumps(request, ensure_ascii=False)) // 3 + request["max_tokens"])
        return diligent(request)

    server.answer = counted
    assert world.kick().outcome is Outcome.COMMITTED
    assert max(sizes) <= window
    assert all(f"queue {number} " in world.text() for number in range(1, 31))
    assert {pass_of(one) for one in server.requests} == {"extract", "reconcile"}


def test_a_schema_that_is_refused_is_left_out_from_then_on(server: Server) -> None:
    no_schema = {
        "status": 400,
        "type": "invalid_request_error",
        "message": "output_config: Extra inputs are not permitted",
    }
    server.answer = Script(no_schema, diligent)
    engine = make_engine(server, [])
    engine.begin(Purse())
    assert engine.extract(session(RULE), ()).findings
    engine.extract(session(RULE, "never edit the lock file of tideglass by hand"), ())
    assert ["output_config" in one for one in server.requests] == [True, False, False]
    engine.end()


@pytest.mark.parametrize(("shares", "fewer"), [((0.8, 0.9, 0.95), False), ((0.3, 0.4, 0.5), True)])
def test_the_configured_shares_bound_what_is_sent_at_once(
    world: World, server: Server, shares: tuple[float, float, float], *, fewer: bool
) -> None:
    names = ("warn_at", "compact_at", "stop_at")
    world.settings["budget"] = {"context_window": 32_000} | dict(zip(names, shares, strict=True))
    world.say(*[f"{LONG} number {n}" for n in range(17)])
    world.kick()
    working = 32_000 - 32_000 // 20
    assert (largest(server) / 2 < 0.4 * working) is fewer
    assert (len(server.of("extract")) > 2) is fewer


def test_a_call_that_comes_near_the_end_of_its_window_is_told(server: Server) -> None:
    engine = make_engine(server, [], limits=Limits(context_window=32_000))
    engine.begin(Purse())
    server.answer = lambda request: diligent(request) | {"usage": {"input_tokens": 30_000, "output_tokens": 100}}
    logger()  # sets logging up, which would take the place of what listens here
    with capture_logs() as logs:
        engine.extract(session(RULE), ())
    engine.end()
    (warned,) = [one for one in logs if one["event"] == "budget.warned"]
    assert warned["level"] == "stop"
    assert warned["used"] > 0.95 * warned["working"]
    assert "squash" not in str(logs)
