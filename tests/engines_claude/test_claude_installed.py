"""The installed command with a model: what a person sees, what leaves the machine, and what stays the same from process to process."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest

from engines_claude.scripted import Server, diligent, finding, message_of, pass_of, turns_of
from world import World, dreamd

SHARED, CLIENT, SECRET, ALONE = "orchard", "client", "diary", "garden"
RULE = "the archive of mortar is never older than two weeks"
WORDS = {
    SHARED: "in quillmark we always squash before merging anything",
    CLIENT: "We always use pnpm in this repo, never npm.",
    SECRET: "the combination of the safe is written under the desk",
    ALONE: "I always want answers in one short sentence and no more",
}


@pytest.fixture
def lived(world: World, server: Server) -> World:
    """Four projects with rules of their own, spoken in just now by the real clock; the configuration in a file."""
    world.clock.at = dt.datetime.now(dt.UTC)
    for number, (project, words) in enumerate(WORDS.items(), start=1):
        world.say(words, project=project, session=number)
    (world.home / "config.toml").write_text(
        f"""
[engine]
name = "claude"
base_url = "{server.url}"

[[projects]]
path = "/home/sam/work/{CLIENT}"
engine = "offline"

[[projects]]
path = "/home/sam/work/{SECRET}"
learn = false

[[projects]]
path = "/home/sam/work/{ALONE}"
isolate = true
"""
    )
    return world


def command(world: World, *arguments: str, **more: str) -> tuple[int, Any]:
    given = {"ANTHROPIC_API_KEY": "test-key-of-nobody", "DREAMD_CONFIG": str(world.home / "config.toml")} | more
    told = dreamd(world.home, *arguments, **given)
    assert "Traceback" not in told.stderr
    return told.returncode, json.loads(told.stdout) if "--json" in arguments else told.stdout


def general(request: dict[str, Any]) -> dict[str, Any]:
    """A model that takes everything for a rule in general."""
    if pass_of(request) != "extract":
        return diligent(request)
    made = [
        finding(words, name, words, kind="preference", scope="general") for name, words in turns_of(request).items()
    ]
    return {"json": {"findings": made}}


def test_each_projects_wishes_hold(lived: World, server: Server) -> None:
    server.answer = general
    status, run = command(lived, "kick", "--json")
    assert (status, run["outcome"], run["engine"]) == (0, "committed", "claude")
    for private in (WORDS[CLIENT], WORDS[SECRET], "pnpm", "combination", CLIENT, SECRET):
        assert private not in "\n".join(map(message_of, server.requests)), private
    assert "pnpm" in lived.text()
    assert "combination" not in lived.text()
    assert WORDS[ALONE] in (lived.root / "projects" / f"{ALONE}.md").read_text()
    assert WORDS[ALONE] not in lived.memory().replace(f"projects/{ALONE}.md", "").split("## Projects")[0]
    kept = b"".join(path.read_bytes() for path in lived.state.rglob("*") if path.is_file())
    assert b"combination of the safe" not in kept


def test_nothing_leaves_before_a_person_says_so(lived: World, server: Server) -> None:
    file = lived.home / "config.toml"
    file.write_text(file.read_text().replace('name = "claude"', 'name = "offline"'))
    assert command(lived, "kick", "--json")[1]["engine"] == "offline"
    assert command(lived, "status", "--json")[0] == 0
    assert server.requests == []
    assert server.asked == []


def test_an_estimate_asks_nobody_and_a_dream_costs_about_that(lived: World, server: Server) -> None:
    status, told = command(lived, "kick", "--estimate", "--json")
    assert (status, told["engine"], told["sessions"]) == (0, "claude", 3)
    assert server.requests == []
    assert server.asked == []
    batched = command(lived, "kick", "--estimate", "--json", DREAMD_ENGINE__BATCH="true")[1]
    assert batched["tokens"] == told["tokens"]
    assert 0 < batched["usd"] < told["usd"]
    assert "about" in command(lived, "kick", "--estimate")[1]
    assert f"next dream about ${told['usd']:.4f}, {told['tokens']:,} tokens" in command(lived, "status")[1]
    run = command(lived, "kick", "--json")[1]
    spent = sum(run["tokens"].values())
    assert 0.2 < told["tokens"] / spent < 5
    assert f"${run['usd']:.4f} for {spent:,} tokens" in command(lived, "runs", "show", "last")[1]
    assert command(lived, "status", "--json")[1]["budget"]["tokens_today"] == spent


def test_the_static_prefix_is_the_same_to_the_byte_in_every_process_project_and_day(
    lived: World, server: Server
) -> None:
    lived.say("never edit the lock file of quillmark by hand", project=SHARED, session=1)
    command(lived, "kick")
    lived.say("releases of mortar are cut on the second Tuesday", RULE, project="mortar", session=9)
    command(lived, "kick", TZ="Asia/Tokyo", LANG="de_DE.UTF-8", PYTHONHASHSEED="7")
    for pass_ in ("extract", "reconcile"):
        prefixes = {json.dumps([one["model"], one["system"]]) for one in server.of(pass_)}
        assert len(prefixes) == 1, pass_
    assert len(server.of("extract")) == 3
    cached = [block for block in server.requests[0]["system"] if "cache_control" in block]
    assert cached == [server.requests[0]["system"][-1]]
    run = command(lived, "runs", "show", "last", "--json")[1]
    assert run["tokens"]["cache_read"] > 0
    assert run["tokens"]["cache_write"] == 0


@pytest.mark.parametrize(
    ("answer", "status", "code"),
    [
        ({"status": 401, "type": "authentication_error"}, 1, "engine_unusable"),
        ({"status": 404, "type": "not_found_error"}, 1, "engine_unusable"),
    ],
)
def test_a_refusal_is_told_with_what_to_do_and_loses_nothing(
    lived: World, server: Server, answer: dict[str, Any], status: int, code: str
) -> None:
    server.answer = lambda _: answer
    ended, told = command(lived, "kick", "--json")
    assert (ended, told["error"]["code"]) == (status, code)
    assert "engine." in told["error"]["hint"]
    assert len(server.requests) == 1
    server.answer = diligent
    assert command(lived, "kick", "--json")[1]["outcome"] == "committed"


def test_a_missing_key_is_exit_status_three(lived: World, server: Server) -> None:
    file = lived.home / "config.toml"
    file.write_text(file.read_text().replace(f'base_url = "{server.url}"', ""))
    ended, told = command(lived, "kick", "--json", ANTHROPIC_API_KEY="")
    assert (ended, told["error"]["code"]) == (3, "config")


def test_what_no_money_is_there_for_waits_and_what_is_free_is_dreamt(lived: World, server: Server) -> None:
    ended, run = command(lived, "kick", "--json", DREAMD_BUDGET__MAX_USD_PER_RUN="0.0")
    assert (ended, run["reason"], run["sessions"]["deferred"]) == (0, "committed_deferred", 2)
    assert "pnpm" in lived.text()
    assert server.requests == []
    ended, run = command(lived, "kick", "--json", DREAMD_BUDGET__MAX_USD_PER_RUN="0.0")
    assert (ended, run["reason"]) == (5, "budget_spent")
    assert server.requests == []


def test_a_price_in_the_configuration_is_what_a_dream_costs(lived: World, server: Server) -> None:
    file = lived.home / "config.toml"
    file.write_text(file.read_text() + '\n[[prices]]\nmodel = "claude"\ninput = 1000\noutput = 0\n')
    server.answer = lambda request: diligent(request) | {"usage": {"input_tokens": 1_000, "output_tokens": 10}}
    ended, run = command(
        lived, "kick", "--json", DREAMD_BUDGET__MAX_USD_PER_RUN="1000", DREAMD_BUDGET__MAX_USD_PER_DAY="1000"
    )
    assert (ended, run["usd"]) == (0, run["tokens"]["input"] / 1000)
    assert run["usd"] > 0
    told = command(lived, "config", "show", "--json")[1]["prices"]
    assert told[0]["model"] == "claude"
