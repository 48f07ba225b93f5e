"""A refused dream changes nothing, says what it wanted, keeps what it found, and is not tried again until something has changed."""

from __future__ import annotations

import pytest

from dreamd.dream.cycle import Order
from dreamd.memory.plan import ChangeKind
from dreamd.state.run_record import Outcome, RunRecord, Trigger
from world import World

FACTS = (
    "The heron service runs on port 8181.",
    "Robin owns the deployment scripts.",
    "We decided to use PostgreSQL 16 for the queue instead of Redis, because one server is enough for us.",
    "We always use pnpm in this repo, never npm.",
    "The cormorant database lives on db3.",
    "Staging is deployed from the branch next.",
    "The nightly build starts at 02:15.",
)
DUE = Order(trigger=Trigger.SCHEDULE, if_due=True)


@pytest.fixture
def stale(world: World) -> World:
    """A memory whose entries nobody confirmed for so long that one dream would take most of them away."""
    world.settings["gates"] = {"min_sessions": 1}
    world.say(*FACTS)
    assert world.kick().outcome is Outcome.COMMITTED
    world.later(days=800)
    world.say("Never push without asking me first.", session=2)
    return world


def refused(world: World) -> RunRecord:
    before = world.tree()
    run = world.kick()
    assert (run.outcome, run.reason) == (Outcome.REFUSED, "loss")
    assert world.tree() == before
    return run


@pytest.mark.parametrize("review", [False, True], ids=["alone", "under_review"])
def test_a_refused_dream_says_what_it_wanted_and_keeps_what_it_found(stale: World, review: bool) -> None:
    stale.settings["memory"] = {"review": review}
    run = refused(stale)
    with stale.app() as app:
        _, wanted = app.run(run.id)
        assert wanted is not None
        assert wanted.plan is not None
        removed = [one for one in wanted.plan.changes if one.kind is ChangeKind.REMOVE]
        assert len(removed) >= 4
        assert any("heron" in (one.old or "") for one in removed)
        assert [one.text for one in app.shop.findings.of_run(run.id)]
        with pytest.raises(Exception, match="waits for nothing"):
            app.accept(run.id)
        assert any(one.code == "dream_refused" for one in app.problems())


def test_it_is_not_tried_again_until_something_has_changed(stale: World) -> None:
    refused(stale)
    for _ in range(3):
        stale.later(days=2)
        closed = stale.dream(DUE).closed
        assert closed is not None
        assert (closed.name, closed.reason, closed.opens_at) == ("backoff", "refused_alike", None)
    stale.say("We deploy on Tuesdays.", session=3)
    assert stale.dream(DUE).run is not None, "something new was said"
    stale.later(days=2)
    assert stale.dream(DUE).closed is not None
    (stale.root / "MEMORY.md").write_text(stale.memory() + "\n- Mine.\n")
    assert stale.dream(DUE).run is not None, "memory was edited"
    stale.later(days=2)
    assert stale.dream(DUE).closed is not None
    stale.settings["guards"] = {"max_loss": 1.0}
    run = stale.dream(DUE).run
    assert run is not None
    assert run.outcome is Outcome.COMMITTED, "the limit was raised"
    assert "Never push" in stale.text()
    stale.later(days=2)
    assert [gate.reason for gate in gates(stale) if gate.name == "backoff"] == ["no_failure"]


def gates(world: World):
    with world.app() as app:
        return app.gates()


def test_a_person_may_still_ask_for_it(stale: World) -> None:
    refused(stale)
    refused(stale)
    with stale.app() as app:
        assert len(app.shop.history.parked_runs()) == 1, "the plan of the older one is let go"


def test_what_is_forgotten_is_in_no_refused_plan_either(stale: World) -> None:
    run = refused(stale)
    with stale.app() as app:
        app.forget_line("heron", purge_history=False)
        assert app.run(run.id)[1] is None
        assert app.shop.history.parked_runs() == ()
