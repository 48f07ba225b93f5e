"""A database that is lost between reading and remembering: what a model found is there again and not paid for twice."""

from __future__ import annotations

import datetime as dt
import stat

from dreamd.dream.cycle import Order
from dreamd.rebuild import rebuild
from dreamd.state.condition import DatabaseCondition, database_condition
from dreamd.state.run_record import Outcome
from engines_claude.scripted import Server
from world import World

RULES = (
    "in quillmark we always squash before merging anything",
    "never edit the lock file of tideglass by hand",
    "the staging server of harbour runs on the blue profile",
)


def talk(world: World) -> None:
    for number, rule in enumerate(RULES, start=1):
        world.say(rule, session=number, ago=dt.timedelta(hours=2 + number))


def read_only(world: World, server: Server) -> None:
    """A dream that reads all sessions and then waits for a person."""
    talk(world)
    assert world.kick(Order(dry_run=True)).outcome is Outcome.WAITING
    assert len(server.of("extract")) == 3


def lose(world: World) -> None:
    for path in world.state.glob("state.db*"):
        path.unlink()
    rebuild(world.loaded(), world.clock)


def test_what_was_paid_for_is_not_paid_for_again_after_a_rebuild(world: World, server: Server) -> None:
    read_only(world, server)
    for path in (world.state / "answers").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lose(world)
    with world.app() as app:
        assert app.status()["consecutive_failures"] == 0
    assert world.kick().outcome is Outcome.COMMITTED
    assert all(rule in world.text() for rule in RULES)
    assert len(server.of("extract")) == 3
    assert list((world.state / "answers").iterdir()) == []


def test_a_first_dream_that_only_read_is_reason_enough_for_a_rebuild(world: World, server: Server) -> None:
    read_only(world, server)
    for path in world.state.glob("state.db*"):
        path.unlink()
    assert database_condition(world.loaded().places) is DatabaseCondition.LOST


def test_a_session_that_grew_since_is_read_in_its_new_turns_alone(world: World, server: Server) -> None:
    read_only(world, server)
    world.say("releases of mortar are cut on the second Tuesday", session=1, ago=dt.timedelta(minutes=90))
    lose(world)
    assert world.kick().outcome is Outcome.COMMITTED
    assert all(rule in world.text() for rule in (*RULES, "Tuesday"))
    assert len(server.of("extract")) == 4


def test_what_a_batch_found_is_there_again_too(world: World, server: Server) -> None:
    talk(world)
    world.settings["engine"]["batch"] = True
    world.settings["memory"] = {"review": True}
    assert world.kick().outcome is Outcome.WAITING
    assert world.kick().reason == "review"
    lose(world)
    world.settings["memory"] = {"review": False}
    asked = len(server.of("extract"))
    assert world.kick().outcome is Outcome.COMMITTED
    assert all(rule in world.text() for rule in RULES)
    assert len(server.of("extract")) == asked


def test_what_was_forgotten_is_in_no_copy_beside_the_database(world: World, server: Server) -> None:
    read_only(world, server)
    with world.app() as app:
        app.forget_session(next(one.id for one in app.sessions() if one.id.endswith("1")), purge_history=True)
    held = b"".join(path.read_bytes() for path in (world.state / "answers").glob("*"))
    assert b"quillmark" not in held
    lose(world)
    world.kick()
    assert RULES[0] not in world.text()
    assert RULES[1] in world.text()


def test_another_model_since_reads_anew(world: World, server: Server) -> None:
    read_only(world, server)
    lose(world)
    world.settings["engine"] |= {"gather_model": "claude-opus-5-5"}
    assert world.kick().outcome is Outcome.COMMITTED
    assert len(server.of("extract")) == 6


def test_what_costs_nothing_is_not_kept_beside_the_database(world: World, server: Server) -> None:
    world.settings["engine"] = {"name": "offline"}
    talk(world)
    assert world.kick(Order(dry_run=True)).outcome is Outcome.WAITING
    assert not (world.state / "answers").exists()
    assert server.requests == []


def test_copies_that_cannot_be_read_are_passed_over(world: World, server: Server) -> None:
    read_only(world, server)
    first, *_ = sorted((world.state / "answers").glob("reading-*"))
    first.write_bytes(b"{")
    lose(world)
    assert world.kick().outcome is Outcome.COMMITTED
    assert len(server.of("extract")) == 4
